/** An external sort in bounded memory: entries are written to a file in sorted runs, which are merged when they are read back. */
import { readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import type { TableEntry } from "../format/checksummed-table.js";

/** The approximate size of a run, which is sorted in memory and then written. */
const RUN = 16 * 2 ** 20;
/** The approximate size of all read buffers together. */
const READ_BUFFERS = 32 * 2 ** 20;
const LEAST_BUFFER = 16_384;
/** An entry begins with the lengths of its key (2 bytes) and value (4), followed by key and value. */
const LENGTHS = 6;

const NOTHING = Buffer.alloc(0);

/** The bytes of an entry, as buffers to be concatenated. Its value is the concatenation of `parts`. */
export function runEntry(key: Buffer, parts: readonly Buffer[]): Buffer[] {
  const lengths = Buffer.allocUnsafe(LENGTHS);
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  lengths.writeUInt16LE(key.length);
  lengths.writeUInt32LE(size, 2);
  return [lengths, key, ...parts];
}

/** The offset of the value of the entry at `start`. */
export function valueStart(entries: Buffer, start: number): number {
  return start + LENGTHS + entries.readUInt16LE(start);
}

/** The offset after the entry at `start`. */
export function entryEnd(entries: Buffer, start: number): number {
  return valueStart(entries, start) + entries.readUInt32LE(start + 2);
}

export class SortedRuns {
  #run: Buffer = Buffer.allocUnsafe(65_536);
  #length = 0;
  /** The sorted entries of the run that is being written. */
  #sorted: Buffer = NOTHING;
  /** The offset of each entry in `#run`. */
  #starts: number[] = [];
  readonly #written: { readonly from: number; readonly to: number }[] = [];

  constructor(
    private readonly file: FileHandle,
    private readonly runBytes = RUN,
  ) {}

  /** Add an entry whose value is the concatenation of these parts. Resolves when the next may be added. */
  async add(key: Buffer, parts: readonly Buffer[]): Promise<void> {
    await this.addEntries(Buffer.concat(runEntry(key, parts)));
  }

  /** Add several entries, given as bytes. */
  async addEntries(entries: Buffer): Promise<void> {
    for (let start = 0; start < entries.length; ) {
      const end = entryEnd(entries, start);
      if (this.#length + end - start > this.runBytes) await this.#write();
      if (this.#length + end - start > this.#run.length) this.#grow(this.#length + end - start);
      this.#starts.push(this.#length);
      this.#length += entries.copy(this.#run, this.#length, start, end);
      start = end;
    }
  }

  /** Write the last run. Afterwards the entries can be read. */
  async end(): Promise<void> {
    await this.#write();
    this.#run = NOTHING;
    this.#sorted = NOTHING;
  }

  #grow(needed: number): void {
    const run = Buffer.allocUnsafe(Math.max(needed, Math.min(this.runBytes, 2 * this.#run.length)));
    this.#run.copy(run, 0, 0, this.#length);
    this.#run = run;
  }

  /** Sort the run and write it to the file. Among entries with the same key, the one added last comes first. */
  async #write(): Promise<void> {
    if (this.#length === 0) return;
    const run = this.#run;
    if (this.#sorted.length < this.#length) this.#sorted = Buffer.allocUnsafe(run.length);
    const starts = this.#starts.sort(
      (a, b) => run.compare(run, b + LENGTHS, valueStart(run, b), a + LENGTHS, valueStart(run, a)) || b - a,
    );
    let at = 0;
    for (const start of starts) at += run.copy(this.#sorted, at, start, entryEnd(run, start));
    const from = this.#written.at(-1)?.to ?? 0;
    for (let done = 0; done < at; )
      done += (await this.file.write(this.#sorted, done, at - done, from + done)).bytesWritten;
    this.#written.push({ from, to: from + at });
    this.#starts = [];
    this.#length = 0;
  }

  /** All entries in key order. Among entries with the same key, those added later come first. Keys and values are views of buffers that the next entry reuses. */
  *merged(): Iterable<TableEntry> {
    const size = Math.max(LEAST_BUFFER, Math.floor(READ_BUFFERS / Math.max(1, this.#written.length)));
    const readers = this.#written.map(({ from, to }, run) => new RunReader(this.file.fd, run, from, to, size));
    const heap = readers.filter((reader) => reader.next());
    for (let parent = (heap.length >> 1) - 1; parent >= 0; parent--) sink(heap, parent);
    while (heap.length > 0) {
      const first = heap[0]!;
      yield first;
      if (!first.next()) {
        const last = heap.pop()!;
        if (last === first) return;
        heap[0] = last;
      }
      sink(heap, 0);
    }
  }
}

/** Reads one run. `key` and `value` are those of the current entry. */
class RunReader implements TableEntry {
  key = NOTHING as Buffer;
  value = NOTHING as Buffer;
  #buffer: Buffer;
  /** The offset in the buffer of the first byte that is not used yet. */
  #start = 0;
  #end = 0;

  constructor(
    readonly descriptor: number,
    readonly run: number,
    private position: number,
    readonly to: number,
    size: number,
  ) {
    this.#buffer = Buffer.allocUnsafe(Math.min(size, to - position));
  }

  next(): boolean {
    if (this.#start === this.#end && this.position === this.to) return false;
    this.#have(LENGTHS);
    this.#have(entryEnd(this.#buffer, this.#start) - this.#start);
    const start = valueStart(this.#buffer, this.#start);
    const end = entryEnd(this.#buffer, this.#start);
    this.key = this.#buffer.subarray(this.#start + LENGTHS, start);
    this.value = this.#buffer.subarray(start, end);
    this.#start = end;
    return true;
  }

  #have(length: number): void {
    if (this.#end - this.#start >= length) return;
    const buffer = length > this.#buffer.length ? Buffer.allocUnsafe(length) : this.#buffer;
    this.#buffer.copy(buffer, 0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#start = 0;
    this.#buffer = buffer;
    while (this.#end < length) {
      const most = Math.min(buffer.length - this.#end, this.to - this.position);
      const read = readSync(this.descriptor, buffer, this.#end, most, this.position);
      if (read === 0) throw new Error("a staging file was cut short while it was read");
      this.position += read;
      this.#end += read;
    }
  }
}

/** Restore the heap's order when the reader at `from` may belong further down. */
function sink(heap: RunReader[], from: number): void {
  const reader = heap[from]!;
  let parent = from;
  for (;;) {
    let child = 2 * parent + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && precedes(heap[child + 1]!, heap[child]!)) child++;
    if (!precedes(heap[child]!, reader)) break;
    heap[parent] = heap[child]!;
    parent = child;
  }
  heap[parent] = reader;
}

function precedes(a: RunReader, b: RunReader): boolean {
  const order = a.key.compare(b.key);
  return order < 0 || (order === 0 && a.run > b.run);
}
