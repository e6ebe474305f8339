/** Counts over the whole collection, made without blocking requests: directly for a small one, in a thread for a large one. */
import { byCodeUnits, entryOf } from "../base/entries.js";
import { builtModule } from "../base/package-files.js";
import { WorkerClient } from "../base/worker-client.js";
import { ACTIVITY_PART } from "../model/search-paths.js";
import { isoYear } from "../model/timestamps.js";
import { propertyIri } from "../model/vocabulary/vocabulary.js";
import { indexBySubject, objectsOf, type RecordGraph, rootOf, valuesOf } from "../rdf/record-graph.js";
import { RDF, RDFS_LABEL } from "../rdf/terms.js";
import { StoreError } from "../store/errors.js";
import type { StoreWith } from "../store/store.js";

const MAX_AT_ONCE = 2_000;
/** The milliseconds that must pass before a changing collection is counted again. */
const INTERVAL = 60_000;

export interface CountingTasks {
  count(): CollectionCounts;
}

/** Counts a collection on request, if it has changed. */
export class CollectionCounter {
  #known: CollectionCounts | undefined;
  #running: Promise<void> | undefined;
  #countedAt = Number.NEGATIVE_INFINITY;

  /** @param directory where a thread opens the store; without it, everything is counted in this thread */
  constructor(
    private readonly store: StoreWith<"lists">,
    private readonly directory: string | undefined,
  ) {}

  /** The counts of the current state, or the last counts while it is being counted. @param isUrgent resolve to `undefined` rather than wait for a large collection's first counts */
  async counts(isUrgent = false): Promise<CollectionCounts | undefined> {
    const { sequence, records } = await this.store.stats();
    if (this.#known?.sequence === sequence) return this.#known;
    const isLarge = this.directory !== undefined && records > MAX_AT_ONCE;
    const isDue = performance.now() - this.#countedAt > INTERVAL;
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
    this.#countedAt = performance.now();
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
  return await thread.ask("count", undefined).finally(() => thread.close());
}

export type CollectionPartitions = PartitionCounter["partitions"];

export type CollectionCounts = Awaited<ReturnType<typeof countHere>>;

export class PartitionCounter {
  /** The number of described nodes by class: records' entities, and nodes embedded in records. */
  readonly #classes = new Map<string, number>();
  /** The number of triples in all records by property; a triple that several records state counts for each. */
  readonly #properties = new Map<string, number>();

  add({ iri, terms, triples }: RecordGraph): void {
    // Count by term first, so that each property of a record is looked up only once.
    const times = new Array<number>(terms.length).fill(0);
    const described = new Set<number>();
    const types: (readonly [node: number, type: string])[] = [];
    for (let at = 0; at < triples.length; at += 3) {
      const [node, property] = [triples[at]!, triples[at + 1]!];
      times[property]!++;
      const { termType, value } = terms[triples[at + 2]!]!;
      const says = terms[property]!.value;
      if (says === RDF.type && termType === "NamedNode") types.push([node, value]);
      // Of other IRIs, references say only the class and the label.
      const isOwn = terms[node]!.termType === "BlankNode" || terms[node]!.value === iri;
      if (isOwn || (says !== RDF.type && says !== RDFS_LABEL)) described.add(node);
    }
    for (const [node, type] of types) if (described.has(node)) increase(this.#classes, type);
    for (let term = 0; term < times.length; term++)
      if (times[term] !== 0) increase(this.#properties, terms[term]!.value, times[term]);
  }

  addCounted({ classes, properties }: CollectionPartitions): void {
    for (const [name, count] of Object.entries(classes)) increase(this.#classes, name, count);
    for (const [name, count] of Object.entries(properties)) increase(this.#properties, name, count);
  }

  get partitions() {
    return { classes: inOrder(this.#classes), properties: inOrder(this.#properties) };
  }
}

/** Count the current state of the store. The result has the state's sequence number. */
export async function countHere(store: StoreWith<"lists">) {
  const { sequence } = await store.stats();
  const counter = new PartitionCounter();
  const coverage = new CoverageCounter();
  for await (const { graph } of store.lists.records()) {
    counter.add(graph);
    coverage.add(graph);
  }
  return { sequence, ...counter.partitions, coverage: coverage.coverage };
}

function increase(counts: Map<string, number>, name: string, by = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

function inOrder(counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  return Object.fromEntries([...counts].sort(([a, m], [b, n]) => n - m || byCodeUnits(a, b)));
}

/** From this year on, dates stand for "never" or "unknown". */
const NO_YEAR = 9_000;

/** The number of places in a coverage; a description names only the main ones. */
const MAX_PLACES = 10;

/** The properties that lead to an entity's beginning. Later places and times are its history. */
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

  /** Add a record: for an event its own place and time, for anything else those of its beginning, including all parts. */
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

  /** The first and last years, as dates write them (astronomical, so `-0043` is 44 BC), and the places that the most records name. */
  get coverage() {
    const [first, last] = [this.#first, this.#last];
    const places = [...this.#places].sort(([a, m], [b, n]) => n.count - m.count || byCodeUnits(a, b));
    return {
      years: first === undefined || last === undefined ? undefined : { first: isoYear(first), last: isoYear(last) },
      places: places.slice(0, MAX_PLACES).map(([iri, { label }]) => ({ iri, label })),
    };
  }
}

/** The years of a time span's bound. A value that is not a date has none. */
function years(graph: RecordGraph, span: number, bound: string): number[] {
  return objectsOf(graph, span, bound).flatMap((object) => {
    const year = /^[+-]?\d{4,6}(?=-|$)/.exec(graph.terms[object]!.value)?.[0];
    return year === undefined || Number(year) >= NO_YEAR ? [] : [Number(year)];
  });
}
