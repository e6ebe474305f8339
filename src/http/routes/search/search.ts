/** `/search/all` and `/search/{endpoint}`: records by name, identifier, text, class and what they refer to. */
import { REFERRING_PROPERTIES } from "../../../model/relations.js";
import { ENDPOINTS, type EndpointName } from "../../../model/tables/endpoints.js";
import { CLASS_NAMES, camelCase, classIri, className } from "../../../model/vocabulary/vocabulary.js";
import type { Json } from "../../../rdf/record-graph.js";
import {
  type AskedRelation,
  FACETS,
  PERIODS,
  SEARCH_ORDERS,
  type Search,
  type SearchQuery,
} from "../../../store/search.js";
import type { EndpointKey } from "../../../store/store.js";
import { ProblemError } from "../../message/problems/problems.js";
import { isEndpoint } from "../../pages/home.js";
import { foundPage } from "../../pages/lists.js";
import { pageContent } from "../entities/pages.js";
import { parameter, pathParameter } from "../openapi/paths.js";
import type { Outcome, Route, RouteContext, RouteMaker, RouteRequest } from "../route.js";
import {
  addressesOf,
  formOf,
  ITEMS_A_PAGE,
  PAGE_CONTENT,
  PAGE_PARAMETERS,
  pageJson,
  readPage,
  windowOf,
} from "./collection-pages.js";
import { facetLink, searchedBy } from "./facet-links.js";
import { OF_TABLES, withTables } from "./tables.js";

/** Values of a facet that a page shows. */
const SHOWN_VALUES = 5;

const TEXTS = ["name", "identifier", "text"] as const;
const YEARS = ["begin", "end"] as const;
const OTHERS = ["type", "sort", ...YEARS, "under", "picture", "changed", "page", "after", "before", "index"];
const PICTURED: ReadonlyMap<string, boolean> = new Map([
  ["yes", true],
  ["no", false],
]);
/** What leads to IRIs that a search can ask for, by the names of parameters. */
const PROPERTIES: ReadonlyMap<string, string> = new Map([...REFERRING_PROPERTIES, ["licence", "licence"]]);
/** Stands before the name of a property that is not to lead to an IRI. */
const NOT = "not.";

export const searchRoutes: RouteMaker = (context) => {
  const { search } = context.store;
  if (search === undefined) return [];
  return [
    ...routes(context, search, "/search/all", "searchAll", () => undefined),
    ...routes(context, search, "/search/{endpoint}", "search", endpointAsked),
  ];
};

/** The kind of record that a path asks for. Throws `ProblemError`. */
export function endpointAsked(request: RouteRequest): EndpointName {
  const name = request.parameter("endpoint");
  if (isEndpoint(name)) return name;
  const names = ENDPOINTS.map((each) => each.name).join(", ");
  throw new ProblemError("not-found", { detail: `There is no kind of record ${name}: there are all, ${names}.` });
}

function routes(
  context: RouteContext,
  search: Search,
  path: string,
  id: string,
  endpointOf: (request: RouteRequest) => EndpointName | undefined,
): Route[] {
  const form = formOf(context.base);
  const list: Route = {
    path,
    cost: "search",
    operations: {
      get: {
        id,
        tag: "Search",
        summary: "Records by name, identifier, words, class and what they refer to.",
        description: `An OrderedCollectionPage of up to ${ITEMS_A_PAGE} records: those first that have the whole value, then those whose value begins so, then those that have the words in names, makers, kinds, texts. All parameters have to hold.`,
        parameters: [
          ...searchParameters(path),
          parameter("sort", "query", "In which order. Default: the best first, by label without a text.", {
            enum: [...SEARCH_ORDERS],
          }),
          ...PAGE_PARAMETERS,
        ],
        content: PAGE_CONTENT,
        conditions: "tags",
        problems: ["malformed", "not-found"],
      },
    },
    answer: (request) =>
      answer(context, search, request, searchOf(request, endpointOf(request)), form(request.headers.accept)),
  };
  return withTables(context, list, (request) => {
    const endpoint = endpointOf(request);
    return { endpoint, parts: search.all(searchOf(request, endpoint, OF_TABLES)) };
  });
}

/** The parameters by which records are found. */
export function searchParameters(path: string): Json[] {
  return [
    ...(path.includes("{")
      ? [
          pathParameter(
            "endpoint",
            "The kind of record.",
            ENDPOINTS.map(({ name }) => name),
          ),
        ]
      : []),
    parameter("name", "query", "A name or label, the beginning of one, or words of it."),
    parameter("identifier", "query", "An identifier, or the beginning of one."),
    parameter(
      "text",
      "query",
      "A name, an identifier, or words of names, makers, what else it refers to, years and statements.",
    ),
    parameter("type", "query", "The class of the entity, or its IRI.", { enum: [...CLASS_NAMES] }),
    parameter("begin", "query", "The first year of a span in which it, or part of it, was made, lived, happened.", {
      type: "integer",
    }),
    parameter("end", "query", "The last year of it.", { type: "integer" }),
    parameter(
      "under",
      "query",
      "The IRI of what it refers to, itself or by what is narrower, part of it or its member.",
    ),
    parameter("picture", "query", "Whether there is a picture of it.", { enum: [...PICTURED.keys()] }),
    parameter(
      "changed",
      "query",
      `In which period until now it was changed (${Object.keys(PERIODS).join(", ")}), or since which date.`,
    ),
    ...[...PROPERTIES].map(([name, term]) =>
      parameter(
        name,
        "query",
        `The IRI of what it refers to by \`${term}\`; given several times, of one of them. With \`${NOT}\` before its name, of none.`,
      ),
    ),
  ];
}

async function answer(
  { base, site, addresses }: RouteContext,
  search: Search,
  request: RouteRequest,
  query: SearchQuery,
  form: ReturnType<ReturnType<typeof formOf>>,
): Promise<Outcome> {
  const window = await readPage(() => search.find(query, windowOf(request)));
  const { total, meant } = window;
  const pages = addressesOf(base + request.path, request, window, total);
  if (form !== "html")
    return pageJson(request, pages, window.items, { total, form, ...(meant && { label: `Results for ${meant}` }) });
  // Where a reader begins it is shown by what the search can be narrowed.
  const facets =
    window.previous === undefined ? await readPage(() => search.facets(query, FACETS, SHOWN_VALUES)) : undefined;
  const searched = searchedBy(request);
  const links = facets?.values.map((value) => facetLink(base, request.path, searched, value)) ?? [];
  const asked = query.text ?? query.name ?? query.identifier ?? "";
  return pageContent(foundPage(site, addresses, window.items, asked, pages, { total, meant, facets: links }));
}

/** What a request asks for. Throws `ProblemError` for parameters that there are not. */
export function searchOf(
  { query }: RouteRequest,
  endpoint: EndpointKey | undefined,
  others: readonly string[] = [],
): SearchQuery {
  const relations: AskedRelation[] = [];
  for (const [given, value] of query) {
    const isNot = given.startsWith(NOT);
    const name = isNot ? given.slice(NOT.length) : given;
    const property = PROPERTIES.get(name) ?? PROPERTIES.get(camelCase(name));
    if (property !== undefined) relations.push({ property, target: value, isNot });
    else if (others.includes(given)) continue;
    else if (!TEXTS.some((text) => text === given) && !OTHERS.includes(given)) {
      const known = [...TEXTS, ...OTHERS, ...PROPERTIES.keys()].join(", ");
      throw new ProblemError("malformed", { detail: `There is no parameter ${given}: there are ${known}.` });
    }
  }
  const [name, identifier, text] = TEXTS.map((each) => query.get(each) ?? undefined);
  const [type, order] = [query.get("type"), query.get("sort")];
  const sort = order === null ? undefined : SEARCH_ORDERS.find((each) => each === order);
  if (order !== null && sort === undefined) {
    throw new ProblemError("malformed", {
      detail: `There is no order ${order}: there are ${SEARCH_ORDERS.join(", ")}.`,
    });
  }
  const [begins, ends] = YEARS.map((each) => yearOf(each, query.get(each)));
  const [under, picture, changed] = ["under", "picture", "changed"].map((each) => query.get(each) || undefined);
  if (picture !== undefined && !PICTURED.has(picture))
    throw new ProblemError("malformed", { detail: `The parameter picture is yes or no; this is ${picture}.` });
  if (changed !== undefined && PERIODS[changed] === undefined && Number.isNaN(Date.parse(changed))) {
    const periods = Object.keys(PERIODS).join(", ");
    throw new ProblemError("malformed", {
      detail: `The parameter changed has to be ${periods} or a date, such as 2026-01-31; this is ${changed}.`,
    });
  }
  return {
    endpoint,
    name,
    identifier,
    text,
    relations,
    begins,
    ends,
    under,
    isPictured: PICTURED.get(picture ?? ""),
    changed,
    sort,
    ...(type === null || type === "" ? {} : { classes: [classOf(type)] }),
  };
}

/** Throws `ProblemError`. */
function classOf(type: string): string {
  const iri = classIri(type) ?? (className(type) === undefined ? undefined : type);
  if (iri !== undefined) return iri;
  throw new ProblemError("malformed", {
    detail: `There is no class ${type}; what entities are classified as is asked for by classifiedAs. Classes are ${CLASS_NAMES.join(", ")}.`,
  });
}

/** Throws `ProblemError`. */
function yearOf(name: string, given: string | null): number | undefined {
  if (given === null || given === "") return undefined;
  if (/^-?\d{1,6}$/.test(given)) return Number(given);
  throw new ProblemError("malformed", {
    detail: `The parameter ${name} has to be a year, such as 1889; this is ${given}.`,
  });
}
