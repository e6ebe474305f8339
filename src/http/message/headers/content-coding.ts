/** Content codings: which one an `Accept-Encoding` header asks for, and bodies in it (RFC 9110, sections 8.4 and 12.5.3). */
import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import type { Pieces } from "../answer.js";
import { byHeader } from "./negotiate.js";

/** The codings there are, the preferred first: brotli makes the smaller body. */
export const CODINGS = ["br", "gzip"] as const;

export type Coding = (typeof CODINGS)[number];

/** Shorter bodies are sent as they are: a packet is not less than one. */
export const MIN_CODED = 1_024;

/** Elements of the header that are read: no client names so many. */
export const MAX_ELEMENTS = 100;

const ELEMENT = /(?:^|,)\s*([^\s;,]+)\s*(?:;\s*q\s*=\s*([\d.]+))?/gi;

/**
 * The coding that the client likes most, or `undefined` for none: without the header, or when it likes the plain body
 * better. `*` alone asks for nothing in particular.
 */
export const codingFor = byHeader((header): Coding | undefined => {
  const weights = new Map<string, number>();
  let elements = 0;
  for (const [, name, weight] of header.matchAll(ELEMENT)) {
    if (++elements > MAX_ELEMENTS) break;
    weights.set(name!.toLowerCase(), Number(weight ?? "1"));
  }
  let best: Coding | undefined;
  let bestWeight = weights.get("identity") ?? 0;
  for (const coding of CODINGS) {
    const weight = weights.get(coding) ?? (coding === "gzip" ? weights.get("x-gzip") : undefined) ?? 0;
    if (weight > bestWeight || (weight === bestWeight && weight > 0 && best === undefined)) {
      best = coding;
      bestWeight = weight;
    }
  }
  return best;
});

/** Half of the smallest size's effort gives most of it. */
const BROTLI = { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 };

const compress = {
  br: (body: Buffer) =>
    promisify(zlib.brotliCompress)(body, {
      params: { ...BROTLI, [zlib.constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body: Buffer) => promisify(zlib.gzip)(body),
} as const;

/** Bodies up to so many bytes are compressed at once: to hand one over to a thread takes many times as long as that. */
const AT_ONCE = 16 * 1_024;

/** A body of a record's size in a fraction of the time that the smallest takes; brotli is a fifth longer, gzip hardly. */
const compressNow = {
  br: (body: Buffer) =>
    zlib.brotliCompressSync(body, {
      params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1, [zlib.constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body: Buffer) => zlib.gzipSync(body, { level: 1, memLevel: 5, windowBits: 12 }),
} as const;

/** A body in a coding; a large one compressed beside the event loop. */
export function encode(body: string | Buffer, coding: Coding): Buffer | Promise<Buffer> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return (bytes.length <= AT_ONCE ? compressNow : compress)[coding](bytes);
}

/** The pieces of a body in a coding; no more is taken of them than is asked for. */
export function encodePieces(pieces: Pieces, coding: Coding): Pieces {
  const encoder = coding === "br" ? zlib.createBrotliCompress({ params: BROTLI }) : zlib.createGzip();
  // Whoever reads the encoder is told of what fails before it.
  pipeline(Readable.from(pieces), encoder, () => undefined);
  return encoder;
}
