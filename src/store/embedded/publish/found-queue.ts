/** The queue of search keys on their way into the find table. */
import { compiled } from "../../../base/compiled.js";
import { WorkerClient, withMoved } from "../../../base/worker-client.js";
import type { StoreDatabase } from "../format/database.js";
import { POSTING } from "../format/found.js";
import { type ChangedFound, FoundChanges, type FoundTasks, type GroupedFound } from "./found-groups.js";
import { mergePostings, removePosting } from "./postings.js";

/** What so many records, or records of so many bytes, are found by is gathered before it is written. */
const MAX_GATHERED = 80_000;
const MAX_GATHERED_BYTES = 128 * 2 ** 20;
/** From so many records on a thread gathers them. */
const THREADED_FROM = 1_000;
/** Bytes that are given to the thread at once. */
const BATCH = 2 ** 20;
const NONE = Buffer.alloc(0);

/** Writes the find table. */
export class FoundQueue {
  readonly #changes = new FoundChanges();
  #thread: FoundThread | undefined;
  /** What the thread has given back, and is to be written. */
  #given: ChangedFound | undefined;
  #records = 0;
  /** What is queued: records, and their bytes. */
  #waiting = 0;
  #bytes = 0;

  /** @param isThreaded whether a thread may do the gathering; then `gather` comes before `flush`, and `close` at the end */
  constructor(
    private readonly database: StoreDatabase,
    private readonly isThreaded = false,
  ) {}

  get isFull(): boolean {
    return this.#waiting >= MAX_GATHERED || this.#bytes >= MAX_GATHERED_BYTES;
  }

  /** Queue a record (its number) as it was and as it is, stored; a record comes once until it is written. */
  change(before: Buffer | undefined, after: Buffer | undefined, number: number): void {
    this.#waiting++;
    this.#bytes += (before?.length ?? 0) + (after?.length ?? 0);
    if (!this.isThreaded || ++this.#records < THREADED_FROM) {
      this.#changes.add(before ?? NONE, after ?? NONE, number);
    } else {
      this.#thread ??= new FoundThread();
      this.#thread.add(before ?? NONE, after ?? NONE, number);
    }
  }

  /** Have what the thread gathered here. Rejects when the thread ended. */
  async gather(): Promise<void> {
    this.#given = await this.#thread?.take();
  }

  /** Write the queue, and yield after each key. */
  *flush(): Iterable<void> {
    const all = [this.#changes.take(), ...(this.#given === undefined ? [] : [this.#given])];
    this.#given = undefined;
    this.#waiting = 0;
    this.#bytes = 0;
    const found = this.database.found!;
    for (const { removed, added } of all) {
      for (const { key, postings } of eachKey(removed)) {
        for (let at = 0; at < postings.length; at += POSTING) {
          removePosting(found, key, postings.subarray(at, at + POSTING));
        }
        yield;
      }
      for (const { key, postings } of eachKey(added)) {
        mergePostings(found, key, postings);
        yield;
      }
    }
  }

  close(): void {
    this.#thread?.close();
  }
}

/** The keys in their order, with their postings in theirs. */
function* eachKey({ keys, keyEnds, postings, postingEnds }: GroupedFound): Iterable<{ key: Buffer; postings: Buffer }> {
  const [allKeys, allPostings] = [bufferOf(keys), bufferOf(postings)];
  for (let at = 0, key = 0, posting = 0; at < keyEnds.length; at++) {
    const [keyEnd, postingEnd] = [keyEnds[at]!, postingEnds[at]!];
    yield { key: allKeys.subarray(key, keyEnd), postings: allPostings.subarray(posting, postingEnd) };
    [key, posting] = [keyEnd, postingEnd];
  }
}

/** The thread, which gets what it gathers in batches. */
class FoundThread {
  readonly #client = new WorkerClient<FoundTasks>({
    name: "the thread that gathers what records are found by",
    module: compiled(import.meta.url, "./found-thread.js"),
  });
  #added: Promise<unknown>[] = [];
  #bytes = Buffer.allocUnsafeSlow(BATCH);
  #length = 0;
  #middles: number[] = [];
  #ends: number[] = [];
  #numbers: number[] = [];

  add(before: Buffer, after: Buffer, number: number): void {
    const length = before.length + after.length;
    if (this.#length + length > this.#bytes.length) this.#send(length);
    // LMDB's own buffers are longer than they say, so the length is given.
    this.#bytes.set(before.subarray(0, before.length), this.#length);
    this.#middles.push(this.#length + before.length);
    this.#bytes.set(after.subarray(0, after.length), this.#length + before.length);
    this.#length += length;
    this.#ends.push(this.#length);
    this.#numbers.push(number);
  }

  /** What was gathered. Rejects with what ended the thread. */
  async take(): Promise<ChangedFound> {
    this.#send(0);
    const taken = this.#client.ask("take");
    await Promise.all(this.#added.splice(0));
    return await taken;
  }

  close(): void {
    void this.#client.terminate();
  }

  /** @param next bytes of what comes next, for which there is to be room */
  #send(next: number): void {
    const records = new Uint8Array(this.#bytes.buffer, 0, this.#length);
    const batch = { records, middles: this.#middles, ends: this.#ends, numbers: this.#numbers };
    this.#added.push(this.#client.ask("add", withMoved(batch, records)));
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(BATCH, next));
    this.#length = 0;
    this.#middles = [];
    this.#ends = [];
    this.#numbers = [];
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
