/** `/search/all` and `/search/{endpoint}`: records by name, identifier, text, class and what they refer to. */
import { ENDPOINTS, type EndpointName } from "../../../model/tables/endpoints.js";
import { FACETS, SEARCH_ORDERS, type Search, type SearchQuery } from "../../../store/search.js";
import { ProblemError } from "../../message/problems/problems.js";
import { isEndpoint } from "../../pages/home.js";
import { foundPage } from "../../pages/lists.js";
import { pageContent } from "../entities/pages.js";
import { parameter } from "../openapi/paths.js";
import type { Outcome, Route, RouteContext, RouteMaker, RouteRequest } from "../route.js";
import { searchOf, searchParameters } from "./asked.js";
import {
  addressesOf,
  formOf,
  ITEMS_A_PAGE,
  OF_PAGES,
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
      answer(
        context,
        search,
        request,
        searchOf(request.query, endpointOf(request), OF_PAGES),
        form(request.headers.accept),
      ),
  };
  return withTables(context, list, (request) => {
    const endpoint = endpointOf(request);
    return { endpoint, parts: search.all(searchOf(request.query, endpoint, [...OF_PAGES, ...OF_TABLES])) };
  });
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
