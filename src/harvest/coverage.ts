/** The coverage of a collection: where and when its entities came to be and happened, counted over its records. */
import { entryOf } from "../base/entries.js";
import { ACTIVITY_PART } from "../model/found-by.js";
import { propertyIri } from "../model/vocabulary/vocabulary.js";
import { indexBySubject, objectsOf, type RecordGraph, rootOf, valuesOf } from "../rdf/record-graph.js";
import { RDFS_LABEL } from "../rdf/terms.js";

/** Where and when, as far as records say. */
export interface Coverage {
  /** The first and the last year, as dates write them; astronomical, so `-0043` is 44 BC. */
  readonly years: { readonly first: string; readonly last: string } | undefined;
  /** The places that most records name, the commonest first. */
  readonly places: readonly { readonly iri: string; readonly label: string | undefined }[];
}

/** From this year on, dates stand for "never" and "not known". */
const NO_YEAR = 9_000;

/** Places of a coverage: a description names the chief ones. */
const MAX_PLACES = 10;

/** By which an entity came to be. Where it was later, and when, is its history. */
const BEGINNINGS: ReadonlySet<string> = new Set(
  ["produced_by", "created_by", "born", "formed_by"].map((term) => propertyIri(term)!),
);
const TIMESPAN = propertyIri("timespan")!;
const PLACE = propertyIri("took_place_at")!;
const BEGIN = propertyIri("begin_of_the_begin")!;
const END = propertyIri("end_of_the_end")!;

export class CoverageCounter {
  #first: number | undefined;
  #last: number | undefined;
  readonly #places = new Map<string, { count: number; label: string | undefined }>();

  /** Add a record: of an event its own place and time, of anything else those of its beginning, with all parts. */
  add(graph: RecordGraph): void {
    const { terms, triples } = graph;
    const index = indexBySubject(graph);
    const seen = new Set<number>();
    const places = new Set<number>();
    const waiting = [rootOf(graph)];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (node === -1 || seen.has(node)) continue;
      seen.add(node);
      for (let at = index.first[node]!; at !== -1; at = index.next[at]!) {
        const predicate = terms[triples[at * 3 + 1]!]!.value;
        const object = triples[at * 3 + 2]!;
        if (predicate === ACTIVITY_PART || BEGINNINGS.has(predicate)) waiting.push(object);
        else if (predicate === TIMESPAN) {
          for (const begin of years(graph, object, BEGIN)) this.#first = Math.min(this.#first ?? begin, begin);
          for (const end of years(graph, object, END)) this.#last = Math.max(this.#last ?? end, end);
        }
        if (predicate === PLACE && terms[object]!.termType === "NamedNode") places.add(object);
      }
    }
    for (const place of places) {
      const { value } = terms[place]!;
      entryOf(this.#places, value, () => ({ count: 0, label: valuesOf(graph, place, RDFS_LABEL)[0] })).count++;
    }
  }

  get coverage(): Coverage {
    const [first, last] = [this.#first, this.#last];
    const places = [...this.#places].sort(([a, m], [b, n]) => n.count - m.count || (a < b ? -1 : 1));
    return {
      years: first === undefined || last === undefined ? undefined : { first: yearText(first), last: yearText(last) },
      places: places.slice(0, MAX_PLACES).map(([iri, { label }]) => ({ iri, label })),
    };
  }
}

/** What a time span's bound has as its year; what is no date has none. */
function years(graph: RecordGraph, span: number, bound: string): number[] {
  return objectsOf(graph, span, bound).flatMap((object) => {
    const year = /^[+-]?\d{4,6}(?=-|$)/.exec(graph.terms[object]!.value)?.[0];
    return year === undefined || Number(year) >= NO_YEAR ? [] : [Number(year)];
  });
}

function yearText(year: number): string {
  return `${year < 0 ? "-" : ""}${String(Math.abs(year)).padStart(4, "0")}`;
}
