/** A load in progress: records are staged in a file beside the store, and one transaction publishes them all. */
import { type FileHandle, mkdir, open, readdir, rm } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { StoreError } from "../../errors.js";
import {
  type EncodedRecords,
  NOTHING_PUBLISHED,
  type PendingChange,
  type PublishedCounts,
  type Review,
  type Stage,
  type Staged,
  type StageOptions,
} from "../../writable-store.js";
import { PropertyNumbers } from "../format/backlinks.js";
import type { StoreDatabase } from "../format/database.js";
import { iriOf } from "../format/decoding.js";
import { decodeHeld, stored } from "../format/encoding.js";
import { STAGING, withFullDiskError } from "../format/files.js";
import { iriKey } from "../format/keys.js";
import { Holding } from "../tables/held.js";
import type { LoaderLock } from "./lock.js";
import { Publisher, pendingChange } from "./publish.js";
import { SortedRuns } from "./sorted-runs.js";
import {
  type Distinct,
  distinctEntries,
  ENTRY,
  entryParts,
  isRedirected,
  isUnchanged,
  moveEntry,
  moveOf,
  recordEntry,
  restOf,
  runEntriesOf,
} from "./staged-entries.js";

interface StageTarget {
  readonly database: StoreDatabase;
  readonly lock: LoaderLock;
}

class FileStage implements Stage {
  readonly #runs: SortedRuns;
  /** Deletions of records for which nothing was staged. */
  readonly #rest: SortedRuns;
  readonly #properties: PropertyNumbers;
  #isOpen = true;

  constructor(
    private readonly target: StageTarget,
    private readonly options: StageOptions,
    private readonly paths: readonly string[],
    private readonly files: readonly FileHandle[],
    private readonly ended: () => void,
  ) {
    [this.#runs, this.#rest] = files.map((file) => new SortedRuns(file)) as [SortedRuns, SortedRuns];
    this.#properties = new PropertyNumbers(target.database.properties);
  }

  async put(record: Staged): Promise<void> {
    const { takesOver } = record;
    const isReleased = takesOver !== undefined && this.target.database.released.has(iriKey(takesOver));
    await this.#add(record.graph.iri, recordEntry(record, this.#properties, this.#formerSource(record), isReleased));
  }

  /** The name of the source of the record that `takesOver` names, or `undefined` if it has none. */
  #formerSource({ takesOver, hold }: Staged): string | undefined {
    if (takesOver === undefined) return undefined;
    const { database } = this.target;
    const key = iriKey(takesOver);
    if (hold !== undefined) return new Holding(database).find(key)?.source ?? undefined;
    const former = database.records.getBinary(key);
    return former && database.sources[stored.source(former) - 1];
  }

  async putEncoded(batch: EncodedRecords): Promise<void> {
    const entries = runEntriesOf(batch, this.#properties);
    await withFullDiskError(this.target.database.directory, () => this.#runs.addEntries(entries));
  }

  async delete(iri: string, movedTo?: string): Promise<void> {
    await this.#add(iri, movedTo === undefined ? entryParts(ENTRY.deletion) : moveEntry({ iri, target: movedTo }));
  }

  async release(iri: string): Promise<void> {
    await this.#add(iri, entryParts(ENTRY.release));
  }

  async keep(iri: string): Promise<void> {
    await this.#add(iri, entryParts(ENTRY.keep));
  }

  async deleteRest(onDeleted?: (deletion: PendingChange, isHeld: boolean) => void): Promise<number> {
    const { database } = this.target;
    const { directory } = database;
    const { source } = this.options;
    const number = source === undefined ? undefined : database.sources.indexOf(source) + 1;
    const isPublishedOf = (value: Buffer): boolean => number === undefined || stored.source(value) === number;
    const isHeldOf = (value: Buffer): boolean => source === undefined || decodeHeld(value).source === source;
    await this.#end();
    const { records, held } = database;
    const rest = [
      // A source that the store does not know has no records.
      ...(number === 0
        ? []
        : [{ name: "records", table: records, isWithin: isPublishedOf, recordIn: (value: Buffer) => value }]),
      { name: "held", table: held, isWithin: isHeldOf, recordIn: (value: Buffer) => decodeHeld(value).record },
    ];
    let count = 0;
    for (const { name, table, isWithin, recordIn } of rest) {
      for (const batch of restOf({ table, directory, name }, distinctEntries(this.#runs.merged()), isWithin)) {
        for (const { key, value } of batch) {
          await withFullDiskError(directory, () => this.#rest.add(key, entryParts(ENTRY.deletion)));
          onDeleted?.(pendingChange(database, key, recordIn(value), undefined), table === held);
          count++;
        }
        await nextTurn();
      }
    }
    return count;
  }

  async preview(signal?: AbortSignal, review?: Omit<Review, "beforeCommit">): Promise<PublishedCounts> {
    await this.#end();
    const { database } = this.target;
    const counts = { ...NOTHING_PUBLISHED, sequence: database.state.sequence };
    const holding = new Holding(database);
    let seen = 0;
    for (const distinct of this.#entries()) {
      if (++seen % ENTRIES_A_TURN === 0) {
        await nextTurn();
        signal?.throwIfAborted();
      }
      this.#preview(distinct, counts, holding, review);
    }
    return counts;
  }

  /** Count and review what a publication would make of an entry. */
  #preview(
    { key, entry, isRepeated }: Distinct,
    counts: typeof NOTHING_PUBLISHED,
    holding: Holding,
    review: Omit<Review, "beforeCommit"> | undefined,
  ): void {
    const { database } = this.target;
    if (isRepeated) counts.repeated++;
    if (entry.kind === ENTRY.keep) counts.kept++;
    const held = holding.find(key);
    const isReleased = entry.kind === ENTRY.release;
    if (entry.kind === ENTRY.keep || (isReleased && held === undefined)) return;
    const record = isReleased ? held!.record : entry.record;
    const published = database.records.getBinary(key);
    const isHeld = holding.holds(key, entry);
    if (isHeld || held !== undefined)
      review?.onHeld?.({ iri: iriOf(key, held?.record ?? record), source: held?.source });
    if (isHeld) {
      counts.held++;
      if (published !== undefined) counts.withdrawn++;
    }
    if (isHeld || entry.kind === ENTRY.deletion || entry.kind === ENTRY.move) {
      const isRedirect = entry.kind === ENTRY.move && isRedirected(database, key, moveOf(entry));
      if (published !== undefined || isRedirect || (entry.kind === ENTRY.deletion && held !== undefined))
        counts.deleted++;
      if (published !== undefined) review?.onChange(pendingChange(database, key, published, undefined));
    } else if (published !== undefined && isUnchanged(database, published, entry)) {
      counts.unchanged++;
      review?.onUnchanged?.(iriOf(key, published), database.sources[stored.source(published) - 1] ?? null);
    } else {
      counts[published === undefined ? "created" : "replaced"]++;
      counts.triples += stored.triples(record);
      review?.onChange(pendingChange(database, key, published, record));
    }
  }

  async publish(signal?: AbortSignal, review?: Review): Promise<PublishedCounts> {
    const { database, lock } = this.target;
    try {
      await this.#end();
      if (!(await lock.isHeld()))
        throw new StoreError(
          `this process no longer holds the lock of the store in ${database.directory}: nothing was published; try again`,
        );
      // When this resolves, all is on disk; when it rejects, nothing has changed.
      const publication = database.root.transactionSync(async () =>
        new Publisher(database, this.options, this.#properties, review, signal).run(this.#entries()),
      );
      database.publication = publication.catch(() => {});
      return await publication;
    } finally {
      await this[Symbol.asyncDispose]();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.ended();
    for (const file of this.files) await file.close();
    for (const path of this.paths) await rm(path, { force: true });
  }

  async #add(iri: string, parts: Buffer[]): Promise<void> {
    await withFullDiskError(this.target.database.directory, () => this.#runs.add(iriKey(iri), parts));
  }

  async #end(): Promise<void> {
    await withFullDiskError(this.target.database.directory, async () => {
      await this.#runs.end();
      await this.#rest.end();
    });
  }

  *#entries(): Iterable<Distinct> {
    yield* distinctEntries(this.#runs.merged());
    yield* distinctEntries(this.#rest.merged());
  }
}

/** Entries that a preview reads in one turn of the event loop. */
const ENTRIES_A_TURN = 5000;

/** Begin a load, and remove the files of killed ones. `ended` is called when the stage can no longer be used. */
export async function openStage(target: StageTarget, options: StageOptions, ended: () => void): Promise<Stage> {
  const folder = `${target.database.directory}/${STAGING}`;
  await mkdir(folder, { recursive: true });
  for (const leftover of await readdir(folder)) await rm(`${folder}/${leftover}`, { recursive: true, force: true });
  const paths = ["load", "rest"].map((name) => `${folder}/${name}-${process.pid}`);
  const files = await Promise.all(paths.map((path) => open(path, "wx+")));
  return new FileStage(target, options, paths, files, ended);
}
