/** `/search/all` and `/search/{endpoint}`, and the redirect at `/search`: records by name, identifier, text, class and references. */
import { meantText } from "../../../search/years.js";
import type { Search, SearchQuery, SearchWindow, WindowQuery } from "../../../store/search.js";
import { SEARCH_ORDERS } from "../../../store/search.js";
import { redirect } from "../../message/answer.js";
import type { Content } from "../../message/content.js";
import { readPage } from "../../message/problems/problems.js";
import type { Entry } from "../../pages/caption.js";
import { entriesOf, listedName, VIEWS } from "../../pages/entries.js";
import { type ChosenLink, type List, linksOnward, listPage, suggestionHtml } from "../../pages/lists.js";
import { SEARCH_PATH, type Site } from "../../pages/site.js";
import { fill, type Words } from "../../pages/words/words.js";
import { pageContent, pageOperation } from "../entities/pages.js";
import { leadingTo } from "../openapi/answers.js";
import { parameter } from "../openapi/paths.js";
import { type Operation, type RouteContext, type RouteMaker, type RouteRequest, readRoute } from "../route.js";
import {
  addressesOf,
  addressWith,
  formOf,
  ITEMS_A_PAGE,
  OF_LISTS,
  PAGE_PARAMETERS,
  PAGE_TYPES,
  type PageAddresses,
  type PageForm,
  pageJson,
  windowOf,
} from "./collection-pages.js";
import { facetLink, facetsBeside, inWords, narrowingValues, type Searched, searchedBy } from "./facets.js";
import { chosenLinks, letterLinks, pageLinks, sortLinks, VIEW_PARAMETER, viewLinks } from "./list-links.js";
import { chosenOf, SEARCH_PARAMETERS, searchOf, TEXT_GUESSES } from "./search-parameters.js";
import { tableLinks, withTables } from "./tables.js";

export const searchRoutes: RouteMaker = (context) => {
  const { search } = context.store;
  if (search === undefined) return [];
  const browsed = pageOperation("browse", "The records of an endpoint by label, as HTML.", PAGE_PARAMETERS);
  return [
    guessedRoute(context),
    ...listRoutes(context, search, "/search/all", { ...SEARCHED, id: "searchAll" }),
    ...listRoutes(context, search, "/search/{endpoint}", { ...SEARCHED, id: "search" }),
    // The search for all records of an endpoint by label, under a path that visitors understand.
    ...listRoutes(context, search, "/browse/{endpoint}", browsed),
  ];
};

const ORDERS = "The order. Default: by relevance, or by label if there is no text.";
const SORT = parameter("sort", "query", ORDERS, { enum: [...SEARCH_ORDERS] });

const SEARCHED: Omit<Operation, "id"> = {
  tag: "Search",
  summary: "Records by name, identifier, words, class and references.",
  description: `An OrderedCollectionPage of up to ${ITEMS_A_PAGE} records: first those that have exactly the value, then those with a value that begins with it, then those with its words in names, makers, kinds and texts. All parameters must match.`,
  parameters: [...SEARCH_PARAMETERS, SORT, VIEW_PARAMETER, ...PAGE_PARAMETERS],
  types: PAGE_TYPES,
  conditions: "tags",
};

/** Redirects `/search?q=rijn`, which visitors and browsers' search fields guess, to `/search/all?text=rijn`. */
function guessedRoute({ base }: RouteContext) {
  const get: Operation = {
    id: "searchGuessed",
    tag: "Search",
    summary: "Redirects to the search for records of all kinds.",
    parameters: ["text", "q"].map((name) => parameter(name, "query", "The text to search for.")),
    types: [],
    responses: { 302: leadingTo("The search is at `Location`.") },
  };
  return readRoute("/search", "page", get, ({ query }) => {
    const asked = [...query].map(([name, value]) => [TEXT_GUESSES.includes(name) ? "text" : name, value] as const);
    return redirect(addressWith(base + SEARCH_PATH, asked));
  });
}

function listRoutes(context: RouteContext, search: Search, path: string, get: Operation) {
  const endpointOf = path.includes("{") ? ({ endpoint }: RouteRequest) => endpoint : () => undefined;
  const form = path.startsWith("/browse/") ? () => "html" as const : formOf(context.base);
  const queryOf = (request: RouteRequest, others: readonly string[] = []): SearchQuery =>
    searchOf(request.query, endpointOf(request), [...OF_LISTS, ...others]);
  const list = readRoute(path, "search", get, (request) =>
    answer(context, search.for(request), request, queryOf(request), form(request.headers)),
  );
  return withTables(context, list, (request) => {
    return { endpoint: endpointOf(request), parts: search.for(request).all(queryOf(request, ["columns"])) };
  });
}

interface Listing {
  readonly url: string;
  readonly form: PageForm;
  readonly find: (window: WindowQuery) => Promise<SearchWindow>;
  readonly labelsOf: (window: SearchWindow) => string[];
  /** The parts of the HTML page that differ between lists. */
  readonly page: (
    site: Site,
    window: SearchWindow,
    entries: readonly Entry[],
    pages: PageAddresses,
  ) => Promise<Pick<List, "title"> & Partial<List>>;
}

/** Answers with a page of a list, as data or as HTML. Throws `ProblemError`. */
export async function listAnswer(context: RouteContext, request: RouteRequest, listing: Listing): Promise<Content> {
  const { base, store } = context;
  const { url, form, find, labelsOf, page } = listing;
  const isPage = form === "html";
  const part = { ...windowOf(request), hasReasons: isPage, isBrief: isPage };
  const window = await readPage(() => find(part));
  const { items, total } = window;
  const pages = addressesOf(url, request, window, total);
  if (!isPage) return pageJson(base, request, pages, items, { total, form, labels: labelsOf(window) });
  const view = chosenOf("view", request.query.get("view"), VIEWS);
  const site = request.siteOf(context.site);
  const list = await readPage(async (): Promise<List> => {
    const iris = items.map(({ iri }) => iri);
    const entries = await entriesOf(store, iris, site.reader);
    return {
      address: site.path + request.target,
      entries,
      total,
      view,
      pages: pageLinks(pages, items.length, total),
      views: (chosen) => viewLinks({ url, request, words: site.words }, chosen),
      downloads: tableLinks(base, request),
      ...(await page(site, window, entries, pages)),
    };
  });
  return pageContent(listPage(site, list));
}

function answer(context: RouteContext, search: Search, request: RouteRequest, query: SearchQuery, form: PageForm) {
  const path = request.path.replace(/^\/browse\//, "/search/");
  const url = context.base + path;
  return listAnswer(context, request, {
    url,
    form,
    find: (window) => search.find(query, window),
    labelsOf: ({ meant, near }) =>
      [meant && `Results for ${meantText(meant)}`, near && `Did you mean ${near}?`].flatMap((each) => each ?? []),
    page: async (site, window, entries, { startIndex }) => {
      const { base, store } = context;
      const { words } = site;
      const text = request.query.get("text") ?? query.name ?? query.identifier ?? "";
      const searched = searchedBy(request);
      const { values: counted, isEstimated } = await facetsBeside(search, query);
      const values = await inWords(counted, store, site.reader);
      const names = new Map(values.map(({ value, label }) => [value, label]));
      const nameOf = async (iri: string): Promise<string> => names.get(iri) ?? listedName(store, iri, site.reader);
      const list = { url, request, words };
      const chosen = await chosenLinks(list, base, nameOf);
      const isLong = window.next !== undefined || window.previous !== undefined;
      const letters = isLong ? await search.letters(query) : [];
      const narrowing = narrowingValues(values, query, searched, window.total);
      const wider = chosen.length === 0 ? undefined : addressWith(`${base}/search/all`, [["text", text]]);
      return {
        title: titleOf(text, window, chosen, words),
        query: text,
        lead: suggestionHtml(site, text, window, (near) => addressWith(url, withText(searched, near, query))),
        entries: withReasons(entries, window, words),
        sorts: sortLinks(list, query),
        letters: letterLinks(list, letters, startIndex),
        facets: narrowing.map((value) => facetLink(base, path, searched, value, words)),
        isEstimated,
        chosen,
        empty: linksOnward(site, (await store.stats()).endpoints, wider),
      };
    },
  });
}

/** The title of a search's page: its text in quotation marks, or else its conditions. */
function titleOf(given: string, { items }: SearchWindow, chosen: readonly ChosenLink[], words: Words): string {
  const { all, quoted, nothing } = words.file.list;
  const conditions = chosen.map(({ label }) => label).join(" · ");
  const asked = given === "" ? conditions || all : fill(quoted, { text: given });
  return items.length > 0 ? asked : fill(nothing, { asked });
}

/** The parameters of a search with another text. The words that records must not have follow the text. */
function withText(searched: Searched, text: string, query: SearchQuery): Searched {
  return searched.map(([name, given]) => [name, name === "text" ? text + given.slice(query.text!.length) : given]);
}

/** The entries of a search's page, each with the reasons why it was found. */
function withReasons(entries: readonly Entry[], { items }: SearchWindow, words: Words): Entry[] {
  const reasons = new Map(items.map(({ iri, reasons: each = [] }) => [iri, each.map(({ field }) => field)]));
  return entries.map((entry) => ({ ...entry, why: words.foundIn(reasons.get(entry.iri)!) }));
}
