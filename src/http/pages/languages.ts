/** The languages of names and of readers, and the choice of the name that heads an entity's page (RFC 4647, 3.4). */
import { entryOf } from "../../base/entries.js";
import { LANGUAGE_CODES, LANGUAGE_TAG } from "../../model/vocabulary/languages.js";
import { primaryTag } from "../../rdf/terms.js";
import type { ResourceDescription } from "./description.js";
import type { Words } from "./words/words.js";

/** `{vocab_base}/300404670`, "preferred terms": marks the primary name. */
const PRIMARY = "300404670";

/** The language tag of a text: its own tag, or that of the node's `language`. */
export function languageOf(description: ResourceDescription, node: number, content?: number): string | undefined {
  const tag = content === undefined ? "" : description.terms[content]!.language;
  if (tag !== "") return LANGUAGE_TAG.test(tag) ? tag : undefined;
  const codes = description.values(node, "language").map((language) => languageCode(description, language) ?? "");
  return codes.find((code) => LANGUAGE_TAG.test(code));
}

/** The code of a language: its notation, or else that of its IRI in the vocabulary. */
export function languageCode(description: ResourceDescription, language: number): string | undefined {
  const { value } = description.terms[language]!;
  return description.text(language, "notation") ?? LANGUAGE_CODES.get(value.split("/").at(-1)!);
}

export interface Reader {
  readonly words: Words;
  /** The reader's languages for names, the most wanted first. */
  readonly languages: readonly string[];
}

export interface TextInLanguage {
  readonly text: string;
  readonly language: string | undefined;
}

export interface NameOf extends TextInLanguage {
  /** Default: no. */
  readonly isPrimary?: boolean;
}

/** The names of a node in source order, without identifiers and blank names. */
export function namesOf(description: ResourceDescription, node: number): NameOf[] {
  const names = description.values(node, "identified_by").filter((each) => !description.isOf(each, "Identifier"));
  const all = names.flatMap((name) =>
    description.values(name, "content").map((content) => ({
      text: description.terms[content]!.value,
      language: languageOf(description, name, content),
      isPrimary: description.isClassified(name, PRIMARY),
    })),
  );
  return all.filter(({ text }) => text.trim() !== "");
}

/** The names of a node: `first` has one name per language, a primary one if there is any; `others` has the rest, each text once. */
export function namesByLanguage(description: ResourceDescription, node: number) {
  const first = new Map<string | undefined, NameOf>();
  const others = new Map<string, NameOf>();
  const all = namesOf(description, node);
  for (const name of [...all.filter(({ isPrimary }) => isPrimary), ...all.filter(({ isPrimary }) => !isPrimary)]) {
    if (first.has(name.language)) entryOf(others, name.text, () => name);
    else first.set(name.language, name);
  }
  return { first: [...first.values()], others: [...others.values()] };
}

/** The name for a reader of these languages, the most wanted first. If none of them has a name, it is the primary name, else the label, else the first name. */
export function nameFor(names: readonly NameOf[], label: string | undefined, languages: readonly string[]) {
  const best = nameIn(names, label, languages) ?? names.find(({ isPrimary }) => isPrimary);
  if (best !== undefined || !label?.trim()) return best ?? names[0];
  return names.find(({ text }) => text === label) ?? { text: label, language: undefined, isPrimary: false };
}

/** A name in the first of these languages that has any: the primary name, else the name that equals the label, else the first one. */
export function nameIn(names: readonly NameOf[], label: string | undefined, languages: readonly string[]) {
  for (const wanted of languages) {
    const spoken = names.filter(({ language: own }) => own !== undefined && primaryTag(own) === primaryTag(wanted));
    const found = spoken.find(({ isPrimary }) => isPrimary) ?? spoken.find(({ text }) => text === label) ?? spoken[0];
    if (found !== undefined) return found;
  }
  return undefined;
}
