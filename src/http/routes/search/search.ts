/** `/search/all` and `/search/{endpoint}`, and `/search`, which leads there: records by name, identifier, text, class and what they refer to. */
import { camelCase } from "../../../model/vocabulary/vocabulary.js";
import {
  FACETS,
  type FacetName,
  type Facets,
  type FacetValue,
  SEARCH_ORDERS,
  type Search,
  type SearchQuery,
} from "../../../store/search.js";
import { COMMON_HEADERS } from "../../message/answer.js";
import { readPage } from "../../message/problems/store-unavailable.js";
import { entriesOf } from "../../pages/entries.js";
import { type ChosenLink, type List, listPage, meantHtml, viewOf, waysOn } from "../../pages/lists.js";
import { SEARCH_PATH } from "../../pages/site.js";
import { fill, type WordsFile } from "../../pages/words/words.js";
import { pageContent, pageOperation } from "../entities/pages.js";
import { ALWAYS, headersNamed } from "../openapi/headers.js";
import { parameter } from "../openapi/paths.js";
import { endpointParameter } from "../parameters.js";
import type { Operation, Outcome, Route, RouteContext, RouteMaker, RouteRequest } from "../route.js";
import {
  addressesOf,
  addressWith,
  formOf,
  ITEMS_A_PAGE,
  OF_PAGES,
  PAGE_CONTENT,
  PAGE_PARAMETERS,
  pageJson,
  windowOf,
} from "./collection-pages.js";
import { facetLink, inWords, isNarrowable, searchedBy } from "./facet-links.js";
import {
  chosenLinks,
  letterLinks,
  pageLinks,
  sortLinks,
  VIEW_PARAMETER,
  viewLinks,
  viewParameter,
} from "./list-links.js";
import { searchOf, searchParameters, TEXT_GUESSES } from "./search-parameters.js";
import { OF_TABLES, tableLinks, withTables } from "./tables.js";

/** Values of a facet that a page shows. */
const SHOWN_VALUES = 12;

/** Parameters that say what of a list is shown, and how. */
const OF_LISTS = ["view", ...OF_PAGES];

export const searchRoutes: RouteMaker = (context) => {
  const { search } = context.store;
  if (search === undefined) return [];
  const browse = "/browse/{endpoint}";
  const browsed = [...searchParameters(browse).slice(0, 1), ...PAGE_PARAMETERS];
  return [
    guessedRoute(context),
    ...listRoutes(context, search, "/search/all", searchOperation("searchAll", "/search/all")),
    ...listRoutes(context, search, "/search/{endpoint}", searchOperation("search", "/search/{endpoint}")),
    // An endpoint's records by label, for visitors: the search for all of them, under a name that reads well.
    ...listRoutes(
      context,
      search,
      browse,
      pageOperation("browse", "The records of an endpoint by label, to read.", browsed),
    ),
  ];
};

/** `/search?q=rijn`, which visitors and the search fields of browsers guess, leads to `/search/all?text=rijn`. */
function guessedRoute({ base }: RouteContext): Route {
  const get: Operation = {
    id: "searchGuessed",
    tag: "Search",
    summary: "Leads to the search for records of all kinds.",
    parameters: ["text", "q"].map((name) => parameter(name, "query", "What is looked for.")),
    content: {},
    responses: { 302: { description: "The search is at `Location`.", headers: headersNamed(["Location", ...ALWAYS]) } },
  };
  const answer = ({ query }: RouteRequest): Outcome => {
    const asked = new URLSearchParams();
    for (const [name, value] of query) asked.append(TEXT_GUESSES.includes(name) ? "text" : name, value);
    const location = `${base}${SEARCH_PATH}${asked.size === 0 ? "" : `?${asked}`}`;
    return { status: 302, headers: ["Location", location, "Content-Length", "0", ...COMMON_HEADERS], body: "" };
  };
  return { path: "/search", cost: "page", operations: { get }, answer };
}

function searchOperation(id: string, path: string): Operation {
  const sort = parameter("sort", "query", "In which order. Default: the best first, by label without a text.", {
    enum: [...SEARCH_ORDERS],
  });
  return {
    id,
    tag: "Search",
    summary: "Records by name, identifier, words, class and what they refer to.",
    description: `An OrderedCollectionPage of up to ${ITEMS_A_PAGE} records: those first that have the whole value, then those whose value begins so, then those that have the words in names, makers, kinds, texts. All parameters have to hold.`,
    parameters: [...searchParameters(path), sort, VIEW_PARAMETER, ...PAGE_PARAMETERS],
    content: PAGE_CONTENT,
    conditions: "tags",
    problems: ["malformed", "not-found"],
  };
}

/** A search as pages and as tables. */
function listRoutes(context: RouteContext, search: Search, path: string, get: Operation): Route[] {
  const endpointOf = path.includes("{") ? endpointParameter : () => undefined;
  const form = path.startsWith("/browse/") ? () => "html" as const : formOf(context.base);
  const asked = (request: RouteRequest, others: readonly string[] = []): SearchQuery =>
    searchOf(request.query, endpointOf(request), [...OF_LISTS, ...others]);
  const list: Route = {
    path,
    cost: "search",
    operations: { get },
    answer: (request) => answer(context, search, request, asked(request), form(request.headers.accept)),
  };
  return withTables(context, list, (request) => {
    return { endpoint: endpointOf(request), parts: search.all(asked(request, OF_TABLES)) };
  });
}

async function answer(
  context: RouteContext,
  search: Search,
  request: RouteRequest,
  query: SearchQuery,
  form: ReturnType<ReturnType<typeof formOf>>,
): Promise<Outcome> {
  const { base, addresses, store } = context;
  const isPage = form === "html";
  const asked = { ...windowOf(request), hasReasons: isPage, isBrief: isPage };
  const window = await readPage(() => search.find(query, asked));
  const { total, meant } = window;
  const path = request.path.replace(/^\/browse\//, "/search/");
  const url = base + path;
  const pages = addressesOf(url, request, window, total);
  if (form !== "html")
    return pageJson(request, pages, window.items, { total, form, ...(meant && { label: `Results for ${meant}` }) });
  const view = viewParameter(request);
  const site = request.siteOf(context.site);
  const { words } = site;
  const list = await readPage(async (): Promise<List> => {
    const { values: counted, isEstimated } = await facetsBeside(search, query);
    const values = await inWords(counted, store, site.reader);
    const chosen = await chosenLinks(base, path, request, store, values, words);
    const isLong = window.next !== undefined || window.previous !== undefined;
    const letters = isLong ? await search.letters(query) : [];
    const reasons = new Map(window.items.map(({ iri, reasons: each = [] }) => [iri, each.map(({ field }) => field)]));
    const entries = (await entriesOf(store, [...reasons.keys()], site.reader)).map((entry) => ({
      ...entry,
      why: words.foundIn(reasons.get(entry.iri)!),
    }));
    const searched = searchedBy(request);
    // A value without a name says nothing; one that all have, or that is chosen already, does not narrow.
    const isIdle = ({ facet, value, label, records }: FacetValue): boolean =>
      label.includes("://") ||
      records === total ||
      value === query.endpoint ||
      searched.some(([name, given]) => name === camelCase(facet) && given === value);
    return {
      title: titleOf(query, chosen, window.items.length > 0, words.file.list),
      address: site.path + request.target,
      asked: textOf(query),
      lead: meantHtml(site, meant, textOf(query)),
      entries,
      total,
      view,
      pages: pageLinks(pages, window.items.length, total),
      sorts: sortLinks(url, request, query, words),
      views: viewLinks(url, request, viewOf(entries, view), words),
      letters: letterLinks(url, request, letters, words),
      facets: isNarrowable(searched)
        ? values.filter((each) => !isIdle(each)).map((value) => facetLink(base, path, searched, value, words))
        : [],
      isEstimated,
      chosen,
      downloads: tableLinks(base, request),
      empty: waysOn(
        site,
        (await store.stats()).endpoints,
        chosen.length === 0 ? undefined : addressWith(`${base}/search/all`, [["text", textOf(query)]]),
      ),
    };
  });
  return pageContent(listPage(site, addresses, list));
}

/**
 * The facets by which a search can be narrowed or widened: values of one facet are alternatives, so those beside a chosen one are
 * counted as if it were not chosen.
 */
async function facetsBeside(search: Search, query: SearchQuery): Promise<Facets> {
  const { relations = [] } = query;
  const isChosen = (facet: FacetName): boolean =>
    relations.some(({ property, isNot }) => property === facet && isNot !== true);
  const without = (facet: FacetName): SearchQuery => ({
    ...query,
    relations: relations.filter(({ property, isNot }) => property !== facet || isNot === true),
  });
  const counted = await Promise.all([
    search.facets(
      query,
      FACETS.filter((facet) => !isChosen(facet)),
      SHOWN_VALUES,
    ),
    ...FACETS.filter(isChosen).map((facet) => search.facets(without(facet), [facet], SHOWN_VALUES)),
  ]);
  const values = counted.flatMap((each) => each.values);
  return {
    values: values.sort((left, right) => FACETS.indexOf(left.facet) - FACETS.indexOf(right.facet)),
    isEstimated: counted.some(({ isEstimated }) => isEstimated),
  };
}

/** The text that is looked for; empty where there is none. */
function textOf({ text, name, identifier }: SearchQuery): string {
  return text ?? name ?? identifier ?? "";
}

function titleOf(
  query: SearchQuery,
  chosen: readonly ChosenLink[],
  isFound: boolean,
  { all, quoted, nothing }: WordsFile["list"],
): string {
  const text = textOf(query);
  const asked = text === "" ? "" : fill(quoted, { text });
  const what = chosen.map(({ label }) => label).join(" · ") || all;
  return isFound ? asked || what : fill(nothing, { asked: asked || what });
}
