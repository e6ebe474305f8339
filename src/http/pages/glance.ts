/** What a record is at a glance: its kinds, materials and sizes, where it is and whose, its numbers. */
import type { EndpointName } from "../../model/tables/endpoints.js";
import { GENDER, NATIONALITY, OCCUPATION } from "./caption.js";
import { type Node, take, takeWhere } from "./description.js";
import { propertyWords } from "./labels.js";
import { GLANCE } from "./layouts.js";
import { type Html, html, join, NOTHING, text } from "./markup.js";
import type { Renderer } from "./renderer.js";

/** Kinds of kinds that have rows of their own, by their identifiers in the thesaurus. */
const KINDS_OF_KINDS: readonly (readonly [identifier: string, words: string])[] = [
  [NATIONALITY, "Nationality"],
  [OCCUPATION, "Occupation"],
  [GENDER, "Gender"],
];

/** Terms whose rows are one where they have the same values: who keeps an object often owns it, too, and for good. */
const JOINED: readonly string[] = [
  "current_location",
  "current_permanent_location",
  "current_owner",
  "current_custodian",
  "current_permanent_custodian",
];

/** The rows beside the pictures. What they have is taken from what the node has to show. */
export function glanceHtml(renderer: Renderer, node: Node, endpoint: EndpointName | null): Html {
  const { description } = renderer;
  const rows: Html[] = [];
  for (const [identifier, words] of KINDS_OF_KINDS) {
    const kinds = takeWhere(node, "classified_as", (kind) => description.isClassified(kind, identifier));
    if (kinds.length > 0) rows.push(renderer.row(words, "classified_as", kinds));
  }
  for (const term of GLANCE[endpoint ?? "concept"]) {
    const same = termsLike(node, term);
    const values = take(node, term);
    for (const each of same) take(node, each);
    if (values.length > 0) rows.push(renderer.row(wordsOf([term, ...same]), term, values));
  }
  const identifiers = takeWhere(node, "identified_by", (each) => description.isOf(each, "Identifier"));
  if (identifiers.length > 0) rows.push(renderer.row("Number", "identified_by", identifiers));
  return rowsHtml(rows, "rows glance");
}

/** The other terms that have the same values. */
function termsLike(node: Node, term: string): string[] {
  if (!JOINED.includes(term)) return [];
  const valuesOf = (each: string): string => [...(node.values.get(each) ?? [])].sort((a, b) => a - b).join();
  const own = valuesOf(term);
  return own === "" ? [] : JOINED.filter((each) => each !== term && valuesOf(each) === own);
}

/** "Owner and keeper": what is so for good need not be said beside what is so now. */
function wordsOf(terms: readonly string[]): string {
  const said = terms.filter((term) => !term.includes("permanent_") || !terms.includes(term.replace("permanent_", "")));
  const words = said.map((term, at) => (at === 0 ? propertyWords(term) : propertyWords(term).toLowerCase()));
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)!}`;
}

export function rowsHtml(rows: readonly Html[], names: string): Html {
  return rows.length === 0 ? NOTHING : html`<dl class="${text(names)}">${join(rows)}</dl>`;
}
