/** Pages other than those of entities: the records that refer to an entity, and the files that pages load. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { lazily } from "../../../base/lazily.js";
import { packageFile } from "../../../base/package-files.js";
import { REFERRING_PROPERTIES } from "../../../model/relations.js";
import { PROPERTY_NAMES } from "../../../model/vocabulary/vocabulary.js";
import type { Json } from "../../../rdf/record-graph.js";
import { hasFacets, pagesOf } from "../../../store/store.js";
import { type Content, fixedContent } from "../../message/content.js";
import { typeNegotiator } from "../../message/headers/negotiate.js";
import { malformed, readPage } from "../../message/problems/problems.js";
import { VIEWS, type View } from "../../pages/entries.js";
import { referringIri, referringPage } from "../../pages/lists.js";
import type { HtmlPage } from "../../pages/site.js";
import { SHIPPED } from "../../pages/words/languages.js";
import { filesIn, OF_FILES } from "../files.js";
import { parameter, URI_PARAMETER } from "../openapi/paths.js";
import { type Route, type RouteContext, type RouteMaker, type RouteRequest, readRoute } from "../route.js";
import { VIEW_PARAMETER, viewLinks } from "../search/list-links.js";
import { checkParameter, chosenOf } from "../search/search-parameters.js";
import { type TableList, tableLinks, withTables } from "../search/tables.js";

const HTML = "text/html; charset=utf-8";

export const pageRoutes: RouteMaker = (context) => [...assetRoutes(context), ...referringRoute(context)];

/** The content of a page, with a tag of its hash. */
export function pageContent({ body, headers }: HtmlPage): Content {
  return { ...fixedContent(HTML, body, headers), vary: "Accept-Language" };
}

const negotiate = typeNegotiator(["application/json", "text/html"]);

/** Whether a client prefers a page to data; one without a preference gets data. */
export function wantsPage({ headers }: RouteRequest): boolean {
  return negotiate(headers.accept) === "text/html";
}

/** The OpenAPI operation of a page for readers. */
export function pageOperation(id: string, summary: string, parameters: readonly Json[]) {
  return { id, tag: "Service", summary, parameters, types: [HTML], conditions: "tags" } as const;
}

function referringRoute(context: RouteContext): Route[] {
  const { site, store, base } = context;
  if (!hasFacets(store, "references")) return [];
  const property: Json = { ...parameter("property", "query", "The property's IRI or term."), required: true };
  const after = parameter("after", "query", "The cursor at which the previous page ended.");
  const parameters = [URI_PARAMETER, property, VIEW_PARAMETER, after];
  const get = pageOperation("referring", "The records that refer to an entity, to read.", parameters);
  return withTables(
    context,
    readRoute("/referring", "search", get, async (request) => {
      const { query } = request;
      const read = request.siteOf(site);
      const options = {
        ...referringParameters(query, "view", "after"),
        after: query.get("after") ?? undefined,
        view: chosenOf("view", query.get("view"), VIEWS),
        views: (view: View) => viewLinks({ url: `${base}/referring`, request, words: read.words }, view),
        downloads: tableLinks(base, request),
      };
      return pageContent(await readPage(() => referringPage(read, store, options)));
    }),
    ({ query }) => {
      const { uri, property } = referringParameters(query, "columns", "view", "after");
      const parts = async function* (): TableList["parts"] {
        const iri = referringIri(await store.references.counts(uri), property);
        const pages = pagesOf((window) => store.references.page(uri, { property: iri, ...window }));
        for await (const items of pages) yield items.map(({ record }) => record);
      };
      return { parts: parts() };
    },
  );
}

function referringParameters(query: URLSearchParams, ...others: readonly string[]) {
  for (const each of query.keys()) checkParameter(query, each, ["uri", "property", ...others]);
  const [uri, given] = [query.get("uri"), query.get("property")];
  if (uri === null || given === null) throw malformed("/referring needs the parameters uri and property.");
  const property = REFERRING_PROPERTIES.get(given) ?? given;
  if (property.includes(":") || PROPERTY_NAMES.some((term) => term === property)) return { uri, property };
  throw malformed(`There is no property ${given}; give its IRI, or its term, such as part_of.`);
}

const CSS = "text/css; charset=utf-8";
const SCRIPT = "text/javascript; charset=utf-8";
const JSON_TYPE = "application/json";

type Asset = readonly [name: string, type: string, inLibrary?: string];

/** The files that pages may load, each with its type. The third member is the place of a file in an installed library, which may be anywhere. */
const FILES: readonly Asset[] = [
  ["pages.css", CSS],
  ["icon.svg", "image/svg+xml"],
  ["pages.js", SCRIPT],
  ["viewer.js", SCRIPT],
  ["world.json", JSON_TYPE],
  ["leaflet/leaflet.css", CSS, "leaflet/dist/leaflet.css"],
  ["leaflet/leaflet.js", SCRIPT, "leaflet/dist/leaflet.js"],
  ["openseadragon/openseadragon.min.js", SCRIPT, "openseadragon/build/openseadragon/openseadragon.min.js"],
];

export const ASSET_NAMES: readonly string[] = FILES.map(([name]) => name);

/** The interface texts of the shipped languages. Institutions translate them into further languages. */
const WORDS = SHIPPED.map((language): Asset => [`words/${language}.json`, JSON_TYPE]);
const CACHING = "max-age=600";

function assetRoutes({ site }: RouteContext): Route[] {
  const files = [...FILES, ...WORDS];
  const contents = new Map(files.map((file) => [file[0], lazily(() => contentOf(file))]));
  const about = { tag: "Service", conditions: "tags" } as const;
  const icon = { ...about, id: "icon", summary: "The service's icon.", types: ["image/svg+xml"] };
  const types = [...new Set(files.map(([, type]) => type.split(";")[0]!))];
  const asset = { ...about, id: "asset", summary: "A file that pages load.", types };
  const names = { file: [...contents.keys()] };
  const own = [
    // Browsers request this path by themselves, even for JSON and Turtle, which cannot name an icon.
    readRoute("/favicon.ico", "file", icon, () => contents.get("icon.svg")!()),
    readRoute("/assets/{file*}", "file", asset, (request) => contents.get(request.parameter("file"))?.(), { names }),
  ];
  const { directory } = site.theme;
  if (directory === undefined) return own;
  const ofTheme = {
    ...OF_FILES,
    id: "themeFile",
    tag: "Service",
    summary: "A file of the institution's theme.",
    types: ["*/*"],
  } as const;
  const answer = filesIn(directory, "/assets/theme", ["Cache-Control", CACHING]);
  return [readRoute("/assets/theme/{file*}", "file", ofTheme, answer), ...own];
}

function contentOf([name, type, inLibrary]: Asset): Content {
  const place =
    inLibrary === undefined ? packageFile(`assets/${name}`) : createRequire(import.meta.url).resolve(inLibrary);
  return { ...fixedContent(type, readFileSync(place, "utf8")), cacheControl: CACHING };
}
