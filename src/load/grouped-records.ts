/** Makes records of frames that lie in memory: all frames of one graph become one record graph. */
import { LineReader } from "../rdf/ntriples-reader.js";
import { type RecordGraph, RecordGraphBuilder } from "../rdf/record-graph.js";
import type { Statement } from "../rdf/statement.js";
import type { Term } from "../rdf/terms.js";
import { NotARecordError, RecordTooLargeError } from "./errors.js";
import { type Frame, frameAt } from "./frame-log.js";

/** A record and where its first triple stands. */
export interface GroupedRecord {
  readonly source: string;
  readonly line: number;
  readonly graph: RecordGraph;
}

/** Batches end when they have so many records, or so many bytes of triples. */
const BATCH_RECORDS = 256;
const BATCH_BYTES = 1024 * 1024;

/**
 * The records of frames in order of first appearance, in batches. `inputs` are the inputs' names by number.
 * Throws `NotARecordError`, `RecordTooLargeError`.
 */
export function* recordsOf(
  segments: readonly Buffer[],
  inputs: readonly string[],
  maxRecordBytes: number,
): Generator<GroupedRecord[]> {
  const maker = new RecordMaker();
  let batch: GroupedRecord[] = [];
  let batchBytes = 0;
  for (const [graph, places] of framesByGraph(segments)) {
    const first = frameOf(segments, places, 0);
    const source = inputs[first.input]!;
    const bytes = bytesOf(segments, places);
    if (bytes > maxRecordBytes) throw new RecordTooLargeError(graph, `${source}:${first.line}`, maxRecordBytes);
    maker.begin(graph);
    for (let at = 0; at < places.length; at += 2) maker.add(frameOf(segments, places, at));
    if (!maker.describesEntity) {
      throw new NotARecordError(`<${graph}>`, `${source}:${first.line}`, "no triple has that IRI as its subject");
    }
    batch.push({ source, line: first.line, graph: maker.build() });
    batchBytes += bytes;
    if (batch.length >= BATCH_RECORDS || batchBytes >= BATCH_BYTES) {
      yield batch;
      batch = [];
      batchBytes = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

/** Where each graph's frames begin, as pairs of a segment's number and an offset. */
function framesByGraph(segments: readonly Buffer[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [number, bytes] of segments.entries()) {
    for (let start = 0; start < bytes.length; ) {
      const { graph, end } = frameAt(bytes, start)!;
      const others = places.get(graph);
      if (others === undefined) places.set(graph, [number, start]);
      else others.push(number, start);
      start = end;
    }
  }
  return places;
}

function frameOf(segments: readonly Buffer[], places: readonly number[], at: number): Frame {
  return frameAt(segments[places[at]!]!, places[at + 1]!)!;
}

/** The bytes of all triples of a graph. */
function bytesOf(segments: readonly Buffer[], places: readonly number[]): number {
  let bytes = 0;
  for (let at = 0; at < places.length; at += 2) bytes += frameOf(segments, places, at).triples.length;
  return bytes;
}

/** Makes one record after another. */
class RecordMaker {
  /** Whether a triple of the record has the entity's IRI as its subject. */
  describesEntity = false;
  #builder!: RecordGraphBuilder;
  /** The numbers of the record's blank nodes, by input and label. */
  #blanks = new Map<number, Map<string, number>>();
  #blankCount = 0;
  /** The labels of the input that is being read. */
  #labels!: Map<string, number>;
  /** One reader for all, since its terms are those of most records. The frames hold only what was read before. */
  readonly #reader = new LineReader({ source: "frame", graphs: false }, (statement) => this.#statement(statement));

  begin(recordIri: string): void {
    this.#builder = new RecordGraphBuilder(recordIri);
    this.#blanks = new Map();
    this.#blankCount = 0;
    this.describesEntity = false;
  }

  add({ input, line, triples }: Frame): void {
    let labels = this.#blanks.get(input);
    if (labels === undefined) {
      labels = new Map();
      this.#blanks.set(input, labels);
    }
    this.#labels = labels;
    this.#reader.readAgain(triples, line);
  }

  build(): RecordGraph {
    return this.#builder.build();
  }

  #statement(statement: Statement): void {
    const builder = this.#builder;
    const subject = statement.subject();
    if (subject.value === builder.recordIri && subject.termType === "NamedNode") this.describesEntity = true;
    builder.add(this.#number(subject), builder.term(statement.predicate()), this.#number(statement.object()));
  }

  #number(term: Term): number {
    if (term.termType !== "BlankNode") return this.#builder.term(term);
    let number = this.#labels.get(term.value);
    if (number === undefined) {
      number = this.#builder.blank(`b${this.#blankCount++}`);
      this.#labels.set(term.value, number);
    }
    return number;
  }
}
