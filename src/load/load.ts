/** Loading: inputs become records, records are staged, and all of them are published at once. */

import type { DocumentReader, DocumentWriter } from "../jsonld/documents.js";
import { MAX_DEPTH } from "../jsonld/expand.js";
import { UnwritableError } from "../jsonld/frame.js";
import { DocumentError, type Loss } from "../jsonld/loss.js";
import type { Json, RecordGraph } from "../rdf/record-graph.js";
import type { Publication, Stage, WritableStore } from "../store/store.js";
import { describe } from "./describe.js";
import type { LoadProgress } from "./progress.js";
import type { UnownedNode } from "./quad-records.js";
import { type LoadedRecord, readRecords } from "./records.js";
import type { Source } from "./sources.js";

/** What becomes of records that cannot be converted or named, and of invalid ones. */
export type OnInvalid = "refuse" | "accept" | "abort";

export interface LoadSettings {
  readonly reader: DocumentReader;
  /** The documents of records must be writable too, or nobody could dereference them. */
  readonly writer: DocumentWriter;
  readonly vocabBase: string;
  readonly baseUrl?: string;
  /** Context documents by URI that were given for this load, kept with the records. */
  readonly contexts: ReadonlyMap<string, Json>;
  readonly onInvalid: OnInvalid;
  /** Treat named graphs like triples without a graph. */
  readonly divide: boolean;
  /** Temporary files go here. */
  readonly temporary: string;
  readonly signal: AbortSignal;
}

/** A record that was left out, with why. */
export interface Refusal {
  /** Where it begins, as `file:line`. */
  readonly source: string;
  /** The record, or a node that no record owns as an N-Triples term; `null` where there is no usable IRI. */
  readonly iri: string | null;
  readonly losses: readonly Loss[];
}

export interface LoadSummary extends Publication {
  /** Records read, the refused ones included. */
  readonly records: number;
  readonly refusals: readonly Refusal[];
  /** Keys beginning with `_` that no context defines, such as `_links`: no part of any record. */
  readonly droppedKeys: number;
  /** Records whose class belongs to no endpoint. */
  readonly withoutEndpoint: number;
  readonly seconds: number;
  /** Nothing was loaded, because records were refused and that was to end the load. */
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
  const aborted = settings.onInvalid === "abort" && staged.refusals.length > 0;
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
  droppedKeys: number;
  withoutEndpoint: number;
  refusals: Refusal[];
}

async function stageRecords(
  sources: readonly Source[],
  stage: Stage,
  settings: LoadSettings,
  progress: LoadProgress,
): Promise<Staging> {
  const staging: Staging = { records: 0, droppedKeys: 0, withoutEndpoint: 0, refusals: [] };
  const onUnowned = ({ source, line, node }: UnownedNode): void => {
    const problem = "is described by triples without a graph, but belongs to no record";
    staging.refusals.push({ source: `${source}:${line}`, iri: node, losses: [{ path: "", problem }] });
  };
  for await (const batch of readRecords(sources, { ...settings, onUnowned })) {
    settings.signal.throwIfAborted();
    for (const record of batch) {
      staging.records++;
      await stageRecord(record, stage, settings, staging);
    }
    progress.read(staging.records, sources);
  }
  return staging;
}

async function stageRecord(
  record: LoadedRecord,
  stage: Stage,
  settings: LoadSettings,
  staging: Staging,
): Promise<void> {
  const source = `${record.source}:${record.line}`;
  try {
    const graph = await graphOf(record, settings, staging);
    await checkWritable(graph, settings.writer);
    const { endpoint, label } = describe(graph, settings.vocabBase);
    if (endpoint === null) staging.withoutEndpoint++;
    await stage.put({ graph, endpoint, label, valid: true });
  } catch (error) {
    if (error instanceof DocumentError) staging.refusals.push({ source, iri: iriOf(record), losses: error.losses });
    else if (error instanceof UnwritableError) {
      staging.refusals.push({ source, iri: error.iri, losses: [{ path: "", problem: error.problem }] });
    } else throw error;
  }
}

async function graphOf(record: LoadedRecord, { reader }: LoadSettings, staging: Staging): Promise<RecordGraph> {
  if ("graph" in record) return record.graph;
  const read = reader.read(record.document);
  const { graph, droppedKeys } = read instanceof Promise ? await read : read;
  staging.droppedKeys += droppedKeys;
  return graph;
}

/**
 * Refuse what could be loaded and never be dereferenced. Only a graph of more nodes than a document may have levels can
 * be nested too deep, and only an IRI of another scheme can be taken for a compact one, so only such are tried.
 */
async function checkWritable(graph: RecordGraph, writer: DocumentWriter): Promise<void> {
  const isSuspect =
    graph.terms.length > MAX_DEPTH ||
    graph.terms.some(({ termType, value }) => termType === "NamedNode" && !value.startsWith("http"));
  if (isSuspect) await writer.document(graph);
}

function iriOf(record: LoadedRecord): string | null {
  if ("graph" in record) return record.graph.iri;
  const { document } = record;
  if (typeof document !== "object" || document === null || Array.isArray(document)) return null;
  const id = document.id ?? document["@id"];
  return typeof id === "string" ? id : null;
}
