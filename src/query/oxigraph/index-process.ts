/** The index process: fills a merged store from the records, follows their changes and answers queries, one at a time. */
import { ftruncateSync, writeSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { grouped } from "../../base/counted.js";
import { jsonFile } from "../../base/json.js";
import { builtModule } from "../../base/package-files.js";
import { replaceFileNow } from "../../base/whole-file.js";
import { writeNTriples } from "../../rdf/ntriples/writer.js";
import { tripleCount } from "../../rdf/record-graph.js";
import { textHash } from "../../rdf/text-hash.js";
import { changeMark } from "../../store/changes.js";
import { pageProblem, type RecordDamagedError, StoreError, unlessDamaged } from "../../store/errors.js";
import { type LocalStore, openStore } from "../../store/open.js";
import type { NumberedRecord, Snapshot } from "../../store/snapshots.js";
import { QueryRefusedError, type QueryRequest } from "../engine.js";
import { prepareGrammar } from "../query-text.js";
import { answerQuery, GraphsNeededError, type WrittenResult } from "./answer-query.js";
import { ImageRefusedError, type ImageSubject, type ReadImage, readImage, writeImage } from "./index-image.js";
import type { FromIndex, IndexSettings, IndexStanding, RefusedRecord, ToIndex } from "./index-messages.js";
import { MergedStore, MergeRefusedError } from "./merged-store.js";
import { MAX_SPOOLED, type SpoolRoom } from "./spool.js";
import { atRest, isTrap, wasmState } from "./wasm-instance.js";

/** At most this many changes are followed, which takes some seconds. If there are more, another process reads all records again. */
const MAX_FOLLOWED = 10_000;
/** The limit of triples in the changed records, as a multiple of the limit of changes. With more, filling is faster than following. */
const TRIPLES_A_CHANGE = 100;
/** At most this many changes are followed before a query is answered. If there are more, all wait until the process is idle. */
const AT_QUERY = 1_000;
/** Answers of fewer characters are sent in the message. Longer ones are written to the file, this many characters at a time. */
const SPOOLED_FROM = 65_536;
/** The file descriptor of the file for long answers. */
const SPOOL = 4;

class DoesNotFitError extends Error {}

class Index {
  #sequence: number;
  readonly #merged: MergedStore;
  /** IRIs of records that are not in the index. */
  readonly #leftOut = new Set<string>();
  /** The number of triples of the records in the index, and of those left out. */
  #taken = 0;
  #missing = 0;
  /** The number of triples of all records in the state that the index reflects. */
  #triples = 0;
  #isBehind = false;
  /** The sequence number of the image from which the index started. */
  readonly #image: number | undefined;

  /** Fill an index, or take it over from an image. */
  constructor(
    readonly settings: IndexSettings,
    readonly store: LocalStore,
    image: ReadImage | undefined,
  ) {
    if (image !== undefined) {
      const { parts, subject } = image;
      this.#merged = new MergedStore(parts, settings);
      this.#sequence = subject.sequence;
      this.#image = subject.sequence;
      for (const iri of subject.leftOut) this.#leftOut.add(iri);
      this.#missing = subject.missing;
      return;
    }
    using snapshot = store.snapshots.take();
    const { sequence, triples } = snapshot.stats;
    this.#merged = new MergedStore(settings.isEmpty ? [] : this.#recordsOf(snapshot), {
      withGraphs: settings.withGraphs,
      progress: (done) => {
        send({ type: "filling", done, total: triples });
        checkMemory(done, triples, settings);
      },
    });
    this.#sequence = sequence;
    this.#triples = triples;
    this.#missing = settings.isEmpty ? 0 : triples - this.#taken;
  }

  get standing(): IndexStanding {
    const { live, dead } = this.#merged;
    return { sequence: this.#sequence, triples: this.#triples, live, dead, ...this.#lacking, image: this.#image };
  }

  get #lacking(): Pick<IndexStanding, "leftOut" | "missing"> {
    return { leftOut: [...this.#leftOut], missing: this.#leftOut.size === 0 ? 0 : this.#missing };
  }

  /** Write the image. @returns its sequence number, or `undefined` if it was not written */
  async writeImage(isAbandoned: () => boolean): Promise<number | undefined> {
    const { settings, store } = this;
    if (settings.image === undefined || wasmState === undefined) return undefined;
    const sequence = this.#sequence;
    const mark = await changeMark(store, sequence);
    if (mark === undefined || isAbandoned()) return undefined;
    const subject = { withGraphs: settings.withGraphs, sequence, mark, ...this.#lacking };
    const [path, state] = [settings.image, wasmState];
    const isWritten = await atRest(() => writeImage(path, state, this.#merged.parts, subject, isAbandoned));
    return isWritten ? sequence : undefined;
  }

  get isUpToDate(): boolean {
    using snapshot = this.store.snapshots.take();
    return snapshot.stats.sequence === this.#sequence;
  }

  /** Follow the store, unless there are more than `MAX_FOLLOWED` changes or they are too large. Returns whether it could. */
  follow(): boolean {
    using snapshot = this.store.snapshots.take();
    // Later changes only add to those that are too many already.
    this.#isBehind ||= !this.#followTo(snapshot, MAX_FOLLOWED);
    return !this.#isBehind;
  }

  answer(request: QueryRequest): WrittenResult {
    using snapshot = this.store.snapshots.take();
    if (!this.#isBehind) this.#followTo(snapshot, AT_QUERY);
    return answerQuery(request, this.#merged, snapshot, this.#sequence);
  }

  /** All records except damaged ones and those that crashed an earlier process. */
  *#recordsOf(snapshot: Snapshot): Iterable<NumberedRecord> {
    const versions = new Map(this.settings.leftOut.map(({ iri, version }) => [iri, version]));
    const onDamaged = ({ iri, message }: RecordDamagedError): void => {
      this.#leftOut.add(iri);
      send({ type: "damaged", message });
    };
    for (const record of snapshot.records(onDamaged)) {
      const { iri } = record.graph;
      if (versions.has(iri) && versions.get(iri) === versionOf(record)) this.#leftOut.add(iri);
      else {
        this.#taken += tripleCount(record.graph);
        yield record;
      }
    }
  }

  #followTo(snapshot: Snapshot, limit: number): boolean {
    const { sequence, triples } = snapshot.stats;
    if (sequence !== this.#sequence && !this.settings.isEmpty) {
      const most = limit * TRIPLES_A_CHANGE;
      const changes = unlessDamaged(() => snapshot.changesAfter(this.#sequence, limit, most));
      if (changes === undefined) return false;
      // A record that was left out need not be removed; its new version is tried.
      const known = changes.map((change) =>
        this.#leftOut.has(change.iri) ? { ...change, before: undefined } : change,
      );
      if (!this.#merged.replace(known)) return false;
      for (const { iri } of changes) this.#leftOut.delete(iri);
    }
    this.#sequence = sequence;
    this.#triples = triples;
    return true;
  }
}

function versionOf({ graph }: NumberedRecord): string {
  const { a, b, c } = textHash(writeNTriples(graph));
  return `${a} ${b} ${c}`;
}

/** The record that Oxigraph refuses, or `undefined` if it ran out of memory instead. */
function refusedBy(error: unknown, memory: number): RefusedRecord | undefined {
  if (!(error instanceof MergeRefusedError)) return undefined;
  const { record, cause } = error;
  if (isTrap(cause) && process.memoryUsage.rss() > memory * SHARE_OF_MEMORY) return undefined;
  return { iri: record.graph.iri, version: versionOf(record), message: cause instanceof Error ? cause.message : "" };
}

/** From this share of the memory on, a trap is taken to mean that memory ran out. */
const SHARE_OF_MEMORY = 0.75;

/** Throws `DoesNotFitError` when the memory is used up or, from a quarter of the triples on, when it is expected to be. */
function checkMemory(done: number, total: number, { memory, image }: IndexSettings): void {
  const used = process.memoryUsage.rss();
  const expected = done * 4 > total ? (used - EMPTY) * (total / done) + EMPTY : used;
  if (expected < memory) return;
  const mebibytes = (bytes: number): string => `${grouped(Math.round(bytes / 2 ** 20))} MiB`;
  const message =
    `${grouped(total)} triples need about ${mebibytes(Math.max(expected, used))} and the index may take ` +
    `${mebibytes(memory)}`;
  try {
    const note: TooLarge = { triples: total, memory, message };
    if (image !== undefined) replaceFileNow(noteOf(image), JSON.stringify(note));
  } catch {
    // The store is read-only: each start will find out again.
  }
  throw new DoesNotFitError(message);
}

/** A note that the records did not fit. It is kept beside the image, so that the next start need not read them to find out. */
interface TooLarge {
  readonly triples: number;
  readonly memory: number;
  readonly message: string;
}

const noteOf = (image: string): string => `${image}.too-large`;

/** Throws `DoesNotFitError` if so many triples cannot fit in the memory in any collection, or did not fit before. */
async function ensureMayFit(triples: number, { memory, image, isEmpty }: IndexSettings): Promise<void> {
  if (isEmpty) return;
  if (triples * LEAST_BYTES > memory) {
    const most = grouped(Math.floor(memory / LEAST_BYTES));
    throw new DoesNotFitError(`the records have ${grouped(triples)} triples, and up to ${most} may fit`);
  }
  const note = image === undefined ? undefined : await jsonFile<TooLarge | null>(noteOf(image));
  if (note && triples >= note.triples && memory <= note.memory)
    throw new DoesNotFitError(`${note.message}, as found before`);
}

/** The least memory for a triple, in bytes, reached when records share many triples. */
const LEAST_BYTES = 200;

/** The memory of the process without triples. */
const EMPTY = process.memoryUsage.rss();

function send(message: FromIndex): void {
  process.send!(message);
}

let index: Index | undefined;

async function fill(settings: IndexSettings): Promise<void> {
  try {
    const store = await openStore({ directory: settings.directory });
    const image = await imageOf(settings, store);
    if (image === undefined) {
      const { triples } = await store.stats();
      send({ type: "filling", done: 0, total: triples });
      await ensureMayFit(triples, settings);
    }
    index = new Index(settings, store, image);
    // Following the changes since the image is part of the start: the image is not trusted until that has succeeded.
    if (image !== undefined && !index.follow()) throw new ImageRefusedError(TOO_OLD, true);
    send({ type: "ready", standing: index.standing });
  } catch (error) {
    const isOfImage = error instanceof ImageRefusedError;
    const message = isOfImage || error instanceof StoreError ? error.message : pageProblem(error);
    if (message !== undefined) {
      send({ type: isOfImage ? "image refused" : "unreadable", message });
      // `disconnect` ends the process after the message is sent.
      return process.disconnect();
    }
    const record = refusedBy(error, settings.memory);
    if (record !== undefined) return send({ type: "cannot take", record });
    if (!(error instanceof DoesNotFitError) && !isTrap(error instanceof MergeRefusedError ? error.cause : error))
      throw error;
    send({ type: "does not fit", message: error instanceof DoesNotFitError ? error.message : "it ran out of memory" });
  }
}

const TOO_OLD = "more has changed since than can be followed";

/** Read the index image of a store; `undefined` if there is none to use. Throws `ImageRefusedError`. */
async function imageOf(settings: IndexSettings, store: LocalStore): Promise<ReadImage | undefined> {
  if (settings.image === undefined || !settings.fromImage || wasmState === undefined) return undefined;
  const { sequence: now, triples } = await store.stats();
  const check = async ({ withGraphs, sequence, mark }: ImageSubject, bytes: number): Promise<void> => {
    const refuse = (message: string): never => {
      throw new ImageRefusedError(message, false);
    };
    if (withGraphs !== settings.withGraphs) refuse("it is of another kind of index");
    if (mark !== (await changeMark(store, sequence))) refuse("it is of another store");
    if (now - sequence > MAX_FOLLOWED) refuse(TOO_OLD);
    if (bytes + EMPTY > settings.memory) refuse("it needs more memory than the index may take");
  };
  try {
    return await readImage(settings.image, wasmState, check, (share) => {
      send({ type: "filling", done: Math.floor(share * triples), total: triples });
    });
  } catch (error) {
    if (!(error instanceof ImageRefusedError) || error.isTouched) throw error;
    send({ type: "image refused", message: error.message });
    return undefined;
  }
}

/** The image that is being written. It is aborted when something else must be done. */
let imaging: { readonly ended: Promise<void>; readonly isUrgent: boolean; isAbandoned: boolean } | undefined;

function writeIndexImage(isUrgent: boolean): void {
  const writing = { isUrgent, isAbandoned: false, ended: Promise.resolve() };
  writing.ended = index!
    .writeImage(() => writing.isAbandoned)
    .then((sequence) => send({ type: "imaged", sequence }))
    .catch((error: Error) => send({ type: "imaged", problem: error.message }))
    .finally(() => {
      imaging = undefined;
    });
  imaging = writing;
}

function answer(request: QueryRequest, room: SpoolRoom): void {
  if (prepareGrammar()) send({ type: "prepared", memory: process.memoryUsage.rss() });
  // Nobody reads what is behind the room that goes to the end of the file: it need not stay on disk.
  if (room.end === MAX_SPOOLED) ftruncateSync(SPOOL, room.start);
  try {
    const { text, ...written } = index!.answer(request);
    const body = text.length < SPOOLED_FROM ? Buffer.from(text, "utf8") : spooled(text, room, request.bytes);
    if (typeof body !== "number") checkBytes(body.length, request.bytes);
    send({ type: "answered", ...written, body, standing: index!.standing });
  } catch (error) {
    if (error instanceof GraphsNeededError) send({ type: "needs graphs" });
    else if (error instanceof QueryRefusedError) {
      const { reason, message, position } = error;
      send({ type: "refused", reason, message, position });
    } else {
      const message = error instanceof StoreError ? error.message : pageProblem(error);
      if (message === undefined) throw error;
      send({ type: "refused", reason: "damaged", message });
    }
  }
}

/** Write a text to the file that the service reads. Returns its length in bytes. Throws `QueryRefusedError`. */
function spooled(text: string, { start, end: limit }: SpoolRoom, most: number): number {
  let length = 0;
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + SPOOLED_FROM, text.length);
    // Do not split a surrogate pair.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++;
    const bytes = Buffer.from(text.slice(at, end), "utf8");
    checkBytes(length + bytes.length, most);
    if (start + length + bytes.length > limit) throw new QueryRefusedError("busy", FULL);
    try {
      for (let written = 0; written < bytes.length; )
        written += writeSync(SPOOL, bytes, written, bytes.length - written, start + length + written);
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
    `The result has more than ${grouped(most)} bytes. Ask for less with LIMIT and OFFSET, or for fewer or ` +
      "shorter values, or use `vitrine query`, which has no such limit.",
  );
}

// Dereferencing has priority: it must not wait for queries.
setPriority(constants.priority.PRIORITY_LOW);
// The service kills this process. If the service itself is gone, the process exits, or the thread kills it during a query.
process.on("disconnect", () => process.exit());
new Worker(builtModule("query/oxigraph/parent-watch-thread.js"), { workerData: { parent: process.ppid } }).unref();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
process.on("message", async (message: ToIndex) => {
  if (message.type === "fill") return fill(message.settings);
  if (message.type === "image") return writeIndexImage(message.isUrgent);
  // Before the memory changes, an image that is being written is abandoned, or if it is urgent, awaited.
  const changesMemory = message.type !== "follow" || !index!.isUpToDate;
  if (changesMemory && imaging?.isUrgent === true) await imaging.ended;
  else if (changesMemory && imaging !== undefined) imaging.isAbandoned = true;
  if (message.type === "follow") {
    send(index!.follow() ? { type: "ready", standing: index!.standing } : { type: "behind" });
  } else answer(message.request, message.room);
});
