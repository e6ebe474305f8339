/** Records out of quads: reads N-Quads, N-Triples, Turtle and TriG, and groups or divides what they hold. */
import { LineReader } from "../../rdf/ntriples-reader.js";
import { formatTerm } from "../../rdf/ntriples-writer.js";
import type { Statement, StatementReader, StatementSink } from "../../rdf/statement.js";
import { TurtleReader } from "../../rdf/turtle-reader.js";
import { UngraphedTriples, type UnownedNode } from "../divide/default-graph.js";
import { NotARecordError } from "../errors.js";
import { Grouper, type GrouperOptions } from "../group/group.js";
import type { GroupedRecord } from "../group/grouped-records.js";
import type { Format, Source } from "../read/sources.js";

export type { UnownedNode } from "../divide/default-graph.js";
export type { GroupedRecord } from "../group/grouped-records.js";

/** The formats that hold quads or triples. */
const QUAD_FORMATS: readonly Format[] = ["nq", "nt", "ttl", "trig"];

export interface QuadOptions extends GrouperOptions {
  /** Treat named graphs like triples without a graph. */
  readonly divide: boolean;
  /** What relative IRIs in Turtle and TriG are resolved against. */
  readonly baseUrl?: string;
  readonly signal?: AbortSignal;
  /** Told of each node that is described by triples without a graph, but belongs to no record. */
  readonly onUnowned?: (node: UnownedNode) => void;
  /** Told now and then how many quads were read so far. */
  readonly onQuads?: (quads: number) => void;
}

/** Whether a source holds quads or triples, and is for `readQuadRecords`. */
export function holdsQuads(source: Source): boolean {
  return QUAD_FORMATS.includes(source.format);
}

/**
 * The records of all sources, in batches; the same graph in several sources is one record. While the sources are read
 * no record is whole, and the batches are empty: they tell that the reading goes on.
 * Throws `SyntaxProblem`, `InputError`, `TemporaryFileError`, and an `AbortError` after `signal`.
 */
export async function* readQuadRecords(
  sources: readonly Source[],
  options: QuadOptions,
): AsyncGenerator<readonly GroupedRecord[]> {
  const grouper = new Grouper(options);
  const ungraphed = new UngraphedTriples(options);
  let quads = 0;
  try {
    for (const source of sources) {
      const sink = sinkOf(source, options, grouper, ungraphed);
      const reader = readerOf(source, options, (statement) => {
        quads++;
        sink(statement);
      });
      for await (const chunk of source.open(options.signal)) {
        reader.push(chunk);
        options.onQuads?.(quads);
        yield [];
      }
      reader.end();
    }
    options.onQuads?.(quads);
    for (const node of ungraphed.divideAmong(grouper)) options.onUnowned?.(node);
    ungraphed.close();
    yield* grouper.records();
  } finally {
    ungraphed.close();
    grouper.close();
  }
}

function readerOf({ name, format }: Source, { baseUrl }: QuadOptions, sink: StatementSink): StatementReader {
  if (format === "nq" || format === "nt") return new LineReader({ source: name, graphs: format === "nq" }, sink);
  const base = baseUrl === undefined ? {} : { baseIri: baseUrl };
  return new TurtleReader({ source: name, format: format === "trig" ? "trig" : "turtle", ...base }, sink);
}

/** Takes a source's statements to the record of their graph, or to the triples without one. */
function sinkOf(source: Source, { divide }: QuadOptions, grouper: Grouper, ungraphed: UngraphedTriples): StatementSink {
  const grouped = grouper.addInput(source.name);
  const divided = ungraphed.addInput(source.name);
  return (statement: Statement): void => {
    const graph = divide ? undefined : statement.graph();
    if (graph === undefined) ungraphed.add(divided, statement);
    else if (graph.termType === "NamedNode") grouper.add(graph.value, grouped, statement);
    else throw new NotARecordError(formatTerm(graph), `${source.name}:${statement.line}`, "its name is a blank node");
  };
}
