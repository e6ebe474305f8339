/** Tables in which each entry has a checksum of key and value, verified at every read, and walks over tables in parts. */
import type { Database, RangeOptions } from "lmdb";
import { textHash } from "../../../rdf/text-hash.js";
import { EntryDamagedError, TableDamagedError } from "../../errors.js";
import { hasChecksum, SUM, writeChecksum } from "./checksum.js";

interface Place {
  readonly directory: string;
  readonly name: string;
}

/** A table with binary keys and values. The checksum follows the stored value; reads return the value without it, in a buffer of its own. */
export class ChecksummedTable {
  constructor(
    private readonly table: Database<Buffer, Buffer>,
    private readonly place: Place,
  ) {}

  /** Throws `EntryDamagedError`. */
  get(key: Buffer): Buffer | undefined {
    const value = this.table.get(key);
    return value && this.#opened(key, value);
  }

  has(key: Buffer): boolean {
    return this.table.doesExist(key);
  }

  /** Throws `EntryDamagedError` at the first entry that is damaged. */
  *getRange(options: RangeOptions): Iterable<{ readonly key: Buffer; readonly value: Buffer }> {
    for (const { key, value } of this.table.getRange(options)) yield { key, value: this.#opened(key, value) };
  }

  putSync(key: Buffer, value: Buffer): void {
    const checksummed = Buffer.allocUnsafe(value.length + SUM);
    value.copy(checksummed);
    writeChecksum(key, checksummed, value.length);
    this.table.putSync(key, checksummed);
  }

  removeSync(key: Buffer): void {
    this.table.removeSync(key);
  }

  clearSync(): void {
    this.table.clearSync();
  }

  getKeysCount(options?: RangeOptions): number {
    return this.table.getKeysCount(options);
  }

  #opened(key: Buffer, value: Buffer): Buffer {
    const end = value.length - SUM;
    if (end >= 0 && hasChecksum(key, value, end)) return value.subarray(0, end);
    throw new EntryDamagedError(this.place.directory, this.place.name);
  }
}

interface Checksummed {
  readonly sum: string;
  readonly value: unknown;
}

/** A small table of JSON values by name. Reads return frozen values. */
export class ChecksummedJson<T = unknown> {
  /** By name, the text that was verified last, and its value. An unchanged text is not parsed again. */
  readonly #verified = new Map<string, { readonly text: string; readonly value: T }>();

  constructor(
    private readonly table: Database<string, string>,
    private readonly place: Place,
  ) {}

  /** Throws `EntryDamagedError`. */
  get(name: string, reading: Pick<RangeOptions, "transaction"> = {}): T | undefined {
    const text = this.table.get(name, reading);
    if (text === undefined) return undefined;
    const before = this.#verified.get(name);
    if (before?.text === text) return before.value;
    const value = this.#opened(name, this.#parsed(text));
    this.#verified.set(name, { text, value });
    return value;
  }

  /** The value of a name. It is verified only if it has a checksum, because the store may have another format, or the file may be no store at all. */
  getOfAnyFormat(name: string): unknown {
    const text = (this.table as Database<string, string> | undefined)?.get(name);
    const stored = text === undefined ? undefined : this.#parsed(text);
    return isChecksummed(stored) ? this.#opened(name, stored) : stored;
  }

  /** Throws `EntryDamagedError`. */
  *entries(): Iterable<readonly [name: string, value: T]> {
    for (const name of [...this.table.getKeys()]) yield [name, this.get(name)!];
  }

  putSync(name: string, value: T): void {
    this.table.putSync(name, JSON.stringify({ sum: sumOf(name, value), value } satisfies Checksummed));
  }

  #opened(name: string, stored: unknown): T {
    if (!isChecksummed(stored) || stored.sum !== sumOf(name, stored.value)) throw this.#damaged();
    return stored.value as T;
  }

  #parsed(text: string): unknown {
    try {
      return JSON.parse(text, (_, value: unknown) => Object.freeze(value));
    } catch {
      throw this.#damaged();
    }
  }

  #damaged(): EntryDamagedError {
    return new EntryDamagedError(this.place.directory, this.place.name);
  }
}

function isChecksummed(stored: unknown): stored is Checksummed {
  return typeof stored === "object" && stored !== null && "sum" in stored && "value" in stored;
}

/** The checksum of a JSON value. `JSON.parse` and `JSON.stringify` keep the order of names, so a value that was read has the same text. */
function sumOf(name: string, value: unknown): string {
  const { a, b } = textHash(JSON.stringify([name, value]));
  return `${a.toString(36)}-${b.toString(36)}`;
}

export interface TableEntry {
  readonly key: Buffer;
  readonly value: Buffer;
}

export interface WalkedTable {
  readonly table: { getRange(options: RangeOptions): Iterable<TableEntry> };
  readonly directory: string;
  readonly name: string;
}

export interface PartLength extends Pick<RangeOptions, "transaction"> {
  readonly limit: number;
  readonly from?: Buffer;
  readonly to?: Buffer;
}

/** The entries of a table in key order, in parts. Throws `TableDamagedError` if the order is broken: a damaged page can make a walk go in circles. */
export function* partsOf({ table, directory, name }: WalkedTable, { from, to, ...reading }: PartLength) {
  let last: Buffer | undefined;
  for (;;) {
    const start = last === undefined ? from && { start: from } : { start: last, exclusiveStart: true };
    const part: TableEntry[] = [];
    for (const { key, value } of table.getRange({ ...start, ...(to && { end: to }), ...reading })) {
      if (last !== undefined && key.compare(last) <= 0) throw new TableDamagedError(directory, name);
      last = key;
      part.push({ key, value });
    }
    if (part.length === 0) return;
    yield part;
  }
}
