/** The `Link` header of an entity: where it and its representations are, and what it is (RFC 8288, FAIR Signposting). */
import type { EndpointName } from "../../model/tables/endpoints.js";
import { expandIri, propertyIri } from "../../model/vocabulary/vocabulary.js";
import { indexBySubject, type RecordGraph, rootOf, valuesOf } from "../../rdf/record-graph.js";
import { RDF } from "../../rdf/terms.js";
import type { Representation } from "../representations/representation.js";
import { SCHEMA, SCHEMA_MAPPING } from "../representations/schema-org-mapping.js";
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
type Steps = ReadonlyMap<string, Step>;

interface Step {
  readonly relation?: string;
  /** The property whose value, where the object has one, is linked in the object's place. */
  readonly betterBy?: string;
  /** The property by which the node that the step starts from gives the media type of the object. */
  readonly typeBy?: string;
  readonly steps?: Steps;
}

/** A property's IRI by its term, or by its compact IRI where the term depends on the class. */
function property(name: string): string {
  return name.includes(":") ? expandIri(name) : propertyIri(name)!;
}

const authors: Steps = new Map([[property("carried_out_by"), { relation: "author" }]]);
/** The making of a thing, or its parts: a workshop's production is often given by the shares in it. */
const making = { steps: new Map([...authors, [property("crm:P9_consists_of"), { steps: authors }]]) };
const FILE: Step = { relation: "item", typeBy: property("format") };
const content: Steps = new Map([[property("access_point"), FILE]]);
/** A licence of the institution's own vocabulary is known to nobody else: what it is equivalent to may be. */
const LICENSE: Step = { relation: "license", betterBy: property("equivalent") };

/** What the record says itself of the relations that Signposting and RFC 6573 name. */
const STATED: Steps = new Map<string, Step>([
  [RDF.type, { relation: "type" }],
  [property("la:member_of"), { relation: "collection" }],
  [property("produced_by"), making],
  [property("created_by"), making],
  [property("subject_to"), { steps: new Map([[property("classified_as"), LICENSE]]) }],
  [property("access_point"), FILE],
  [property("representation"), { steps: new Map([[property("digitally_shown_by"), { steps: content }]]) }],
]);

/** Links of one relation: a header has its limits, and the record has them all. Signposting knows one collection. */
const MAX_OF_ONE = 8;
const MAX_COLLECTIONS = 1;

/** A media type before its parameters (RFC 9110, 8.3.1); records have other words under `format`, too. */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?=\s*(?:;|$))/;

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
 * The types of an entity's URL: it is the landing page of something that schema.org has as the most exact of the endpoint's
 * types; with a comma before each.
 */
export function typeLinks(endpoint: EndpointName | null): string {
  return endpoint === null ? ABOUT_PAGE : TYPE_LINKS[endpoint];
}

const ABOUT_PAGE = typeLink("AboutPage");
const TYPE_LINKS = Object.fromEntries(
  Object.entries(SCHEMA_MAPPING).map(([endpoint, { types }]) => [endpoint, ABOUT_PAGE + typeLink(types.at(-1)!)]),
) as Record<EndpointName, string>;

function typeLink(name: string): string {
  return `, <${SCHEMA}${name}>; rel="type"`;
}

/** Links by relation: of each target, the parameters. */
type Links = Map<string, Map<string, string>>;

/**
 * The links that the record states, each with a comma before it: its classes as `type`, its sets as `collection`, who
 * made it as `author`, its rights as `license`, its files as `item`. A right's classification by the vocabulary says only
 * that it is a right, so what lies under `vocabBase` is no licence.
 * @param license the licence of all descriptions. Where the record states rights of the entity, it is that of `location`,
 * the description, alone
 */
export function statedLinks(graph: RecordGraph, vocabBase: string, license?: string, location = ""): string {
  const links: Links = new Map();
  collect(graph, rootOf(graph), STATED, links, new Map());
  const rights = links.get("license");
  for (const iri of rights?.keys() ?? []) if (iri.startsWith(vocabBase)) rights!.delete(iri);
  let header = "";
  for (const [relation, targets] of links) {
    for (const [iri, parameters] of targets) header += `, ${target(iri)}; rel="${relation}"${parameters}`;
  }
  if (license === undefined) return header;
  const anchor = rights === undefined || rights.size === 0 ? "" : `; anchor="${location}"`;
  return `${header}, ${target(license)}; rel="license"${anchor}`;
}

/** Collect the links of a node, which is looked at once for each of the steps that may lead on from it. */
function collect(graph: RecordGraph, node: number, steps: Steps, links: Links, walked: Map<Steps, Set<number>>): void {
  const { terms, triples } = graph;
  const { first, next } = indexBySubject(graph);
  const nodes = walked.get(steps) ?? new Set();
  if (nodes.has(node)) return;
  walked.set(steps, nodes.add(node));
  for (let triple = first[node] ?? -1; triple !== -1; triple = next[triple]!) {
    const step = steps.get(terms[triples[triple * 3 + 1]!]!.value);
    if (step === undefined) continue;
    const object = triples[triple * 3 + 2]!;
    if (step.relation !== undefined) addLink(graph, node, object, step, links);
    if (step.steps !== undefined) collect(graph, object, step.steps, links, walked);
  }
}

function addLink(
  graph: RecordGraph,
  node: number,
  object: number,
  { relation, betterBy, typeBy }: Step,
  links: Links,
): void {
  const { termType, value } = graph.terms[object]!;
  if (termType !== "NamedNode") return;
  const targets = links.get(relation!) ?? new Map<string, string>();
  if (targets.size >= (relation === "collection" ? MAX_COLLECTIONS : MAX_OF_ONE)) return;
  const [iri = value] = betterBy === undefined ? [] : valuesOf(graph, object, betterBy);
  if (iri.length >= MAX_LINK) return;
  const [format = ""] = typeBy === undefined ? [] : valuesOf(graph, node, typeBy);
  const type = MEDIA_TYPE.exec(format)?.[0];
  links.set(relation!, targets.set(iri, type === undefined ? "" : `; type=${quoted(type)}`));
}
