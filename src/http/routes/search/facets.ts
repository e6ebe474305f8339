/** Facets of searches: their counts at `/search/.../facets`, and the URLs of searches narrowed to a value. */
import type { IncomingMessage } from "node:http";
import { groupBy } from "../../../base/entries.js";
import type { EndpointName } from "../../../model/tables/names.js";
import { camelCase } from "../../../model/vocabulary/vocabulary.js";
import type { JsonObject } from "../../../rdf/record-graph.js";
import { primaryTag } from "../../../rdf/terms.js";
import { secondsOf } from "../../../search/conditions.js";
import { lastOfPeriod, SPANS } from "../../../search/years.js";
import { FACETS, type FacetName, type FacetValue, type Search, type SearchQuery } from "../../../store/search.js";
import type { Store } from "../../../store/store.js";
import { pathAndQuery } from "../../entity/addresses.js";
import { jsonContent } from "../../message/content.js";
import { readPage } from "../../message/problems/problems.js";
import { nameHere } from "../../pages/entries.js";
import { Known } from "../../pages/known.js";
import type { Reader } from "../../pages/languages.js";
import { ENGLISH_WORDS, type Words } from "../../pages/words/words.js";
import { parameter } from "../openapi/paths.js";
import { type Operation, type RouteMaker, type RouteRequest, readRoute } from "../route.js";
import { addressWith, LIST_TYPE, OF_LISTS, OF_PAGES, SEARCH_CONTEXT } from "./collection-pages.js";
import { chosenOf, SEARCH_PARAMETERS, searchOf } from "./search-parameters.js";

/** Facets whose parameter may occur only once. */
const SINGLE: readonly string[] = ["picture", "changed"];

/** The facets by their names as query parameters. */
export const FACET_NAMES: ReadonlyMap<string, FacetName> = new Map(FACETS.map((facet) => [camelCase(facet), facet]));

/** The parameters that people and programs fill in themselves; links from lists add all others. */
const TYPED = ["text", "name", "identifier", "uri", "property"];

/** Whether a request is for a list that other lists link to: narrowed, reordered or continued. */
export function isLinked({ url = "" }: IncomingMessage): boolean {
  const [, query] = pathAndQuery(url);
  return [...new URLSearchParams(query).keys()].some((name) => !TYPED.includes(name));
}

/** Links narrow a search up to this number of parameters. Each further parameter would multiply the number of lists. */
const MAX_NARROWED = 6;

/** The parameters that select records, by their own names. */
export type Searched = readonly [name: string, value: string][];

/** The parameters of a request that select records: a search takes `carried_out_by`, too. */
export function searchedBy({ query }: RouteRequest): Searched {
  const searched = [...query].filter(([name]) => name !== "facet" && !OF_PAGES.includes(name));
  return searched.map(([name, value]) => [camelCase(name), value]);
}

/** Labels values with their names in the language of the page, which come from the records of the values. Only if the reader wants that language. */
export async function inWords(values: readonly FacetValue[], store: Store, { words, languages }: Reader) {
  const wanted = languages.filter((each) => each === primaryTag(words.language));
  if (wanted.length === 0) return values;
  const known = await Known.of(store);
  const named = values.map(async (value) => {
    const { value: iri, label } = value;
    return iri.includes(":") ? { ...value, label: (await nameHere(store, known, iri, label, wanted)).text } : value;
  });
  return Promise.all(named);
}

const SHOWN_VALUES = 12;

/** Whether a search names values of a facet. These are alternatives, so their facet is counted without them. */
function isCountedWithout({ relations = [] }: SearchQuery, facet: FacetName): boolean {
  return relations.some(({ property, isNot }) => property === facet && isNot !== true);
}

/** Counts the facets shown beside a search. */
export async function facetsBeside(search: Search, query: SearchQuery) {
  const { relations = [] } = query;
  const without = (facet: FacetName): SearchQuery => ({
    ...query,
    relations: relations.filter(({ property, isNot }) => property !== facet || isNot === true),
  });
  const others = FACETS.filter((facet) => !isCountedWithout(query, facet));
  const chosen = FACETS.filter((facet) => !others.includes(facet));
  const counted = await Promise.all([
    search.facets(query, others, SHOWN_VALUES),
    ...chosen.map((facet) => search.facets(without(facet), [facet], SHOWN_VALUES)),
  ]);
  const values = counted.flatMap((each) => each.values);
  return {
    values: values.sort((left, right) => FACETS.indexOf(left.facet) - FACETS.indexOf(right.facet)),
    isEstimated: counted.some(({ isEstimated }) => isEstimated),
  };
}

/** The values by which the page of a search links to narrower searches. @param total the number of hits */
export function narrowingValues(values: readonly FacetValue[], query: SearchQuery, searched: Searched, total?: number) {
  const narrowedBy = searched.filter(([name]) => ![...TYPED, "sort", "view"].includes(name));
  if (narrowedBy.length >= MAX_NARROWED) return [];
  const alternatives = groupBy(values, ({ facet }) => facet);
  return values.filter(({ facet, value, label, records }) => {
    // A value without a name says nothing to readers.
    if (label.includes("://") || alternatives.get(facet)!.length < 2) return false;
    if (records === total && !isCountedWithout(query, facet)) return false;
    const isChosen = searched.some(([name, given]) => name === camelCase(facet) && given === value);
    return !isChosen && value !== query.endpoint;
  });
}

/** The link to a search narrowed to a value. @param path the path of the search, such as `/search/all` */
export function facetLink(base: string, path: string, searched: Searched, value: FacetValue, words: Words) {
  const narrowed = value.facet === "endpoint" ? `/search/${value.value}` : path;
  return {
    facet: camelCase(value.facet),
    words: words.facet(value.facet),
    label: words.facetValue(value.facet, value.value) ?? value.label,
    records: value.records,
    url: addressWith(base + narrowed, narrowedTo(value, searched)),
  };
}

/** The parameters of a search narrowed to a value. An endpoint is in the path instead. A search for later changes than a period's is narrower already. */
function narrowedTo({ facet, value }: FacetValue, kept: Searched): Searched {
  if (facet === "endpoint") return kept;
  const given = new Map(kept);
  if (facet === "changed" && secondsOf(given.get(facet) || value) > secondsOf(value)) return kept;
  if (facet !== "century" && facet !== "decade")
    return [...kept.filter(([name]) => name !== facet || !SINGLE.includes(name)), [camelCase(facet), value]];
  const [first, last] = [Number(value), lastOfPeriod(Number(value), SPANS[facet])];
  return [
    ...kept.filter(([name]) => name !== "begin" && name !== "end"),
    ["begin", String(Math.max(first, Number(given.get("begin") || first)))],
    ["end", String(Math.min(last, Number(given.get("end") || last)))],
  ];
}

/** The maximum number of values of each facet, and of a facet that is requested alone. */
const VALUES = 20;
const VALUES_OF_ONE = 200;

const GET: Omit<Operation, "id"> = {
  tag: "Search",
  summary: "The facets of a search, with counts.",
  description: `An OrderedCollectionPage of OrderedCollections: each is the search narrowed to a value of a facet, with \`totalItems\`. The ${VALUES} most frequent values of each facet, or ${VALUES_OF_ONE} of one.`,
  parameters: [
    ...SEARCH_PARAMETERS,
    parameter("facet", "query", "Only this facet.", { enum: [...FACET_NAMES.keys()] }),
  ],
  types: [LIST_TYPE],
  conditions: "tags",
};

export const facetsRoutes: RouteMaker = ({ base, store: { search } }) => {
  if (search === undefined) return [];
  const route = (path: string, id: string, endpointOf: (request: RouteRequest) => EndpointName | undefined) =>
    readRoute(`/search/${path}/facets`, "facet", { ...GET, id }, (request) =>
      facetsOf(base, search.for(request), request, endpointOf(request)),
    );
  return [route("all", "facetsAll", () => undefined), route("{endpoint}", "facets", ({ endpoint }) => endpoint)];
};

async function facetsOf(base: string, search: Search, request: RouteRequest, endpoint: EndpointName | undefined) {
  const query = searchOf(request.query, endpoint, [...OF_LISTS, "facet"]);
  const one = FACET_NAMES.get(chosenOf("facet", request.query.get("facet"), [...FACET_NAMES.keys()]) ?? "");
  const [facets, limit] = one === undefined ? [FACETS, VALUES] : [[one], VALUES_OF_ONE];
  const { values, isEstimated } = await readPage(() => search.facets(query, facets, limit));
  const [path, searched] = [request.path.replace(/\/facets$/, ""), searchedBy(request)];
  const orderedItems = values.map((value): JsonObject => {
    const { facet, label, records, url } = facetLink(base, path, searched, value, ENGLISH_WORDS);
    const about = { facet, value: value.value, label: { none: [label] }, totalItems: records };
    return { id: url, type: "OrderedCollection", ...about, ...(isEstimated && { isEstimate: true }) };
  });
  const page = {
    "@context": SEARCH_CONTEXT,
    id: addressWith(base + request.path, [...request.query]),
    type: "OrderedCollectionPage",
    partOf: { id: addressWith(base + path, searched), type: "OrderedCollection" },
    orderedItems,
  };
  return jsonContent(page, LIST_TYPE);
}
