/** Groups statements by their named graphs into records, in bounded memory, in whatever order they come. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Statement } from "../../rdf/statement.js";
import { RecordTooLargeError } from "../errors.js";
import { makeTemporaryDirectory } from "../temporary.js";
import { Frame, FrameLog } from "./frame-log.js";
import { type GroupedRecord, recordsOf } from "./grouped-records.js";
import { type Partition, Partitions } from "./partitions.js";

/** Makes records of partitions elsewhere. */
export interface PartitionTaker {
  /** Take a file of frames over, with the names of the inputs by the numbers in it. */
  take(task: { readonly path: string; readonly inputs: readonly string[] }): Promise<void>;
  /** Resolves when all that was taken is done with. */
  end(): Promise<void>;
}

export interface GrouperOptions {
  /** An existing directory, in which a directory for temporary files is made if memory does not suffice. */
  readonly temporary: string;
  /** Bytes of triples that are grouped in memory; 64 MiB unless given. */
  readonly memoryBytes?: number;
  /** The largest record, in bytes of N-Triples; 256 MiB unless given. */
  readonly maxRecordBytes?: number;
  /** Takes the partitions of a large input over, in place of `records` giving what is in them. */
  readonly partitions?: PartitionTaker;
}

const MIB = 1024 * 1024;

/** The largest record, in bytes of N-Triples, unless another limit is given. */
export const MAX_RECORD_BYTES = 256 * MIB;

/** Graphs that no hash has parted by then never will be. */
const MAX_LEVEL = 8;

/**
 * Takes statements, then gives records. A graph's statements need not be adjacent, and may come from several inputs.
 * Blank node labels belong to one input and one graph; in a record they become `b0`, `b1` ... in order of appearance.
 * Records come in order of first appearance as long as memory suffices, else by partition; a record's triples keep
 * their order in any case.
 */
export class Grouper {
  readonly #temporary: string;
  readonly #memoryBytes: number;
  readonly #maxRecordBytes: number;
  readonly #taker: PartitionTaker | undefined;
  readonly #inputs: string[] = [];
  /** What lies in memory, as long as there are no partitions. */
  #segments: Buffer[] = [];
  #segmentBytes = 0;
  readonly #memory: FrameLog;
  #directory: string | undefined;
  #partitions: Partitions | undefined;
  readonly #open = new Set<Partitions>();
  /** The graph of the last statement, and the log for it. */
  #graph: string | undefined;
  #log: FrameLog;

  constructor({ temporary, memoryBytes = 64 * MIB, maxRecordBytes = MAX_RECORD_BYTES, partitions }: GrouperOptions) {
    this.#temporary = temporary;
    this.#memoryBytes = memoryBytes;
    this.#maxRecordBytes = maxRecordBytes;
    this.#taker = partitions;
    this.#memory = new FrameLog(Math.min(MIB, memoryBytes / 8), (bytes) => {
      this.#segments.push(Buffer.from(bytes));
      this.#segmentBytes += bytes.length;
    });
    this.#log = this.#memory;
  }

  /** Begin an input, with the name that reports have for it: the number for `add`. */
  addInput(name: string): number {
    return this.#inputs.push(name) - 1;
  }

  /** Add a statement to the record of this IRI; its own graph does not count. Throws `TemporaryFileError`. */
  add(recordIri: string, input: number, statement: Statement): void {
    if (recordIri !== this.#graph) {
      this.#graph = recordIri;
      this.#log = this.#partitions?.of(recordIri).log ?? this.#memory;
    }
    this.#log.add(recordIri, input, statement);
    if (this.#partitions === undefined && this.#segmentBytes > this.#memoryBytes) this.#spill();
  }

  /**
   * All records, in batches. Throws `NotARecordError` for a graph that has no triple about the entity it is named by,
   * `RecordTooLargeError`, `TemporaryFileError`. Call it once, after the last `add`.
   */
  async *records(): AsyncGenerator<GroupedRecord[]> {
    if (this.#partitions !== undefined) {
      yield* this.#partitioned(this.#partitions);
      await this.#taker?.end();
      return;
    }
    this.#memory.flush();
    const segments = this.#segments;
    this.#segments = [];
    yield* this.#records(segments);
  }

  /** Delete the temporary files; needed in any case, after errors too. */
  close(): void {
    for (const partitions of this.#open) partitions.close();
    this.#open.clear();
    if (this.#directory !== undefined) rmSync(this.#directory, { recursive: true, force: true });
    this.#directory = undefined;
  }

  /** From memory into temporary files. */
  #spill(): void {
    this.#directory = makeTemporaryDirectory(this.#temporary, "group");
    this.#memory.flush();
    this.#partitions = this.#makePartitions(join(this.#directory, "part-"), 0);
    const frame = new Frame();
    for (const bytes of this.#segments) {
      for (let start = 0; frame.read(bytes, start); start = frame.end) {
        const graph = frame.graph();
        this.#partitions.of(graph).log.addFrame(graph, frame);
      }
    }
    this.#segments = [];
    this.#graph = undefined;
  }

  #makePartitions(prefix: string, level: number): Partitions {
    const partitions = new Partitions(prefix, level);
    this.#open.add(partitions);
    return partitions;
  }

  async *#partitioned(partitions: Partitions): AsyncGenerator<GroupedRecord[]> {
    for (const partition of partitions.all) partition.finish();
    this.#open.delete(partitions);
    for (const partition of partitions.all) {
      if (partition.size === 0) continue;
      const { onlyGraph } = partition.log;
      const isTooLarge = partition.size > this.#memoryBytes && partitions.level < MAX_LEVEL;
      if (onlyGraph === undefined && isTooLarge) {
        yield* this.#partitionedAgain(partition, partitions.level + 1);
      } else {
        if (onlyGraph !== undefined && partition.size > this.#maxRecordBytes) await this.#refuseFirst(partition);
        if (this.#taker === undefined) yield* this.#records([await partition.take()]);
        else {
          await this.#taker.take({ path: partition.path, inputs: this.#inputs });
          yield [];
        }
      }
    }
  }

  async *#partitionedAgain(partition: Partition, level: number): AsyncGenerator<GroupedRecord[]> {
    const partitions = this.#makePartitions(`${partition.path}-`, level);
    for await (const frame of partition.frames()) {
      const graph = frame.graph();
      partitions.of(graph).log.addFrame(graph, frame);
    }
    yield* this.#partitioned(partitions);
  }

  /** Refuse a partition's only record without reading the rest of it. */
  async #refuseFirst(partition: Partition): Promise<void> {
    for await (const frame of partition.frames()) {
      const source = `${this.#inputs[frame.input]}:${frame.line}`;
      throw new RecordTooLargeError(frame.graph(), source, this.#maxRecordBytes);
    }
  }

  #records(segments: readonly Buffer[]): Generator<GroupedRecord[]> {
    return recordsOf(segments, this.#inputs, this.#maxRecordBytes);
  }
}
