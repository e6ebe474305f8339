/** Pages that are no entity's: what refers to an entity, and the files that pages load. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { propertyIri } from "../../../model/vocabulary/vocabulary.js";
import type { Json } from "../../../rdf/record-graph.js";
import type { PageQuery } from "../../../store/record.js";
import { hasFacets } from "../../../store/store.js";
import { type Content, fixedContent } from "../../message/content.js";
import { ProblemError } from "../../message/problems/problems.js";
import { readPage } from "../../message/problems/store-unavailable.js";
import type { View } from "../../pages/entries.js";
import { referringPage } from "../../pages/lists.js";
import type { HtmlPage } from "../../pages/site.js";
import { SHIPPED } from "../../pages/words/languages.js";
import { filesIn, OF_FILES } from "../files.js";
import { parameter, pathParameter } from "../openapi/paths.js";
import { URI_PARAMETER } from "../parameters.js";
import { type Operation, type Route, type RouteContext, type RouteMaker, readRoute } from "../route.js";
import { VIEW_PARAMETER, viewLinks, viewParameter } from "../search/list-links.js";
import { inParts, tableLinks, withTables } from "../search/tables.js";

const HTML = "text/html; charset=utf-8";

export const pageRoutes: RouteMaker = (context) => [...assetRoutes(context), ...referringRoute(context)];

/** A page, whose tag is that of its text. */
export function pageContent({ body, headers }: HtmlPage): Content {
  return { ...fixedContent(HTML, body, headers), vary: "Accept-Language" };
}

/** The OpenAPI operation of a page to read. */
export function pageOperation(id: string, summary: string, parameters: readonly Json[]): Operation {
  return {
    id,
    tag: "Service",
    summary,
    parameters,
    content: { [HTML]: { type: "string" } },
    headers: ["Content-Language", "Content-Security-Policy", "Referrer-Policy"],
    problems: ["malformed", "not-found"],
  };
}

const AFTER = parameter("after", "query", "Where the page before ended.");

function referringRoute(context: RouteContext): Route[] {
  const { site, store, addresses, base } = context;
  if (!hasFacets(store, "references")) return [];
  const property: Json = { ...parameter("property", "query", "The property's IRI or term."), required: true };
  const parameters = [URI_PARAMETER, property, VIEW_PARAMETER, AFTER];
  const get = pageOperation("referring", "The records that refer to an entity, to read.", parameters);
  return withTables(
    context,
    readRoute("/referring", "search", get, async (request) => {
      const { query } = request;
      const read = request.siteOf(site);
      const asked = {
        ...referringParameters(query),
        after: query.get("after") ?? undefined,
        view: viewParameter(request),
        viewsBeside: (view: View) => viewLinks(`${base}/referring`, request, view, read.words),
        downloads: tableLinks(base, request),
      };
      return pageContent(await readPage(() => referringPage(read, store, addresses, asked)));
    }),
    ({ query }) => {
      const { uri, property } = referringParameters(query);
      const asked = { property: propertyIri(property) ?? property };
      const read = (window: PageQuery) => store.references.page(uri, { ...asked, ...window });
      return { parts: inParts(read, ({ record }) => record) };
    },
  );
}

/** Throws `ProblemError`. */
function referringParameters(query: URLSearchParams): { readonly uri: string; readonly property: string } {
  const [uri, property] = [query.get("uri"), query.get("property")];
  if (uri !== null && property !== null) return { uri, property };
  throw new ProblemError("malformed", { detail: "/referring needs the parameters uri and property." });
}

/** A file: `own`, or a path in a library; and its type. */
type Asset = readonly [file: string, type: string];

/** The files that pages load, each from where it is installed. */
const FILES: Readonly<Record<string, Asset>> = {
  "pages.css": ["own", "text/css; charset=utf-8"],
  "icon.svg": ["own", "image/svg+xml"],
  "pages.js": ["own", "text/javascript; charset=utf-8"],
  "viewer.js": ["own", "text/javascript; charset=utf-8"],
  "world.json": ["own", "application/json"],
  "leaflet/leaflet.css": ["leaflet/dist/leaflet.css", "text/css; charset=utf-8"],
  "leaflet/leaflet.js": ["leaflet/dist/leaflet.js", "text/javascript; charset=utf-8"],
  "openseadragon/openseadragon.min.js": [
    "openseadragon/build/openseadragon/openseadragon.min.js",
    "text/javascript; charset=utf-8",
  ],
};

/** The names of the files that all pages may load. */
export const ASSET_NAMES: readonly string[] = Object.keys(FILES);

/** The words that an institution's own languages begin with. */
const WORDS = SHIPPED.map((language): [string, Asset] => [`words/${language}.json`, ["own", "application/json"]]);
const CACHING = "max-age=600";

function assetRoutes({ site }: RouteContext): Route[] {
  const files: Readonly<Record<string, Asset>> = { ...FILES, ...Object.fromEntries(WORDS) };
  const known = new Map<string, Content>();
  const read = (name: string): Content | undefined => {
    const entry = files[name];
    if (entry === undefined || known.has(name)) return known.get(name);
    const content = { ...fixedContent(entry[1], readFileSync(placeOf(name, entry[0]), "utf8")), cacheControl: CACHING };
    known.set(name, content);
    return content;
  };
  const file = pathParameter("file", "Its name.", Object.keys(files));
  const operation: Operation = {
    id: "asset",
    tag: "Service",
    summary: "A file that pages load.",
    parameters: [file],
    content: { "text/css": {}, "text/javascript": {}, "image/svg+xml": {}, "application/json": {} },
    conditions: "tags",
    problems: ["not-found"],
  };
  const about = { tag: "Service", conditions: "tags" } as const;
  const iconOperation = { ...about, id: "icon", summary: "The service's icon.", content: { "image/svg+xml": {} } };
  const own = [
    // Browsers ask for it by themselves, also with JSON and Turtle, which name no icon.
    readRoute("/favicon.ico", "file", iconOperation, () => read("icon.svg")),
    readRoute("/assets/{file*}", "file", operation, (request) => read(request.parameter("file"))),
  ];
  const { directory } = site.theme;
  if (directory === undefined) return own;
  const ofTheme: Operation = {
    ...OF_FILES,
    id: "themeFile",
    tag: "Service",
    summary: "A file of the institution's own look.",
    parameters: [pathParameter("file", "Its name.")],
    content: { "*/*": {} },
  };
  const answer = filesIn(directory, "/assets/theme", ["Cache-Control", CACHING]);
  return [readRoute("/assets/theme/{file*}", "file", ofTheme, answer), ...own];
}

/** Files of libraries lie where they are installed, which is not always beside the service. */
function placeOf(name: string, file: string): string | URL {
  return file === "own"
    ? new URL(`../../../../assets/${name}`, import.meta.url)
    : createRequire(import.meta.url).resolve(file);
}
