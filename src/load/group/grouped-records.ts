/** Records from entries in memory: all entries of one graph become one record graph. */
import { entryOf } from "../../base/entries.js";
import { REFERENCE_PROPERTIES } from "../../model/embedding.js";
import { ByteLog } from "../../rdf/byte-log.js";
import { LineReader } from "../../rdf/ntriples/reader.js";
import { type RecordGraph, RecordGraphBuilder } from "../../rdf/record-graph.js";
import type { Statement } from "../../rdf/statement.js";
import type { Term } from "../../rdf/terms.js";
import { NotARecordError } from "../errors.js";
import { LogEntry } from "./partitions.js";

/** A record, or why its graph is not one, with the place of its first triple. `isMerged` says that several inputs describe the entity. */
export type GroupedRecord = { readonly source: string; readonly line: number } & (
  | { readonly graph: RecordGraph; readonly isMerged?: boolean }
  | { readonly iri: string; readonly refusal: string }
);

export const DIVIDE_HINT =
  "If it is a whole dataset in one graph, give --divide, which divides its triples among the entities that they describe";

/** A batch ends when it has this many records, or this many bytes of triples. */
const BATCH_RECORDS = 256;
const BATCH_BYTES = 1024 * 1024;

/** The records of entries, in order of first appearance, in batches. A record gets at most one triple more than the limit. Throws `NotARecordError`. @param inputs their names by number @param unread the number of missing bytes of a graph that was too large to be read whole, and is then the only one */
export function* groupedRecords(
  entries: Buffer,
  inputs: readonly string[],
  limits: { readonly graphBytes: number; readonly recordTriples: number },
  unread = 0,
): Generator<GroupedRecord[]> {
  const entry = new LogEntry();
  const maker = new RecordMaker(limits.recordTriples);
  let batch: GroupedRecord[] = [];
  let batchBytes = 0;
  for (const [graph, { places, tripleBytes }] of entriesByGraph([entries])) {
    entry.read(entries, places[1]!);
    const { line } = entry;
    const source = inputs[entry.input]!;
    if (tripleBytes + unread > limits.graphBytes) {
      const refusal = `is larger than ${limits.graphBytes / 1024 / 1024} MiB as N-Triples. ${DIVIDE_HINT}`;
      batch.push({ source, line, iri: graph, refusal });
      continue;
    }
    maker.begin(graph);
    for (let at = 1; at < places.length; at += 2) {
      entry.read(entries, places[at]!);
      maker.add(entry);
    }
    const record = maker.finish();
    if (!maker.describesEntity)
      throw new NotARecordError(`<${graph}>`, `${source}:${line}`, "no triple has that IRI as its subject");
    batch.push({ source, line, graph: record, isMerged: maker.describing.size > 1 });
    batchBytes += tripleBytes;
    if (batch.length >= BATCH_RECORDS || batchBytes >= BATCH_BYTES) {
      yield batch;
      batch = [];
      batchBytes = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

/** The entries of each graph, in order of first appearance. `places` has two numbers for each entry: its segment and its offset. `tripleBytes` is the size of all their triples. */
export function entriesByGraph(segments: readonly Buffer[]) {
  const graphs = new Map<string, { readonly places: number[]; tripleBytes: number }>();
  const entry = new LogEntry();
  for (const [number, bytes] of segments.entries()) {
    for (let start = 0; entry.read(bytes, start); start = entry.end) {
      const entries = entryOf(graphs, entry.graph(), () => ({ places: [], tripleBytes: 0 }));
      entries.places.push(number, start);
      entries.tripleBytes += entry.end - entry.triplesStart;
    }
  }
  return graphs;
}

class RecordMaker {
  /** Whether a triple of the record has the entity's IRI as its subject. */
  describesEntity = false;
  /** The inputs that say more of the entity than references do. */
  readonly describing = new Set<number>();
  #builder!: RecordGraphBuilder;
  /** The numbers of the record's blank nodes, by input and label. */
  #blanks = new Map<number, Map<string, number>>();
  #blankCount = 0;
  /** The triples that have not been read yet, all of one input. */
  readonly #triples = new ByteLog(BATCH_BYTES);
  #input = -1;
  /** The blank nodes of `#input`. */
  #labels = new Map<string, number>();
  /** One reader for all records, since most records share its terms. Entries hold only triples that were read before, so they are well-formed. */
  readonly #reader = new LineReader({ source: "entry", graphs: false }, (statement) => this.#statement(statement));

  constructor(readonly maxTriples: number) {}

  begin(recordIri: string): void {
    this.#builder = new RecordGraphBuilder(recordIri);
    this.#blanks = new Map();
    this.#blankCount = 0;
    this.#input = -1;
    this.describesEntity = false;
    this.describing.clear();
  }

  add({ input, bytes, triplesStart, end }: LogEntry): void {
    if (input !== this.#input) {
      this.#read();
      this.#input = input;
      this.#labels = entryOf(this.#blanks, input, () => new Map());
    }
    this.#triples.copy(bytes, triplesStart, end);
  }

  finish(): RecordGraph {
    this.#read();
    return this.#builder.build();
  }

  #read(): void {
    this.#reader.readAgain(this.#triples.bytes);
    this.#triples.clear();
  }

  #statement(statement: Statement): void {
    const builder = this.#builder;
    const [subject, predicate] = [statement.subject(), statement.predicate()];
    if (subject.value === builder.recordIri && subject.termType === "NamedNode") {
      this.describesEntity = true;
      if (!REFERENCE_PROPERTIES.has(predicate.value)) this.describing.add(this.#input);
    }
    if (builder.size > this.maxTriples) return;
    builder.add(this.#number(subject), builder.term(predicate), this.#number(statement.object()));
  }

  #number(term: Term): number {
    if (term.termType !== "BlankNode") return this.#builder.term(term);
    return entryOf(this.#labels, term.value, () => this.#builder.blank(`b${this.#blankCount++}`));
  }
}
