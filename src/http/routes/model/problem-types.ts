/** `/problems`: what each type of problem means; the type's URL leads here. */
import type { Json } from "../../../rdf/record-graph.js";
import { type Content, fixedContent } from "../../message/content.js";
import { negotiator } from "../../message/headers/negotiate.js";
import { problemTypePage, problemTypesPage } from "../../message/problems/error-page.js";
import { PROBLEMS, type ProblemName, problemType } from "../../message/problems/problems.js";
import type { HtmlPage } from "../../pages/site.js";
import { ANY_OBJECT, pathParameter } from "../openapi/paths.js";
import type { Operation, RouteMaker } from "../route.js";

const NAMES = Object.keys(PROBLEMS) as ProblemName[];

function operation(id: string, summary: string, parameters: readonly Json[] = []): Operation {
  const content = { "application/json": ANY_OBJECT, "text/html": { type: "string" } };
  return { id, tag: "Service", summary, parameters, content, conditions: "tags", problems: ["not-found"] };
}

/** Data for programs and for whoever has no preference, a page for browsers. */
const negotiate = negotiator(["application/json", "text/html"].map((mediaType) => ({ mediaType, profiles: [] })));

interface Documentation {
  readonly data: Content;
  readonly page: Content;
}

export const problemRoutes: RouteMaker = ({ base, site }) => {
  const documented = (name: ProblemName): Json => ({ type: problemType(base, name), ...PROBLEMS[name] });
  const all = documentation({ problems: NAMES.map(documented) }, problemTypesPage(site));
  const each = new Map<string, Documentation>(
    NAMES.map((name) => [name, documentation(documented(name), problemTypePage(site, name))]),
  );
  const name = pathParameter("name", "The type of problem.", NAMES);
  return [
    {
      path: "/problems",
      cost: "file",
      operations: { get: operation("problems", "All types of problems.") },
      answer: ({ headers }) => chosen(all, headers.accept),
    },
    {
      path: "/problems/{name}",
      cost: "file",
      operations: { get: operation("problem", "A type of problem: when it comes, and what to do.", [name]) },
      answer: (request) => chosen(each.get(request.parameter("name")), request.headers.accept),
    },
  ];
};

function documentation(value: Json, { body, headers }: HtmlPage): Documentation {
  return {
    data: fixedContent("application/json", `${JSON.stringify(value)}\n`),
    page: fixedContent("text/html; charset=utf-8", body, headers),
  };
}

function chosen(documentation: Documentation | undefined, accept: string | undefined): Content | undefined {
  return negotiate(accept)?.mediaType === "text/html" ? documentation?.page : documentation?.data;
}
