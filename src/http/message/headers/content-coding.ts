/** Content codings: the choice of one by `Accept-Encoding`, and bodies encoded in it (RFC 9110, sections 8.4 and 12.5.3). */
import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import type { Pieces } from "../answer.js";
import { byHeader } from "./negotiate.js";

/** The supported codings, the preferred first: brotli makes the smaller body. */
export const CODINGS = ["br", "gzip"] as const;

export type Coding = (typeof CODINGS)[number];

/** The shortest body to encode, in bytes: a shorter one fits into one packet anyway. */
export const MIN_CODED = 1_024;

/** How many elements of the header to read at most; no client sends this many. */
export const MAX_ELEMENTS = 100;

const ELEMENT = /(?:^|,)\s*([^\s;,]+)\s*(?:;\s*q\s*=\s*([\d.]+))?/gi;

/** The coding that the client prefers; `undefined` if it prefers the plain body or names no coding. A `*` names all only where the plain body is refused. */
export const codingFor = byHeader((header): Coding | undefined => {
  const elements = [...header.matchAll(ELEMENT)].slice(0, MAX_ELEMENTS);
  const weights = new Map(elements.map(([, name, weight = "1"]) => [name!.toLowerCase(), Number(weight)]));
  const least = weights.get("identity") ?? 0;
  const unnamed = weights.get("identity") === 0 ? weights.get("*") : undefined;
  const weightOf = (coding: Coding): number =>
    weights.get(coding) ?? (coding === "gzip" ? weights.get("x-gzip") : undefined) ?? unnamed ?? 0;
  const accepted = CODINGS.filter((coding) => weightOf(coding) > 0 && weightOf(coding) >= least);
  return accepted.sort((left, right) => weightOf(right) - weightOf(left))[0];
});

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants;

/** Quality 5 of 11 saves most of the bytes. @param size of the body, 0 if not known */
function brotli(size: number, quality = 5): zlib.BrotliOptions {
  return { params: { [BROTLI_PARAM_QUALITY]: quality, [BROTLI_PARAM_SIZE_HINT]: size } };
}

const compress = {
  br: (body: Buffer) => promisify(zlib.brotliCompress)(body, brotli(body.length)),
  gzip: (body: Buffer) => promisify(zlib.gzip)(body),
} as const;

/** The largest body to compress synchronously, in bytes. Passing a small body to a thread takes many times as long as compressing it. */
const AT_ONCE = 16 * 1_024;

/** Compresses a body of a record's size in a fraction of the time of the best compression; brotli's result is a fifth longer, gzip's hardly. */
const compressNow = {
  br: (body: Buffer) => zlib.brotliCompressSync(body, brotli(body.length, 1)),
  gzip: (body: Buffer) => zlib.gzipSync(body, { level: 1, memLevel: 5, windowBits: 12 }),
} as const;

/** Encodes a body; a large one is compressed outside the event loop. */
export function encode(body: string | Buffer, coding: Coding): Buffer | Promise<Buffer> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return (bytes.length <= AT_ONCE ? compressNow : compress)[coding](bytes);
}

/** How often an encoder gives what it holds back, in milliseconds. Otherwise, slow pieces would leave the connection silent until the server closes it. */
const FLUSH_INTERVAL = 1_000;

/** Encodes a body in pieces, and takes the pieces only as the reader asks for more. */
export async function* encodePieces(pieces: Pieces, coding: Coding): Pieces {
  const encoder = coding === "br" ? zlib.createBrotliCompress(brotli(0)) : zlib.createGzip();
  // The reader of the encoder gets the error when an earlier stage fails.
  pipeline(Readable.from(pieces), encoder, () => undefined);
  const flushing = setInterval(() => encoder.flush(), FLUSH_INTERVAL);
  try {
    yield* encoder;
  } finally {
    clearInterval(flushing);
  }
}
