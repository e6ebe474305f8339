/** Languages of names and of their readers: which name of an entity heads its page (RFC 4647, 3.4). */
import { entryOf } from "../../base/entries.js";
import { LANGUAGE_CODES, LANGUAGE_TAG } from "../../model/vocabulary/languages.js";
import { primaryTag } from "../../rdf/terms.js";
import type { ResourceDescription } from "./description.js";
import type { Words } from "./words/words.js";

/** `{vocab_base}/300404670`, "preferred terms": the name that stands for all others. */
const PRIMARY = "300404670";

/** The language tag of a text: its own, or that of a language which the node is said to be in. */
export function languageOf(description: ResourceDescription, node: number, content?: number): string | undefined {
  const tag = content === undefined ? "" : description.terms[content]!.language;
  if (tag !== "") return LANGUAGE_TAG.test(tag) ? tag : undefined;
  for (const language of description.values(node, "language")) {
    const code =
      description.text(language, "notation") ??
      LANGUAGE_CODES[description.terms[language]!.value.split("/").at(-1) ?? ""];
    if (code !== undefined && LANGUAGE_TAG.test(code)) return code;
  }
  return undefined;
}

export interface Reader {
  readonly words: Words;
  /** The languages of names, the dearest first. */
  readonly languages: readonly string[];
}

/** A text, and the language that it is known to be in. */
export interface Spoken {
  readonly text: string;
  readonly language: string | undefined;
}

export interface NameOf extends Spoken {
  readonly isPrimary: boolean;
}

/** The names of a node in source order, identifiers apart. */
export function namesOf(description: ResourceDescription, node: number): NameOf[] {
  const names: NameOf[] = [];
  for (const name of description.values(node, "identified_by")) {
    if (description.isOf(name, "Identifier")) continue;
    for (const content of description.values(name, "content")) {
      const language = languageOf(description, name, content);
      const text = description.terms[content]!.value;
      names.push({ text, language, isPrimary: description.isClassified(name, PRIMARY) });
    }
  }
  return names;
}

/** The names of a node: one a language, a primary one before others, and its other names. */
export function namesByLanguage(description: ResourceDescription, node: number) {
  const first = new Map<string | undefined, NameOf>();
  const others = new Map<string, NameOf>();
  const all = namesOf(description, node);
  for (const name of [...all].sort((left, right) => Number(right.isPrimary) - Number(left.isPrimary))) {
    if (first.has(name.language)) entryOf(others, name.text, () => name);
    else first.set(name.language, name);
  }
  return { first: [...first.values()], others: [...others.values()] };
}

/** The name at the head for a reader of these languages, the dearest first; else the primary name, then the label, which has no language. */
export function nameFor(
  names: readonly NameOf[],
  label: string | undefined,
  languages: readonly string[],
): NameOf | undefined {
  const spoken = nameIn(names, label, languages);
  if (spoken !== undefined) return spoken;
  const primary = names.find(({ isPrimary }) => isPrimary);
  if (primary !== undefined) return primary;
  return label === undefined
    ? names[0]
    : (names.find(({ text }) => text === label) ?? { text: label, language: undefined, isPrimary: false });
}

/** The name in the first of these languages that there is one in: the primary one, or the one that is the label, before others. */
export function nameIn(
  names: readonly NameOf[],
  label: string | undefined,
  languages: readonly string[],
): NameOf | undefined {
  for (const wanted of languages) {
    const spoken = names.filter(
      ({ language }) => language !== undefined && primaryTag(language) === primaryTag(wanted),
    );
    const found = spoken.find(({ isPrimary }) => isPrimary) ?? spoken.find(({ text }) => text === label) ?? spoken[0];
    if (found !== undefined) return found;
  }
  return undefined;
}
