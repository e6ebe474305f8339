/** Counts over the whole collection, made where nobody waits for them: at once for a small one, in a thread for a large one. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { entryOf } from "../base/entries.js";
import { builtModule } from "../base/package-files.js";
import { WorkerClient } from "../base/worker-client.js";
import { ACTIVITY_PART } from "../model/search-paths.js";
import { propertyIri } from "../model/vocabulary/vocabulary.js";
import { indexBySubject, objectsOf, type RecordGraph, rootOf, valuesOf } from "../rdf/record-graph.js";
import { RDF, RDFS_LABEL } from "../rdf/terms.js";
import { StoreError } from "../store/errors.js";
import type { StoreWith } from "../store/store.js";

const MAX_AT_ONCE = 2_000;
/** While a collection changes, it is counted no oftener than this, in milliseconds. */
const INTERVAL = 60_000;

export interface CountingTasks {
  count(): CollectionCounts;
}

/** Counts a collection when that is asked for and it has changed. */
export class CollectionCounter {
  #known: CollectionCounts | undefined;
  #running: Promise<void> | undefined;
  #countedAt = 0;

  /** @param directory where a thread opens the store; without it, everything is counted here */
  constructor(
    private readonly store: StoreWith<"lists">,
    private readonly directory: string | undefined,
  ) {}

  /** The counts of the present state, or the last ones while it is being counted. @param isUrgent `undefined` rather than wait for a large collection's first counts */
  async counts(isUrgent = false): Promise<CollectionCounts | undefined> {
    const { sequence, records } = await this.store.stats();
    if (this.#known?.sequence === sequence) return this.#known;
    const isLarge = this.directory !== undefined && records > MAX_AT_ONCE;
    const isDue = Date.now() - this.#countedAt > INTERVAL;
    if (this.#running === undefined && (isDue || !isLarge)) {
      this.#running = this.#count(isLarge).finally(() => {
        this.#running = undefined;
      });
      this.#running.catch(() => {});
    }
    if ((this.#known === undefined && !isUrgent) || !isLarge) await this.#running;
    return this.#known;
  }

  async #count(isLarge: boolean): Promise<void> {
    this.#countedAt = Date.now();
    this.#known = isLarge ? await countApart(this.directory!) : await countHere(this.store);
  }
}

async function countApart(directory: string): Promise<CollectionCounts> {
  const thread = new WorkerClient<CountingTasks>({
    name: "the thread that counts the collection",
    module: builtModule("harvest/collection-counts-thread.js"),
    data: directory,
    errors: [StoreError],
    isBackground: true,
  });
  return await thread.ask("count").finally(() => thread.close());
}

type CountsByIri = Readonly<Record<string, number>>;

export interface CollectionPartitions {
  /** Nodes that records describe, by class: their entities, and what is embedded in them without an IRI of its own. */
  readonly classes: CountsByIri;
  /** Triples of all records by property; one that several records state counts for each. */
  readonly properties: CountsByIri;
}

export type CollectionCounts = Awaited<ReturnType<typeof countHere>>;

/** Records between two turns of the event loop. */
const RECORDS_A_TURN = 100;

export class PartitionCounter {
  readonly #classes = new Map<string, Count>();
  readonly #properties = new Map<string, Count>();

  add({ iri, terms, triples }: RecordGraph): void {
    // A property is looked up once for all triples of a record that have it.
    const times = new Array<number>(terms.length).fill(0);
    for (let at = 0; at < triples.length; at += 3) {
      const property = triples[at + 1]!;
      times[property]!++;
      if (terms[property]!.value !== RDF.type) continue;
      const [subject, type] = [terms[triples[at]!]!, terms[triples[at + 2]!]!];
      // Other IRIs are references, which repeat the class of what they name.
      const isDescribed = subject.termType === "BlankNode" || subject.value === iri;
      if (isDescribed && type.termType === "NamedNode") increase(this.#classes, type.value);
    }
    for (let term = 0; term < times.length; term++) {
      if (times[term] !== 0) increase(this.#properties, terms[term]!.value, times[term]);
    }
  }

  addCounted({ classes, properties }: CollectionPartitions): void {
    for (const [name, count] of Object.entries(classes)) increase(this.#classes, name, count);
    for (const [name, count] of Object.entries(properties)) increase(this.#properties, name, count);
  }

  get partitions(): CollectionPartitions {
    return { classes: inOrder(this.#classes), properties: inOrder(this.#properties) };
  }
}

/** Count the state of the store that has this sequence number, letting others have their turn. */
export async function countHere(store: StoreWith<"lists">) {
  const { sequence } = await store.stats();
  const counter = new PartitionCounter();
  const coverage = new CoverageCounter();
  let records = 0;
  for await (const { graph } of store.lists.records()) {
    counter.add(graph);
    coverage.add(graph);
    if (++records % RECORDS_A_TURN === 0) await nextTurn();
  }
  return { sequence, ...counter.partitions, coverage: coverage.coverage };
}

/** A number in a map, which so is looked up once to be raised. */
interface Count {
  count: number;
}

function increase(counts: Map<string, Count>, name: string, by = 1): void {
  entryOf(counts, name, () => ({ count: 0 })).count += by;
}

function inOrder(counted: ReadonlyMap<string, Count>): CountsByIri {
  const counts = [...counted].map(([name, { count }]): [string, number] => [name, count]);
  return Object.fromEntries(counts.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
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

class CoverageCounter {
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

  /** The first and the last year, as dates write them (astronomical, so `-0043` is 44 BC), and the places that most records name. */
  get coverage() {
    const [first, last] = [this.#first, this.#last];
    const places = [...this.#places].sort(([a, m], [b, n]) => n.count - m.count || (a < b ? -1 : 1));
    return {
      years: first === undefined || last === undefined ? undefined : { first: yearText(first), last: yearText(last) },
      places: places.slice(0, MAX_PLACES).map(([iri, { label }]) => ({ iri, label })),
    };
  }
}

/** The years of a time span's bound. A value that is no date has none. */
function years(graph: RecordGraph, span: number, bound: string): number[] {
  return objectsOf(graph, span, bound).flatMap((object) => {
    const year = /^[+-]?\d{4,6}(?=-|$)/.exec(graph.terms[object]!.value)?.[0];
    return year === undefined || Number(year) >= NO_YEAR ? [] : [Number(year)];
  });
}

function yearText(year: number): string {
  return `${year < 0 ? "-" : ""}${String(Math.abs(year)).padStart(4, "0")}`;
}
