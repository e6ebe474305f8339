/** Groups statements into records by their named graphs, in any order of the statements and in bounded memory. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { makeTemporaryDirectory } from "../../base/temporary.js";
import { ByteLog } from "../../rdf/byte-log.js";
import type { Statement } from "../../rdf/statement.js";
import { MAX_GRAPH_BYTES } from "../limits.js";
import { entriesByGraph } from "./grouped-records.js";
import { EntryLog, GraphPartitions, LogEntry, type Partition } from "./partitions.js";

export interface GroupedEntries {
  readonly kind: "entries";
  /** The bytes in an `ArrayBuffer` of their own, or the path of a temporary file with them. */
  readonly entries: Uint8Array | string;
  /** The size in bytes; for a graph that is too large it includes what `entries` lacks. */
  readonly size: number;
  /** The names of the inputs, indexed by the numbers in the entries. */
  readonly inputs: readonly string[];
}

export interface GrouperOptions {
  /** An existing directory; a directory for temporary files is made in it when memory does not suffice. */
  readonly temporary: string;
  /** The maximum number of bytes of triples that are grouped in memory. Default: 64 MiB. */
  readonly memoryBytes?: number;
  /** The size of the largest graph that is read whole, in bytes of N-Triples. Of a larger one, only the beginning is read. */
  readonly maxGraphBytes?: number;
}

const MIB = 1024 * 1024;

/** The number of levels after which graphs that still share a partition are read together. */
const MAX_LEVEL = 8;

/** Takes statements in any order, then yields those of each graph together, in input order. Graphs come by first appearance or, if memory did not suffice, by partition. */
export class Grouper {
  readonly #options: Required<GrouperOptions>;
  readonly #inputs: string[] = [];
  /** The entries in memory, until there are partitions. */
  #segments: Buffer[] = [];
  #segmentBytes = 0;
  readonly #memory: EntryLog;
  #directory: string | undefined;
  #partitions: GraphPartitions | undefined;
  /** Whether no statement was added. */
  isEmpty = true;
  /** The graph of the last statement, and its log. */
  #graph: string | undefined;
  #log: EntryLog;

  constructor(options: GrouperOptions) {
    this.#options = { memoryBytes: 64 * MIB, maxGraphBytes: MAX_GRAPH_BYTES, ...options };
    this.#memory = new EntryLog(Math.min(MIB, this.#options.memoryBytes / 8), (bytes) => {
      this.#segments.push(Buffer.from(bytes));
      this.#segmentBytes += bytes.length;
    });
    this.#log = this.#memory;
  }

  /** Begin an input with its name in reports, and return its number for `add`. */
  addInput(name: string): number {
    return this.#inputs.push(name) - 1;
  }

  /** Add a statement to the record of this IRI. Returns the bytes it takes. Throws `TemporaryFileError`. @param line for reports: the statement's line, or the record's */
  add(recordIri: string, input: number, statement: Statement, line = statement.line): number {
    if (recordIri !== this.#graph) {
      this.#graph = recordIri;
      this.isEmpty = false;
      this.#log = this.#partitions?.of(recordIri).log ?? this.#memory;
    }
    const bytes = this.#log.add(recordIri, input, statement, line);
    if (this.#partitions === undefined && this.#segmentBytes > this.#options.memoryBytes) this.#spill();
    return bytes;
  }

  /** The entries of all graphs; the caller removes their files. Throws `TemporaryFileError`. Call it once, after the last `add`. */
  async *entries(): AsyncGenerator<GroupedEntries> {
    if (this.#partitions !== undefined) yield* this.#partitioned(this.#partitions);
    else yield* this.#inMemory();
  }

  /** Delete the temporary files; must always be called, after errors too. */
  close(): void {
    if (this.#directory !== undefined) rmSync(this.#directory, { recursive: true, force: true });
  }

  #spill(): void {
    this.#directory = makeTemporaryDirectory(this.#options.temporary, "group");
    this.#memory.flush();
    this.#partitions = new GraphPartitions(join(this.#directory, "part-"), 0);
    const entry = new LogEntry();
    for (const bytes of this.#segments)
      for (let start = 0; entry.read(bytes, start); start = entry.end) this.#partitions.addEntry(entry);
    this.#segments = [];
    this.#graph = undefined;
  }

  /** Whole graphs, about 1 MiB at a time. */
  *#inMemory(): Generator<GroupedEntries> {
    this.#memory.flush();
    const entry = new LogEntry();
    const piece = new ByteLog(MIB);
    for (const { places } of entriesByGraph(this.#segments).values()) {
      for (let at = 0; at < places.length; at += 2) {
        entry.read(this.#segments[places[at]!]!, places[at + 1]!);
        piece.copy(entry.bytes, entry.start, entry.end);
      }
      if (piece.length < MIB) continue;
      yield this.#entriesOf(piece);
      piece.clear();
    }
    if (piece.length > 0) yield this.#entriesOf(piece);
    this.#segments = [];
  }

  #entriesOf({ bytes }: ByteLog): GroupedEntries {
    return { kind: "entries", entries: new Uint8Array(bytes), size: bytes.length, inputs: this.#inputs };
  }

  async *#partitioned(partitions: GraphPartitions): AsyncGenerator<GroupedEntries> {
    for (const { log } of partitions.all) log.flush();
    for (const partition of partitions.all) {
      const { path, size, log } = partition;
      if (size === 0) continue;
      if (!log.hasOneGraph && size > this.#options.memoryBytes && partitions.level < MAX_LEVEL) {
        const smaller = new GraphPartitions(`${path}-`, partitions.level + 1);
        for await (const entry of partition.entries()) smaller.addEntry(entry);
        rmSync(path);
        yield* this.#partitioned(smaller);
      } else {
        const isTooLarge = log.hasOneGraph && size > this.#options.maxGraphBytes;
        const entries = isTooLarge ? await firstEntry(partition) : path;
        yield { kind: "entries", entries, size, inputs: this.#inputs };
      }
    }
  }
}

async function firstEntry(partition: Partition): Promise<Uint8Array> {
  for await (const { bytes, start, end } of partition.entries()) return new Uint8Array(bytes.subarray(start, end));
  throw new Error("a partition that has bytes has no entry");
}
