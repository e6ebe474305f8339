/** The frame log: statements on their way into records, as bytes that lie in memory or in a temporary file. */
import { ByteLog } from "../rdf/byte-log.js";
import type { Statement } from "../rdf/statement.js";

/**
 * Consecutive statements of one graph out of one input. As bytes: the graph's length in bytes and the graph, the input's
 * number, the line of the first statement, the triples' length in bytes and the triples, a line of N-Triples each.
 */
export interface Frame {
  readonly graph: string;
  readonly input: number;
  readonly line: number;
  readonly triples: Buffer;
  /** The offset after the frame. */
  readonly end: number;
}

const NUMBER_BYTES = 4;

/** The frame at an offset of bytes that hold all of it, or `undefined` when they do not. */
export function frameAt(bytes: Buffer, start: number): Frame | undefined {
  const graphStart = start + NUMBER_BYTES;
  if (graphStart > bytes.length) return undefined;
  const graphEnd = graphStart + bytes.readUInt32LE(start);
  const triplesStart = graphEnd + 3 * NUMBER_BYTES;
  if (triplesStart > bytes.length) return undefined;
  const end = triplesStart + bytes.readUInt32LE(triplesStart - NUMBER_BYTES);
  if (end > bytes.length) return undefined;
  return {
    graph: bytes.toString("utf8", graphStart, graphEnd),
    input: bytes.readUInt32LE(graphEnd),
    line: bytes.readUInt32LE(graphEnd + NUMBER_BYTES),
    triples: bytes.subarray(triplesStart, end),
    end,
  };
}

/** Makes frames of statements, and hands their bytes on whenever enough have come together. */
export class FrameLog {
  readonly #log = new ByteLog();
  readonly #flushBytes: number;
  readonly #write: (bytes: Buffer) => void;
  #graph: string | undefined;
  #input = -1;
  /** Where the open frame's triples begin, or 0 when none is open. */
  #triplesStart = 0;
  /** The only graph so far, or `undefined` before the first. */
  #firstGraph: string | undefined;
  #hasManyGraphs = false;

  /** `write` gets whole frames, some `flushBytes` at a time; the bytes are valid during the call only. */
  constructor(flushBytes: number, write: (bytes: Buffer) => void) {
    this.#flushBytes = flushBytes;
    this.#write = write;
  }

  /** The one graph that all frames are of, or `undefined` when they are of several or there are none. */
  get onlyGraph(): string | undefined {
    return this.#hasManyGraphs ? undefined : this.#firstGraph;
  }

  add(graph: string, input: number, statement: Statement): void {
    if (this.#log.length >= this.#flushBytes) this.flush();
    if (this.#triplesStart === 0 || graph !== this.#graph || input !== this.#input) {
      this.#begin(graph, input, statement.line);
    }
    statement.appendTriple(this.#log);
  }

  /** Add the frame that lies in `bytes` from `start`. */
  addFrame(frame: Frame, bytes: Buffer, start: number): void {
    if (this.#log.length >= this.#flushBytes) this.flush();
    this.#end();
    this.#note(frame.graph);
    this.#log.copy(bytes, start, frame.end);
  }

  /** Hand on what is left. */
  flush(): void {
    this.#end();
    if (this.#log.length > 0) this.#write(this.#log.bytes);
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
    if (this.#firstGraph === undefined) this.#firstGraph = graph;
    else if (!this.#hasManyGraphs && graph !== this.#firstGraph) this.#hasManyGraphs = true;
  }
}
