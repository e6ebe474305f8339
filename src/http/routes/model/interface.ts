/** `/openapi.json` and `/openapi.html`: the description of the interface, for programs and for people. */
import type { JsonObject } from "../../../rdf/record-graph.js";
import { type Content, fixedContent } from "../../message/content.js";
import { pageContent } from "../entities/pages.js";
import { examplesOf } from "../openapi/examples.js";
import { openApi } from "../openapi/openapi.js";
import { openApiPage } from "../openapi/page.js";
import { ANY_OBJECT } from "../openapi/paths.js";
import type { RouteContext, RouteMaker } from "../route.js";

const JSON_TYPE = "application/vnd.oai.openapi+json;version=3.1";
const HTML_TYPE = "text/html; charset=utf-8";

export const interfaceRoutes: RouteMaker = (context) => {
  const described = describing(context);
  const about = { tag: "Service", conditions: "tags" } as const;
  return [
    {
      path: "/openapi.json",
      cost: "file",
      link: { relation: "service-desc", mediaType: "application/vnd.oai.openapi+json" },
      operations: {
        get: { ...about, id: "openapi", summary: "This description.", content: { [JSON_TYPE]: ANY_OBJECT } },
      },
      answer: () => described().json,
    },
    {
      path: "/openapi.html",
      cost: "page",
      link: { relation: "service-doc", mediaType: "text/html" },
      operations: {
        get: {
          ...about,
          id: "openapiPage",
          summary: "This description, to read.",
          content: { [HTML_TYPE]: {} },
          headers: ["Content-Language", "Content-Security-Policy", "Referrer-Policy"],
        },
      },
      answer: async (request) => {
        const site = request.siteOf(context.site);
        return pageContent(openApiPage(described().description, site, await examplesOf(context)));
      },
    },
  ];
};

/** The description, made when it is first asked for: it tells of all routes, which are not there before. */
function describing(context: RouteContext): () => { readonly description: JsonObject; readonly json: Content } {
  let made: { readonly description: JsonObject; readonly json: Content } | undefined;
  return () => {
    if (made === undefined) {
      const description = openApi(context);
      made = { description, json: fixedContent(JSON_TYPE, `${JSON.stringify(description)}\n`) };
    }
    return made;
  };
}
