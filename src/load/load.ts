/** Loading: inputs become records, records are staged, and all of them are published at once. */

import type { Json } from "../rdf/record-graph.js";
import type { Publication, Stage, WritableStore } from "../store/store.js";
import { isValid } from "../validate/results.js";
import { type Examined, type ExamineSettings, examineRecords } from "./examine.js";
import type { LoadProgress } from "./progress.js";
import type { Source } from "./sources.js";
import { removeAbandoned } from "./temporary.js";

/** What becomes of records with violations: left out, loaded all the same, or nothing is loaded. */
export type OnInvalid = "refuse" | "accept" | "abort";

export interface LoadSettings extends ExamineSettings {
  readonly baseUrl?: string;
  /** Context documents by URI that were given for this load, kept with the records. */
  readonly contexts: ReadonlyMap<string, Json>;
  readonly onInvalid: OnInvalid;
  /** The feed that the records come from, which they remember. */
  readonly source?: string;
  /** Delete the records, of the source where one is given, that the input lacks. */
  readonly sync: boolean;
  /** More deletions than this stop a load that synchronizes. */
  readonly maxDeleted: (records: number) => number;
  /** More invalid records than this stop the load. */
  readonly maxInvalid: number;
  /** Whether triples of quads in another order make a record another. */
  readonly ordered: boolean;
  /** Find out everything, and publish nothing. */
  readonly dryRun: boolean;
  /** Is told of every record, with what was found in it. */
  onRecord(record: Examined): void;
  /** Is told of every record that the input lacks, when such are to be deleted. */
  onDeleted(iri: string): void;
}

/** Why nothing was published: it was not asked for, or something stopped the load. */
export type Unpublished = "dry run" | "abort" | "too many invalid" | "too many deleted";

export interface LoadSummary extends Publication {
  /** Records read, the refused ones included. */
  readonly records: number;
  /** Records that were left out. */
  readonly refused: number;
  /** Refused records of which an earlier version stays published. */
  readonly kept: number;
  /** Records with a violation, the refused ones included. */
  readonly invalid: number;
  /** Keys beginning with `_` that no context defines, such as `_links`: no part of any record. */
  readonly droppedKeys: number;
  /** Records whose class belongs to no endpoint. */
  readonly withoutEndpoint: number;
  readonly seconds: number;
  /** Why the publication did not take place. The counts of a dry run are of what it would have done. */
  readonly unpublished: Unpublished | null;
  /** Records that the input lacks. */
  readonly deletions: number;
  /** The deletions that were allowed; infinite for a load that does not synchronize. */
  readonly maxDeleted: number;
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
 * (`InputError`, `SyntaxProblem`), `StoreError`, `InterruptedError`; the store is then as it was.
 */
export async function load(
  sources: readonly Source[],
  store: WritableStore,
  settings: LoadSettings,
  progress: LoadProgress,
): Promise<LoadSummary> {
  const started = performance.now();
  const { baseUrl, contexts, source, signal } = settings;
  await removeAbandoned(settings.temporary);
  const stage = await store.stage({
    contexts,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(source === undefined ? {} : { source }),
  });
  try {
    const staged = await stageRecords(sources, store, stage, settings, progress);
    progress.publishing();
    const maxDeleted = settings.sync ? await deletionsAllowed(store, settings) : Number.POSITIVE_INFINITY;
    const deletions = settings.sync ? await stage.deleteRest((iri) => settings.onDeleted(iri)) : 0;
    const unpublished = whyNot(staged, deletions > maxDeleted, settings);
    signal.throwIfAborted();
    const publication = await publishUnless(unpublished, stage, settings);
    return {
      ...publication,
      ...staged,
      unpublished,
      deletions,
      maxDeleted,
      seconds: (performance.now() - started) / 1000,
    };
  } catch (error) {
    throw signal.aborted ? new InterruptedError() : error;
  } finally {
    await stage.discard();
  }
}

function publishUnless(
  unpublished: Unpublished | null,
  stage: Stage,
  { dryRun, signal }: LoadSettings,
): Promise<Publication> | Publication {
  if (unpublished === null) return stage.publish(signal);
  return dryRun ? stage.preview(signal) : NOTHING;
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

/** So many records of those in question may be deleted. */
async function deletionsAllowed(store: WritableStore, { source, maxDeleted }: LoadSettings): Promise<number> {
  const { records, sources } = await store.stats();
  return maxDeleted(source === undefined ? records : (sources?.[source] ?? 0));
}

function whyNot(staged: Staging, isTooManyDeleted: boolean, settings: LoadSettings): Unpublished | null {
  if (settings.onInvalid === "abort" && staged.refused > 0) return "abort";
  if (staged.invalid > settings.maxInvalid) return "too many invalid";
  if (isTooManyDeleted) return "too many deleted";
  return settings.dryRun ? "dry run" : null;
}

interface Staging {
  records: number;
  refused: number;
  kept: number;
  invalid: number;
  droppedKeys: number;
  withoutEndpoint: number;
}

async function stageRecords(
  sources: readonly Source[],
  store: WritableStore,
  stage: Stage,
  settings: LoadSettings,
  progress: LoadProgress,
): Promise<Staging> {
  const staging: Staging = { records: 0, refused: 0, kept: 0, invalid: 0, droppedKeys: 0, withoutEndpoint: 0 };
  for await (const batch of examineRecords(sources, settings)) {
    for (const record of batch) {
      staging.records++;
      staging.droppedKeys += record.droppedKeys;
      if (!isValid(record.results)) staging.invalid++;
      if (!(await stageRecord(record, stage, settings, staging))) await refuse(record, store, stage, settings, staging);
    }
    progress.read(staging.records, sources);
  }
  return staging;
}

/** Stage a record; `false` when it is refused. */
async function stageRecord(
  record: Examined,
  stage: Stage,
  { onInvalid, ordered, onRecord }: LoadSettings,
  staging: Staging,
): Promise<boolean> {
  const { graph, endpoint, label, results } = record;
  const valid = isValid(results);
  if (graph === undefined || (!valid && onInvalid !== "accept")) return false;
  onRecord(record);
  if (endpoint === null) staging.withoutEndpoint++;
  // Documents have an order, and quads have none but by chance.
  await stage.put({ graph, endpoint, label, valid, unordered: graph.context === undefined && !ordered });
  return true;
}

/** Leave a record out; a version of it that is published stays. */
async function refuse(
  record: Examined,
  store: WritableStore,
  stage: Stage,
  { onRecord }: LoadSettings,
  staging: Staging,
): Promise<void> {
  const isKept = record.iri !== null && (await store.record(record.iri)) !== undefined;
  staging.refused++;
  if (isKept) {
    staging.kept++;
    await stage.keep(record.iri!);
  }
  onRecord({ ...record, isKept });
}
