/** The limits of loading; docs/run/limits.md says what lies beyond each. */
import { grouped } from "../base/counted.js";
import { MAX_DEPTH } from "../jsonld/json-values.js";
import { InputError } from "./errors.js";

const KIB = 1024;
const MIB = 1024 * KIB;

/** A record's bytes as the store has them. */
const MAX_RECORD_BYTES = 8 * MIB;
const MAX_RECORD_TRIPLES = 200_000;
/** An IRI's bytes as UTF-8. */
export const MAX_IRI_BYTES = 8 * KIB;
/** So many times its own bytes an input may come to, compressed as text, and as Turtle or RDF/XML as N-Triples ... */
const MAX_EXPANSION = 500;
/** ... and so many bytes in any case. */
export const MIN_EXPANSION_BYTES = 256 * MIB;
/** The N-Triples of one named graph, before they become a record. */
export const MAX_GRAPH_BYTES = 256 * MIB;
/** Triples without a graph of one load; of each, some 100 bytes are in memory. */
export const MAX_DEFAULT_GRAPH_TRIPLES = 10_000_000;
/** A JSON file is cut whole. */
export const MAX_FILE_BYTES = 256 * MIB;
/** Objects and arrays within each other: two for each level of a document, and some for its context. */
export const MAX_JSON_DEPTH = 2 * MAX_DEPTH + 100;

/** The limits that settings change. */
export const DEFAULT_LIMITS = {
  recordBytes: MAX_RECORD_BYTES,
  recordTriples: MAX_RECORD_TRIPLES,
  iriBytes: MAX_IRI_BYTES,
  expansion: MAX_EXPANSION,
};

export type InputLimits = Readonly<typeof DEFAULT_LIMITS>;

/** The settings that change them. */
export const LIMIT_SETTINGS: Readonly<Record<keyof InputLimits, string>> = {
  recordBytes: "max-record-bytes",
  recordTriples: "max-record-triples",
  iriBytes: "max-iri-bytes",
  expansion: "max-expansion",
};

/** Look whether what came of an input is in proportion; bytes of both. Throws `InputError`. */
export function checkExpansion(path: string, bytes: number, became: number, times = MAX_EXPANSION): void {
  if (became <= Math.max(MIN_EXPANSION_BYTES, times * bytes)) return;
  throw new InputError(
    `${path}: ${grouped(bytes)} bytes have become more than ${grouped(Math.floor(became / MIB))} MiB, and ${times} times as much ` +
      "is allowed: if that is as it should be, set max-expansion in the settings file",
  );
}
