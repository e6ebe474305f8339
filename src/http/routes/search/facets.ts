/** `/search/all/facets` and `/search/{endpoint}/facets`: what the records that a search finds have in common, counted. */
import type { EndpointName } from "../../../model/tables/names.js";
import type { JsonObject } from "../../../rdf/record-graph.js";
import { FACETS, type Search } from "../../../store/search.js";
import { type Content, jsonContent } from "../../message/content.js";
import { readPage } from "../../message/problems/problems.js";
import { ENGLISH_WORDS } from "../../pages/words/words.js";
import { parameter } from "../openapi/paths.js";
import { endpointParameter } from "../parameters.js";
import { type Operation, type RouteMaker, type RouteRequest, readRoute } from "../route.js";
import { addressWith, OF_PAGES, SEARCH_CONTEXT } from "./collection-pages.js";
import { FACET_NAMES, facetLink, searchedBy } from "./facet-links.js";
import { chosenOf, SEARCH_PARAMETERS, searchOf } from "./search-parameters.js";

/** Values of each facet, and of one that is asked for alone. */
const VALUES = 20;
const VALUES_OF_ONE = 200;

const GET: Omit<Operation, "id"> = {
  tag: "Search",
  summary: "What the records of a search have in common, counted.",
  description: `An OrderedCollectionPage of OrderedCollections: each is the search narrowed to a value of a facet, with \`totalItems\`. The ${VALUES} most frequent values of each facet, or ${VALUES_OF_ONE} of one.`,
  parameters: [
    ...SEARCH_PARAMETERS,
    parameter("facet", "query", "Only this facet.", { enum: [...FACET_NAMES.keys()] }),
  ],
  types: ["application/ld+json"],
  conditions: "tags",
};

export const facetsRoutes: RouteMaker = ({ base, store: { search } }) => {
  if (search === undefined) return [];
  const answer = (endpointOf: (request: RouteRequest) => EndpointName | undefined) => (request: RouteRequest) =>
    facetsOf(base, search, request, endpointOf(request));
  return [
    readRoute(
      "/search/all/facets",
      "facet",
      { ...GET, id: "facetsAll" },
      answer(() => undefined),
    ),
    readRoute("/search/{endpoint}/facets", "facet", { ...GET, id: "facets" }, answer(endpointParameter)),
  ];
};

async function facetsOf(
  base: string,
  search: Search,
  request: RouteRequest,
  endpoint: EndpointName | undefined,
): Promise<Content> {
  const query = searchOf(request.query, endpoint, [...OF_PAGES, "facet"]);
  const one = FACET_NAMES.get(chosenOf("facet", request.query.get("facet"), [...FACET_NAMES.keys()]) ?? "");
  const [facets, limit] = one === undefined ? [FACETS, VALUES] : [[one], VALUES_OF_ONE];
  const { values, isEstimated } = await readPage(() => search.facets(query, facets, limit));
  const [path, searched] = [request.path.replace(/\/facets$/, ""), searchedBy(request)];
  const orderedItems = values.map((value): JsonObject => {
    const { facet, label, records, url } = facetLink(base, path, searched, value, ENGLISH_WORDS);
    const estimate = isEstimated ? { isEstimate: true } : {};
    const about = { facet, value: value.value, label: { none: [label] }, totalItems: records };
    return { id: url, type: "OrderedCollection", ...about, ...estimate };
  });
  return jsonContent({
    "@context": SEARCH_CONTEXT,
    id: addressWith(base + request.path, [...request.query]),
    type: "OrderedCollectionPage",
    partOf: { id: addressWith(base + path, searched), type: "OrderedCollection" },
    orderedItems,
  });
}
