/** Times of the last change in each block of record numbers: a sitemap says them of its pages without a walk over the records. */
import { NUMBERS_A_BLOCK } from "../../lists.js";
import type { StoreDatabase } from "./database.js";
import { numberKey } from "./keys.js";

/** The block that a record's number lies in; the first is 0. */
export function blockOf(number: number): number {
  return Math.floor((number - 1) / NUMBERS_A_BLOCK);
}

/** Write when a block last changed, in milliseconds since 1970. */
export function putBlockTime({ blockTimes }: Pick<StoreDatabase, "blockTimes">, block: number, time: number): void {
  const value = Buffer.allocUnsafe(8);
  value.writeDoubleLE(time);
  blockTimes.putSync(numberKey(block), value);
}

/** The times of all blocks, the first first. Throws `EntryDamagedError`. */
export function blockTimesIn({ blockTimes }: Pick<StoreDatabase, "blockTimes">): number[] {
  return [...blockTimes.getRange({})].map(({ value }) => value.readDoubleLE());
}
