/** `/problems`: the documentation of each type of problem, at the type's URL. */
import type { Json } from "../../../rdf/record-graph.js";
import { type Content, jsonContent } from "../../message/content.js";
import { problemTypePage, problemTypesPage } from "../../message/problems/error-page.js";
import { PROBLEM_NAMES, PROBLEMS, type ProblemName, problemType, TITLES } from "../../message/problems/problems.js";
import type { HtmlPage, Site } from "../../pages/site.js";
import { pageContent, wantsPage } from "../entities/pages.js";
import { type RouteMaker, type RouteRequest, readRoute } from "../route.js";

const ABOUT = { tag: "Service", types: ["application/json", "text/html"], conditions: "tags" } as const;
const ALL = { ...ABOUT, id: "problems", summary: "All types of problems." };
const ONE = { ...ABOUT, id: "problem", summary: "A type of problem: its cause, and what to do about it." };

export const problemRoutes: RouteMaker = ({ base, site }) => {
  const documented = (name: ProblemName): Json => {
    const [status, advice] = PROBLEMS[name];
    return { type: problemType(base, name), status, title: TITLES[name], advice };
  };
  const all = jsonContent({ problems: PROBLEM_NAMES.map(documented) });
  const each = new Map<string, Content>(PROBLEM_NAMES.map((name) => [name, jsonContent(documented(name))]));
  const chosen = (request: RouteRequest, data: Content, page: (site: Site) => HtmlPage): Content =>
    wantsPage(request) ? pageContent(page(request.siteOf(site))) : data;
  const answerOne = (request: RouteRequest): Content | undefined => {
    const name = request.parameter("name");
    const data = each.get(name);
    return data && chosen(request, data, (read) => problemTypePage(read, name as ProblemName));
  };
  return [
    readRoute("/problems", "file", ALL, (request) => chosen(request, all, problemTypesPage)),
    readRoute("/problems/{name}", "file", ONE, answerOne, { names: { name: PROBLEM_NAMES } }),
  ];
};
