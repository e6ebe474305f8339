/** The table of limits of loads for docs/run/limits.md, made from the values that loads use. */
import { MAX_DEPTH } from "../../src/jsonld/json-values.js";
import {
  DEFAULT_LIMITS,
  LIMIT_SETTINGS,
  MAX_DEFAULT_GRAPH_TRIPLES,
  MAX_FILE_BYTES,
  MAX_GRAPH_BYTES,
  MAX_JSON_DEPTH,
  MIN_EXPANSION_BYTES,
} from "../../src/load/limits.js";
import { MAX_LINE_BYTES } from "../../src/rdf/ntriples/line-blocks.js";

export interface Limit {
  readonly name: `MAX_${string}`;
  /** The value of the limit; absent if only an option has it, as its default. */
  readonly value?: number;
  /** The option that sets it. */
  readonly option?: string;
  /** The thing that is limited, with its unit. */
  readonly of: string;
  /** The consequence beyond it. */
  readonly beyond: string;
}

const RECORD_REFUSED = "the record is refused (`record.limit`), the others are loaded";
const LOAD_REFUSED = "the load is refused, and nothing changes";
const EXPANSION = `times its bytes that an input may expand to, beyond the first ${MIN_EXPANSION_BYTES / 1024 / 1024} MiB; also of triples without a graph that become parts of many records`;

export const LOAD_LIMITS: readonly Limit[] = [
  settable("MAX_RECORD_BYTES", "recordBytes", "bytes of a record as it is stored", RECORD_REFUSED),
  settable("MAX_RECORD_TRIPLES", "recordTriples", "triples of a record", RECORD_REFUSED),
  settable("MAX_IRI_BYTES", "iriBytes", "bytes of an IRI", RECORD_REFUSED),
  settable("MAX_EXPANSION", "expansion", EXPANSION, LOAD_REFUSED),
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

function settable(name: Limit["name"], limit: keyof typeof DEFAULT_LIMITS, of: string, beyond: string): Limit {
  return { name, value: DEFAULT_LIMITS[limit], option: LIMIT_SETTINGS[limit], of, beyond };
}
