/** `/`: what the service is, and where things are. */
import type { Json } from "../../rdf/record-graph.js";
import { momentaryJson } from "../content.js";
import { fromStore } from "../problems/store-unavailable.js";
import { homeLinks } from "./links.js";
import { ANY_OBJECT } from "./openapi/paths.js";
import type { RouteContext, RouteMaker } from "./route.js";

export const homeRoute: RouteMaker = (context) => [
  {
    path: "/",
    cost: "page",
    operations: {
      get: {
        id: "service",
        tag: "Service",
        summary: "What the service is, and where things are.",
        content: { "application/json": ANY_OBJECT },
        headers: ["Link"],
      },
    },
    answer: async () => ({
      ...momentaryJson(await description(context)),
      headers: ["Link", homeLinks(context.routes, context.base)],
    }),
  },
];

async function description({ store, base, model, context }: RouteContext): Promise<Json> {
  const { records, endpoints, lastChange } = await fromStore(() => store.stats());
  return {
    name: "Vitrine",
    records,
    endpoints: { ...endpoints },
    lastChange: lastChange === null ? null : new Date(lastChange).toISOString(),
    entity: `${base}/entity?uri={iri}`,
    contextUri: model.contextUri,
    openapi: `${base}/openapi.json`,
    ...(store.capabilities.changes ? { activity: `${base}/activity` } : {}),
    ...(context === undefined ? {} : { context: `${base}/context` }),
  };
}
