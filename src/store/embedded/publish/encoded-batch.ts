/** Records that another thread has encoded for staging, so that the one that stages only copies bytes. */
import { RecordTooLargeError } from "../../errors.js";
import type { EncodedRecords, Staged } from "../../writable-store.js";
import { PropertyNumbers } from "../format/backlinks.js";
import { iriKey } from "../format/keys.js";
import { entryEnd, runEntry, valueStart } from "./sorted-runs.js";
import { recordEntry, renumberProperties } from "./staged-entries.js";

/** Encodes records, a batch at a time. Its property numbers are its own, and grow from batch to batch. */
export class BatchEncoder {
  readonly #properties = new PropertyNumbers([]);
  #parts: Buffer[] = [];

  constructor(readonly maxBytes: number) {}

  /** Throws `UnstorableRecordError`, of which `RecordTooLargeError` is one. */
  add(record: Staged): void {
    const entry = recordEntry(record, this.#properties);
    const bytes = entry.at(-1)!.length;
    if (bytes > this.maxBytes) throw new RecordTooLargeError(record.graph.iri, bytes, this.maxBytes);
    this.#parts.push(...runEntry(iriKey(record.graph.iri), entry));
  }

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

/** The entries of a batch, as bytes for the runs, with the numbers that `properties` has for their predicates. The batch is changed. */
export function runEntriesOf(batch: EncodedRecords, properties: PropertyNumbers): Buffer {
  const { buffer, byteOffset, byteLength } = batch.bytes;
  const entries = Buffer.from(buffer, byteOffset, byteLength);
  const numbers = [0, ...batch.properties.map((iri) => properties.of(iri))];
  for (let start = 0; start < entries.length; start = entryEnd(entries, start)) {
    renumberProperties(entries.subarray(valueStart(entries, start)), numbers);
  }
  return entries;
}
