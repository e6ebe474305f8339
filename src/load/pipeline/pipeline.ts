/** The pipeline: sources are cut into pieces, a pool makes records of them, and the records come in batches, in input order. The one way to a record, for loading and for validating. */
import { availableParallelism } from "node:os";
import type { UnownedNode } from "../divide/default-graph.js";
import { DEFAULT_LIMITS, type InputLimits } from "../limits.js";
import { cutJson } from "../read/json-texts.js";
import type { Source } from "../read/sources.js";
import { examinedUnowned } from "./examine.js";
import { Pool } from "./pool.js";
import { groupQuads, holdsQuads } from "./quads.js";
import { type Batch, NO_RECORDS, type WorkSettings } from "./work.js";

export interface PipelineSettings extends Pick<WorkSettings, "examining" | "staging" | "writes"> {
  /** Whether records in which nothing was found are named, too. */
  readonly namesAll?: boolean;
  /** Treat named graphs like triples without a graph. */
  readonly divide: boolean;
  readonly limits?: Partial<InputLimits>;
  readonly temporary: string;
  /** Bytes of quads that are grouped in memory; what is more goes through files. */
  readonly memoryBytes?: number;
  /** How many threads make records; as many as the machine runs at once unless given. */
  readonly threads?: number;
  readonly signal: AbortSignal;
  /** Told now and then how many quads were read so far. */
  onQuads(quads: number): void;
  /** Told of all records, a batch at a time: first those of documents, then those of quads. */
  onBatch(batch: Batch): Promise<void> | void;
}

/**
 * Make records of all sources. Throws what reading throws (`SyntaxProblem`, `InputError`, `TemporaryFileError`), of several
 * errors that of the earliest place; `SeverityError`, `ThreadLostError`, an `AbortError` after `signal`.
 */
export async function runPipeline(sources: readonly Source[], settings: PipelineSettings): Promise<void> {
  const { examining, staging, writes, namesAll = false, threads = availableParallelism(), signal } = settings;
  const limits = { ...DEFAULT_LIMITS, ...settings.limits };
  const work = { examining, namesAll, limits, staging, writes };
  await using pool = new Pool({ work, threads, signal, onBatch: (batch) => settings.onBatch(batch) });
  signal.throwIfAborted();
  for (const source of sources) if (!holdsQuads(source)) await takeTexts(source, pool, signal);
  const quads = sources.filter(holdsQuads);
  if (quads.length > 0) {
    const counts = { ...NO_RECORDS, records: 1, refused: 1, invalid: 1 };
    const onUnowned = (node: UnownedNode) =>
      pool.put({ counts, found: [{ ...examinedUnowned(node), isRefused: true }] });
    await groupQuads(quads, { ...settings, limits, baseUrl: examining.baseUrl, onUnowned }, pool);
  }
  await pool.end();
}

async function takeTexts(source: Source, pool: Pool, signal: AbortSignal): Promise<void> {
  try {
    for await (const texts of cutJson(source, signal)) await pool.take(texts);
  } catch (error) {
    // An error in a text before this place is thrown first.
    if (!signal.aborted) await pool.end();
    throw error;
  }
}
