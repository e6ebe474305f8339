/** The index process: fills a merged store from the records, follows their changes and answers queries, one at a time. */
import { writeSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { writeNTriples } from "../../rdf/ntriples-writer.js";
import { textHash } from "../../rdf/text-hash.js";
import { RecordDamagedError } from "../../store/errors.js";
import { openStore } from "../../store/open.js";
import type { ChangedRecord, NumberedRecord, Snapshot, Store } from "../../store/store.js";
import { MAX_SPOOLED } from "../limits.js";
import { QueryRefusedError, type QueryRequest } from "../query-request.js";
import { answerQuery, GraphsNeededError, type Written } from "./answer-query.js";
import {
  type FromIndex,
  type IndexSettings,
  type IndexStanding,
  type RefusedRecord,
  SPOOL,
  type ToIndex,
} from "./index-messages.js";
import { CannotTakeError, MergedStore } from "./merged-store.js";
import { isTrap } from "./wasm-memory.js";

/** Changes that are followed at once before a query; more wait until nobody asks. */
const AT_QUERY = 1_000;
/** Changes that are followed at all: some seconds' work. Beyond them all records are read anew, in another process. */
const FOLLOWED = 10_000;
/** Shorter answers go with the message; of longer ones so many characters at a time are written to the file. */
const SPOOLED_FROM = 65_536;

class DoesNotFitError extends Error {}

/** A filled index and the store that it follows. */
class Index {
  #sequence: number;
  readonly #merged: MergedStore;
  /** IRIs of records that are not in the index. */
  readonly #leftOut = new Set<string>();

  constructor(
    readonly settings: IndexSettings,
    readonly store: Store,
  ) {
    const snapshot = store.snapshot();
    send({ type: "filling", done: 0, total: snapshot.triples });
    try {
      this.#merged = new MergedStore(this.#taken(snapshot), {
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
    return { sequence: this.#sequence, live, dead, leftOut: [...this.#leftOut] };
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

  /** The records, but for those at which a process ended before, and those that are damaged. */
  *#taken(snapshot: Snapshot): Iterable<NumberedRecord> {
    const versions = new Map(this.settings.leftOut.map(({ iri, version }) => [iri, version]));
    const onDamaged = ({ iri, message }: RecordDamagedError): void => {
      this.#leftOut.add(iri);
      send({ type: "damaged", message });
    };
    for (const record of snapshot.records(onDamaged)) {
      const { iri } = record.graph;
      if (versions.has(iri) && versions.get(iri) === versionOf(record)) this.#leftOut.add(iri);
      else yield record;
    }
  }

  #followTo(snapshot: Snapshot, limit: number): boolean {
    if (snapshot.sequence === this.#sequence) return true;
    const changes = changesOf(snapshot, this.#sequence, limit);
    if (changes === undefined) return false;
    // Of a record that was left out there is nothing to take out; what it has become is tried.
    const known = changes.map((change) =>
      this.#leftOut.delete(change.iri) ? { ...change, before: undefined } : change,
    );
    if (!this.#merged.replace(known)) return false;
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

function versionOf({ graph }: NumberedRecord): string {
  const { a, b, c } = textHash(writeNTriples(graph));
  return `${a} ${b} ${c}`;
}

/** The record that Oxigraph refuses, or `undefined` where the memory is what lacked. */
function refusedBy(error: unknown, memory: number): RefusedRecord | undefined {
  if (!(error instanceof CannotTakeError)) return undefined;
  const { record, cause } = error;
  if (isTrap(cause) && process.memoryUsage.rss() > memory * SHARE_OF_MEMORY) return undefined;
  return { iri: record.graph.iri, version: versionOf(record), message: cause instanceof Error ? cause.message : "" };
}

/** Where so much of the memory is taken, a trap is taken for the want of more. */
const SHARE_OF_MEMORY = 0.75;

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
    const record = refusedBy(error, settings.memory);
    if (record !== undefined) {
      send({ type: "cannot take", record });
      return;
    }
    if (!(error instanceof DoesNotFitError) && !isTrap(error instanceof CannotTakeError ? error.cause : error))
      throw error;
    send({ type: "does not fit", message: error instanceof DoesNotFitError ? error.message : "it ran out of memory" });
    return;
  }
  send({ type: "ready", standing: index.standing });
}

function follow(): void {
  if (index!.follow(FOLLOWED)) send({ type: "ready", standing: index!.standing });
  else send({ type: "behind" });
}

function answer(request: QueryRequest, spoolAt: number): void {
  try {
    const { kind, format, rows, text } = index!.answer(request);
    const body = text.length < SPOOLED_FROM ? Buffer.from(text, "utf8") : spooled(text, spoolAt, request.bytes);
    if (typeof body !== "number") checkBytes(body.length, request.bytes);
    send({ type: "answered", kind, format, rows, body, standing: index!.standing });
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

/** Write a text to the file that the service reads. Resolves to its bytes. Throws `QueryRefusedError`. */
function spooled(text: string, start: number, most: number): number {
  let length = 0;
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + SPOOLED_FROM, text.length);
    // The halves of a surrogate pair stay together.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++;
    const bytes = Buffer.from(text.slice(at, end), "utf8");
    checkBytes(length + bytes.length, most);
    if (start + length + bytes.length > MAX_SPOOLED) throw new QueryRefusedError("busy", FULL);
    try {
      for (let written = 0; written < bytes.length; ) {
        written += writeSync(SPOOL, bytes, written, bytes.length - written, start + length + written);
      }
    } catch {
      throw new QueryRefusedError("busy", FULL);
    }
    length += bytes.length;
    at = end;
  }
  return length;
}

const FULL = "There is no room for long results until others have been read.";

function checkBytes(bytes: number, most: number): void {
  if (bytes <= most) return;
  throw new QueryRefusedError(
    "too-many-bytes",
    `The result has more than ${most.toLocaleString("en")} bytes. Ask for less with LIMIT and OFFSET, or for fewer or ` +
      "shorter values, or use `vitrine query`, which has no such limit.",
  );
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
  else answer(message.request, message.spoolAt);
});
