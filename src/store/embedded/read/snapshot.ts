/** One state of a store, read to its end while others publish: what the index is filled from and follows. */
import type { RecordGraph } from "../../../rdf/record-graph.js";
import { decodeChange } from "../format/changes.js";
import type { StoreDatabase, StoreState } from "../format/database.js";
import { decodeGraph, stored } from "../format/encoding.js";
import { iriKey, numberKey, numberOfKey } from "../format/keys.js";

/** A record and the number that is its own for as long as it exists. */
export interface NumberedRecord {
  readonly number: number;
  readonly graph: RecordGraph;
}

/** What became of a record: `undefined` before its creation and after its deletion. */
export interface ChangedRecord {
  readonly iri: string;
  readonly before: NumberedRecord | undefined;
  readonly after: NumberedRecord | undefined;
}

type Transaction = ReturnType<StoreDatabase["records"]["useReadTransaction"]>;

/** A state of the store. It has to be closed: as long as it is open, LMDB keeps its pages. */
export class Snapshot {
  readonly #database: StoreDatabase;
  readonly #transaction: Transaction;
  readonly #state: StoreState;

  constructor(database: StoreDatabase) {
    this.#database = database;
    this.#transaction = database.records.useReadTransaction();
    this.#state = database.facts.get("state", { transaction: this.#transaction }) as StoreState;
  }

  /** The sequence number of the last change in it. */
  get sequence(): number {
    return this.#state.sequence;
  }

  /** How many triples the records have together, repeated ones included. */
  get triples(): number {
    return this.#state.triples;
  }

  /** All records, in IRI order. */
  *records(): Iterable<NumberedRecord> {
    for (const { value } of this.#database.records.getRange({ transaction: this.#transaction })) {
      yield numbered(value);
    }
  }

  /** The record of this IRI. */
  record(iri: string): NumberedRecord | undefined {
    return this.#get(iriKey(iri));
  }

  /**
   * What became of each record that changed after a sequence number, or `undefined` when that is not known any more, or
   * when there are more than `limit` changes.
   */
  changesAfter(sequence: number, limit: number): readonly ChangedRecord[] | undefined {
    if (this.sequence - sequence > limit) return undefined;
    const { changes, replaced } = this.#database;
    const transaction = this.#transaction;
    const changed = new Map<string, ChangedRecord>();
    for (const { key, value } of changes.getRange({ start: numberKey(sequence + 1), transaction })) {
      const { iri, kind } = decodeChange(numberOfKey(key), value);
      if (changed.has(iri)) continue;
      const before = kind === "create" ? undefined : replaced.get(key, { transaction });
      if (kind !== "create" && before === undefined) return undefined;
      changed.set(iri, { iri, before: before && numbered(before), after: this.record(iri) });
    }
    return [...changed.values()];
  }

  close(): void {
    this.#transaction.done();
  }

  #get(key: Buffer): NumberedRecord | undefined {
    const value = this.#database.records.get(key, { transaction: this.#transaction });
    return value && numbered(value);
  }
}

function numbered(value: Buffer): NumberedRecord {
  return { number: stored.number(value), graph: decodeGraph(value, () => undefined) };
}
