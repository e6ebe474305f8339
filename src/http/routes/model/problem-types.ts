/** `/problems`: what each type of problem means; the type's URL leads here. */
import type { Json } from "../../../rdf/record-graph.js";
import { type Content, jsonContent } from "../../message/content.js";
import { problemTypePage, problemTypesPage } from "../../message/problems/error-page.js";
import { PROBLEMS, type ProblemName, problemType, TITLES } from "../../message/problems/problems.js";
import type { HtmlPage, Site } from "../../pages/site.js";
import { pageContent, wantsPage } from "../entities/pages.js";
import { type Operation, type RouteMaker, type RouteRequest, readRoute } from "../route.js";

const NAMES = Object.keys(PROBLEMS) as ProblemName[];

function operation(id: string, summary: string): Operation {
  return { id, tag: "Service", summary, types: ["application/json", "text/html"], conditions: "tags" };
}

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
  const ofAll = operation("problems", "All types of problems.");
  const ofOne = operation("problem", "A type of problem: when it comes, and what to do.");
  const answerOne = (request: RouteRequest) => chosen(each.get(request.parameter("name")), request, site);
  return [
    readRoute("/problems", "file", ofAll, (request) => chosen(all, request, site)),
    readRoute("/problems/{name}", "file", ofOne, answerOne, { names: { name: NAMES } }),
  ];
};

function documentation(value: Json, page: (site: Site) => HtmlPage): Documentation {
  return { data: jsonContent(value), page };
}

function chosen(documentation: Documentation | undefined, request: RouteRequest, site: Site): Content | undefined {
  if (documentation === undefined || !wantsPage(request)) return documentation?.data;
  return pageContent(documentation.page(request.siteOf(site)));
}
