/** What new records are found by on its way into the find table. */
import { Worker } from "node:worker_threads";
import { compiled } from "../../../compiled.js";
import type { StoreDatabase } from "../format/database.js";
import { decodeGraph, stored } from "../format/encoding.js";
import { eachFound, encodeFound, postingIn } from "../format/found.js";
import { FoundGroups, type GroupedFound, type ToFoundThread } from "./found-groups.js";
import { mergePostings, removePosting } from "./postings.js";

/** So many bytes are gathered before they are written: what some 80,000 records are found by. */
const MAX_GATHERED = 24 * 2 ** 20;
/** From so many records on a thread gathers them. */
const THREADED_FROM = 4_096;
/** Bytes that are given to the thread at once. */
const BATCH = 2 ** 20;

/** Writes the find table. */
export class FoundQueue {
  readonly #database: StoreDatabase;
  readonly #isThreaded: boolean;
  readonly #groups = new FoundGroups();
  #thread: FoundThread | undefined;
  /** What the thread has given back, and is to be written. */
  #given: GroupedFound | undefined;
  #records = 0;
  #bytes = 0;

  /** @param isThreaded whether a thread may do the gathering; then `gather` comes before `flush`, and `close` at the end */
  constructor(database: StoreDatabase, isThreaded = false) {
    this.#database = database;
    this.#isThreaded = isThreaded;
  }

  get isFull(): boolean {
    return this.#bytes >= MAX_GATHERED;
  }

  /** Queue what a new record (its number) is found by. */
  add(found: Buffer, number: number): void {
    this.#bytes += found.length;
    if (!this.#isThreaded || ++this.#records < THREADED_FROM) this.#groups.add(found, number);
    else {
      this.#thread ??= new FoundThread();
      this.#thread.add(found, number);
    }
  }

  /** Remove what a record was found by; not one that is queued. */
  remove(found: Buffer, number: number): void {
    eachFound(found, (field, start, end) => {
      removePosting(this.#database.found!, found.subarray(start, end), postingIn(found, number, field));
    });
  }

  /** Write what differs between what a record was found by and what it is found by. */
  replace(before: Buffer, after: Buffer, number: number): void {
    if (before.equals(after)) return;
    this.remove(before, number);
    this.add(after, number);
  }

  /** Have what the thread gathered here. Rejects when the thread ended. */
  async gather(): Promise<void> {
    this.#given = await this.#thread?.take();
  }

  /** Write the queue, and yield after each key. */
  *flush(): Iterable<void> {
    const given = this.#given;
    this.#given = undefined;
    this.#bytes = 0;
    yield* this.#write(this.#groups.take());
    if (given !== undefined) yield* this.#write(given);
  }

  close(): void {
    this.#thread?.close();
  }

  *#write({ keys, keyEnds, postings, postingEnds }: GroupedFound): Iterable<void> {
    const [allKeys, allPostings] = [bufferOf(keys), bufferOf(postings)];
    for (let at = 0, key = 0, posting = 0; at < keyEnds.length; at++) {
      const own = allPostings.subarray(posting, postingEnds[at]!);
      mergePostings(this.#database.found!, allKeys.subarray(key, keyEnds[at]!), own);
      [key, posting] = [keyEnds[at]!, postingEnds[at]!];
      yield;
    }
  }
}

/** The thread's side here. */
class FoundThread {
  readonly #worker = new Worker(compiled(import.meta.url, "./found-thread.js"));
  #found = Buffer.allocUnsafeSlow(BATCH);
  #length = 0;
  #ends: number[] = [];
  #numbers: number[] = [];
  #problem: Error | undefined;

  constructor() {
    this.#worker.on("error", (error) => {
      this.#problem = error;
    });
    // A publication that is given up does not wait for it.
    this.#worker.unref();
  }

  add(found: Buffer, number: number): void {
    if (this.#length + found.length > this.#found.length) this.#send(found.length);
    this.#length += found.copy(this.#found, this.#length);
    this.#ends.push(this.#length);
    this.#numbers.push(number);
  }

  /** What was gathered. Rejects with what ended the thread. */
  take(): Promise<GroupedFound> {
    this.#send(0);
    return new Promise((resolve, reject) => {
      if (this.#problem !== undefined) reject(this.#problem);
      this.#worker.once("error", reject);
      this.#worker.once("message", (given: GroupedFound) => {
        this.#worker.off("error", reject);
        this.#worker.unref();
        resolve(given);
      });
      this.#worker.ref();
      this.#worker.postMessage("take" satisfies ToFoundThread);
    });
  }

  close(): void {
    void this.#worker.terminate();
  }

  /** @param next bytes of what comes next, for which there is to be room */
  #send(next: number): void {
    const found = new Uint8Array(this.#found.buffer, 0, this.#length);
    const batch: ToFoundThread = { found, ends: this.#ends, numbers: this.#numbers };
    this.#worker.postMessage(batch, [this.#found.buffer]);
    this.#found = Buffer.allocUnsafeSlow(Math.max(BATCH, next));
    this.#length = 0;
    this.#ends = [];
    this.#numbers = [];
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** What a stored record is found by, as it is staged: the record is looked through for it. */
export function foundIn(record: Buffer): Buffer {
  const graph = decodeGraph(record, () => undefined);
  return encodeFound(graph, stored.endpoint(record), stored.label(record));
}
