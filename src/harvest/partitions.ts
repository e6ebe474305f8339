/** Counts what a collection is made of: nodes by class, triples by property (VoID, 4.4 and 4.5). */
import { setImmediate as nextTurn } from "node:timers/promises";
import { entryOf } from "../base/entries.js";
import type { RecordGraph } from "../rdf/record-graph.js";
import { RDF } from "../rdf/terms.js";
import type { StoreWith } from "../store/store.js";
import { type Coverage, CoverageCounter } from "./coverage.js";

export type CountsByIri = Readonly<Record<string, number>>;

export interface CollectionPartitions {
  /** Nodes that records describe, by class: their entities, and what is embedded in them without an IRI of its own. */
  readonly classes: CountsByIri;
  /** Triples of all records by property; one that several records state counts for each. */
  readonly properties: CountsByIri;
}

/** What a collection is made of, and of which state of the store. */
export interface CollectionCounts extends CollectionPartitions {
  readonly sequence: number;
  readonly coverage: Coverage;
}

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

  /** What was counted, the most frequent first. */
  get partitions(): CollectionPartitions {
    return { classes: inOrder(this.#classes), properties: inOrder(this.#properties) };
  }
}

/** Count, letting others have their turn. */
export async function countHere(store: StoreWith<"lists">): Promise<CollectionCounts> {
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
