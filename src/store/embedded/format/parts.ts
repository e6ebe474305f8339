/** Walks over tables part by part: between two parts others have their turn. */
import type { RangeOptions } from "lmdb";
import { TableDamagedError } from "../../errors.js";

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

/** The entries of a table in the order of their keys. A damaged page can lead out of it, and into circles: throws `TableDamagedError`. */
export function* partsOf(
  { table, directory, name }: WalkedTable,
  { from, to, ...reading }: PartLength,
): Generator<readonly TableEntry[]> {
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
