/** Writes the postings of the find table's keys: few lie under the key itself, many in blocks behind it. docs/inside/store.md has the layout. */
import type { Database } from "lmdb";
import { blockKey, HEADED, headOf, isInline, POSTING, postingsCount, rankOf } from "../format/found.js";

type Table = Database<Buffer, Buffer>;

/** Postings that lie under the key itself, and those of a full block. */
const MAX_POSTINGS = 128;
/** Postings of a block that is new: the next ones find room in it. */
const NEW_BLOCK = 96;

/** Add postings, which are in order, to those of a key; none of them is there. */
export function mergePostings(table: Table, key: Buffer, postings: Buffer): void {
  const head = table.getBinary(key);
  const added = postings.length / POSTING;
  if (head === undefined || isInline(head)) {
    const all = head === undefined ? postings : merged(head, postings);
    if (all.length <= MAX_POSTINGS * POSTING) table.putSync(key, all);
    else {
      putBlocks(table, key, all);
      table.putSync(key, headOf(all.length / POSTING));
    }
    return;
  }
  table.putSync(key, headOf(postingsCount(head) + added));
  for (let at = 0; at < postings.length; ) {
    const block = blockOf(table, key, postings.subarray(at, at + POSTING))!;
    const end = block.next === undefined ? postings.length : rankOf(postings, block.next) * POSTING;
    const all = merged(block.postings, postings.subarray(at, end));
    if (!all.subarray(0, POSTING).equals(block.postings.subarray(0, POSTING))) table.removeSync(block.key);
    putBlocks(table, key, all);
    at = end;
  }
}

/** Remove one posting of a key; one that is not there is no error. */
export function removePosting(table: Table, key: Buffer, posting: Buffer): void {
  const head = table.getBinary(key);
  if (head === undefined) return;
  if (isInline(head)) {
    const rest = without(head, posting);
    if (rest.length === 0) table.removeSync(key);
    else if (rest !== head) table.putSync(key, rest);
    return;
  }
  const block = blockOf(table, key, posting)!;
  const rest = without(block.postings, posting);
  if (rest === block.postings) return;
  table.removeSync(block.key);
  if (rest.length > 0) table.putSync(blockKey(key, rest), rest);
  const count = postingsCount(head) - 1;
  if (count === 0) table.removeSync(key);
  else table.putSync(key, headOf(count));
}

/** Whether a key has a posting. */
export function hasPosting(table: Table, key: Buffer, posting: Buffer): boolean {
  const head = table.getBinary(key);
  if (head === undefined) return false;
  const postings = isInline(head) ? head : blockOf(table, key, posting)?.postings;
  return postings !== undefined && without(postings, posting) !== postings;
}

/** How many postings the blocks of a key have together. */
export function blockedCount(table: Table, key: Buffer): number {
  let count = 0;
  const range = { start: blockKey(key, Buffer.alloc(POSTING)), end: blockKey(key, LAST) };
  for (const { value } of table.getRange(range)) count += value.length / POSTING;
  return count;
}

interface Block {
  readonly key: Buffer;
  readonly postings: Buffer;
  /** Where the block behind it begins. */
  readonly next: Buffer | undefined;
}

/** The block that a posting lies in or belongs to: the last that begins before it, or else the first. */
function blockOf(table: Table, key: Buffer, posting: Buffer): Block | undefined {
  const [before, after] = [blockKey(key, posting), blockKey(key, LAST)];
  const first = blockKey(key, Buffer.alloc(POSTING));
  const [at] = table.getRange({ start: before, end: key, reverse: true, limit: 1 });
  const found =
    at !== undefined && at.key.compare(first) >= 0
      ? at
      : [...table.getRange({ start: first, end: after, limit: 1 })][0];
  if (found === undefined) return undefined;
  const [next] = [...table.getKeys({ start: Buffer.concat([found.key, Buffer.of(0)]), end: after, limit: 1 })];
  return {
    key: Buffer.from(found.key),
    postings: Buffer.from(found.value),
    next: next === undefined ? undefined : next.subarray(key.length + HEADED),
  };
}

const LAST = Buffer.alloc(POSTING, 0xff);

function putBlocks(table: Table, key: Buffer, postings: Buffer): void {
  const count = postings.length / POSTING;
  const blocks = count <= MAX_POSTINGS ? 1 : Math.ceil(count / NEW_BLOCK);
  for (let block = 0; block < blocks; block++) {
    const start = Math.floor((block * count) / blocks) * POSTING;
    const end = Math.floor(((block + 1) * count) / blocks) * POSTING;
    const part = postings.subarray(start, end);
    table.putSync(blockKey(key, part), part);
  }
}

/** Two lists in order, as one. */
function merged(a: Buffer, b: Buffer): Buffer {
  const all = Buffer.allocUnsafe(a.length + b.length);
  let [atA, atB, end] = [0, 0, 0];
  while (atA < a.length && atB < b.length) {
    if (a.compare(b, atB, atB + POSTING, atA, atA + POSTING) < 0) {
      end += a.copy(all, end, atA, atA + POSTING);
      atA += POSTING;
    } else {
      end += b.copy(all, end, atB, atB + POSTING);
      atB += POSTING;
    }
  }
  end += a.copy(all, end, atA, a.length);
  b.copy(all, end, atB, b.length);
  return all;
}

/** A list without a posting; the list itself where it is not in it. */
function without(postings: Buffer, posting: Buffer): Buffer {
  const at = rankOf(postings, posting) * POSTING;
  if (postings.compare(posting, 0, POSTING, at, at + POSTING) !== 0) return postings;
  return Buffer.concat([postings.subarray(0, at), postings.subarray(at + POSTING)]);
}
