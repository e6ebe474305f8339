/** The reader of records: looks them up, verifies and decodes them, and lists them by label and by number. */
import { BoundedMap } from "../../../base/bounded-map.js";
import { jsonIn } from "../../../base/json.js";
import { endpointNumber } from "../../../model/tables/names.js";
import type { Json } from "../../../rdf/record-graph.js";
import { RecordDamagedError, StoreError } from "../../errors.js";
import type { EncodedRecord, RecordHandle, RecordMeta, StoredRecord } from "../../record.js";
import type { DescribedRecord } from "../../snapshots.js";
import type { Lists, NumberedEntry } from "../../store.js";
import { type ContextSum, contextSum } from "../format/checksum.js";
import type { StoreDatabase } from "../format/database.js";
import { decodeGraph, encodedGraph } from "../format/decoding.js";
import { decodeMeta, encodedMeta, isChecksummed, stored } from "../format/encoding.js";
import { iriKey, isHashed, numberKey, rangeAfter } from "../format/keys.js";
import { blockTimesIn, decodeListed } from "../format/listing.js";

/** The maximum number of cached contexts, since each record may have its own. */
const MAX_CONTEXTS = 10_000;

/** A record's `@context`, and its part of the record's checksum. */
interface StoredContext {
  readonly json: Json;
  readonly sum: ContextSum;
}

export class RecordReader {
  readonly #contexts = new BoundedMap<number, StoredContext>(MAX_CONTEXTS);

  constructor(readonly database: StoreDatabase) {}

  find(iri: string): EmbeddedRecordHandle | undefined {
    const key = iriKey(iri);
    const value = this.database.recordNow(key);
    return value === undefined ? undefined : new EmbeddedRecordHandle(this, iri, key, value);
  }

  /** Ensure that an IRI that was not found has no record. If its key is damaged, a neighbour fails its checksum; if a page is, neighbours are out of order, or there are none in a store with records. Throws `RecordDamagedError`. */
  ensureAbsent(iri: string): void {
    const key = iriKey(iri);
    const { records } = this.database;
    const [after] = records.getRange({ start: key, limit: 1 });
    const [before] = records.getRange({ start: key, reverse: true, limit: 1 });
    // The record exists after all; reading it verifies it.
    if (after?.key.equals(key)) return;
    const isOrdered = (before?.key.compare(key) ?? -1) < 0 && (after?.key.compare(key) ?? 1) > 0;
    const areIntact = [before, after].every((entry) => entry === undefined || this.isIntact(entry.key, entry.value));
    const isEmpty = before === undefined && after === undefined;
    if (!isOrdered || !areIntact || (isEmpty && this.database.state.records > 0))
      throw new RecordDamagedError(this.database.directory, iri);
  }

  /** Throws `RecordDamagedError` for a record that is not what was stored. */
  record(key: Buffer, value: Buffer): StoredRecord {
    const context = this.#verified(key, value);
    return { meta: decodeMeta(value), graph: decodeGraph(value, () => context?.json) };
  }

  /** Throws `RecordDamagedError` for a record that is not what was stored. */
  encoded(key: Buffer, value: Buffer): EncodedRecord {
    const context = this.#verified(key, value);
    return { meta: encodedMeta(value), graph: encodedGraph(value, () => context?.json) };
  }

  /** The record with its number. Throws `RecordDamagedError`. */
  numbered(key: Buffer, value: Buffer): DescribedRecord {
    const { meta, graph } = this.record(key, value);
    return { ...meta, number: stored.number(value), graph };
  }

  /** Throws `RecordDamagedError`. */
  meta(key: Buffer, value: Buffer): RecordMeta {
    this.#verified(key, value);
    return decodeMeta(value);
  }

  isIntact(key: Buffer, value: Buffer): boolean {
    const number = stored.context(value);
    const context = this.#context(number);
    return (number === 0 || context !== undefined) && isChecksummed(key, value, context?.sum ?? contextSum(undefined));
  }

  /** Verify a record, and return its context. Throws `RecordDamagedError`. */
  #verified(key: Buffer, value: Buffer): StoredContext | undefined {
    if (!this.isIntact(key, value)) throw new RecordDamagedError(this.database.directory, nameOf(key));
    return this.#context(stored.context(value));
  }

  #context(number: number): StoredContext | undefined {
    if (number === 0) return undefined;
    const known = this.#contexts.get(number);
    if (known !== undefined) return known;
    const text = this.database.contexts.get(number);
    if (text === undefined) return undefined;
    // The text is not verified yet, so it may be malformed.
    return this.#contexts.put(number, { sum: contextSum(text), json: jsonIn<Json>(text) ?? null });
  }
}

/** A record in LMDB's own buffer, which the next read overwrites. A later use notices that by the sequence number or the checksum, and reads the record again. */
class EmbeddedRecordHandle implements RecordHandle {
  readonly sequence: number;

  constructor(
    private readonly reader: RecordReader,
    private readonly iri: string,
    private readonly key: Buffer,
    private value: Buffer,
  ) {
    this.sequence = stored.sequence(value);
  }

  get modified(): number {
    return stored.modified(this.#current());
  }

  get hash(): Uint8Array {
    return stored.hash(this.#current());
  }

  get triples(): number {
    return stored.triples(this.#current());
  }

  get bytes(): number {
    return this.#current().length;
  }

  get meta(): RecordMeta {
    return this.#read((value) => this.reader.meta(this.key, value));
  }

  record(): StoredRecord {
    return this.#read((value) => this.reader.record(this.key, value));
  }

  encoded(): EncodedRecord {
    return this.#read((value) => this.reader.encoded(this.key, value));
  }

  #current(): Buffer {
    return stored.sequence(this.value) === this.sequence ? this.value : this.#reread();
  }

  /** Read a part of the record, once more if the buffer was overwritten. Throws `RecordDamagedError`. */
  #read<T>(read: (value: Buffer) => T): T {
    try {
      return read(this.#current());
    } catch (error) {
      if (!(error instanceof RecordDamagedError)) throw error;
      return read(this.#reread());
    }
  }

  #reread(): Buffer {
    const value = this.reader.database.records.getBinary(this.key);
    if (value === undefined) throw new StoreError(`the record <${this.iri}> was deleted while it was read`);
    this.value = value;
    return value;
  }
}

/** The name of a record in messages when it cannot be read. */
export function nameOf(key: Buffer): string {
  return isHashed(key) ? `of key ${key.toString("hex")}` : key.toString("utf8");
}

/** The record as a change made it. `undefined` if the change was a deletion, the version was not kept, or the versions are hidden. Throws `RecordDamagedError`. */
export function versionOf(reader: RecordReader, sequence: number): StoredRecord | undefined {
  const change = reader.database.change(sequence);
  if (change === undefined) return undefined;
  const key = iriKey(change.iri);
  // A withdrawn record is not public, nor are its versions.
  if (reader.database.hidesVersions(key)) return undefined;
  const kept = reader.database.versions.getBinary(numberKey(sequence));
  if (kept !== undefined) return reader.record(key, kept);
  const published = reader.database.recordNow(key);
  return published !== undefined && stored.sequence(published) === sequence ? reader.record(key, published) : undefined;
}

/** The facet of lists, except the walk over all records. The cursor of a page is the key of its last record. */
export function listsOf(database: StoreDatabase): Omit<Lists, "records"> {
  return {
    async page(endpoint, { after, limit }) {
      const number = endpointNumber(endpoint);
      const range = { ...rangeAfter(after, Buffer.of(number)), end: Buffer.of(number + 1) };
      // One more than `limit` shows whether there is a next page.
      const found = [...database.lists.getRange({ ...range, limit: limit + 1 })];
      const items = found.slice(0, limit).map(({ value }) => decodeListed(value));
      return { items, next: found.length > limit ? found[limit - 1]?.key.toString("base64url") : undefined };
    },
    async numbered(first, count) {
      const { numbers, state } = database;
      const records: NumberedEntry[] = [];
      for (const { value } of numbers.getRange({ start: numberKey(first), end: numberKey(first + count) })) {
        const iri = value.toString("utf8");
        const record = database.recordNow(iriKey(iri));
        if (record !== undefined) records.push({ iri, modified: stored.modified(record) });
      }
      return { records, last: state.nextNumber - 1 };
    },
    blockTimes: async () => blockTimesIn(database),
  };
}
