/** The `Link` header of an entity: where it and its representations are, and what it is (RFC 8288, FAIR Signposting). */
import { expandIri, propertyIri } from "../../model/vocabulary/vocabulary.js";
import { indexBySubject, type RecordGraph, rootOf } from "../../rdf/record-graph.js";
import { RDF } from "../../rdf/terms.js";
import type { Representation } from "../representations/representation.js";
import { toUri } from "./iri-equivalents.js";

/** `quoted-string` of a header parameter (RFC 9110, 5.6.4). */
function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, "\\$&")}"`;
}

/**
 * The links to the representations that have addresses of their own, as what stands around the entity's URL in them: to
 * be joined by that, with a comma before each. Data are not only another form of the entity's address but also a
 * description of the entity, which is what harvesters look for (FAIR Signposting, `describedby`).
 */
export function alternateLinks(representations: readonly Representation[]): readonly string[] {
  const links = [", <"];
  for (const { mediaType, contentType, suffix } of representations) {
    if (suffix === null) continue;
    if (links.length > 1) links[links.length - 1] += ", <";
    const profile = /;\s*profile="([^"]*)"/.exec(contentType)?.[1];
    const relation = mediaType === "text/html" ? "alternate" : "alternate describedby";
    const parameters = `type=${quoted(mediaType)}${profile === undefined ? "" : `; profile=${quoted(profile)}`}`;
    links.push(`${suffix}>; rel="${relation}"; ${parameters}`);
  }
  return links;
}

/** A link's target; whatever could end it, or the header, is percent-encoded. */
export function target(iri: string): string {
  return `<${toUri(iri)}>`;
}

/** Where to go from a node: per predicate, the relation of its objects to the entity, and the steps from them on. */
type Steps = ReadonlyMap<string, { readonly relation?: string; readonly steps?: Steps }>;

/** A property's IRI by its term, or by its compact IRI where the term depends on the class. */
function property(name: string): string {
  return name.includes(":") ? expandIri(name) : propertyIri(name)!;
}

const authors: Steps = new Map([[property("carried_out_by"), { relation: "author" }]]);
/** The making of a thing, or its parts: a workshop's production is often given by the shares in it. */
const making = { steps: new Map([...authors, [property("crm:P9_consists_of"), { steps: authors }]]) };
const content: Steps = new Map([[property("access_point"), { relation: "item" }]]);

/** What the record says itself of the relations that Signposting and RFC 6573 name. */
const STATED: Steps = new Map<string, { relation?: string; steps?: Steps }>([
  [RDF.type, { relation: "type" }],
  [property("la:member_of"), { relation: "collection" }],
  [property("produced_by"), making],
  [property("created_by"), making],
  [property("subject_to"), { steps: new Map([[property("classified_as"), { relation: "license" }]]) }],
  [property("access_point"), { relation: "item" }],
  [property("representation"), { steps: new Map([[property("digitally_shown_by"), { steps: content }]]) }],
]);

/** Links of one relation: a header has its limits, and the record has them all. */
const MAX_OF_ONE = 8;

/** The longest `Link` header, in bytes: proxies and clients refuse answers whose headers take more than 8 to 16 KiB. */
export const MAX_LINK = 4_096;

/** As many of a header's links as `MAX_LINK` allows, each whole, in their order. */
export function boundedLinks(header: string): string {
  if (header.length <= MAX_LINK) return header;
  let kept = "";
  for (const link of header.split(/, (?=<)/)) {
    const longer = kept === "" ? link : `${kept}, ${link}`;
    if (longer.length <= MAX_LINK) kept = longer;
  }
  return kept;
}

/**
 * The links that the record states, each with a comma before it: its classes as `type`, its sets as `collection`, who
 * made it as `author`, its rights as `license`, its files as `item`. A right's classification by the vocabulary says only
 * that it is a right, so what lies under `vocabBase` is no licence.
 */
export function statedLinks(graph: RecordGraph, vocabBase: string): string {
  const links = new Map<string, Set<string>>();
  collect(graph, rootOf(graph), STATED, links, new Map());
  let header = "";
  for (const [relation, iris] of links) {
    for (const iri of iris) {
      if (relation === "license" && iri.startsWith(vocabBase)) continue;
      header += `, ${target(iri)}; rel="${relation}"`;
    }
  }
  return header;
}

/** Collect the links of a node, which is looked at once for each of the steps that may lead on from it. */
function collect(
  graph: RecordGraph,
  node: number,
  steps: Steps,
  links: Map<string, Set<string>>,
  walked: Map<Steps, Set<number>>,
): void {
  const { terms, triples } = graph;
  const { first, next } = indexBySubject(graph);
  const nodes = walked.get(steps) ?? new Set();
  if (nodes.has(node)) return;
  walked.set(steps, nodes.add(node));
  for (let triple = first[node] ?? -1; triple !== -1; triple = next[triple]!) {
    const step = steps.get(terms[triples[triple * 3 + 1]!]!.value);
    if (step === undefined) continue;
    const object = triples[triple * 3 + 2]!;
    const { termType, value } = terms[object]!;
    if (step.relation !== undefined && termType === "NamedNode") {
      const iris = links.get(step.relation) ?? new Set();
      if (iris.size < MAX_OF_ONE && value.length < MAX_LINK) links.set(step.relation, iris.add(value));
    }
    if (step.steps !== undefined) collect(graph, object, step.steps, links, walked);
  }
}
