/** `/sparql`: queries, and below it the files of the query editor. */
import { lazily } from "../../../base/lazily.js";
import { PROBLEM_OF } from "../../../query/engine.js";
import type { Json } from "../../../rdf/record-graph.js";
import { fixedContent } from "../../message/content.js";
import { DIRECT, FORMAT_NAMES, GRAPH_OFFERS, mediaTypes, RESULT_OFFERS } from "../../sparql/endpoint.js";
import { parameter } from "../openapi/paths.js";
import { type Route, type RouteMaker, readRoute, type ServedFile } from "../route.js";

const QUERY: Json = { type: "string", description: "The query." };
const GRAPHS: Json = { type: "array", items: { type: "string", format: "uri" } };

const FORMAT = { type: "string", examples: [...FORMAT_NAMES] };
const IN_URL = parameter("query", "query", "The query; without one, the service's description.", QUERY);
const DATASET = ["default-graph-uri", "named-graph-uri"].map((name) =>
  parameter(name, "query", "The records to query, each by its entity's IRI.", GRAPHS),
);
const CHOSEN = parameter("format", "query", "The format, by its name or media type, whatever `Accept` says.", FORMAT);
const FORM: Json = {
  type: "object",
  properties: { query: QUERY, "default-graph-uri": GRAPHS, "named-graph-uri": GRAPHS, format: FORMAT },
  required: ["query"],
};

const ABOUT = {
  tag: "Service",
  types: mediaTypes([...RESULT_OFFERS, ...GRAPH_OFFERS]),
  headers: ["Vitrine-Left-Out", "Vitrine-Sequence"],
  problems: ["unauthorized", "content-too-large", "unsupported-media-type", ...Object.values(PROBLEM_OF)],
} as const;

export const sparqlRoutes: RouteMaker = ({ sparql }) => {
  if (sparql === undefined) return [];
  const hasEditor = sparql.files.length > 0;
  const endpoint: Route = {
    path: "/sparql",
    cost: "sparql",
    // The query is in the URL or in the body (SPARQL 1.1 Protocol, 2.1).
    operations: {
      get: {
        ...ABOUT,
        id: "query",
        summary: "A SPARQL 1.1 query.",
        parameters: [IN_URL, ...DATASET, CHOSEN],
        // A browser gets the editor with the query in it.
        types: hasEditor ? [...ABOUT.types, "text/html"] : ABOUT.types,
        conditions: "tags",
      },
      post: {
        ...ABOUT,
        id: "queryPost",
        summary: "A SPARQL 1.1 query of any length.",
        parameters: [...DATASET, CHOSEN],
        requestBody: {
          required: true,
          content: {
            [DIRECT]: { schema: QUERY },
            "application/x-www-form-urlencoded": { schema: FORM },
          },
        },
      },
    },
    takesToken: true,
    hasDeadline: true,
    answer: (request) => sparql.answer(request),
  };
  return hasEditor ? [endpoint, editor(sparql.files)] : [endpoint];
};

function editor(files: readonly ServedFile[]): Route {
  const served = lazily(() => new Map(files.map(([name, type, content]) => [name, fixedContent(type, content())])));
  const names = { file: files.map(([name]) => name) };
  const get = {
    id: "editorFile",
    tag: "Service",
    summary: "A file of the query editor.",
    types: [...new Set(files.map(([, type]) => type))],
    conditions: "tags",
  } as const;
  return readRoute("/sparql/{file}", "file", get, ({ path }) => served().get(path.replace("/sparql/", "")), { names });
}
