/** `/problems`: what each type of problem means; the type's URL leads here. */
import type { Json } from "../../../rdf/record-graph.js";
import { type Content, jsonContent } from "../../message/content.js";
import { typeNegotiator } from "../../message/headers/negotiate.js";
import { problemTypePage, problemTypesPage } from "../../message/problems/error-page.js";
import { PROBLEMS, type ProblemName, problemType, TITLES } from "../../message/problems/problems.js";
import type { HtmlPage, Site } from "../../pages/site.js";
import { pageContent } from "../entities/pages.js";
import { ANY_OBJECT, pathParameter } from "../openapi/paths.js";
import { type Operation, type RouteMaker, type RouteRequest, readRoute } from "../route.js";

const NAMES = Object.keys(PROBLEMS) as ProblemName[];

function operation(id: string, summary: string, parameters: readonly Json[] = []): Operation {
  const content = { "application/json": ANY_OBJECT, "text/html": { type: "string" } };
  return { id, tag: "Service", summary, parameters, content, conditions: "tags", problems: ["not-found"] };
}

/** Data for programs and for whoever has no preference, a page for browsers. */
const negotiate = typeNegotiator(["application/json", "text/html"]);

interface Documentation {
  readonly data: Content;
  readonly page: (site: Site) => HtmlPage;
}

export const problemRoutes: RouteMaker = ({ base, site }) => {
  const documented = (name: ProblemName): Json => {
    const { status, advice } = PROBLEMS[name];
    return { type: problemType(base, name), status, title: TITLES[name], advice };
  };
  const all = documentation({ problems: NAMES.map(documented) }, problemTypesPage);
  const each = new Map<string, Documentation>(
    NAMES.map((name) => [name, documentation(documented(name), (read) => problemTypePage(read, name))]),
  );
  const name = pathParameter("name", "The type of problem.", NAMES);
  const ofOne = operation("problem", "A type of problem: when it comes, and what to do.", [name]);
  return [
    readRoute("/problems", "file", operation("problems", "All types of problems."), (request) =>
      chosen(all, request, site),
    ),
    readRoute("/problems/{name}", "file", ofOne, (request) =>
      chosen(each.get(request.parameter("name")), request, site),
    ),
  ];
};

function documentation(value: Json, page: (site: Site) => HtmlPage): Documentation {
  return { data: jsonContent(value), page };
}

function chosen(documentation: Documentation | undefined, request: RouteRequest, site: Site): Content | undefined {
  if (documentation === undefined || negotiate(request.headers.accept) !== "text/html") {
    return documentation?.data;
  }
  return pageContent(documentation.page(request.siteOf(site)));
}
