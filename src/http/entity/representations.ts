/** The representations of an entity: media type, profile, suffix and writer of each. */
import type { ModelSettings } from "../../model/settings.js";
import { PREFIXES } from "../../model/vocabulary/vocabulary.js";
import { writeNQuads, writeNTriples } from "../../rdf/ntriples-writer.js";
import { writeRdfXml } from "../../rdf/rdf-xml.js";
import type { Json, RecordGraph } from "../../rdf/record-graph.js";
import { writeTrig, writeTurtle } from "../../rdf/turtle.js";
import type { Store, StoredRecord } from "../../store/store.js";
import type { Offer } from "../headers/negotiate.js";
import type { Addresses } from "./addresses.js";
import { toUri } from "./iri-equivalents.js";

/** What writes record graphs as documents: `jsonld/documents` does. */
export interface Documents {
  /** The compact document. */
  document(graph: RecordGraph): Json | Promise<Json>;
  /** The expanded document. */
  expanded(graph: RecordGraph): Json | Promise<Json>;
}

/** What the representations are called, as in `get --format`, the default first. */
export const REPRESENTATION_FORMATS = [
  "jsonld",
  "json",
  "expanded",
  "ttl",
  "nt",
  "nq",
  "trig",
  "rdf",
  "schema",
  "html",
] as const;

export type RepresentationFormat = (typeof REPRESENTATION_FORMATS)[number];

/** What lies around a record that is being written, anew for each answer that shows more than the record itself. */
export interface Surroundings {
  readonly store: Store;
  readonly addresses: Addresses;
  /** The languages that the client wants, the most wanted first (`Accept-Language`); empty where it does not say. */
  readonly languages: readonly string[];
  /** The suffixes that stand for no representation of the record, since another record has that address. Default: there are none. */
  readonly taken?: ReadonlySet<string>;
}

/**
 * What a representation is made of besides the record, its own version and the model's settings. All of it becomes part of
 * its entity tags, so that they change with it, and a ready answer is given only while it is the same. A date tells nothing
 * of such a representation, so it is answered without `Last-Modified`.
 */
export interface Dependencies {
  /** It is made for the client's languages: `Vary` names `Accept-Language`. Default: it is not. */
  readonly languages?: boolean;
  /** Settings that it is made by, such as the collection's title, as a text. Default: none. */
  readonly settings?: string;
  /**
   * A text that differs whenever what it shows of other records does. Asked for only when anything in
   * the store has changed since the ready answer. Default: it shows nothing of others.
   */
  readonly state?: (record: StoredRecord, surroundings: Surroundings) => string | Promise<string>;
}

/** What was written: the body, where it has headers of its own with them. */
export type Written = string | { readonly body: string; readonly headers: readonly string[] };

/** One way in which a record can be answered. */
export interface Representation extends Offer {
  /** Its name; part of its entity tags. */
  readonly format: RepresentationFormat;
  /**
   * Raised whenever the same record comes out as other bytes than before, so that entity tags change with them; a test
   * fails when that was forgotten.
   */
  readonly version: number;
  /** The value of `Content-Type`. */
  readonly contentType: string;
  /** What can stand after an entity's address to ask for it; `null` when only negotiation leads to it. */
  readonly suffix: string | null;
  /** The names of the headers that `write` gives, for the description of the interface. Default: none. */
  readonly headers?: readonly string[];
  /** Default: it is made of the record alone. */
  readonly dependsOn?: Dependencies;
  readonly write: (record: StoredRecord, surroundings: Surroundings) => Written | Promise<Written>;
}

/** The profiles that JSON-LD defines for its media type (JSON-LD 1.1, section 6.1). */
const COMPACTED = "http://www.w3.org/ns/json-ld#compacted";
const EXPANDED = "http://www.w3.org/ns/json-ld#expanded";

/** The representations of every entity, in the order of `REPRESENTATION_FORMATS`. */
export function representations(model: ModelSettings, documents: Documents): readonly Representation[] {
  const prefixes = { ...PREFIXES, aat: `${model.vocabBase}/` };
  const compact = {
    version: 2,
    profiles: [model.contextUri, COMPACTED],
    write: ({ graph }: StoredRecord) => jsonText(documents.document(graph)),
  };
  return [
    {
      format: "jsonld",
      mediaType: "application/ld+json",
      contentType: `application/ld+json;profile="${toUri(model.contextUri)}"`,
      suffix: ".jsonld",
      ...compact,
    },
    {
      format: "json",
      mediaType: "application/json",
      contentType: "application/json",
      suffix: ".json",
      ...compact,
    },
    {
      format: "expanded",
      version: 2,
      mediaType: "application/ld+json",
      contentType: `application/ld+json;profile="${EXPANDED}"`,
      profiles: [EXPANDED],
      suffix: null,
      write: ({ graph }) => jsonText(documents.expanded(graph)),
    },
    {
      format: "ttl",
      version: 1,
      mediaType: "text/turtle",
      contentType: "text/turtle; charset=utf-8",
      profiles: [],
      suffix: ".ttl",
      write: ({ graph }) => writeTurtle(graph, prefixes),
    },
    {
      format: "nt",
      version: 1,
      mediaType: "application/n-triples",
      contentType: "application/n-triples",
      profiles: [],
      suffix: ".nt",
      write: ({ graph }) => writeNTriples(graph),
    },
    {
      format: "nq",
      version: 1,
      mediaType: "application/n-quads",
      contentType: "application/n-quads",
      profiles: [],
      isDataset: true,
      suffix: ".nq",
      write: ({ graph }) => writeNQuads(graph),
    },
    {
      format: "trig",
      version: 1,
      mediaType: "application/trig",
      contentType: "application/trig; charset=utf-8",
      profiles: [],
      isDataset: true,
      suffix: ".trig",
      write: ({ graph }) => writeTrig(graph, prefixes),
    },
    {
      format: "rdf",
      version: 1,
      mediaType: "application/rdf+xml",
      contentType: "application/rdf+xml",
      profiles: [],
      suffix: ".rdf",
      write: ({ graph }) => writeRdfXml(graph, prefixes),
    },
  ];
}

/** A document as text, at once when it is there at once: a promise for each of a million requests adds up. */
function jsonText(document: Json | Promise<Json>): string | Promise<string> {
  return document instanceof Promise
    ? document.then((written) => `${JSON.stringify(written)}\n`)
    : `${JSON.stringify(document)}\n`;
}
