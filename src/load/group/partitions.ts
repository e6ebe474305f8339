/** Partitions: statements spread over temporary files by the hash of their graph, so that the records of one file fit into memory. */
import { appendFileSync, createReadStream } from "node:fs";
import { TemporaryFileError } from "../../base/temporary.js";
import { ByteLog } from "../../rdf/byte-log.js";
import type { Statement } from "../../rdf/statement.js";

/** Few enough for the memory of their logs, and enough to keep the files of a large input small. */
const PARTITIONS = 128;

/** The bytes written at a time; each partition holds up to this many in memory. */
const FLUSH_BYTES = 64 * 1024;

export class Partition {
  readonly log: EntryLog;
  size = 0;

  constructor(readonly path: string) {
    this.log = new EntryLog(FLUSH_BYTES, (bytes) => {
      try {
        // The file is opened each time, which takes little of the time of writing, so that none is left open.
        appendFileSync(path, bytes);
      } catch (error) {
        throw new TemporaryFileError(path, error as NodeJS.ErrnoException);
      }
      this.size += bytes.length;
    });
  }

  async *entries(): AsyncGenerator<LogEntry> {
    const entry = new LogEntry();
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of createReadStream(this.path, { highWaterMark: 1024 * 1024 })) {
      rest = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
      let start = 0;
      while (entry.read(rest, start)) {
        yield entry;
        start = entry.end;
      }
      rest = rest.subarray(start);
    }
  }
}

/** All temporary files of one level. A file that grows too large is partitioned again, one level deeper. */
export class GraphPartitions {
  readonly all: readonly Partition[];

  /** The path of each file is `prefix` and a number. */
  constructor(
    prefix: string,
    readonly level: number,
  ) {
    this.all = Array.from({ length: PARTITIONS }, (_, index) => new Partition(`${prefix}${index}`));
  }

  of(graph: string): Partition {
    return this.all[hash(graph, this.level) % PARTITIONS]!;
  }

  addEntry(entry: LogEntry): void {
    const graph = entry.graph();
    this.of(graph).log.addEntry(graph, entry);
  }
}

/** FNV-1a over UTF-16 code units, with a different start on each level, so that graphs in one partition are separated on the next. */
function hash(text: string, level: number): number {
  let value = 0x811c9dc5 ^ Math.imul(level, 0x9e3779b1);
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  value ^= value >>> 16;
  return Math.imul(value, 0x85ebca6b) >>> 8;
}

const NUMBER_BYTES = 4;

/**
 * An entry: consecutive statements of one graph from one input. Its bytes are, in this order: length of the graph's IRI, IRI, number of
 * the input, line of the first statement, length of the triples, triples. Numbers take four bytes, lengths are in bytes, and triples
 * are lines of N-Triples. One object is reused for all entries, since there may be one for every statement.
 */
export class LogEntry {
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  input = 0;
  /** The line of the first statement in the input. */
  line = 0;
  triplesStart = 0;
  /** The offset after the entry. */
  end = 0;

  /** Read the entry at an offset. Returns false when `bytes` do not hold all of it. */
  read(bytes: Buffer, start: number): boolean {
    if (start + NUMBER_BYTES > bytes.length) return false;
    const graphEnd = start + NUMBER_BYTES + bytes.readUInt32LE(start);
    const triplesStart = graphEnd + 3 * NUMBER_BYTES;
    if (triplesStart > bytes.length) return false;
    const end = triplesStart + bytes.readUInt32LE(triplesStart - NUMBER_BYTES);
    if (end > bytes.length) return false;
    this.bytes = bytes;
    this.start = start;
    this.input = bytes.readUInt32LE(graphEnd);
    this.line = bytes.readUInt32LE(graphEnd + NUMBER_BYTES);
    this.triplesStart = triplesStart;
    this.end = end;
    return true;
  }

  graph(): string {
    return this.bytes.toString("utf8", this.start + NUMBER_BYTES, this.triplesStart - 3 * NUMBER_BYTES);
  }
}

/** Makes entries of statements, and passes their bytes on when there are enough. */
export class EntryLog {
  readonly #log = new ByteLog();
  #graph: string | undefined;
  #input = -1;
  /** The offset of the open entry's triples, or 0 when no entry is open. */
  #triplesStart = 0;
  /** Up to two of the graphs. */
  readonly #graphs = new Set<string>();

  /** `write` receives whole entries, about `flushBytes` at a time; the bytes are valid only during the call. */
  constructor(
    private readonly flushBytes: number,
    private readonly write: (bytes: Buffer) => void,
  ) {}

  /** Whether all entries are of one graph. */
  get hasOneGraph(): boolean {
    return this.#graphs.size === 1;
  }

  /** Add a statement and return the bytes it takes. */
  add(graph: string, input: number, statement: Statement, line = statement.line): number {
    if (this.#log.length >= this.flushBytes) this.flush();
    const before = this.#log.length;
    if (this.#triplesStart === 0 || graph !== this.#graph || input !== this.#input) this.#begin(graph, input, line);
    statement.appendTriple(this.#log);
    return this.#log.length - before;
  }

  addEntry(graph: string, entry: LogEntry): void {
    if (this.#log.length >= this.flushBytes) this.flush();
    this.#end();
    this.#note(graph);
    this.#log.copy(entry.bytes, entry.start, entry.end);
  }

  flush(): void {
    this.#end();
    if (this.#log.length > 0) this.write(this.#log.bytes);
    this.#log.clear();
  }

  #begin(graph: string, input: number, line: number): void {
    this.#end();
    this.#note(graph);
    this.#graph = graph;
    this.#input = input;
    const lengthAt = this.#log.uint32(0);
    this.#log.text(graph);
    this.#log.setUint32(lengthAt, this.#log.length - lengthAt - NUMBER_BYTES);
    this.#log.uint32(input);
    this.#log.uint32(line);
    this.#log.uint32(0);
    this.#triplesStart = this.#log.length;
  }

  #end(): void {
    if (this.#triplesStart === 0) return;
    this.#log.setUint32(this.#triplesStart - NUMBER_BYTES, this.#log.length - this.#triplesStart);
    this.#triplesStart = 0;
  }

  #note(graph: string): void {
    if (this.#graphs.size < 2) this.#graphs.add(graph);
  }
}
