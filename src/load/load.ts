/** Loading: inputs become records, records are staged, and all of them are published at once. */

import type { Json } from "../rdf/record-graph.js";
import type { Publication, Stage, WritableStore } from "../store/store.js";
import { isValid } from "../validate/results.js";
import { type Examined, type ExamineSettings, examineRecords } from "./examine.js";
import type { LoadProgress } from "./progress.js";
import type { Source } from "./sources.js";

/** What becomes of records with violations: left out, loaded all the same, or nothing is loaded. */
export type OnInvalid = "refuse" | "accept" | "abort";

export interface LoadSettings extends ExamineSettings {
  readonly baseUrl?: string;
  /** Context documents by URI that were given for this load, kept with the records. */
  readonly contexts: ReadonlyMap<string, Json>;
  readonly onInvalid: OnInvalid;
  /** Is told of every record, with what was found in it. */
  onRecord(record: Examined): void;
}

export interface LoadSummary extends Publication {
  /** Records read, the refused ones included. */
  readonly records: number;
  /** Records that were left out. */
  readonly refused: number;
  /** Records with a violation, the refused ones included. */
  readonly invalid: number;
  /** Keys beginning with `_` that no context defines, such as `_links`: no part of any record. */
  readonly droppedKeys: number;
  /** Records whose class belongs to no endpoint. */
  readonly withoutEndpoint: number;
  readonly seconds: number;
  /** Nothing was loaded, because there were invalid records and that was to end the load. */
  readonly aborted: boolean;
}

/** The load was interrupted before anything was published. */
export class InterruptedError extends Error {
  constructor() {
    super("interrupted: nothing was loaded");
    this.name = "InterruptedError";
  }
}

/**
 * Load sources into a store: all records become visible in one step, or none. Throws what reading throws
 * (`InputError`, `SyntaxProblem`), `StoreLockedError`, `InterruptedError`; the store is then as it was.
 */
export async function load(
  sources: readonly Source[],
  store: WritableStore,
  settings: LoadSettings,
  progress: LoadProgress,
): Promise<LoadSummary> {
  const started = performance.now();
  const { baseUrl, contexts } = settings;
  const stage = await store.stage({ contexts, ...(baseUrl === undefined ? {} : { baseUrl }) });
  let staged: Staging;
  try {
    staged = await stageRecords(sources, stage, settings, progress);
    settings.signal.throwIfAborted();
  } catch (error) {
    await stage.discard();
    throw settings.signal.aborted ? new InterruptedError() : error;
  }
  const aborted = settings.onInvalid === "abort" && staged.refused > 0;
  let published: Publication = NOTHING;
  if (aborted) await stage.discard();
  else {
    progress.publishing();
    published = await stage.publish();
  }
  return { ...published, ...staged, aborted, seconds: (performance.now() - started) / 1000 };
}

const NOTHING: Publication = {
  created: 0,
  replaced: 0,
  unchanged: 0,
  deleted: 0,
  repeated: 0,
  triples: 0,
  sequence: 0,
};

interface Staging {
  records: number;
  refused: number;
  invalid: number;
  droppedKeys: number;
  withoutEndpoint: number;
}

async function stageRecords(
  sources: readonly Source[],
  stage: Stage,
  settings: LoadSettings,
  progress: LoadProgress,
): Promise<Staging> {
  const staging: Staging = { records: 0, refused: 0, invalid: 0, droppedKeys: 0, withoutEndpoint: 0 };
  for await (const batch of examineRecords(sources, settings)) {
    for (const record of batch) await stageRecord(record, stage, settings, staging);
    progress.read(staging.records, sources);
  }
  return staging;
}

async function stageRecord(
  record: Examined,
  stage: Stage,
  { onInvalid, onRecord }: LoadSettings,
  staging: Staging,
): Promise<void> {
  const { graph, endpoint, label, results, droppedKeys } = record;
  const valid = isValid(results);
  onRecord(record);
  staging.records++;
  staging.droppedKeys += droppedKeys;
  if (!valid) staging.invalid++;
  if (graph === undefined || (!valid && onInvalid !== "accept")) {
    staging.refused++;
    return;
  }
  if (endpoint === null) staging.withoutEndpoint++;
  await stage.put({ graph, endpoint, label, valid });
}
