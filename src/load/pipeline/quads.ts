/** Quads on their way into records: reads N-Quads, N-Triples, Turtle, TriG and RDF/XML, and groups or divides what they hold. */
import { LineReader } from "../../rdf/ntriples-reader.js";
import { formatTerm } from "../../rdf/ntriples-writer.js";
import { RdfXmlReader } from "../../rdf/rdf-xml-reader.js";
import { type Statement, type StatementReader, type StatementSink, TermStatement } from "../../rdf/statement.js";
import { literal, type Term } from "../../rdf/terms.js";
import { TurtleReader } from "../../rdf/turtle-reader.js";
import { UngraphedTriples, type UnownedNode } from "../divide/default-graph.js";
import { NotARecordError } from "../errors.js";
import { type GroupedFrames, Grouper, type GrouperOptions } from "../group/group.js";
import { checkExpansion, type InputLimits, MAX_IRI_BYTES } from "../limits.js";
import { wholeExport } from "../read/export-marks.js";
import type { Format, Source } from "../read/sources.js";

/** The formats that hold quads or triples. */
const QUAD_FORMATS: readonly Format[] = ["nq", "nt", "ttl", "trig", "rdf", "owl", "xml"];

export interface QuadOptions extends GrouperOptions {
  /** Treat named graphs like triples without a graph. */
  readonly divide: boolean;
  readonly limits?: InputLimits;
  /** What relative IRIs in Turtle, TriG and RDF/XML are resolved against. */
  readonly baseUrl?: string;
  readonly signal?: AbortSignal;
  /** Told of each node that is described by triples without a graph, but belongs to no record. */
  readonly onUnowned?: (node: UnownedNode) => void;
  /** Told now and then how many quads were read so far. */
  readonly onQuads?: (quads: number) => void;
}

/** Makes records of frames elsewhere. */
export interface FramesTaker {
  /** Resolves when the next may come. */
  take(frames: GroupedFrames): Promise<void>;
  /** Resolves when all that was taken is done with. */
  end(): Promise<void>;
}

/** Whether a source holds quads or triples, and is for `groupQuads`. */
export function holdsQuads(source: Source): boolean {
  return QUAD_FORMATS.includes(source.format);
}

/**
 * Read all sources and hand the frames of their records to `taker`; the same graph in several sources is one record.
 * Throws `SyntaxProblem`, `InputError`, `TemporaryFileError`, what the taker throws, and an `AbortError` after `signal`.
 */
export async function groupQuads(sources: readonly Source[], options: QuadOptions, taker: FramesTaker): Promise<void> {
  const grouper = new Grouper(options);
  const ungraphed = new UngraphedTriples(options);
  let quads = 0;
  try {
    for (const source of sources) {
      const add = adderOf(source, options, grouper, ungraphed);
      let [bytes, became] = [0, 0];
      const reader = readerOf(source, options, (statement) => {
        quads++;
        became += add(statement);
      });
      for await (const chunk of wholeExport(source.open(options.signal), source.name)) {
        reader.push(chunk);
        bytes += chunk.length;
        checkExpansion(source.name, bytes, became, options.limits?.expansion);
        options.onQuads?.(quads);
      }
      reader.end();
    }
    options.onQuads?.(quads);
    for (const node of await ungraphed.divideAmong(grouper)) options.onUnowned?.(node);
    ungraphed.close();
    for await (const frames of grouper.frames()) await taker.take(frames);
    // The temporary files are there until all is made of them.
    await taker.end();
  } finally {
    ungraphed.close();
    grouper.close();
  }
}

function readerOf({ name, format }: Source, { baseUrl, limits }: QuadOptions, sink: StatementSink): StatementReader {
  if (format === "nq" || format === "nt") return new LineReader({ source: name, graphs: format === "nq" }, sink);
  const base = baseUrl === undefined ? {} : { baseIri: baseUrl };
  const maxIriLength = (limits?.iriBytes ?? MAX_IRI_BYTES) + 1;
  const bounded = withoutLongIris(maxIriLength, sink);
  if (format !== "ttl" && format !== "trig") return new RdfXmlReader({ source: name, maxIriLength, ...base }, bounded);
  const turtle = { source: name, format: format === "trig" ? "trig" : "turtle", maxIriLength, ...base } as const;
  return new TurtleReader(turtle, bounded);
}

/**
 * A prefix may be long, and used with every term. Of an IRI that is too long only so much goes on that it still is:
 * the record that has it is refused for it.
 */
function withoutLongIris(maxLength: number, sink: StatementSink): StatementSink {
  const cut = new TermStatement();
  const isLong = ({ termType, value, datatype }: Term): boolean =>
    (termType === "Literal" ? datatype : value).length > maxLength;
  const short = (term: Term): Term => {
    if (!isLong(term)) return term;
    if (term.termType === "Literal") return literal(term.value, term.datatype.slice(0, maxLength));
    return { ...term, value: term.value.slice(0, maxLength) };
  };
  return (statement) => {
    const [subject, predicate, object] = [statement.subject(), statement.predicate(), statement.object()];
    const graph = statement.graph();
    const isShort =
      !isLong(subject) && !isLong(predicate) && !isLong(object) && (graph === undefined || !isLong(graph));
    if (isShort) sink(statement);
    else sink(cut.set(statement.line, short(subject), short(predicate), short(object), graph && short(graph)));
  };
}

/** Takes a source's statements to the record of their graph, or to the triples without one; gives the bytes that each takes. */
function adderOf(
  source: Source,
  { divide }: QuadOptions,
  grouper: Grouper,
  ungraphed: UngraphedTriples,
): (statement: Statement) => number {
  const grouped = grouper.addInput(source.name);
  const divided = ungraphed.addInput(source.name);
  return (statement) => {
    const graph = divide ? undefined : statement.graph();
    if (graph === undefined) return ungraphed.add(divided, statement);
    if (graph.termType === "NamedNode") return grouper.add(graph.value, grouped, statement);
    throw new NotARecordError(formatTerm(graph), `${source.name}:${statement.line}`, "its name is a blank node");
  };
}
