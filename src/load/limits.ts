/** The limits of loading: one table, from which options and documentation follow. */
import { MAX_DEPTH } from "../jsonld/json-values.js";
import { MAX_LINE_BYTES } from "../rdf/ntriples/line-blocks.js";
import { ExpansionError } from "./errors.js";

const KIB = 1024;
const MIB = 1024 * KIB;

/** A record's bytes as the store has them. */
const MAX_RECORD_BYTES = 8 * MIB;
export const MAX_RECORD_TRIPLES = 200_000;
/** An IRI's bytes as UTF-8. */
export const MAX_IRI_BYTES = 8 * KIB;
/** So many times its own bytes an input may come to, compressed as text, and as Turtle or RDF/XML as N-Triples ... */
const MAX_EXPANSION = 500;
/** ... and so many bytes in any case. */
const MIN_EXPANSION_BYTES = 256 * MIB;
/** The N-Triples of one named graph, before they become a record. */
export const MAX_GRAPH_BYTES = 256 * MIB;
/** Triples without a graph of one load; of each, some 100 bytes are in memory. */
export const MAX_DEFAULT_GRAPH_TRIPLES = 10_000_000;
/** A JSON file is cut whole. */
export const MAX_FILE_BYTES = 256 * MIB;
/** Objects and arrays within each other: two for each level of a document, and some for its context. */
export const MAX_JSON_DEPTH = 2 * MAX_DEPTH + 100;

export interface InputLimits {
  readonly recordBytes: number;
  readonly recordTriples: number;
  readonly iriBytes: number;
  readonly expansion: number;
}

export const DEFAULT_LIMITS: InputLimits = {
  recordBytes: MAX_RECORD_BYTES,
  recordTriples: MAX_RECORD_TRIPLES,
  iriBytes: MAX_IRI_BYTES,
  expansion: MAX_EXPANSION,
};

export interface Limit {
  readonly name: `MAX_${string}`;
  /** How many or how much. Where an option has the default and nothing else has, it is not repeated here. */
  readonly value?: number;
  /** The option that sets it. */
  readonly option?: string;
  /** The thing that is limited, with its unit. */
  readonly of: string;
  /** The consequence beyond it. */
  readonly beyond: string;
}

interface LoadLimit extends Limit {
  readonly value: number;
  /** Which of `InputLimits` its option sets. */
  readonly setting?: keyof InputLimits;
}

const RECORD_REFUSED = "the record is refused (`record.limit`), the others are loaded";
const LOAD_REFUSED = "the load is refused, and nothing changes";

export const LOAD_LIMITS: readonly LoadLimit[] = [
  {
    name: "MAX_RECORD_BYTES",
    value: MAX_RECORD_BYTES,
    option: "max-record-bytes",
    setting: "recordBytes",
    of: "bytes of a record as it is stored",
    beyond: RECORD_REFUSED,
  },
  {
    name: "MAX_RECORD_TRIPLES",
    value: MAX_RECORD_TRIPLES,
    option: "max-record-triples",
    setting: "recordTriples",
    of: "triples of a record",
    beyond: RECORD_REFUSED,
  },
  {
    name: "MAX_IRI_BYTES",
    value: MAX_IRI_BYTES,
    option: "max-iri-bytes",
    setting: "iriBytes",
    of: "bytes of an IRI",
    beyond: RECORD_REFUSED,
  },
  {
    name: "MAX_EXPANSION",
    value: MAX_EXPANSION,
    option: "max-expansion",
    setting: "expansion",
    of: `times its bytes that an input may expand to, beyond the first ${MIN_EXPANSION_BYTES / MIB} MiB`,
    beyond: LOAD_REFUSED,
  },
  { name: "MAX_DEPTH", value: MAX_DEPTH, of: "levels of nodes in a document", beyond: RECORD_REFUSED },
  { name: "MAX_JSON_DEPTH", value: MAX_JSON_DEPTH, of: "levels of a document's JSON", beyond: RECORD_REFUSED },
  { name: "MAX_GRAPH_BYTES", value: MAX_GRAPH_BYTES, of: "bytes of a graph as N-Triples", beyond: RECORD_REFUSED },
  { name: "MAX_LINE_BYTES", value: MAX_LINE_BYTES, of: "bytes of a line, or of a statement", beyond: LOAD_REFUSED },
  { name: "MAX_FILE_BYTES", value: MAX_FILE_BYTES, of: "bytes of a JSON file", beyond: LOAD_REFUSED },
  {
    name: "MAX_DEFAULT_GRAPH_TRIPLES",
    value: MAX_DEFAULT_GRAPH_TRIPLES,
    of: "triples without a graph",
    beyond: LOAD_REFUSED,
  },
];

/** Look whether what came of an input is in proportion; bytes of both. Throws `ExpansionError`. */
export function checkExpansion(path: string, bytes: number, became: number, times = MAX_EXPANSION): void {
  if (became > Math.max(MIN_EXPANSION_BYTES, times * bytes)) throw new ExpansionError(path, bytes, became, times);
}
