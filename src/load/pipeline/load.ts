/** Loading: inputs become records, records are staged, and all of them are published at once. */

import type { Json } from "../../rdf/record-graph.js";
import type { Publication, Stage, WritableStore } from "../../store/store.js";
import type { RecordResults } from "../../validate/results.js";
import type { Source } from "../read/sources.js";
import { removeAbandoned } from "../temporary.js";
import { type PipelineSettings, runPipeline } from "./pipeline.js";
import type { LoadProgress } from "./progress.js";
import type { RecordCounts, StagingSettings } from "./work.js";

export interface LoadSettings
  extends StagingSettings,
    Pick<PipelineSettings, "examining" | "divide" | "temporary" | "memoryBytes" | "threads" | "signal"> {
  /** Context documents by URI that were given for this load, kept with the records. */
  readonly contexts: ReadonlyMap<string, Json>;
  /** The feed that the records come from, which they remember. */
  readonly source?: string;
  /** Delete the records, of the source where one is given, that the input lacks. */
  readonly sync: boolean;
  /** More deletions than this stop a load that synchronizes. */
  readonly maxDeleted: (records: number) => number;
  /** More invalid records than this stop the load. */
  readonly maxInvalid: number;
  /** Find out everything, and publish nothing. */
  readonly dryRun: boolean;
  /** Is told of every record in which something was found, ... */
  onRecord(record: RecordResults): void;
  /** ... and of how many there are in which nothing was. */
  onClean(records: number): void;
  /** Is told of every record that the input lacks, when such are to be deleted. */
  onDeleted(iri: string): void;
}

/** Why nothing was published: it was not asked for, or something stopped the load. */
export type Unpublished = "dry run" | "abort" | "too many invalid" | "too many deleted";

/** How many records, and what became of them. */
interface StagingCounts extends Omit<RecordCounts, "triples"> {
  /** Refused records of which an earlier version stays published. */
  readonly kept: number;
}

export interface LoadSummary extends Publication, StagingCounts {
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
  const { contexts, source, signal } = settings;
  const { baseUrl } = settings.examining;
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

function whyNot(staged: StagingCounts, isTooManyDeleted: boolean, settings: LoadSettings): Unpublished | null {
  if (settings.onInvalid === "abort" && staged.refused > 0) return "abort";
  if (staged.invalid > settings.maxInvalid) return "too many invalid";
  if (isTooManyDeleted) return "too many deleted";
  return settings.dryRun ? "dry run" : null;
}

/** Stage the records of all sources; refused ones are kept as they were published. */
async function stageRecords(
  sources: readonly Source[],
  store: WritableStore,
  stage: Stage,
  settings: LoadSettings,
  progress: LoadProgress,
): Promise<StagingCounts> {
  const total = { records: 0, triples: 0, refused: 0, invalid: 0, droppedKeys: 0, withoutEndpoint: 0 };
  let kept = 0;
  const made = (): void => progress.made(total.records, total.triples, sources);
  await runPipeline(sources, {
    ...settings,
    staging: { onInvalid: settings.onInvalid, ordered: settings.ordered },
    onQuads(quads) {
      progress.readQuads(quads);
      made();
    },
    async onBatch({ counts, found, encoded }) {
      if (encoded !== undefined) await stage.putEncoded!(encoded);
      for (const name of Object.keys(total) as (keyof RecordCounts)[]) total[name] += counts[name];
      settings.onClean(counts.records - found.length);
      for (const record of found) {
        const isKept = record.isRefused && record.iri !== null && (await store.find(record.iri)) !== undefined;
        if (isKept) {
          kept++;
          await stage.keep(record.iri);
        }
        settings.onRecord(isKept ? { ...record, isKept } : record);
      }
      made();
    },
  });
  const { triples: _, ...counts } = total;
  return { ...counts, kept };
}
