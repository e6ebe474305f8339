/** The routes that a site has in place of a service's: lists that are read from page to page, and what can be done with the files. */
import { entriesOf } from "../../http/pages/entries.js";
import { listPage, referringPage } from "../../http/pages/lists.js";
import { pageContent, pageOperation } from "../../http/routes/entities/pages.js";
import { endpointParameter } from "../../http/routes/parameters.js";
import type { Route, RouteContext, RouteMaker, RouteRequest } from "../../http/routes/route.js";
import { hasFacets } from "../../store/store.js";
import { dataPage } from "./data-page.js";
import { SEARCH_PAGE, searchPage } from "./site-search.js";

/** Records of a page. */
const PAGE = 50;

export const siteRoutes: RouteMaker = (context) => [
  route("/browse/{endpoint}", "browse", (request) => browsed(context, request)),
  route("/referring", "referring", (request) => referring(context, request)),
  route("/openapi.html", "data", () => dataPage(context)),
  route(SEARCH_PAGE, "search", async () => pageContent(await searchPage(context))),
];

function route(path: string, id: string, answer: Route["answer"]): Route {
  return { path, cost: "page", operations: { get: pageOperation(id, "A page of the site.", []) }, answer };
}

/** The records of a kind by label. */
async function browsed({ store, site, base, addresses }: RouteContext, request: RouteRequest) {
  if (!hasFacets(store, "lists")) return undefined;
  const endpoint = endpointParameter(request);
  const after = request.query.get("after") ?? undefined;
  const { items, next } = await store.lists.page(endpoint, { after, limit: PAGE });
  const iris = items.map(({ iri }) => iri);
  const address = (from?: string) =>
    `${base}/browse/${endpoint}${from === undefined ? "" : `?after=${encodeURIComponent(from)}`}`;
  const page = listPage(site, addresses, {
    title: site.words.file.endpoint[endpoint].many,
    address: address(after),
    entries: await entriesOf(store, iris, site.reader),
    total: (await store.stats()).endpoints[endpoint],
    pages: { first: after === undefined ? undefined : address(), next: next === undefined ? undefined : address(next) },
  });
  return pageContent(page);
}

async function referring({ store, site, addresses }: RouteContext, { query }: RouteRequest) {
  const [uri, property] = [query.get("uri"), query.get("property")];
  if (!hasFacets(store, "references") || uri === null || property === null) return undefined;
  const asked = { uri, property, after: query.get("after") ?? undefined, view: undefined };
  return pageContent(await referringPage(site, store, addresses, { ...asked, viewsBeside: () => [] }));
}
