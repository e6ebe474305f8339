/** `/dumps/`: complete files of the collection, written by `vitrine dump`. */
import { type DumpManifest, dumpsIn, dumpUrl, megabytes, RECORD_FORMATS } from "../../../harvest/dumps/manifest.js";
import { ENDPOINT_NAMES } from "../../../model/tables/names.js";
import type { Json } from "../../../rdf/record-graph.js";
import { redirect } from "../../message/answer.js";
import { type Content, jsonContent } from "../../message/content.js";
import { ProblemError } from "../../message/problems/problems.js";
import { html, join, linkHtml, text } from "../../pages/markup.js";
import { pageContent, wantsPage } from "../entities/pages.js";
import { filesIn, OF_FILES } from "../files.js";
import { leadingTo } from "../openapi/answers.js";
import { type Route, type RouteContext, type RouteMaker, type RouteRequest, readRoute } from "../route.js";

/** The files of a dump never change while it exists. */
const HEADERS = ["Cache-Control", "public, max-age=86400, immutable"];

export const dumpRoutes: RouteMaker = ({ base, site, dumps }) => {
  if (dumps === undefined) return [];
  const list = async (request: RouteRequest): Promise<Content> => {
    const all = await dumpsIn(dumps);
    if (wantsPage(request)) return pageOf(all, base, request.siteOf(site));
    return jsonContent({ dumps: all.map((dump) => described(dump, base)) }, undefined, 1);
  };
  const about = {
    tag: "Harvest",
    summary: "The available dumps, the newest first.",
    types: ["application/json", "text/html"],
    conditions: "tags",
  } as const;
  const file = {
    ...OF_FILES,
    id: "dumpFile",
    tag: "Harvest",
    summary: "A file of a dump, or a part of it.",
    types: ["application/gzip", "application/json", "application/octet-stream"],
  } as const;
  return [
    readRoute("/dumps", "page", { ...about, id: "dumpList" }, list),
    readRoute("/dumps/", "page", { ...about, id: "dumps" }, list),
    latestRoute(base, dumps),
    readRoute("/dumps/{dump}/{file}", "dump", file, filesIn(dumps, "/dumps", HEADERS)),
  ];
};

/** A permanent URL that redirects to the file of the newest dump. */
function latestRoute(base: string, dumps: string): Route {
  const names = { of: ["all", ...ENDPOINT_NAMES, "none"], format: RECORD_FORMATS.map(({ name }) => name) };
  const get = {
    id: "latestDump",
    tag: "Harvest",
    summary: "Leads to a file of the newest dump.",
    types: [],
    responses: { 302: leadingTo("The newest dump has the file at `Location`.") },
  } as const;
  const answer = async (request: RouteRequest) => {
    const [newest] = await dumpsIn(dumps);
    const [of, format] = [request.parameter("of"), request.parameter("format")];
    const file = newest?.files.find((each) => each.of === of && each.format === format);
    if (file === undefined) {
      const lacking = `The newest dump has no ${of}.${format}.gz; /dumps/ lists its files.`;
      throw new ProblemError("not-found", newest === undefined ? "There is no dump yet." : lacking);
    }
    return redirect(dumpUrl(base, newest!, file.name));
  };
  return readRoute("/dumps/latest/{of}.{format}.gz", "page", get, answer, { names });
}

function described(dump: DumpManifest, base: string): Json {
  const { made, sequence, lastChange, records, triples, files } = dump;
  return {
    ...{ made, sequence, lastChange, records, triples },
    checksums: dumpUrl(base, dump, "SHA256SUMS"),
    manifest: dumpUrl(base, dump, "dump.json"),
    files: files.map(({ name, ...file }) => ({ url: dumpUrl(base, dump, name), ...file })),
  };
}

function pageOf(dumps: readonly DumpManifest[], base: string, site: RouteContext["site"]) {
  const sections = dumps.map((dump) => {
    const link = (name: string) => linkHtml(dumpUrl(base, dump, name), name);
    const rows = dump.files.map(({ name, records, bytes }) => {
      const size = `${site.words.count("records", records)}, ${megabytes(bytes)}`;
      return html`<li>${link(name)} ${text(size)}</li>\n`;
    });
    return html`<h2>${text(dump.made)}</h2>\n<ul>\n${join(rows)}<li>${link("SHA256SUMS")}</li>\n</ul>\n`;
  });
  const { list, service } = site.words.file;
  const none = html`<p>${text(list.empty)}</p>`;
  const content = html`<article class="plain"><h1>${text(service.dumps)}</h1>\n${sections.length === 0 ? none : join(sections)}</article>`;
  return pageContent(site.page({ title: service.dumps, address: `${site.path}/dumps/` }, content));
}
