/** Loading: inputs become records, the records are staged, and all of them are published at once. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { removeAbandoned } from "../../base/temporary.js";
import { DocumentWriter, documentSettings } from "../../jsonld/documents.js";
import type { Json } from "../../rdf/record-graph.js";
import { iriProblem } from "../../rdf/terms.js";
import type { StoreStats } from "../../store/record.js";
import { firstRecord } from "../../store/store.js";
import type { PendingChange, PublishedCounts, Stage, StageOptions, WritableStore } from "../../store/writable-store.js";
import { NOTHING_PUBLISHED } from "../../store/writable-store.js";
import type { IdentityProblem, RecordDifference, RecordResults } from "../../validate/results.js";
import { differencesOf } from "../difference.js";
import { InterruptedError } from "../errors.js";
import { addRefusal, type LoadEntry, type LoadInput, type Refusal, rememberLoad } from "../history/history.js";
import type { Source } from "../read/sources.js";
import { describe, identifiersOf } from "./describe.js";
import { type PipelineSettings, runPipeline } from "./pipeline.js";
import type { SafetyLimitReason, SafetyLimitSettings, TakenRecord } from "./safety-limits.js";
import { SafetyLimitError, SafetyLimits } from "./safety-limits.js";
import { NO_RECORDS, type RecordCounts, SharedIris, type StagingSettings } from "./work.js";

export interface LoadSettings
  extends StagingSettings,
    Omit<PipelineSettings, "namesAll" | "onBatch" | "staging" | "writes">,
    Pick<StageOptions, "source" | "keeps" | "mirrored">,
    Pick<SafetyLimitSettings, "strictIdentity" | "onlySource" | "onlyRecord"> {
  /** The context documents given for this load, by URI; they are kept with the records. */
  readonly contexts: ReadonlyMap<string, Json>;
  /** Delete the records that the input lacks; only those of `source` where it is given. */
  readonly sync?: boolean;
  /** IRIs whose records are also deleted, and where they redirect to, if anywhere. Default: none. */
  readonly deletions?: readonly { readonly iri: string; readonly movedTo?: string }[];
  /** Whether held records that the input lacks are only counted, because who loads may not see them. */
  readonly hidesHeld?: boolean | undefined;
  /** A synchronizing load that would delete more records than this is stopped. It depends on the number of all records of the source or store, held ones included. Default, here and for the next two: no limit. */
  readonly maxDeleted?: (records: number) => number;
  readonly maxInvalid?: number | undefined;
  /** A load that would create, replace or delete more records than this is stopped. */
  readonly maxChanged?: ((records: number) => number) | undefined;
  /** Whether the input is a part of what its source has, so that what earlier loads of the source refused is still known. Default: it is if only one record may change. */
  readonly isPart?: boolean;
  /** The store's folder, where loads and their refusals are recorded; a dry run records nothing. */
  readonly history?: string;
  /** Called with the reason when the load cannot be recorded; what it published stays published. */
  onForgotten?(error: Error): void;
  readonly dryRun?: boolean;
  /** Whether to compute the differences of changed records. */
  readonly comparesRecords?: boolean;
  tell?(event: LoadEvent): void;
}

/** What a load reports about single records and its progress, here and as lines of JSON to and from a service. Exactly one member is set. */
export interface LoadEvent {
  readonly record?: RecordResults;
  /** The number of records without results. */
  readonly clean?: number;
  /** A record that is missing from the input. */
  readonly deleted?: RecordDifference;
  /** An IRI that returns as another entity. */
  readonly identity?: IdentityProblem;
  readonly taken?: TakenRecord;
  /** A changed record, if changes are compared or limited. */
  readonly difference?: RecordDifference;
  /** How far a load is that a service runs for a client. */
  readonly progress?: {
    readonly records?: number;
    readonly quads?: number;
    readonly publishing?: boolean;
    readonly indexed?: number;
  };
}

/** Why nothing was published: the load was a dry run, or something stopped it. */
type Unpublished = "dry run" | "abort" | "too many invalid" | "too many deleted" | SafetyLimitReason;

/** The numbers of records by what happened to them. */
type StagingCounts = Awaited<ReturnType<typeof stageRecords>>;

export interface LoadSummary extends PublishedCounts, StagingCounts {
  readonly seconds: number;
  /** Why nothing was published, or `null`. The counts of a dry run say what it would have done. */
  readonly unpublished: Unpublished | null;
  readonly deletions: number;
  /** The IRIs that rules for holding name and no record has. */
  readonly unnamed: { readonly count: number; readonly of: number; readonly first: readonly string[] };
  /** The number of deletions allowed; infinite for a load that does not synchronize. */
  readonly maxDeleted: number;
  readonly maxInvalid: number;
  /** The number of records that were, or would have been, created, replaced or deleted. */
  readonly changed: number;
  readonly maxChanged: number;
}

/** Load sources into a store: all records become visible in one step, or none does. Throws what reading throws (`InputError`, `SyntaxProblem`), `StoreError`, `InterruptedError`. */
export async function load(
  sources: readonly Source[],
  store: WritableStore,
  settings: LoadSettings,
): Promise<LoadSummary> {
  const started = performance.now();
  const { sequence: after, ...stats } = await store.stats();
  const refusals: Refusal[] = [];
  const { contexts, source, signal, keeps, mirrored } = settings;
  const { baseUrl, model } = settings.examining;
  await removeAbandoned(settings.temporary);
  await using stage = await store.stage({ contexts, baseUrl, source, keeps, mirrored });
  try {
    /** The IRIs that rules for holding name, with their places, until a record has them. A load of one record does not look at all. */
    const named = settings.onlyRecord === undefined ? (settings.hold ?? []).filter(({ by }) => by === "iri") : [];
    const unnamed = new Map(named.map(({ value, place }) => [value, `${place ?? "iri"} <${value}>`]));
    const staged = await stageRecords(sources, store, stage, settings, refusals, unnamed);
    for (const { iri, movedTo } of settings.deletions ?? []) await stage.delete(iri, movedTo);
    settings.progress.publishing();
    const known = knownOf(stats, source);
    const deletable = known + knownOf(store.held?.stats(), source);
    const maxDeleted = (settings.sync ? settings.maxDeleted?.(deletable) : undefined) ?? UNLIMITED;
    const onDeleted = (deletion: PendingChange, isHeld: boolean): void => {
      if (isHeld && settings.hidesHeld) return;
      settings.tell?.({ deleted: differenceOf(deletion, model.vocabBase) });
    };
    const deletions = settings.sync ? await stage.deleteRest(onDeleted) : 0;
    const reason = reasonNotToPublish(staged, deletions > maxDeleted, settings);
    signal.throwIfAborted();
    // A first load has no limit, since there is nothing that it could change by mistake.
    const maxChanged = (known === 0 ? undefined : settings.maxChanged?.(known)) ?? UNLIMITED;
    const limits = safetyLimits(settings, maxChanged, (iri) => unnamed.delete(iri));
    const { publication, unpublished } = await publishUnless(reason, stage, settings, limits);
    const sequence = unpublished === null ? publication.sequence : after;
    for (const iri of unnamed.keys()) if ((await firstRecord(store, [iri])) !== undefined) unnamed.delete(iri);
    await remember(sources, settings, refusals, { after, sequence, unpublished, refused: staged.refused });
    return {
      ...publication,
      ...staged,
      sequence,
      unpublished,
      deletions,
      unnamed: { count: unnamed.size, of: named.length, first: [...unnamed.values()].slice(0, 10) },
      maxDeleted,
      maxInvalid: settings.maxInvalid ?? UNLIMITED,
      changed: limits.changed,
      maxChanged,
      seconds: (performance.now() - started) / 1000,
    };
  } catch (error) {
    throw signal.aborted ? new InterruptedError() : error;
  }
}

async function remember(
  sources: readonly Source[],
  settings: LoadSettings,
  refusals: readonly Refusal[],
  result: Pick<LoadEntry, "after" | "sequence" | "unpublished" | "refused">,
): Promise<void> {
  const { history, source, onInvalid, examining, sync = false } = settings;
  if (history === undefined || settings.dryRun) return;
  const { decisions, shapes, mending, baseUrl = null } = examining;
  const entry: LoadEntry = {
    time: Date.now(),
    source: source ?? null,
    inputs: await Promise.all(sources.map(inputOf)),
    onInvalid,
    decisions,
    shapes: shapes.map(({ name }) => name),
    mends: mending?.applies === true,
    sync,
    baseUrl,
    ...result,
  };
  const { isPart = settings.onlyRecord !== undefined } = settings;
  await rememberLoad(history, entry, refusals, isPart).catch((error: Error) => settings.onForgotten?.(error));
}

async function inputOf({ name, format }: Source): Promise<LoadInput> {
  const found = name === "-" ? undefined : await stat(name).catch(() => undefined);
  if (found === undefined) return { name, path: null, format, size: null, modified: null };
  return { name, path: resolve(name), format, size: found.size, modified: found.mtimeMs };
}

/** Publish, unless there is a reason not to or a safety limit stops the publication. */
async function publishUnless(reason: Unpublished | null, stage: Stage, settings: LoadSettings, limits: SafetyLimits) {
  const { dryRun, signal, progress } = settings;
  if (reason === null) {
    try {
      const publication = await stage.publish(signal, limits, (share) => progress.indexed(share));
      return { publication, unpublished: null };
    } catch (error) {
      if (!(error instanceof SafetyLimitError)) throw error;
      return { publication: NOTHING_PUBLISHED, unpublished: limits.reason };
    }
  }
  if (!dryRun) return { publication: NOTHING_PUBLISHED, unpublished: reason };
  const publication = await stage.preview(signal, limits);
  return { publication, unpublished: reason === "dry run" ? (limits.reason ?? reason) : reason };
}

function safetyLimits(settings: LoadSettings, maxChanged: number, onRecord: (iri: string) => unknown): SafetyLimits {
  const { model, contexts, baseUrl } = settings.examining;
  const { comparesRecords } = settings;
  const writer = comparesRecords ? new DocumentWriter(documentSettings(model, contexts, baseUrl)) : undefined;
  // Differences are needed for reports, and to explain why too many changes stopped the load.
  const isCompared = comparesRecords || maxChanged < UNLIMITED;
  return new SafetyLimits({
    ...settings,
    maxChanged,
    onRecord,
    vocabBase: model.vocabBase,
    onIdentity: (identity) => settings.tell?.({ identity }),
    onTaken: (taken) => settings.tell?.({ taken }),
    onChange: (change) => isCompared && settings.tell?.({ difference: differenceOf(change, model.vocabBase, writer) }),
  });
}

/** The difference between a published record and the one that replaces it, if there are both. */
function differenceOf(change: PendingChange, vocabBase: string, writer?: DocumentWriter): RecordDifference {
  const { iri, kind } = change;
  const [was, is] = [change.before(), change.after()];
  const graph = (is ?? was)!;
  const [before, after] = kind === "update" ? [was!, is!].map((each) => writer?.documentIfAny(each)) : [];
  const differences = before === undefined || after === undefined ? [] : differencesOf(before, after);
  return { iri, kind, ...describe(graph, vocabBase), identifiers: identifiersOf(graph), differences };
}

const UNLIMITED = Number.POSITIVE_INFINITY;

/** The number of all records of a source, or of the store. */
function knownOf(stats: Pick<StoreStats, "records" | "sources"> | undefined, source: string | undefined): number {
  return (source === undefined ? stats?.records : stats?.sources?.[source]) ?? 0;
}

function reasonNotToPublish(staged: StagingCounts, deletesTooMany: boolean, settings: LoadSettings) {
  // A second document with the IRI of the one record would replace it, whatever its sender is told.
  if (settings.onlyRecord !== undefined && staged.records !== 1) return "other record";
  const needsAll = settings.onInvalid === "abort" || settings.mirrored !== undefined;
  if (needsAll && staged.refused > 0) return "abort";
  if (staged.invalid > (settings.maxInvalid ?? UNLIMITED)) return "too many invalid";
  if (deletesTooMany) return "too many deleted";
  return settings.dryRun ? "dry run" : null;
}

/** Stage the records of all sources; refused records keep their stored version, public or held. */
async function stageRecords(
  sources: readonly Source[],
  store: WritableStore,
  stage: Stage,
  settings: LoadSettings,
  refusals: Refusal[],
  unnamed: Map<string, string>,
) {
  const { onInvalid, ordered, hold } = settings;
  const total = { ...NO_RECORDS };
  /** The number of refused records whose ids are no IRIs, so that nobody knows which published versions they replace. */
  let unidentified = 0;
  const iris = new SharedIris();
  await runPipeline(sources, {
    ...settings,
    staging: { onInvalid, ordered, hold },
    async onBatch(batch) {
      const { counts, found, encoded } = batch;
      iris.add(batch);
      if (encoded !== undefined) await stage.putEncoded!(encoded);
      for (const name of Object.keys(total) as (keyof RecordCounts)[]) total[name] += counts[name];
      settings.tell?.({ clean: counts.records - found.length });
      for (const record of found) {
        const { iri, isRefused } = record;
        if (iri !== null) unnamed.delete(iri);
        if (isRefused) addRefusal(refusals, record);
        if (isRefused && iriProblem(iri ?? "") !== undefined) unidentified++;
        const isKept = isRefused && iri !== null && (await firstRecord(store, [iri])) !== undefined;
        if (isKept) await stage.keep(iri);
        settings.tell?.({ record: isKept ? { ...record, isKept } : record });
      }
    },
  });
  const { triples: _, ...counts } = total;
  // `mostShared` is the IRI that most documents share, if any do.
  const { most: mostShared, merged } = iris;
  return { ...counts, unidentified, mostShared, merged, baseUrl: settings.examining.baseUrl };
}
