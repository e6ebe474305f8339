/** The representations of an entity: media type, profile, suffix and writer of each. */
import type { ModelSettings } from "../../model/settings.js";
import { PREFIXES } from "../../model/vocabulary/vocabulary.js";
import { writeNQuads, writeNTriples } from "../../rdf/ntriples-writer.js";
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
export const REPRESENTATION_FORMATS = ["jsonld", "json", "expanded", "ttl", "nt", "nq", "trig"] as const;

export type RepresentationFormat = (typeof REPRESENTATION_FORMATS)[number];

/** What the operator settles about how records are shown. */
export interface Presentation {
  /** What the collection is called. */
  readonly title: string;
}

export const DEFAULT_PRESENTATION: Presentation = { title: "Vitrine" };

/** What lies around a record that is being written: for representations that show more than the record itself. */
export interface Surroundings {
  readonly store: Store;
  readonly addresses: Addresses;
  /** The languages that the client wants, the most wanted first (`Accept-Language`); empty where it does not say. */
  readonly languages: readonly string[];
  readonly presentation: Presentation;
}

/**
 * What a representation is made of besides the record, its own version and the model's settings. Whatever it names here is
 * part of its entity tags, and a ready answer is given only while it is the same.
 */
export interface Dependencies {
  /** Which records refer to the entity, and by which properties. */
  readonly referrers?: true;
  /** The client's languages; the answer then varies by `Accept-Language`. */
  readonly languages?: true;
  /** Anything that any record says, such as the present labels of what the record refers to. */
  readonly anyRecord?: true;
  /** The operator's settings of how records are shown. */
  readonly presentation?: true;
}

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
  /** Headers of its own, names and values in turn, such as a page's `Content-Security-Policy`. Default: none. */
  readonly headers?: readonly string[];
  /** Default: it is made of the record alone. */
  readonly dependsOn?: Dependencies;
  readonly write: (record: StoredRecord, surroundings: Surroundings) => string | Promise<string>;
}

/** The profiles that JSON-LD defines for its media type (JSON-LD 1.1, section 6.1). */
const COMPACTED = "http://www.w3.org/ns/json-ld#compacted";
const EXPANDED = "http://www.w3.org/ns/json-ld#expanded";

/** The representations of every entity, in the order of `REPRESENTATION_FORMATS`. */
export function representations(model: ModelSettings, documents: Documents): readonly Representation[] {
  const prefixes = { ...PREFIXES, aat: `${model.vocabBase}/` };
  const compact = {
    version: 1,
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
      version: 1,
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
      suffix: ".nq",
      write: ({ graph }) => writeNQuads(graph),
    },
    {
      format: "trig",
      version: 1,
      mediaType: "application/trig",
      contentType: "application/trig; charset=utf-8",
      profiles: [],
      suffix: ".trig",
      write: ({ graph }) => writeTrig(graph, prefixes),
    },
  ];
}

/** A document as text, at once when it is there at once: a promise for each of a million requests adds up. */
function jsonText(document: Json | Promise<Json>): string | Promise<string> {
  return document instanceof Promise
    ? document.then((written) => `${JSON.stringify(written)}\n`)
    : `${JSON.stringify(document)}\n`;
}
