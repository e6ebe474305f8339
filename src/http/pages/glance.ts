/** A record at a glance: its kinds, materials and sizes, where it is and whose, its numbers. */
import type { EndpointName } from "../../model/tables/names.js";
import { GENDER, NATIONALITY, OCCUPATION } from "./caption.js";
import { type Node, type ResourceDescription, take, takeWhere } from "./description.js";
import { GLANCE } from "./layouts.js";
import { type Html, html, join, NOTHING, text } from "./markup.js";
import type { Renderer } from "./renderer.js";
import type { Words, WordsFile } from "./words/words.js";

/** Kinds of kinds that have rows of their own, by their identifiers in the thesaurus. */
const KINDS_OF_KINDS: readonly (readonly [identifier: string, words: keyof WordsFile["glance"]])[] = [
  [NATIONALITY, "nationality"],
  [OCCUPATION, "occupation"],
  [GENDER, "gender"],
];

/** Terms whose rows are one where they have the same values: who keeps an object often owns it, too, and for good. */
const JOINED = GLANCE.object.filter((term) => term.startsWith("current_"));

/** An entity at a glance, taken from what its node has to show. */
export function glanceOf(description: ResourceDescription, node: Node, endpoint: EndpointName | null, words: Words) {
  const { glance } = words.file;
  const ofKinds = KINDS_OF_KINDS.map(([identifier, name]) => {
    const values = takeWhere(node, "classified_as", (kind) => description.isClassified(kind, identifier));
    return { words: text(glance[name]), term: "classified_as", values };
  });
  const rows = GLANCE[endpoint ?? "concept"].flatMap((term) => {
    if (!node.values.has(term)) return [];
    const same = termsLike(node, term);
    const values = take(node, term);
    for (const each of same) take(node, each);
    return { words: words.together([term, ...same], (each) => words.property(each)), term, values };
  });
  const values = takeWhere(node, "identified_by", (each) => description.isOf(each, "Identifier"));
  const numbers = { words: text(glance.number), term: "identified_by", values };
  return [...ofKinds, ...rows, numbers].filter((row) => row.values.length > 0);
}

/** The rows beside the pictures. */
export function glanceHtml(renderer: Renderer, node: Node, endpoint: EndpointName | null): Html {
  const rows = glanceOf(renderer.description, node, endpoint, renderer.words);
  const shown = rows.map(({ words, term, values }) => renderer.row(words, term, values));
  return rowsHtml(shown, "rows glance");
}

function termsLike(node: Node, term: string): string[] {
  if (!JOINED.includes(term)) return [];
  const valuesOf = (each: string): string => [...(node.values.get(each) ?? [])].sort((a, b) => a - b).join();
  const own = valuesOf(term);
  return own === "" ? [] : JOINED.filter((each) => each !== term && valuesOf(each) === own);
}

/** Rows as a list of terms and values; nothing where there are none. @param names the classes of the list */
export function rowsHtml(rows: readonly Html[], names: string): Html {
  return rows.length === 0 ? NOTHING : html`<dl class="${text(names)}">${join(rows)}</dl>`;
}
