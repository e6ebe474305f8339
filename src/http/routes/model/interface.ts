/** `/openapi.json` and `/openapi.html`: the description of the interface, for programs and for people. */
import { lazily } from "../../../base/lazily.js";
import { type Content, jsonContent } from "../../message/content.js";
import { pageContent } from "../entities/pages.js";
import { examplesOf } from "../openapi/examples.js";
import { openApi } from "../openapi/openapi.js";
import { openApiPage } from "../openapi/page.js";
import { type RouteMaker, type RouteRequest, readRoute } from "../route.js";

const JSON_TYPE = "application/vnd.oai.openapi+json;version=3.1";

export const interfaceRoutes: RouteMaker = (context) => {
  // Made when it is first asked for: it tells of all routes, which are not there before.
  const description = lazily(() => openApi(context));
  const json = lazily(() => jsonContent(description(), JSON_TYPE));
  const about = { tag: "Service", conditions: "tags" } as const;
  const get = { ...about, id: "openapi", summary: "This description.", types: [JSON_TYPE] };
  const page = { ...about, id: "openapiPage", summary: "This description, to read.", types: ["text/html"] };
  const answerPage = async (request: RouteRequest): Promise<Content> => {
    const site = request.siteOf(context.site);
    return pageContent(openApiPage(description(), site, await examplesOf(context)));
  };
  return [
    readRoute("/openapi.json", "file", get, () => json(), {
      link: { relation: "service-desc", mediaType: "application/vnd.oai.openapi+json" },
    }),
    readRoute("/openapi.html", "page", page, answerPage, {
      link: { relation: "service-doc", mediaType: "text/html" },
    }),
  ];
};
