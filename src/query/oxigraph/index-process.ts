/** The index process: fills a merged store from the records, follows their changes and answers queries, one at a time. */
import { constants, setPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { RecordDamagedError } from "../../store/errors.js";
import { openStore } from "../../store/open.js";
import type { ChangedRecord, Snapshot, Store } from "../../store/store.js";
import { QueryRefusedError, type QueryRequest } from "../query-request.js";
import { answerQuery, GraphsNeededError, type Written } from "./answer-query.js";
import type { FromIndex, IndexSettings, IndexStanding, ToIndex } from "./index-messages.js";
import { MergedStore } from "./merged-store.js";
import { isTrap } from "./wasm-memory.js";

/** Changes that are followed at once before a query; more wait until nobody asks. */
const AT_QUERY = 1_000;
/** Changes that are followed at all: some seconds' work. Beyond them all records are read anew, in another process. */
const FOLLOWED = 10_000;
/** An answer is sent in pieces of about so many characters, so that the service can do other things between them. */
const PIECE = 65_536;

class DoesNotFitError extends Error {}

/** A filled index and the store that it follows. */
class Index {
  #sequence: number;
  readonly #merged: MergedStore;

  constructor(
    readonly settings: IndexSettings,
    readonly store: Store,
  ) {
    const snapshot = store.snapshot();
    send({ type: "filling", done: 0, total: snapshot.triples });
    try {
      this.#merged = new MergedStore(snapshot.records(sayDamaged), {
        withGraphs: settings.withGraphs,
        progress: (done) => {
          send({ type: "filling", done, total: snapshot.triples });
          checkMemory(done, snapshot.triples, settings.memory);
        },
      });
      this.#sequence = snapshot.sequence;
    } finally {
      snapshot.close();
    }
  }

  get standing(): IndexStanding {
    const { live, dead } = this.#merged;
    return { sequence: this.#sequence, live, dead };
  }

  /** Take over what changed, unless it is more than `limit` changes. Whether it could be. */
  follow(limit: number): boolean {
    return this.#reading((snapshot) => this.#followTo(snapshot, limit));
  }

  answer(request: QueryRequest): Written {
    return this.#reading((snapshot) => {
      this.#followTo(snapshot, AT_QUERY);
      return answerQuery(request, { merged: this.#merged, withGraphs: this.settings.withGraphs, snapshot });
    });
  }

  #followTo(snapshot: Snapshot, limit: number): boolean {
    if (snapshot.sequence === this.#sequence) return true;
    const changes = changesOf(snapshot, this.#sequence, limit);
    if (changes === undefined || !this.#merged.replace(changes)) return false;
    this.#sequence = snapshot.sequence;
    return true;
  }

  #reading<T>(read: (snapshot: Snapshot) => T): T {
    const snapshot = this.store.snapshot();
    try {
      return read(snapshot);
    } finally {
      snapshot.close();
    }
  }
}

/** What changed, unless a record of it is damaged: then all are read anew, and the damaged ones left out. */
function changesOf(snapshot: Snapshot, sequence: number, limit: number): readonly ChangedRecord[] | undefined {
  try {
    return snapshot.changesAfter(sequence, limit);
  } catch (error) {
    if (error instanceof RecordDamagedError) return undefined;
    throw error;
  }
}

function sayDamaged({ message }: RecordDamagedError): void {
  send({ type: "damaged", message });
}

/** Filling is given up when the memory is used up, or will be as it looks after a quarter of the records. */
function checkMemory(done: number, total: number, memory: number): void {
  const used = process.memoryUsage.rss();
  const expected = done * 4 > total ? (used - EMPTY) * (total / done) + EMPTY : used;
  if (expected < memory) return;
  const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20).toLocaleString("en")} MiB`;
  throw new DoesNotFitError(
    `${total.toLocaleString("en")} triples need about ${mebibytes(Math.max(expected, used))} and the index may take ` +
      `${mebibytes(memory)}`,
  );
}

/** What the process takes before there are triples. */
const EMPTY = process.memoryUsage.rss();

function send(message: FromIndex): void {
  process.send!(message);
}

let index: Index | undefined;

async function fill(settings: IndexSettings): Promise<void> {
  try {
    index = new Index(settings, await openStore({ directory: settings.directory }));
  } catch (error) {
    if (!(error instanceof DoesNotFitError) && !isTrap(error)) throw error;
    send({ type: "does not fit", message: error instanceof DoesNotFitError ? error.message : "it ran out of memory" });
    return;
  }
  send({ type: "ready", standing: index.standing });
}

function follow(): void {
  if (index!.follow(FOLLOWED)) send({ type: "ready", standing: index!.standing });
  else send({ type: "behind" });
}

function answer(request: QueryRequest): void {
  try {
    const { kind, format, rows, text } = index!.answer(request);
    for (let at = 0; at < text.length; ) {
      let end = Math.min(at + PIECE, text.length);
      // The halves of a surrogate pair stay together.
      if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++;
      send({ type: "piece", bytes: Buffer.from(text.slice(at, end), "utf8") });
      at = end;
    }
    send({ type: "answered", kind, format, rows, standing: index!.standing });
  } catch (error) {
    if (error instanceof GraphsNeededError) send({ type: "needs graphs" });
    else if (error instanceof QueryRefusedError) {
      const { reason, message, position } = error;
      send({ type: "refused", reason, message, ...(position === undefined ? {} : { position }) });
    } else if (error instanceof RecordDamagedError)
      send({ type: "refused", reason: "damaged", message: error.message });
    else throw error;
  }
}

// Publication goes first: whatever a query takes, dereferencing does not wait for it.
setPriority(constants.priority.PRIORITY_LOW);
// The service ends this process; when it is gone itself, the process ends at once, or the thread ends it.
process.on("disconnect", () => process.exit());
new Worker(new URL("./parent-watch.js", import.meta.url), { workerData: { parent: process.ppid } }).unref();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
process.on("message", (message: ToIndex) => {
  if (message.type === "fill") void fill(message.settings);
  else if (message.type === "follow") follow();
  else answer(message.request);
});
