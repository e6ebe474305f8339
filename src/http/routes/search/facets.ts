/** `/search/all/facets` and `/search/{endpoint}/facets`: what the records that a search finds have in common, counted. */
import type { EndpointName } from "../../../model/tables/endpoints.js";
import { camelCase } from "../../../model/vocabulary/vocabulary.js";
import type { JsonObject } from "../../../rdf/record-graph.js";
import { FACETS, type FacetName, type FacetValue, type Search } from "../../../store/search.js";
import { ProblemError } from "../../message/problems/problems.js";
import { ENDPOINT_WORDS } from "../../pages/labels.js";
import { ANY_OBJECT, parameter } from "../openapi/paths.js";
import type { Route, RouteContext, RouteMaker, RouteRequest } from "../route.js";
import { json, readPage, SEARCH_CONTEXT } from "./collection-pages.js";
import { endpointAsked, searchOf, searchParameters } from "./search.js";

/** Values of each facet, and of one that is asked for alone. */
const VALUES = 20;
const VALUES_OF_ONE = 200;
const LAST_OF_CENTURY = 99;

/** The names of facets in addresses: those of the parameters of a search. */
const NAMES: ReadonlyMap<string, FacetName> = new Map(FACETS.map((facet) => [camelCase(facet), facet]));

export const facetsRoutes: RouteMaker = (context) => {
  const { search } = context.store;
  if (search === undefined) return [];
  return [
    route(context, search, "/search/all/facets", "facetsAll", () => undefined),
    route(context, search, "/search/{endpoint}/facets", "facets", endpointAsked),
  ];
};

function route(
  { base }: RouteContext,
  search: Search,
  path: string,
  id: string,
  endpointOf: (request: RouteRequest) => EndpointName | undefined,
): Route {
  return {
    path,
    cost: "search",
    operations: {
      get: {
        id,
        tag: "Search",
        summary: "What the records of a search have in common, counted.",
        description: `An OrderedCollectionPage of OrderedCollections: each is the search narrowed to a value of a facet, with \`totalItems\`. The ${VALUES} most frequent values of each facet, or ${VALUES_OF_ONE} of one.`,
        parameters: [
          ...searchParameters(path),
          parameter("facet", "query", "Only this facet.", { enum: [...NAMES.keys()] }),
        ],
        content: { "application/ld+json": ANY_OBJECT },
        conditions: "tags",
        problems: ["malformed", "not-found"],
      },
    },
    answer: async (request) => {
      const query = searchOf(request, endpointOf(request), ["facet"]);
      const one = facetAsked(request.query.get("facet"));
      const [facets, limit] = one === undefined ? [FACETS, VALUES] : [[one], VALUES_OF_ONE];
      const { values, isEstimated } = await readPage(() => search.facets(query, facets, limit));
      const kept = [...request.query].filter(([name]) => name !== "facet");
      const address = (at: string, parameters: readonly (readonly string[])[]): string =>
        parameters.length === 0
          ? base + at
          : `${base}${at}?${parameters.map(([name, value]) => `${name}=${encodeURIComponent(value!.toWellFormed())}`).join("&")}`;
      const from = request.path.replace(/\/facets$/, "");
      const orderedItems = values.map((value): JsonObject => {
        const narrowed = value.facet === "endpoint" ? `/search/${value.value}` : from;
        return {
          id: address(narrowed, narrowedTo(value, kept)),
          type: "OrderedCollection",
          facet: camelCase(value.facet),
          value: value.value,
          label: { none: [labelOf(value)] },
          totalItems: value.records,
          ...(isEstimated ? { isEstimate: true } : {}),
        };
      });
      return json({
        "@context": SEARCH_CONTEXT,
        id: address(request.path, [...request.query]),
        type: "OrderedCollectionPage",
        partOf: { id: address(from, kept), type: "OrderedCollection" },
        orderedItems,
      });
    },
  };
}

/** Throws `ProblemError`. */
function facetAsked(given: string | null): FacetName | undefined {
  const facet = given === null ? undefined : NAMES.get(given);
  if (given === null || facet !== undefined) return facet;
  throw new ProblemError("malformed", {
    detail: `There is no facet ${given}: there are ${[...NAMES.keys()].join(", ")}.`,
  });
}

/** The parameters of a search that is narrowed to a value; an endpoint is in the path. */
function narrowedTo({ facet, value }: FacetValue, kept: readonly [string, string][]): readonly [string, string][] {
  if (facet === "endpoint") return kept;
  if (facet !== "century") return [...kept, [camelCase(facet), value]];
  const given = new Map(kept);
  const [first, last] = [Number(value), Number(value) + LAST_OF_CENTURY];
  return [
    ...kept.filter(([name]) => name !== "begin" && name !== "end"),
    ["begin", String(Math.max(first, Number(given.get("begin") || first)))],
    ["end", String(Math.min(last, Number(given.get("end") || last)))],
  ];
}

function labelOf({ facet, value, label }: FacetValue): string {
  if (facet === "endpoint") return ENDPOINT_WORDS[value as EndpointName]?.many ?? value;
  return facet === "century" ? `${value} to ${Number(value) + LAST_OF_CENTURY}` : label;
}
