/** The texts of a manifest: label, summary, rows as on the page, rights, credit line. */
import type sanitize from "sanitize-html";
import { unescapeHtml } from "../../base/html.js";
import type { Json, JsonObject } from "../../rdf/record-graph.js";
import type { StoredRecord } from "../../store/record.js";
import { bylineOf } from "../pages/caption.js";
import { descriptionOf, type ResourceDescription, take } from "../pages/description.js";
import { DESCRIPTION, glanceOf, statementsOf } from "../pages/entity-page.js";
import { nameFor, namesOf, type Spoken } from "../pages/languages.js";
import { type Html, loadSanitizer } from "../pages/markup.js";
import { type Href, Renderer } from "../pages/renderer.js";
import { ENGLISH_WORDS } from "../pages/words/words.js";
import { rightsIris } from "./mapped-values.js";

type LanguageMap = Record<string, string[]>;

/** `{vocab_base}` and these are a credit line: acknowledgements, and the attribution that an image is to carry. */
const CREDIT_LINES = ["300026687", "300435418"];

/** The rights that a manifest may name (3.1, `rights`): http, as their publishers have them. */
const RIGHTS = /^https?:\/\/(creativecommons\.org\/(?:licenses|publicdomain)|rightsstatements\.org\/vocab)\//i;

const ALLOWED: sanitize.IOptions = {
  allowedTags: ["a", "b", "br", "i", "p", "small", "span", "sub", "sup"],
  allowedAttributes: { a: ["href"] },
  allowedSchemes: ["http", "https", "mailto"],
};

/** Words of the service itself. */
export function english(words: string): LanguageMap {
  return { en: [words] };
}

/** Texts by their languages; `none` for those that say none. */
function languageMap(texts: readonly Spoken[]): LanguageMap {
  const map: LanguageMap = {};
  for (const { text, language = "none" } of texts) {
    map[language] ??= [];
    map[language].push(text);
  }
  return map;
}

/** The label of an entity: in each language the name that a reader of it would see. */
export function labelOf(description: ResourceDescription): LanguageMap {
  const { root } = description;
  const names = namesOf(description, root);
  const label = description.text(root, "_label");
  const languages = new Set(names.flatMap(({ language }) => language ?? []));
  const spoken = [...languages].map((language) => nameFor(names, undefined, [language])!);
  if (spoken.length > 0) return languageMap(spoken);
  return { none: [nameFor(names, label, [])?.text ?? description.graph.iri] };
}

/** Everything that is said in words, as the properties of a Manifest or Collection. @param rightsOf records whose rights count after the entity's own */
export function manifestWords(
  { graph, meta }: StoredRecord,
  href: Href,
  rightsOf: readonly ResourceDescription[],
): JsonObject {
  const description = descriptionOf(graph);
  const summary = languageMap(statementsOf(description, DESCRIPTION));
  const credits = languageMap(statementsOf(description, ...CREDIT_LINES));
  const metadata = metadataOf(description, meta.endpoint, href);
  const rights = [description, ...rightsOf].map(rightsStatement).find((each) => each !== undefined);
  return {
    label: labelOf(description),
    ...(Object.keys(summary).length > 0 && { summary }),
    ...(metadata.length > 0 && { metadata }),
    ...(rights !== undefined && { rights }),
    ...(Object.keys(credits).length > 0 && {
      requiredStatement: { label: english(ENGLISH_WORDS.file.record.creditLine), value: credits },
    }),
  };
}

/** The rows that head an entity's page, who made it and when before them, and its rights after them. */
function metadataOf(description: ResourceDescription, endpoint: StoredRecord["meta"]["endpoint"], href: Href): Json[] {
  const renderer = new Renderer(description, href, description.graph.iri, ENGLISH_WORDS);
  const node = description.node(description.root);
  const making = ["produced_by", "created_by"].find((term) => node.values.has(term));
  const byline = making === undefined ? "" : bylineOf(description, ENGLISH_WORDS);
  const rows = [
    ...glanceOf(description, node, endpoint, ENGLISH_WORDS),
    { words: ENGLISH_WORDS.propertyHtml("subject_to"), term: "subject_to", values: take(node, "subject_to") },
  ];
  return [
    ...(byline === "" ? [] : [{ label: english(ENGLISH_WORDS.property(making!)), value: { none: [byline] } }]),
    ...rows
      .filter(({ values }) => values.length > 0)
      .map(({ words, term, values }) => ({
        label: english(unescapeHtml(words)),
        value: { none: values.map((value) => shownAs(renderer.whole(() => renderer.value(term, value)))) },
      })),
  ];
}

/** A value of a page as a manifest may have it: plain text, or HTML in an element of its own where it has links. */
function shownAs(rendered: Html): string {
  const apart = rendered.replace(/<\/(?:dd|dt|div|li|p|tr)>/g, " $&");
  const links = loadSanitizer()(apart, rendered.includes("<a ") ? ALLOWED : { allowedTags: [] });
  const value = links.replace(/\s+/g, " ").trim();
  return value.includes("<") ? `<span>${value}</span>` : unescapeHtml(value);
}

/** The first of an entity's rights that a manifest may name, or what is the same elsewhere. */
function rightsStatement(description: ResourceDescription): string | undefined {
  const rights = rightsIris(description, description.root).find((iri) => RIGHTS.test(iri));
  return rights?.replace(/^https:/i, "http:");
}
