/** A load in progress: records wait in a file beside the store, and one transaction publishes them all. */
import { type FileHandle, mkdir, open, readdir, rm } from "node:fs/promises";
import type { Publication, Stage, Staged, StageOptions } from "../store.js";
import type { StoreDatabase } from "./database.js";
import { LockLostError } from "./errors.js";
import { STAGING } from "./folders.js";
import { iriKey } from "./keys.js";
import type { LoaderLock } from "./lock.js";
import { PropertyNumbers } from "./property-numbers.js";
import { Publisher } from "./publish.js";
import { tellingWhenFull } from "./room.js";
import { SortedRuns } from "./sorted-runs.js";
import { deletionEntry, recordEntry } from "./staged-entry.js";

/** The store that a stage publishes into. */
export interface StageTarget {
  readonly directory: string;
  readonly database: StoreDatabase;
  readonly lock: LoaderLock;
}

/** The staging file of one load. Made by `openStage`. */
class FileStage implements Stage {
  readonly #target: StageTarget;
  readonly #options: StageOptions;
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #ended: () => void;
  readonly #runs: SortedRuns;
  readonly #properties: PropertyNumbers;
  #isOpen = true;

  constructor(target: StageTarget, options: StageOptions, path: string, file: FileHandle, ended: () => void) {
    this.#target = target;
    this.#options = options;
    this.#path = path;
    this.#file = file;
    this.#ended = ended;
    this.#runs = new SortedRuns(file);
    this.#properties = new PropertyNumbers(target.database.properties);
  }

  async put(record: Staged): Promise<void> {
    await this.#add(record.graph.iri, recordEntry(record, this.#properties));
  }

  async delete(iri: string): Promise<void> {
    await this.#add(iri, deletionEntry());
  }

  async publish(signal?: AbortSignal): Promise<Publication> {
    const { directory, lock } = this.#target;
    try {
      await tellingWhenFull(directory, () => this.#runs.end());
      if (!(await lock.isHeld())) throw new LockLostError(directory);
      const publisher = new Publisher(this.#target, this.#options, this.#properties);
      return await publisher.publish(this.#runs.merged(), signal);
    } finally {
      await this.discard();
    }
  }

  async discard(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#ended();
    await this.#file.close();
    await rm(this.#path, { force: true });
  }

  async #add(iri: string, parts: Buffer[]): Promise<void> {
    await tellingWhenFull(this.#target.directory, () => this.#runs.add(iriKey(iri), parts));
  }
}

/** Begin a load; what killed loads left is removed. `ended` is called when the stage is spent. */
export async function openStage(target: StageTarget, options: StageOptions, ended: () => void): Promise<Stage> {
  const folder = `${target.directory}/${STAGING}`;
  await mkdir(folder, { recursive: true });
  for (const leftover of await readdir(folder)) await rm(`${folder}/${leftover}`, { recursive: true, force: true });
  const path = `${folder}/load-${process.pid}`;
  return new FileStage(target, options, path, await open(path, "wx+"), ended);
}
