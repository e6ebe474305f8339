/** The `Link` header of an entity: where it and its representations are, and what it is (RFC 8288). */
import type { RecordGraph } from "../rdf/record-graph.js";
import { rootOf } from "../rdf/record-graph.js";
import { RDF } from "../rdf/terms.js";
import { toUri } from "./iri-equivalents.js";
import type { Representation } from "./representations.js";

/** `quoted-string` of a header parameter (RFC 9110, 5.6.4). */
function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, "\\$&")}"`;
}

/** A representation's part of the header, but for its address: `; rel="alternate"; type=...`. */
export function alternateParameters({ mediaType, contentType }: Representation): string {
  const profile = /;\s*profile="([^"]*)"/.exec(contentType)?.[1];
  return `; rel="alternate"; type=${quoted(mediaType)}${profile === undefined ? "" : `; profile=${quoted(profile)}`}`;
}

/** A link's target; whatever could end it, or the header, is percent-encoded. */
export function target(iri: string): string {
  return `<${toUri(iri)}>`;
}

/** The classes of the record's own entity, as links of relation `type`, each with a comma before it. */
export function typeLinks(graph: RecordGraph): string {
  const { terms, triples } = graph;
  const root = rootOf(graph);
  let links = "";
  for (let at = 0; at < triples.length; at += 3) {
    if (triples[at] !== root || terms[triples[at + 1]!]!.value !== RDF.type) continue;
    const type = terms[triples[at + 2]!]!;
    if (type.termType === "NamedNode") links += `, ${target(type.value)}; rel="type"`;
  }
  return links;
}
