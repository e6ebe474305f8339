/** A load in progress: records wait in a file beside the store, and one transaction publishes them all. */
import { type FileHandle, mkdir, open, readdir, rm } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { LockLostError } from "../../errors.js";
import type { EncodedRecords, Publication, Review, Stage, Staged, StageOptions } from "../../store.js";
import type { StoreDatabase } from "../format/database.js";
import { decodeGraph, stored } from "../format/encoding.js";
import { STAGING } from "../format/folders.js";
import { iriKey, isHashed } from "../format/keys.js";
import { PropertyNumbers } from "../format/property-numbers.js";
import { tellingWhenFull } from "./disk-space.js";
import { framesOf } from "./encoded-batch.js";
import type { LoaderLock } from "./lock.js";
import { pendingChange } from "./pending-change.js";
import { Publisher } from "./publish.js";
import { SortedRuns } from "./sorted-runs.js";
import { type Distinct, distinctEntries, isRedirected, isUnchanged, restOf } from "./staged-entries.js";
import { bareEntry, ENTRY, moveEntry, moveOf, recordEntry } from "./staged-entry.js";

/** The store that a stage publishes into. */
export interface StageTarget {
  readonly directory: string;
  readonly database: StoreDatabase;
  readonly lock: LoaderLock;
}

/** The staging files of one load. Made by `openStage`. */
class FileStage implements Stage {
  readonly #target: StageTarget;
  readonly #options: StageOptions;
  readonly #files: StagingFiles;
  readonly #ended: () => void;
  readonly #runs: SortedRuns;
  /** Deletions of what nothing was staged for. */
  readonly #rest: SortedRuns;
  readonly #properties: PropertyNumbers;
  #isOpen = true;

  constructor(target: StageTarget, options: StageOptions, files: StagingFiles, ended: () => void) {
    this.#target = target;
    this.#options = options;
    this.#files = files;
    this.#ended = ended;
    this.#runs = new SortedRuns(files.staged);
    this.#rest = new SortedRuns(files.rest);
    this.#properties = new PropertyNumbers(target.database.properties);
  }

  async put(record: Staged): Promise<void> {
    const { takesOver } = record;
    const former = takesOver === undefined ? undefined : this.#target.database.recordNow(iriKey(takesOver));
    await this.#add(
      record.graph.iri,
      recordEntry(record, this.#properties, former === undefined ? 0 : stored.source(former)),
    );
  }

  async putEncoded(batch: EncodedRecords): Promise<void> {
    const frames = framesOf(batch, this.#properties);
    await tellingWhenFull(this.#target.directory, () => this.#runs.addFrames(frames));
  }

  async delete(iri: string, movedTo?: string): Promise<void> {
    await this.#add(iri, movedTo === undefined ? bareEntry(ENTRY.deletion) : moveEntry({ iri, target: movedTo }));
  }

  async keep(iri: string): Promise<void> {
    await this.#add(iri, bareEntry(ENTRY.keep));
  }

  async deleteRest(onDeleted?: (iri: string) => void): Promise<number> {
    const { directory, database } = this.#target;
    const { source } = this.#options;
    const number = source === undefined ? undefined : database.sources.indexOf(source) + 1;
    const isWithin = (value: Buffer): boolean => number === undefined || stored.source(value) === number;
    await this.#end();
    let count = 0;
    // A source that the store does not know has no records.
    if (number === 0) return count;
    for (const batch of restOf(database, distinctEntries(this.#runs.merged()), isWithin)) {
      for (const { key, value } of batch) {
        await tellingWhenFull(directory, () => this.#rest.add(key, bareEntry(ENTRY.deletion)));
        onDeleted?.(isHashed(key) ? decodeGraph(value, () => undefined).iri : key.toString("utf8"));
        count++;
      }
      await nextTurn();
    }
    return count;
  }

  async preview(signal?: AbortSignal, onChange?: Review["onChange"]): Promise<Publication> {
    const { database } = this.#target;
    const contextOf = (number: number): string | undefined => database.contexts.get(number);
    const counts = { created: 0, replaced: 0, unchanged: 0, deleted: 0, repeated: 0, triples: 0 };
    await this.#end();
    let seen = 0;
    for (const { key, entry, isRepeated } of this.#entries()) {
      if (++seen % ENTRIES_A_TURN === 0) {
        await nextTurn();
        signal?.throwIfAborted();
      }
      if (isRepeated) counts.repeated++;
      if (entry.kind === ENTRY.keep) continue;
      const before = database.records.getBinary(key);
      const isDeletion = entry.kind === ENTRY.deletion || entry.kind === ENTRY.move;
      if (isDeletion && before === undefined) {
        if (entry.kind === ENTRY.move && isRedirected(database, key, moveOf(entry))) counts.deleted++;
        continue;
      }
      if (!isDeletion && before !== undefined && isUnchanged(before, entry, contextOf)) {
        counts.unchanged++;
        continue;
      }
      counts[isDeletion ? "deleted" : before === undefined ? "created" : "replaced"]++;
      if (!isDeletion) counts.triples += stored.triples(entry.record);
      onChange?.(pendingChange(database, key, before, isDeletion ? undefined : entry.record));
    }
    return { ...counts, sequence: database.state.sequence };
  }

  async publish(signal?: AbortSignal, review?: Review): Promise<Publication> {
    const { directory, lock } = this.#target;
    try {
      await this.#end();
      if (!(await lock.isHeld())) throw new LockLostError(directory);
      const publisher = new Publisher(this.#target, this.#options, this.#properties, review);
      return await publisher.publish(this.#entries(), signal);
    } finally {
      await this.discard();
    }
  }

  async discard(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#ended();
    await this.#files.remove();
  }

  async #add(iri: string, parts: Buffer[]): Promise<void> {
    await tellingWhenFull(this.#target.directory, () => this.#runs.add(iriKey(iri), parts));
  }

  /** Write what was not yet written. */
  async #end(): Promise<void> {
    await tellingWhenFull(this.#target.directory, async () => {
      await this.#runs.end();
      await this.#rest.end();
    });
  }

  *#entries(): Iterable<Distinct> {
    yield* distinctEntries(this.#runs.merged());
    yield* distinctEntries(this.#rest.merged());
  }
}

/** Entries are looked at so many at a time, before signals get their turn. */
const ENTRIES_A_TURN = 5000;

interface StagingFiles {
  readonly staged: FileHandle;
  readonly rest: FileHandle;
  remove(): Promise<void>;
}

async function makeFiles(folder: string): Promise<StagingFiles> {
  const paths = ["load", "rest"].map((name) => `${folder}/${name}-${process.pid}`);
  const [staged, rest] = await Promise.all(paths.map((path) => open(path, "wx+")));
  return {
    staged: staged!,
    rest: rest!,
    async remove() {
      await Promise.all([staged!.close(), rest!.close()]);
      for (const path of paths) await rm(path, { force: true });
    },
  };
}

/** Begin a load; what killed loads left is removed. `ended` is called when the stage is spent. */
export async function openStage(target: StageTarget, options: StageOptions, ended: () => void): Promise<Stage> {
  const folder = `${target.directory}/${STAGING}`;
  await mkdir(folder, { recursive: true });
  for (const leftover of await readdir(folder)) await rm(`${folder}/${leftover}`, { recursive: true, force: true });
  return new FileStage(target, options, await makeFiles(folder), ended);
}
