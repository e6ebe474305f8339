/** The list of representations, from which negotiation, suffixes, links and the OpenAPI description are derived. */
import { PREFIXES } from "../../model/vocabulary/vocabulary.js";
import { FORMATS, type Format } from "../../rdf/formats.js";
import type { Json } from "../../rdf/record-graph.js";
import { toUri } from "../entity/iri-equivalents.js";
import { edmRepresentation } from "./edm/edm.js";
import { linksetJson, linksetText } from "./linkset.js";
import { manifestRepresentation } from "./manifest.js";
import { pageRepresentation, schemaRepresentation } from "./page.js";
import { addressed, type RenderSettings, type Representation, type RepresentationMaker } from "./representation.js";

/** The profiles that JSON-LD defines for its media type (JSON-LD 1.1, section 6.1). */
const COMPACTED = "http://www.w3.org/ns/json-ld#compacted";
const EXPANDED = "http://www.w3.org/ns/json-ld#expanded";

const compact: RepresentationMaker = ({ model, documents }) => ({
  version: 5,
  mediaType: "application/ld+json",
  contentType: `application/ld+json;profile="${toUri(model.contextUri)}"`,
  profiles: [model.contextUri, COMPACTED],
  suffix: ".jsonld",
  label: "JSON-LD",
  holds: "triples",
  write: ({ graph }) => jsonText(documents.document(graph)),
  writeEncoded: (graph) => documents.text(graph),
});

const json: RepresentationMaker = (settings) => {
  const { label: _label, holds: _holds, ...same } = compact(settings);
  return { ...same, mediaType: "application/json", contentType: "application/json", suffix: ".json" };
};

const expanded: RepresentationMaker = ({ documents }) => ({
  version: 2,
  mediaType: "application/ld+json",
  contentType: `application/ld+json;profile="${EXPANDED}"`,
  profiles: [EXPANDED],
  suffix: null,
  holds: "triples",
  write: ({ graph }) => jsonText(documents.expanded(graph)),
});

const SYNTAXES = FORMATS.filter(({ write, holds }) => write !== undefined && holds !== "documents");

function syntax(format: Format) {
  const { label, version = 1, mediaType, contentType = mediaType, extensions, holds, write, expresses } = format;
  return ({ model }: RenderSettings): Omit<Representation, "format"> => {
    const prefixes = { ...PREFIXES, aat: `${model.vocabBase}/` };
    return {
      version,
      mediaType,
      contentType,
      profiles: [],
      suffix: `.${extensions[0]}`,
      // Pages link only to formats of triples, which people want, not of quads.
      ...(holds === "quads" ? { holds } : { holds: "triples", label }),
      ...(expresses && { expresses: ({ graph }) => expresses(graph) }),
      write: ({ graph }) => write!(graph, prefixes),
    };
  };
}

/** The makers of representations by name, the default first. */
export const REPRESENTATIONS: Readonly<Record<string, RepresentationMaker>> = {
  jsonld: compact,
  json,
  expanded,
  ...Object.fromEntries(SYNTAXES.map((format) => [format.name, syntax(format)])),
  schema: schemaRepresentation,
  manifest: manifestRepresentation,
  edm: edmRepresentation,
  html: pageRepresentation,
  linkset: linksetJson,
  "linkset-text": linksetText,
};

/** Makes the offered representations, in order. */
export function representations(settings: Omit<RenderSettings, "linked">, makers = REPRESENTATIONS) {
  const linked: RenderSettings["linked"] = (taken) => addressed(all, taken);
  const named = Object.entries(makers);
  const all: readonly Representation[] = named.map(([format, make]) => ({ format, ...make({ ...settings, linked }) }));
  return all;
}

function jsonText(document: Json): string {
  return `${JSON.stringify(document)}\n`;
}
