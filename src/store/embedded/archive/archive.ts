/** One state of a store, written down whole: its records, and the ledger of what graphs do not say. */
import { writeNTriples } from "../../../rdf/ntriples-writer.js";
import type { JsonObject } from "../../../rdf/record-graph.js";
import { TableDamagedError } from "../../errors.js";
import type { Archive, ArchivedRecord, Stretch } from "../../snapshots.js";
import type { StoreStats } from "../../store.js";
import { blockTimesIn } from "../format/block-times.js";
import { decodeChange, previousOf, sourceOf } from "../format/changes.js";
import { type StoreDatabase, type StoreState, statsOf } from "../format/database.js";
import { stored } from "../format/encoding.js";
import { iriKey, isHashed, numberKey, numberOfKey } from "../format/keys.js";
import type { RecordReader } from "../read/records.js";
import { LEDGER, type LedgerEntry, type RecordFacts } from "./entries.js";

type Transaction = ReturnType<StoreDatabase["records"]["useReadTransaction"]>;

/** Changes of a Set on one line. */
const SET_CHANGES = 10_000;

/** A state of the store; as long as it is open, LMDB keeps its pages. */
export class EmbeddedArchive implements Archive {
  readonly #reader: RecordReader;
  readonly #database: StoreDatabase;
  readonly #transaction: Transaction;
  readonly #state: StoreState;

  constructor(reader: RecordReader) {
    this.#reader = reader;
    this.#database = reader.database;
    this.#transaction = this.#database.records.useReadTransaction();
    this.#state = this.#database.facts.get("state", { transaction: this.#transaction }) as StoreState;
  }

  get stats(): StoreStats {
    return statsOf(this.#state);
  }

  get state(): string {
    return JSON.stringify(this.#state);
  }

  *head(): Iterable<JsonObject> {
    const { contexts, documents, facts } = this.#database;
    const transaction = this.#transaction;
    const { sequence, lastChange, baseUrl, keeps, records, nextNumber } = this.#state;
    const sources = facts.get("sources", { transaction }) as string[];
    const blockTimes = blockTimesIn(this.#database, { transaction });
    yield line({
      ledger: LEDGER,
      sequence,
      lastChange,
      baseUrl,
      keeps,
      records,
      nextNumber,
      sources,
      blockTimes,
    });
    for (const { value } of contexts.getRange({ transaction })) yield line({ context: value });
    for (const [document, content] of documents.entries({ transaction })) yield line({ document, content });
  }

  *stretches(records: number, changes: number): Iterable<Stretch> {
    const { records: table, directory } = this.#database;
    const transaction = this.#transaction;
    for (let from: Buffer | undefined = Buffer.alloc(0); from !== undefined; ) {
      const [to]: Buffer[] = [...table.getKeys({ start: from, offset: records, limit: 1, transaction })];
      if (to !== undefined && to.compare(from) <= 0) throw new TableDamagedError(directory, "records");
      yield { of: "records", from, to };
      from = to;
    }
    const { sequence } = this.#state;
    for (let after = 0; after < sequence; after += changes) {
      yield { of: "changes", after, through: Math.min(after + changes, sequence) };
    }
  }

  *records({ from, to }: Stretch & { of: "records" }): Iterable<ArchivedRecord> {
    const range = { from: asBuffer(from), ...(to && { to: asBuffer(to) }), transaction: this.#transaction };
    for (const { key, value } of this.#database.eachRecord(range)) yield this.#record(key, value);
  }

  /** Throws `RecordDamagedError`. */
  #record(key: Buffer, value: Buffer): ArchivedRecord {
    const { graph } = this.#reader.record(key, value);
    const facts = factsOf(value);
    return { endpoint: facts.endpoint, number: facts.number, entry: line({ record: graph.iri, ...facts }), graph };
  }

  *changes({ after, through }: Stretch & { of: "changes" }): Iterable<JsonObject> {
    const transaction = this.#transaction;
    const range = { start: numberKey(after + 1), end: numberKey(through + 1) };
    for (const { key, value } of this.#database.changes.getRange({ ...range, transaction })) {
      const { sequence, ...change } = decodeChange(numberOfKey(key), value);
      yield line({ logged: sequence, ...change, source: sourceOf(value), previous: previousOf(value) });
    }
  }

  *tail(): Iterable<JsonObject> {
    const { changes, tombstones } = this.#database;
    const transaction = this.#transaction;
    yield* this.#setLines();
    for (const { key, value } of tombstones.getRange({ transaction })) {
      const tombstone = isHashed(key)
        ? decodeChange(numberOfKey(value), changes.get(value, { transaction })!).iri
        : key.toString("utf8");
      yield line({ tombstone, change: numberOfKey(value) });
    }
    yield* this.#versionLines();
  }

  end(lines: number): JsonObject {
    return line({ lines: lines + 1 });
  }

  close(): void {
    this.#transaction.done();
  }

  *#setLines(): Iterable<JsonObject> {
    let set: string | undefined;
    let changes: number[] = [];
    for (const { key, value } of this.#database.setChanges.getRange({ transaction: this.#transaction })) {
      const hash = key.toString("hex", 0, key.length - 8);
      if (set !== undefined && (hash !== set || changes.length === SET_CHANGES)) {
        yield line({ set, changes });
        changes = [];
      }
      set = hash;
      changes.push(numberOfKey(value));
    }
    if (set !== undefined) yield line({ set, changes });
  }

  *#versionLines(): Iterable<JsonObject> {
    const transaction = this.#transaction;
    for (const { key, value } of this.#database.versions.getRange({ transaction })) {
      const { iri } = decodeChange(numberOfKey(key), this.#database.changes.get(key, { transaction })!);
      if (this.#database.isHeld(iriKey(iri))) continue;
      const { graph } = this.#reader.record(iriKey(iri), value);
      yield line({ version: iri, ...factsOf(value), triples: writeNTriples(graph) });
    }
  }
}

function line(entry: LedgerEntry): JsonObject {
  return entry as unknown as JsonObject;
}

/** Keys come from threads as plain arrays of bytes. */
function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

function factsOf(value: Buffer): RecordFacts {
  return {
    change: stored.sequence(value),
    time: stored.modified(value),
    endpoint: stored.endpoint(value),
    label: stored.label(value),
    valid: stored.valid(value),
    number: stored.number(value),
    source: stored.source(value),
    context: stored.context(value),
    hash: stored.hashText(value),
  };
}
