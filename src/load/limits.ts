/** The limits of loading. docs/run/limits.md says what happens beyond each. */
import { grouped } from "../base/counted.js";
import { MAX_DEPTH } from "../jsonld/json-values.js";
import { InputError } from "./errors.js";

const KIB = 1024;
const MIB = 1024 * KIB;

/** The UTF-8 bytes of an IRI. */
export const MAX_IRI_BYTES = 8 * KIB;
/** An input may grow to this many times its size when it is decompressed, or when Turtle or RDF/XML become N-Triples. */
const MAX_EXPANSION = 500;
/** An input may always grow to this size. */
export const MIN_EXPANSION_BYTES = 256 * MIB;
/** The N-Triples of one named graph before it becomes a record. */
export const MAX_GRAPH_BYTES = 256 * MIB;
/** The triples without a graph in one load; each takes about 100 bytes of memory. */
export const MAX_DEFAULT_GRAPH_TRIPLES = 10_000_000;
/** A JSON file is read whole before it is cut. */
export const MAX_FILE_BYTES = 256 * MIB;
/** The nesting of objects and arrays: two for each level of a document, and some for its context. */
export const MAX_JSON_DEPTH = 2 * MAX_DEPTH + 100;

/** The limits that settings can change. */
export const DEFAULT_LIMITS = {
  /** The bytes of a record as it is stored. */
  recordBytes: 8 * MIB,
  recordTriples: 200_000,
  iriBytes: MAX_IRI_BYTES,
  expansion: MAX_EXPANSION,
};

export type InputLimits = Readonly<typeof DEFAULT_LIMITS>;

/** The setting that changes each limit. */
export const LIMIT_SETTINGS: Readonly<Record<keyof InputLimits, string>> = {
  recordBytes: "max-record-bytes",
  recordTriples: "max-record-triples",
  iriBytes: "max-iri-bytes",
  expansion: "max-expansion",
};

/** Check that an input has not grown out of proportion; both sizes are in bytes. Throws `InputError`. */
export function checkExpansion(path: string, bytes: number, became: number, times = MAX_EXPANSION): void {
  if (became <= Math.max(MIN_EXPANSION_BYTES, times * bytes)) return;
  throw new InputError(
    `${path}: ${grouped(bytes)} bytes have become more than ${grouped(Math.floor(became / MIB))} MiB, but only ${times} times the size of ` +
      "the input is allowed: if that much is expected, set max-expansion in the settings file",
  );
}
