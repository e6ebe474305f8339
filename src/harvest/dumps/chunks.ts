/** The writing of a snapshot in the formats of a dump, chunk by chunk: in threads that all read the same state, or in this one for few records. */
import { availableParallelism } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { entryOf } from "../../base/entries.js";
import { builtModule } from "../../base/package-files.js";
import { WorkerClient } from "../../base/worker-client.js";
import { DocumentWriter, documentSettings } from "../../jsonld/documents.js";
import type { ModelSettings } from "../../model/settings.js";
import type { FormatName } from "../../rdf/formats.js";
import type { Json } from "../../rdf/record-graph.js";
import { StoreError } from "../../store/errors.js";
import type { EndpointKey } from "../../store/record.js";
import type { Chunk, DescribedRecord, Snapshot } from "../../store/snapshots.js";
import type { StoreWith } from "../../store/store.js";
import { PartitionCounter } from "../collection-counts.js";
import { GzipMembers } from "./gzip-file.js";
import { RECORD_FORMATS } from "./manifest.js";

/** With fewer records no thread is started, because starting one takes as long as the work. */
const MIN_RECORDS = 5_000;
/** The approximate number of triples in a chunk, and the maximum number of records. */
const CHUNK_TRIPLES = 60_000;
const MAX_CHUNK_RECORDS = 5_000;
/** The number of chunks that a thread has at a time, so that it need not wait. Finished chunks wait for those before them. */
const CHUNKS_A_THREAD = 3;
/** The number of attempts to have all threads take the same state while loads go on. */
const MAX_TRIES = 10;

export interface ThreadSettings {
  readonly directory: string;
  readonly writing: WritingSettings;
}

export interface ChunkTasks {
  /** Take the current state of the store and return its name. */
  take(): string;
  /** Write a chunk of the state taken. */
  write(chunk: Chunk): WrittenChunk;
}

/** A snapshot that is being written. It must be closed. */
export type SnapshotWriting = Awaited<ReturnType<typeof beginWriting>>;

/** Begin writing the current state. @param directory where threads open the store; without it, everything is written in this thread */
export async function beginWriting(store: StoreWith<"snapshots">, writing: WritingSettings, directory?: string) {
  const { records } = await store.stats();
  const count = directory === undefined || records < MIN_RECORDS ? 1 : availableParallelism();
  const thread = {
    name: "a thread that writes the dump",
    module: builtModule("harvest/dumps/chunk-thread.js"),
    data: { directory: directory!, writing } satisfies ThreadSettings,
    errors: [StoreError],
  };
  const threads = Array.from({ length: count > 1 ? count : 0 }, () => new WorkerClient<ChunkTasks>(thread));
  // Closed threads leave the list, because without threads this one writes.
  const closeAll = () => Promise.all(threads.splice(0).map((each) => each.close()));
  const shared = await takeTogether(store, threads).catch(async (error: Error) => {
    await closeAll();
    throw error;
  });
  if (shared === undefined) await closeAll();
  const [snapshot, writer] = [shared ?? store.snapshots.take(), new ChunkWriter(writing)];
  const atOnce = Math.max(1, threads.length * CHUNKS_A_THREAD);
  const write = (chunk: Chunk): Promise<WrittenChunk> => {
    const [first, ...others] = threads;
    // Signals are handled between two turns.
    if (first === undefined) return nextTurn().then(() => writer.write(snapshot, chunk));
    return others.reduce((least, other) => (other.pending < least.pending ? other : least), first).ask("write", chunk);
  };
  return {
    snapshot,
    /** All chunks, in order. Throws what reading the snapshot throws. */
    async *written() {
      const { records, triples } = snapshot.stats;
      const most = Math.ceil((CHUNK_TRIPLES * records) / Math.max(1, triples));
      const coming: Promise<WrittenChunk>[] = [];
      for (const chunk of snapshot.chunks(Math.min(Math.max(1, most), MAX_CHUNK_RECORDS))) {
        coming.push(write(chunk));
        if (coming.length === atOnce) yield await coming.shift()!;
      }
      for (const written of coming) yield await written;
    },
    async close() {
      await closeAll();
      snapshot.close();
    },
  };
}

/** A snapshot of a state that all threads have taken as well; `undefined` without threads, or when loads follow each other too fast. */
async function takeTogether(store: StoreWith<"snapshots">, threads: readonly WorkerClient<ChunkTasks>[]) {
  for (let tries = 0; threads.length > 0 && tries < MAX_TRIES; tries++) {
    const states = await Promise.all(threads.map((thread) => thread.ask("take", undefined)));
    const snapshot = store.snapshots.take();
    if (states.every((state) => state === snapshot.state)) return snapshot;
    snapshot.close();
  }
  return undefined;
}

/** How records are written, as data that can be sent to other threads. */
export interface WritingSettings {
  readonly formats: readonly FormatName[];
  readonly model: ModelSettings;
  /** The contexts that records may have, by URI. */
  readonly contexts: readonly (readonly [uri: string, context: Json])[];
}

export type WrittenChunk = ReturnType<ChunkWriter["write"]>;

export class ChunkWriter {
  readonly #documents: DocumentWriter;
  /** The files being written, by endpoint and format. */
  readonly #endpoints = new Map<EndpointKey, ReadonlyMap<FormatName, GzipMembers>>();
  /** Records that no document can express. */
  readonly #leftOut: { iri: string; problem: string }[] = [];

  constructor(private readonly settings: WritingSettings) {
    this.#documents = new DocumentWriter(documentSettings(settings.model, settings.contexts), { exactNumbers: true });
  }

  /** Write a chunk. Its members are in the same order in each format. Throws `RecordDamagedError`, `TableDamagedError`. */
  write(snapshot: Snapshot, chunk: Chunk) {
    const counter = new PartitionCounter();
    for (const record of snapshot.records(undefined, chunk)) {
      counter.add(record.graph);
      this.#add(record);
    }
    const members = [...this.#endpoints].flatMap(([of, files]) =>
      [...files].flatMap(([format, each]) => each.take().map((member) => ({ of, format, ...member }))),
    );
    return { members, partitions: counter.partitions, leftOut: this.#leftOut.splice(0) };
  }

  #add({ endpoint, number, graph }: DescribedRecord): void {
    const { formats } = this.settings;
    const begin = () => new Map(formats.map((format) => [format, new GzipMembers()]));
    const files = entryOf(this.#endpoints, endpoint ?? "none", begin);
    // In a file of quads a label means the same node in all graphs, so each record gets its own labels.
    const labels = `r${number}b`;
    for (const { name, writeAmong } of RECORD_FORMATS)
      if (writeAmong !== undefined) files.get(name)?.add(writeAmong(graph, labels));
    const documents = files.get("jsonl");
    const leftOut = (problem: string): void => void this.#leftOut.push({ iri: graph.iri, problem });
    const document = documents && this.#documents.documentIfAny(graph, leftOut);
    if (document !== undefined) documents!.add(`${JSON.stringify(document)}\n`);
  }
}
