/** `/problems`: what each type of problem means; the type's URL leads here. */
import type { Json } from "../../rdf/record-graph.js";
import { type Content, fixedContent } from "../content.js";
import { PROBLEMS, type ProblemName, problemType } from "../problems/problems.js";
import { ANY_OBJECT, pathParameter } from "./openapi/paths.js";
import type { Operation, RouteMaker } from "./route.js";

const NAMES = Object.keys(PROBLEMS) as ProblemName[];

function operation(id: string, summary: string, parameters: readonly Json[] = []): Operation {
  const content = { "application/json": ANY_OBJECT };
  return { id, tag: "Service", summary, parameters, content, conditions: "tags", problems: ["not-found"] };
}

export const problemRoutes: RouteMaker = ({ base }) => {
  const documented = (name: ProblemName): Json => ({ type: problemType(base, name), ...PROBLEMS[name] });
  const all = content({ problems: NAMES.map(documented) });
  const each = new Map<string, Content>(NAMES.map((name) => [name, content(documented(name))]));
  const name = pathParameter("name", "The type of problem.", NAMES);
  return [
    {
      path: "/problems",
      cost: "file",
      operations: { get: operation("problems", "All types of problems.") },
      answer: () => all,
    },
    {
      path: "/problems/{name}",
      cost: "file",
      operations: { get: operation("problem", "A type of problem: when it comes, and what to do.", [name]) },
      answer: (request) => each.get(request.parameter("name")),
    },
  ];
};

function content(value: Json): Content {
  return fixedContent("application/json", `${JSON.stringify(value)}\n`);
}
