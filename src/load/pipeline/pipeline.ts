/** The pipeline for loading and validating. Documents are cut, and quads are grouped or divided. A pool turns the pieces into batches of records, in input order. */
import { availableParallelism } from "node:os";
import { EXPORT_BEGINS, EXPORT_END, formatTerm } from "../../rdf/ntriples/writer.js";
import { DefaultGraphTriples, type UnownedNode } from "../divide/default-graph.js";
import { InputError, NotARecordError } from "../errors.js";
import { type GroupedEntries, Grouper, type GrouperOptions } from "../group/group.js";
import { checkExpansion, DEFAULT_LIMITS, type InputLimits } from "../limits.js";
import { cutJson } from "../read/json-texts.js";
import { formatOf, holdsDocuments, type Source } from "../read/sources.js";
import { examinedUnowned } from "./examine.js";
import { Pool } from "./pool.js";
import type { LoadProgress } from "./progress.js";
import { type Batch, NO_RECORDS, type WorkSettings } from "./work.js";

export interface PipelineSettings
  extends Pick<WorkSettings, "examining" | "staging" | "writes">,
    Pick<GrouperOptions, "temporary" | "memoryBytes"> {
  /** Whether records without results are listed, too. */
  readonly namesAll?: boolean;
  /** Treat named graphs like triples without a graph. */
  readonly divide: boolean;
  readonly limits?: Partial<InputLimits>;
  readonly signal: AbortSignal;
  readonly progress: LoadProgress;
  /** Called with all records, one batch at a time: first those of documents, then those of quads. */
  onBatch(batch: Batch): Promise<void> | void;
}

/** Make records of all sources. Throws what reading throws (`SyntaxProblem`, `InputError`, `TemporaryFileError`: the earliest in the input), `SeverityError`, `ThreadLostError`, and an `AbortError` after `signal`. */
export async function runPipeline(sources: readonly Source[], settings: PipelineSettings): Promise<void> {
  const { examining, staging, writes, namesAll = false, signal } = settings;
  const limits = { ...DEFAULT_LIMITS, ...settings.limits };
  const work = { examining, namesAll, limits, staging, writes };
  let [read, records, triples] = [0, 0, 0];
  const onQuads = (quads: number): void => {
    read = quads;
    settings.progress.made(read, records, triples, sources);
  };
  const onBatch = async (batch: Batch): Promise<void> => {
    await settings.onBatch(batch);
    records += batch.counts.records;
    triples += batch.counts.triples;
    settings.progress.made(read, records, triples, sources);
  };
  await using pool = new Pool({ work, threads: availableParallelism(), signal, onBatch });
  signal.throwIfAborted();
  try {
    for (const source of sources)
      if (holdsDocuments(source)) for await (const texts of cutJson(source, signal)) await pool.take(texts);
  } catch (error) {
    // An error in an earlier text is thrown first.
    if (!signal.aborted) await pool.end();
    throw error;
  }
  const quads = sources.filter((source) => !holdsDocuments(source));
  if (quads.length > 0) {
    const counts = { ...NO_RECORDS, records: 1, refused: 1, invalid: 1 };
    const onUnowned = (node: UnownedNode) =>
      pool.put({ counts, found: [{ ...examinedUnowned(node), isRefused: true }] });
    // A copy has only quads, or only documents, so no record comes before.
    const onStray = writes
      ? (strays: string) => settings.onBatch({ counts: NO_RECORDS, found: [], strays })
      : undefined;
    await groupQuads(quads, { ...settings, limits, baseUrl: examining.baseUrl, onQuads, onUnowned, onStray }, pool);
  }
  await pool.end();
}

interface QuadOptions extends GrouperOptions, Partial<Pick<PipelineSettings, "divide" | "signal">> {
  readonly limits: InputLimits;
  readonly onQuads?: (quads: number) => void;
  /** The base of relative IRIs in Turtle, TriG and RDF/XML. */
  readonly baseUrl?: string | undefined;
  /** Called for each node that triples without a graph describe, but that belongs to no record. */
  readonly onUnowned?: (node: UnownedNode) => void;
  readonly onStray?: Parameters<DefaultGraphTriples["divideAmong"]>[2];
}

/** Hand the entries of all sources' records to `taker`; a graph in several sources is one record. Throws as `runPipeline` does, and what the taker throws. */
export async function groupQuads(
  sources: readonly Source[],
  options: QuadOptions,
  taker: { take(entries: GroupedEntries): Promise<void>; end(): Promise<void> },
): Promise<void> {
  const { limits, baseUrl, divide, onStray } = options;
  const grouper = new Grouper(options);
  const defaultGraph = new DefaultGraphTriples(options.temporary);
  // Every term may use a long prefix, so IRIs are cut to one character more than the limit. Their records are still refused.
  const reading = { maxIriLength: limits.iriBytes + 1, ...(baseUrl === undefined ? {} : { baseIri: baseUrl }) };
  let quads = 0;
  try {
    for (const source of sources) {
      const [grouped, divided] = [grouper.addInput(source.name), defaultGraph.addInput(source.name)];
      let [bytes, became] = [0, 0];
      const before = quads;
      const reader = await formatOf(source.format)!.read!({ source: source.name, ...reading }, (statement) => {
        quads++;
        const graph = divide ? undefined : statement.graph();
        if (graph === undefined) became += defaultGraph.add(divided, statement);
        else if (graph.termType === "NamedNode") became += grouper.add(graph.value, grouped, statement);
        else
          throw new NotARecordError(formatTerm(graph), `${source.name}:${statement.line}`, "its name is a blank node");
      });
      for await (const chunk of wholeExport(source.open(options.signal), source.name, () => quads - before)) {
        reader.push(chunk);
        bytes += chunk.length;
        checkExpansion(source.name, bytes, became, limits.expansion);
        options.onQuads?.(quads);
      }
      reader.end();
    }
    options.onQuads?.(quads);
    for (const node of await defaultGraph.divideAmong(grouper, limits.expansion, onStray)) options.onUnowned?.(node);
    defaultGraph.close();
    for await (const entries of grouper.entries()) await taker.take(entries);
    // Temporary files stay until the records are made.
    await taker.end();
  } finally {
    defaultGraph.close();
    grouper.close();
  }
}

/** The maximum size of the last line of an export, in bytes. */
const TAIL_BYTES = 100;

/** Pass the bytes of quads on. Throws `InputError` at the end when they begin like an export, but do not end like one or lack quads. @param read gives the number of quads read */
async function* wholeExport(chunks: AsyncIterable<Uint8Array>, source: string, read: () => number) {
  let [head, rest, stated] = ["", "", 0];
  // Exports that were put together have a last line each.
  const search = (text: string): void => {
    let end = text.length - TAIL_BYTES;
    for (const { 0: line, 1: quads, index } of text.matchAll(EXPORT_END)) {
      stated += Number(quads);
      end = Math.max(end, index + line.length);
    }
    rest = text.slice(Math.max(end, 0));
  };
  for await (const chunk of chunks) {
    const text = EXPORT_BEGINS.startsWith(head) ? Buffer.from(chunk).toString("latin1") : "";
    head += text.slice(0, EXPORT_BEGINS.length - head.length);
    search(rest + text);
    yield chunk;
  }
  if (head !== EXPORT_BEGINS) return;
  search(`${rest}\n`);
  const isCut = rest.trim() !== "";
  // Dumps, and earlier exports, state no number of quads.
  if (!isCut && !(read() < stated)) return;
  const fault = isCut ? "was cut off: its last line is missing" : `should have ${stated} quads and has ${read()}`;
  throw new InputError(
    `${source}: this export of Vitrine ${fault}. Export again; to load the part anyway, remove its first line`,
  );
}
