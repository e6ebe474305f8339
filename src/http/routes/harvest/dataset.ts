/** `/.well-known/void`: the description of the collection as a dataset. `/` also gives it, and includes it for search engines. */
import { entryOf } from "../../../base/entries.js";
import { CollectionCounter } from "../../../harvest/collection-counts.js";
import { dumpsIn } from "../../../harvest/dumps/manifest.js";
import { ENDPOINT_NAMES } from "../../../model/tables/names.js";
import { FORMATS } from "../../../rdf/formats.js";
import { indexBySubject, type JsonObject, type RecordGraph, rootOf, valuesOf } from "../../../rdf/record-graph.js";
import { RDF, XSD } from "../../../rdf/terms.js";
import { hasFacets, type Lists } from "../../../store/store.js";
import { type DatasetSettings, describeDataset } from "../../dataset/description.js";
import type { DescriptionGraph } from "../../dataset/graph.js";
import { type Content, fixedContent } from "../../message/content.js";
import { typeNegotiator } from "../../message/headers/negotiate.js";
import { fromStore } from "../../message/problems/problems.js";
import { SCHEMA } from "../../representations/schema-org-mapping.js";
import { type RouteContext, type RouteMaker, type RouteRequest, readRoute } from "../route.js";

/** The formats of the description; the first is for clients without a preference. */
const DESCRIPTION_FORMATS = FORMATS.filter(({ write, holds }) => write !== undefined && holds !== "quads");

export const DESCRIPTION_TYPES: readonly string[] = DESCRIPTION_FORMATS.map(({ mediaType }) => mediaType);

const negotiate = typeNegotiator(DESCRIPTION_TYPES);

/** Writes a description in the type of `DESCRIPTION_TYPES` that an `Accept` header prefers; in the first if it accepts none. */
export function descriptionContent({ graph, prefixes }: DescriptionGraph, accept: string | undefined): Content {
  const mediaType = negotiate(accept) ?? DESCRIPTION_TYPES[0]!;
  const { contentType: type = mediaType, write } = DESCRIPTION_FORMATS.find((each) => each.mediaType === mediaType)!;
  return fixedContent(type, write!(graph, prefixes));
}

const DEFAULT_DATASET: DatasetSettings = { language: "en", keywords: [] };

/** One counter for each context of a service, so that its routes share the counts of the collection. */
const counters = new WeakMap<RouteContext, CollectionCounter>();

/** Describes the collection as it is now. @param isUrgent whether not to wait for the counts of a large collection */
async function describe(context: RouteContext, isUrgent?: true): Promise<DescriptionGraph> {
  const { store, base, site, dumps, dataset = DEFAULT_DATASET, sparql, model, directory, representations } = context;
  const { changes, lists } = store;
  const counter = hasFacets(store, "lists")
    ? entryOf(counters, context, () => new CollectionCounter(store, directory))
    : undefined;
  const stats = await fromStore(() => store.stats());
  const [first] = changes === undefined ? [] : await fromStore(() => changes.page({ limit: 1 }));
  const [dump] = dumps === undefined ? [] : await dumpsIn(dumps);
  return describeDataset({
    base,
    title: site.title,
    text: site.settings.text,
    settings: dataset,
    stats,
    firstChange: first?.time,
    counts: await fromStore(async () => counter?.counts(isUrgent)),
    dump,
    examples: site.settings.examples ?? (lists === undefined ? [] : await examplesIn(lists)),
    offers: { sparql: sparql !== undefined, activity: changes !== undefined },
    formats: representations.map(({ format }) => format),
    model,
  });
}

/** The description of the collection, in the form that an `Accept` header prefers. */
export async function datasetContent(context: RouteContext, accept: string | undefined): Promise<Content> {
  return descriptionContent(await describe(context), accept);
}

/** The description for search engines, which does not wait for the counts of a large collection. */
export async function datasetForSearchEngines(context: RouteContext): Promise<JsonObject> {
  const { graph } = await describe(context, true);
  return { "@context": "https://schema.org", ...nodeOf(graph, rootOf(graph), new Set()) };
}

async function examplesIn(lists: Lists): Promise<readonly string[]> {
  const pages = await Promise.all(ENDPOINT_NAMES.map((name) => fromStore(() => lists.page(name, { limit: 1 }))));
  return pages.flatMap(({ items }) => items.map(({ iri }) => iri));
}

export const datasetRoute: RouteMaker = (context) => {
  const get = {
    id: "dataset",
    tag: "Harvest",
    summary: "What the collection is, as a dataset: VoID, DCAT and schema.org.",
    types: DESCRIPTION_TYPES,
    conditions: "tags",
  } as const;
  const link = { relation: "describedby", mediaType: "text/turtle" };
  const answer = ({ headers }: RouteRequest) => datasetContent(context, headers.accept);
  return [readRoute("/.well-known/void", "page", get, answer, { link })];
};

/** The statements of schema.org about a node, with the nodes that they lead to, each described once. */
function nodeOf(graph: RecordGraph, node: number, described: Set<number>): JsonObject {
  const { terms, triples } = graph;
  const { first, next } = indexBySubject(graph);
  const { termType, value: id } = terms[node]!;
  const document: JsonObject = termType === "NamedNode" ? { "@id": id } : {};
  if (described.has(node)) return document;
  described.add(node);
  for (let at = first[node]!; at !== -1; at = next[at]!) {
    const property = terms[triples[at * 3 + 1]!]!.value;
    const object = triples[at * 3 + 2]!;
    const isType = property === RDF.type;
    const named = isType ? terms[object]!.value : property;
    if (!named.startsWith(SCHEMA)) continue;
    const term = named.slice(SCHEMA.length);
    const name = isType ? "@type" : term;
    const value = isType ? term : object === node ? id : objectOf(graph, object, described);
    const before = document[name];
    document[name] = before === undefined ? value : [before, value].flat();
  }
  return document;
}

/** The value of an object: a boolean or the text of a literal, a node that has a class of schema.org, or else the IRI itself. */
function objectOf(graph: RecordGraph, object: number, described: Set<number>) {
  const { termType, value, datatype } = graph.terms[object]!;
  if (termType === "Literal") return datatype === XSD.boolean ? value === "true" : value;
  return valuesOf(graph, object, RDF.type).some((type) => type.startsWith(SCHEMA))
    ? nodeOf(graph, object, described)
    : value;
}
