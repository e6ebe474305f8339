/** The routes that a site has in place of a service's: lists to read page by page, and a page on using the files. */
import { dumpsIn, dumpUrl } from "../../harvest/dumps/manifest.js";
import { missingPage } from "../../http/message/problems/error-page.js";
import { entriesOf } from "../../http/pages/entries.js";
import { listPage, referringPage } from "../../http/pages/lists.js";
import { html, join, text } from "../../http/pages/markup.js";
import { pageContent, pageOperation } from "../../http/routes/entities/pages.js";
import type { Route, RouteContext, RouteMaker, RouteRequest } from "../../http/routes/route.js";
import { PREFIXES } from "../../model/vocabulary/vocabulary.js";
import { hasFacets } from "../../store/store.js";
import { SEARCH_PAGE, searchPage } from "./site-search.js";

/** What hosts answer where there is no file. */
export const MISSING_PAGE = "/404.html";

export const siteRoutes: RouteMaker = (context) => [
  route("/browse/{endpoint}", "browse", (request) => browsed(context, request)),
  route("/referring", "referring", (request) => referring(context, request)),
  route("/openapi.html", "data", () => dataPage(context)),
  route(MISSING_PAGE, "missing", async () => pageContent(missingPage(context.site, MISSING_PAGE))),
  route(SEARCH_PAGE, "search", async () => pageContent(await searchPage(context))),
];

function route(path: string, id: string, answer: Route["answer"]): Route {
  return { path, cost: "page", operations: { get: pageOperation(id, "A page of the site.", []) }, answer };
}

/** The records of a kind, sorted by label. */
async function browsed({ store, site, base }: RouteContext, { endpoint, query }: RouteRequest) {
  if (!hasFacets(store, "lists")) return undefined;
  const after = query.get("after") ?? undefined;
  const { items, next } = await store.lists.page(endpoint, { after, limit: 50 });
  const iris = items.map(({ iri }) => iri);
  const address = (from?: string) =>
    `${base}/browse/${endpoint}${from === undefined ? "" : `?after=${encodeURIComponent(from)}`}`;
  const page = listPage(site, {
    title: site.words.file.endpoint[endpoint].many,
    address: address(after),
    entries: await entriesOf(store, iris, site.reader),
    total: (await store.stats()).endpoints[endpoint],
    pages: { first: after === undefined ? undefined : address(), next: next === undefined ? undefined : address(next) },
  });
  return pageContent(page);
}

async function referring({ store, site }: RouteContext, { query }: RouteRequest) {
  const [uri, property] = [query.get("uri"), query.get("property")];
  if (!hasFacets(store, "references") || uri === null || property === null) return undefined;
  return pageContent(await referringPage(site, store, { uri, property, after: query.get("after") ?? undefined }));
}

/** The page at the address where a service describes its interface. */
async function dataPage({ site, representations, dumps, base }: RouteContext) {
  const forms = representations.flatMap(({ label, suffix, contentType }) =>
    label === undefined || suffix === null
      ? []
      : [html`<div><dt>${text(label)}</dt><dd><code>${text(suffix)}</code> ${text(contentType)}</dd></div>\n`],
  );
  const [dump] = dumps === undefined ? [] : await dumpsIn(dumps);
  const file = dump?.files.find(({ of, format }) => of === "all" && format === "nt");
  const url = dump && file ? dumpUrl(base, dump, file.name) : undefined;
  const query = `PREFIX crm: <${PREFIXES.crm}> SELECT ?class (COUNT(*) AS ?count) { ?s a ?class } GROUP BY ?class`;
  const asked =
    url === undefined
      ? html`<p>There is no dump yet.</p>\n`
      : html`<p>There is no SPARQL endpoint here. A query is answered from a dump, on your own machine: with <a href="https://comunica.dev/">Comunica</a>, on Node.js 24 or newer,</p>
<pre><code>curl -L ${text(url)} | gunzip &gt; records.nt
npx -p @comunica/query-sparql-file comunica-sparql-file records.nt "${text(query)}"</code></pre>
<p>or, of single records, in the browser, with <a href="https://query.comunica.dev/">query.comunica.dev</a> and the addresses of their Turtle as its sources.</p>\n`;
  const content = html`<article class="plain"><h1>Data</h1>
<p>The collection is published as files. The suffix of a record's address selects its form:</p>
<dl class="rows">
${join(forms)}</dl>
<ul>
<li><a href="${text(`${site.path}/dumps/`)}">Complete files</a> of all records</li>
<li><a href="${text(`${site.path}/activity`)}">The change stream</a> (IIIF Change Discovery), and <a href="${text(`${site.path}/ldes`)}">as a Linked Data Event Stream</a></li>
<li><a href="${text(`${site.path}/.well-known/void`)}">The description</a> of the collection as a dataset (VoID, DCAT), in Turtle</li>
<li><a href="${text(`${site.path}/sitemap.xml`)}">The sitemap</a></li>
</ul>
<h2>Queries</h2>
${asked}</article>`;
  return pageContent(site.page({ title: "Data", address: `${site.path}/openapi.html` }, content));
}
