/** N-Quads in pieces of whole lines, which threads turn into entries: the main thread alone would need a tenth of a load's time for them. */
import { isUtf8 } from "node:buffer";
import { availableParallelism } from "node:os";
import { joinedBytes, withMoved } from "../../base/worker-client.js";
import { LineReader } from "../../rdf/ntriples/reader.js";
import { EntryLog } from "./partitions.js";

export interface QuadLines {
  /** Whole lines, in an `ArrayBuffer` of their own. */
  readonly bytes: Uint8Array;
  /** The number of the input. */
  readonly input: number;
}

/** The entries of lines, which are counted from 1. */
export interface ScannedLines {
  readonly entries: Uint8Array<ArrayBuffer>;
  readonly lines: number;
  readonly quads: number;
}

/** With fewer bytes than this no thread is started, because starting one takes as long as the work. */
export const MIN_THREAD_BYTES = 4 * 2 ** 20;
const PIECE_BYTES = 2 ** 20;
/** Pieces that are scanned, or wait for a thread or for the pieces before them. */
const MOST_WAITING = 3 * availableParallelism();
const LF = 0x0a;

/** An input in pieces, the later ones of 1 MiB, each with what `scan` gives for it if it has only whole lines. An error in the input is thrown after all pieces before it. */
export async function* scannedPieces<Scanned>(chunks: AsyncIterable<Uint8Array>, scan: (lines: Buffer) => Scanned) {
  const waiting: { readonly bytes: Buffer; readonly scanned: Scanned | undefined }[] = [];
  let failure: { readonly error: unknown } | undefined;
  let [begun, held, isWhole]: [number, Uint8Array[], boolean] = [0, [], true];
  try {
    for await (const chunk of chunks) {
      begun += chunk.length;
      const size = held.reduce((sum, { length }) => sum + length, chunk.length);
      if (begun > MIN_THREAD_BYTES && size < PIECE_BYTES) {
        held.push(chunk);
        continue;
      }
      const end = chunk.lastIndexOf(LF) + 1 || chunk.length;
      const isCut = chunk[end - 1] === LF;
      const bytes = Buffer.from(joinedBytes([...held, chunk.subarray(0, end)]).buffer);
      waiting.push({ bytes, scanned: isWhole && isCut && begun > MIN_THREAD_BYTES ? scan(bytes) : undefined });
      [held, isWhole] = [[chunk.subarray(end)], isCut];
      // What is not scanned is read at once.
      const isReady = () => waiting.length > MOST_WAITING || (waiting[0] && waiting[0].scanned === undefined);
      while (isReady()) yield waiting.shift()!;
    }
  } catch (error) {
    failure = { error };
  }
  yield* waiting;
  if (failure !== undefined) throw failure.error;
  yield { bytes: Buffer.concat(held), scanned: undefined };
}

/** Turn lines into entries. Returns `undefined` if there is an error, of which only the main thread knows the place, or a triple without a named graph. */
export function scanLines({ bytes, input }: QuadLines): ScannedLines | undefined {
  let [entries, quads] = [new Uint8Array(), 0];
  const log = new EntryLog(Number.POSITIVE_INFINITY, (all) => {
    entries = joinedBytes([all]);
  });
  const reader = new LineReader({ source: "lines", graphs: true }, (statement) => {
    const graph = statement.graph();
    if (graph?.termType !== "NamedNode") throw new TypeError("the quad has no named graph");
    log.add(graph.value, input, statement);
    quads++;
  });
  try {
    if (!isUtf8(bytes)) return undefined;
    reader.readLines(Buffer.from(bytes.buffer));
  } catch {
    return undefined;
  }
  log.flush();
  return withMoved({ entries, lines: reader.line - 1, quads }, entries);
}
