/** `/`: the home page, or for programs a description of the service and the collection. */
import type { Json } from "../../../rdf/record-graph.js";
import { isoTime } from "../../../store/record.js";
import type { Store } from "../../../store/store.js";
import { type Content, jsonContent } from "../../message/content.js";
import { typeNegotiator } from "../../message/headers/negotiate.js";
import { fromStore } from "../../message/problems/problems.js";
import type { Entry } from "../../pages/caption.js";
import { entriesOf } from "../../pages/entries.js";
import { chooseExamples, homePage } from "../../pages/home.js";
import { Known } from "../../pages/known.js";
import type { Site } from "../../pages/site.js";
import { DESCRIPTION_TYPES, datasetContent, datasetForSearchEngines } from "../harvest/dataset.js";
import { homeLinks, type RouteContext, type RouteMaker, type RouteRequest, readRoute } from "../route.js";
import { pageContent } from "./pages.js";

/** The types for programs come first: a client without a preference gets JSON. */
const negotiate = typeNegotiator(["application/json", "text/html", ...DESCRIPTION_TYPES]);

export const homeRoute: RouteMaker = (context) => {
  const get = {
    id: "service",
    tag: "Service",
    summary: "What the service is, and where things are.",
    description: "As RDF, in any of its formats: the description of the collection as a dataset.",
    types: ["application/json", "text/html", ...DESCRIPTION_TYPES],
    headers: ["Link"],
    conditions: "tags",
  } as const;
  const answer = async (request: RouteRequest): Promise<Content> => {
    const { routes, store } = context;
    const links = ["Link", homeLinks(routes, context.base)];
    const mediaType = negotiate(request.headers.accept) ?? "application/json";
    if (DESCRIPTION_TYPES.includes(mediaType)) return { ...(await datasetContent(context, mediaType)), headers: links };
    if (mediaType !== "text/html") return { ...jsonContent(await description(context)), headers: links };
    const site = request.siteOf(context.site);
    const welcome = {
      stats: await fromStore(() => store.stats()),
      examples: await fromStore(() => examplesFor(site, store)),
      paths: new Set(routes.map(({ path }) => path)),
      dataset: await datasetForSearchEngines(context),
    };
    const page = homePage(site, welcome);
    return pageContent({ ...page, headers: [...page.headers, ...links] });
  };
  return [readRoute("/", "page", get, answer)];
};

/** The example records of the home page: those of the settings, or rich ones, chosen once for each state of the store. */
async function examplesFor({ settings, reader }: Site, store: Store): Promise<readonly Entry[]> {
  const known = await Known.of(store);
  const named = settings.examples ?? [];
  if (named.length === 0) known.examples ??= await chooseExamples(store);
  return entriesOf(store, named.length > 0 ? named : (known.examples ?? []), reader, known);
}

async function description({ store, base, model, site, dumps }: RouteContext): Promise<Json> {
  const { records, endpoints, lastChange } = await fromStore(() => store.stats());
  return {
    name: site.title,
    records,
    endpoints: { ...endpoints },
    lastChange: isoTime(lastChange),
    entity: `${base}/entity?uri={iri}`,
    contextUri: model.contextUri,
    openapi: `${base}/openapi.json`,
    dataset: `${base}/.well-known/void`,
    ...(dumps === undefined ? {} : { dumps: `${base}/dumps/` }),
    ...(store.changes === undefined ? {} : { activity: `${base}/activity` }),
    context: `${base}/context`,
  };
}
