/** Whether a record is what a search looks for, and where the search would come upon it first. */
import { ACTIVITY_PART, ACTIVITY_PROPERTIES } from "../../../model/found-by.js";
import { type EndpointName, endpointNamed } from "../../../model/tables/endpoints.js";
import { CLASS_NAMES, propertyIri } from "../../../model/vocabulary/vocabulary.js";
import { foundForm, wordsOf } from "../../../rdf/found-text.js";
import { classesOf, indexBySubject, type RecordGraph, rootOf } from "../../../rdf/record-graph.js";
import type { SearchQuery } from "../../search.js";
import { type FoundBy, formBytes, foundBy } from "../format/found.js";
import { NO_FORM, type Place, RANK, type Sought } from "./places.js";

/** Words of a text that are looked for. */
const MAX_WORDS = 16;

/** What a search looks for in texts, what is asked first the one by which it goes; nothing for texts that say nothing. */
export function soughtIn({ identifier, name, text }: SearchQuery): Sought[] {
  return (
    [
      ["identifier", identifier],
      ["name", name],
      ["text", text],
    ] as const
  ).flatMap(([among, given]) => {
    const form = given === undefined ? "" : foundForm(given);
    if (form === "") return [];
    const all = wordsOf(form);
    // Of a word that comes twice the last counts: it may be the one that is being typed.
    const words = all.filter((word, at) => all.lastIndexOf(word) === at).slice(0, MAX_WORDS);
    return [{ form, words, among }];
  });
}

/** The first place at which a record has a text, its label and number apart; `undefined` where it has it nowhere. */
export function bestPlace(found: FoundBy, { form, words, among }: Sought): Omit<Place, "record"> | undefined {
  const values = { name: [found.names], identifier: [found.identifiers], text: [found.names, found.identifiers] }[
    among
  ];
  if (values.some((each) => each.has(form))) return { rank: RANK.value, form: NO_FORM };
  const begun = values.flatMap((each) => [...each.keys()]).filter((value) => value.startsWith(form));
  if (begun.length > 0) return { rank: RANK.prefix, form: least(begun) };
  if (among === "identifier" || words.length === 0) return undefined;
  const { nameWords, textWords } = found;
  if (words.every((word) => nameWords.has(word))) return { rank: RANK.words, form: NO_FORM };
  const last = words.at(-1)!;
  if (words.slice(0, -1).every((word) => nameWords.has(word))) {
    const longer = [...nameWords.keys()].filter((word) => word.startsWith(last));
    if (longer.length > 0) return { rank: RANK.wordPrefix, form: words.length > 1 ? NO_FORM : least(longer) };
  }
  const isAll = among === "text" && words.every((word) => nameWords.has(word) || textWords.has(word));
  return isAll ? { rank: RANK.text, form: NO_FORM } : undefined;
}

function least(forms: readonly string[]): Buffer {
  return forms.map(formBytes).reduce((best, form) => (form.compare(best) < 0 ? form : best));
}

/** What a search asks of a record besides its texts, made once for many. */
export interface Conditions {
  readonly sought: readonly Sought[];
  readonly classes: readonly string[] | undefined;
  readonly relations: readonly AskedRelation[];
}

export interface AskedRelation {
  readonly property: string;
  readonly target: string;
  /** What the property means on any class. */
  readonly iris: ReadonlySet<string>;
}

export function conditionsOf(query: SearchQuery): Conditions {
  return {
    sought: soughtIn(query),
    classes: query.classes,
    relations: (query.relations ?? []).map(({ property, target }) => {
      const iris = new Set([undefined, ...CLASS_NAMES].flatMap((name) => propertyIri(property, name) ?? []));
      return { property, target, iris };
    }),
  };
}

/** Where the first of the sought texts is; `undefined` for a record that does not meet all conditions. Without texts, no form. */
export function placeInText(
  graph: RecordGraph,
  endpoint: EndpointName | null,
  { sought, classes, relations }: Conditions,
): Omit<Place, "record"> | undefined {
  if (classes !== undefined && !classesOf(graph).some((each) => classes.includes(each))) return undefined;
  if (!relations.every((relation) => isRelated(graph, endpoint, relation))) return undefined;
  if (sought.length === 0) return { rank: -1, form: NO_FORM };
  const found = foundBy(graph, null);
  const places = sought.map((each) => bestPlace(found, each));
  return places.includes(undefined) ? undefined : places[0];
}

/**
 * Whether an entity refers to another: itself, where its endpoint's table has the property (or by its parts, for events), or
 * else by one of its activities. What its names, statements and dimensions refer to is theirs.
 */
function isRelated(
  graph: RecordGraph,
  endpoint: EndpointName | null,
  { property, target, iris }: AskedRelation,
): boolean {
  const isOwn = endpoint !== null && endpointNamed(endpoint).fields.some((field) => field.property === property);
  const { terms, triples } = graph;
  const { first, next } = indexBySubject(graph);
  const seen = new Set<number>();
  const waiting = [rootOf(graph)];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node === -1 || seen.has(node)) continue;
    seen.add(node);
    for (let at = first[node]!; at !== -1; at = next[at]!) {
      const predicate = terms[triples[at * 3 + 1]!]!.value;
      const object = triples[at * 3 + 2]!;
      if (iris.has(predicate) && terms[object]!.value === target && terms[object]!.termType === "NamedNode")
        return true;
      if (predicate === ACTIVITY_PART || (!isOwn && ACTIVITY_PROPERTIES.has(predicate))) waiting.push(object);
    }
  }
  return false;
}
