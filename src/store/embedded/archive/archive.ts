/** One state of a store, written down whole: its records, and the ledger of what graphs do not say. */
import { writeNTriples } from "../../../rdf/ntriples-writer.js";
import type { JsonObject, RecordGraph } from "../../../rdf/record-graph.js";
import type { Archive, ArchivedRecord, StoreStats } from "../../store.js";
import { blockTimesIn } from "../format/block-times.js";
import { decodeChange, previousOf, sourceOf } from "../format/changes.js";
import { type StoreDatabase, type StoreState, statsOf } from "../format/database.js";
import { EncodedGraph } from "../format/encoded-graph.js";
import { stored } from "../format/encoding.js";
import { iriKey, isHashed, numberOfKey } from "../format/keys.js";
import type { RecordReader } from "../read/records.js";
import { LEDGER, type LedgerEntry, type RecordFacts } from "./entries.js";

type Transaction = ReturnType<StoreDatabase["records"]["useReadTransaction"]>;

/** Entries are read so many at a time, or so many bytes of them. */
const BATCH = 500;
const BATCH_BYTES = 2 ** 20;
/** Changes of a Set on one line. */
const SET_CHANGES = 10_000;

/** A state of the store; as long as it is open, LMDB keeps its pages. */
export class EmbeddedArchive implements Archive {
  readonly #reader: RecordReader;
  readonly #database: StoreDatabase;
  readonly #transaction: Transaction;
  readonly #state: StoreState;
  readonly #encoded = new EncodedGraph();
  #lines = 0;

  constructor(reader: RecordReader) {
    this.#reader = reader;
    this.#database = reader.database;
    this.#transaction = this.#database.records.useReadTransaction();
    this.#state = this.#database.facts.get("state", { transaction: this.#transaction }) as StoreState;
  }

  get stats(): StoreStats {
    return statsOf(this.#state);
  }

  *head(): Iterable<JsonObject> {
    const { contexts, documents, facts } = this.#database;
    const transaction = this.#transaction;
    const { sequence, lastChange, baseUrl, keeps, records, nextNumber } = this.#state;
    const sources = facts.get("sources", { transaction }) as string[];
    const blockTimes = blockTimesIn(this.#database, { transaction });
    yield this.#line({
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
    for (const { value } of contexts.getRange({ transaction })) yield this.#line({ context: value });
    for (const [document, content] of documents.entries({ transaction })) yield this.#line({ document, content });
  }

  *records(): Iterable<ArchivedRecord> {
    const reading = { transaction: this.#transaction, limit: BATCH, bytes: BATCH_BYTES };
    for (const part of this.#database.recordParts(reading)) {
      for (const { key, value } of part) yield this.#record(key, value);
    }
  }

  /** Throws `RecordDamagedError`. */
  #record(key: Buffer, value: Buffer): ArchivedRecord {
    this.#reader.ensureIntact(key, value);
    const encoded = this.#encoded;
    encoded.read(value);
    const graph = (): RecordGraph => this.#reader.record(key, value).graph;
    return {
      endpoint: stored.endpoint(value),
      entry: this.#line({ record: isHashed(key) ? graph().iri : key.toString("utf8"), ...factsOf(value) }),
      graph,
      lines: (format, labels) => encoded.lines(format === "nq", labels),
      uses(ofProperty, ofClass) {
        encoded.eachProperty(ofProperty);
        encoded.eachClass(ofClass);
      },
    };
  }

  *tail(): Iterable<JsonObject> {
    const { changes, tombstones } = this.#database;
    const transaction = this.#transaction;
    for (const { key, value } of changes.getRange({ transaction })) {
      const { sequence, ...change } = decodeChange(numberOfKey(key), value);
      yield this.#line({ logged: sequence, ...change, source: sourceOf(value), previous: previousOf(value) });
    }
    yield* this.#setLines();
    for (const { key, value } of tombstones.getRange({ transaction })) {
      const tombstone = isHashed(key)
        ? decodeChange(numberOfKey(value), changes.get(value, { transaction })!).iri
        : key.toString("utf8");
      yield this.#line({ tombstone, change: numberOfKey(value) });
    }
    yield* this.#versionLines();
    yield this.#line({ lines: this.#lines + 1 });
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
        yield this.#line({ set, changes });
        changes = [];
      }
      set = hash;
      changes.push(numberOfKey(value));
    }
    if (set !== undefined) yield this.#line({ set, changes });
  }

  *#versionLines(): Iterable<JsonObject> {
    const transaction = this.#transaction;
    for (const { key, value } of this.#database.versions.getRange({ transaction })) {
      const { iri } = decodeChange(numberOfKey(key), this.#database.changes.get(key, { transaction })!);
      if (this.#database.isHeld(iriKey(iri))) continue;
      const { graph } = this.#reader.record(iriKey(iri), value);
      yield this.#line({ version: iri, ...factsOf(value), triples: writeNTriples(graph) });
    }
  }

  #line(entry: LedgerEntry): JsonObject {
    this.#lines++;
    return entry as unknown as JsonObject;
  }
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
    hash: Buffer.from(stored.hash(value).buffer).toString("hex"),
  };
}
