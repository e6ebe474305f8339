/** Records that another thread has encoded for staging, so that the one that stages only copies bytes. */
import type { EncodedRecords, RecordEncoder, Staged } from "../../store.js";
import { iriKey } from "../format/keys.js";
import { PropertyNumbers } from "../format/property-numbers.js";
import { recordEntry, renumberProperties } from "./staged-entry.js";

/** Before each entry: the lengths of its key (2 bytes) and its value (4). */
const LENGTHS = 6;

/** Encodes records, a batch at a time. Its property numbers are its own, and grow from batch to batch. */
export class BatchEncoder implements RecordEncoder {
  readonly #properties = new PropertyNumbers([]);
  #parts: Buffer[] = [];

  /** Throws `UnstorableRecordError`. */
  add(record: Staged): void {
    const key = iriKey(record.graph.iri);
    const value = recordEntry(record, this.#properties);
    const lengths = Buffer.allocUnsafe(LENGTHS);
    lengths.writeUInt16LE(key.length);
    lengths.writeUInt32LE(
      value.reduce((sum, part) => sum + part.length, 0),
      2,
    );
    this.#parts.push(lengths, key, ...value);
  }

  /** What was added since the last time. */
  take(): EncodedRecords {
    const length = this.#parts.reduce((sum, part) => sum + part.length, 0);
    // A buffer of its own: only such can change threads without being copied.
    const bytes = new Uint8Array(new ArrayBuffer(length));
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.length;
    }
    this.#parts = [];
    return { bytes, properties: this.#properties.list() };
  }
}

/** The staged entries of a batch, with the numbers that `properties` has for their predicates. The batch is changed. */
export function* entriesOf(
  batch: EncodedRecords,
  properties: PropertyNumbers,
): Iterable<{ readonly key: Buffer; readonly value: Buffer }> {
  const { buffer, byteOffset, byteLength } = batch.bytes;
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const numbers = [0, ...batch.properties.map((iri) => properties.of(iri))];
  for (let at = 0; at < bytes.length; ) {
    const keyEnd = at + LENGTHS + bytes.readUInt16LE(at);
    const end = keyEnd + bytes.readUInt32LE(at + 2);
    const value = bytes.subarray(keyEnd, end);
    renumberProperties(value, numbers);
    yield { key: bytes.subarray(at + LENGTHS, keyEnd), value };
    at = end;
  }
}
