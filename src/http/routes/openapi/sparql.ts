/** The query endpoint, as the description of the interface tells of it (SPARQL 1.1 Protocol). */
import type { Json } from "../../../rdf/record-graph.js";
import type { ProblemName } from "../../problems/problems.js";
import { GRAPH_OFFERS, mediaTypes, RESULT_OFFERS } from "../../sparql/formats.js";
import { ALWAYS, headersNamed, type JsonObject } from "./headers.js";
import { ANYWHERE, errors } from "./problems.js";

const PROBLEMS: readonly ProblemName[] = [
  ...ANYWHERE,
  "unauthorized",
  "read-only",
  "not-acceptable",
  "content-too-large",
  "unsupported-media-type",
  "query-malformed",
  "result-too-large",
  "query-too-large",
  "no-named-graphs",
  "index-busy",
  "no-index",
  "query-timeout",
];

const QUERY: Json = { type: "string", description: "The query." };
const GRAPHS: Json = { type: "array", items: { type: "string", format: "uri" } };
const ABOUT = { tags: ["Service"], security: [{}, { token: [] }] };

/** GET and POST of a query, and OPTIONS. */
export function sparqlPath(): JsonObject {
  const parameters = [
    { name: "query", in: "query", description: "The query; without one, the service's description.", schema: QUERY },
    ...["default-graph-uri", "named-graph-uri"].map((name) => ({
      name,
      in: "query",
      description: "Records that the query is about, each by its entity's IRI.",
      schema: GRAPHS,
    })),
  ];
  const form = {
    type: "object",
    properties: { query: QUERY, "default-graph-uri": GRAPHS, "named-graph-uri": GRAPHS },
    required: ["query"],
  };
  return {
    get: { operationId: "query", ...ABOUT, summary: "A SPARQL 1.1 query.", parameters, responses: responses() },
    head: { operationId: "queryHead", ...ABOUT, summary: "The same, without the result.", responses: responses() },
    post: {
      operationId: "queryPost",
      ...ABOUT,
      summary: "A SPARQL 1.1 query of any length.",
      parameters: parameters.slice(1),
      requestBody: {
        required: true,
        content: {
          "application/sparql-query": { schema: QUERY },
          "application/x-www-form-urlencoded": { schema: form },
        },
      },
      responses: responses(),
    },
    options: {
      operationId: "queryOptions",
      tags: ["Service"],
      summary: "What may be asked here, also for scripts of other origins.",
      responses: { 204: { description: "The methods.", headers: headersNamed([...PREFLIGHT, ...ALWAYS]) } },
    },
  };
}

const PREFLIGHT = [
  "Allow",
  "Access-Control-Allow-Methods",
  "Access-Control-Allow-Headers",
  "Access-Control-Max-Age",
] as const;

function responses(): JsonObject {
  const types = new Set(mediaTypes([...RESULT_OFFERS, ...GRAPH_OFFERS]));
  return {
    200: {
      description: "The result, in one of the formats for its kind of query.",
      headers: headersNamed(["Cache-Control", "Content-Encoding", "Vitrine-Sequence", ...ALWAYS]),
      content: Object.fromEntries([...types].map((type) => [type, {}])),
    },
    ...errors(PROBLEMS),
  };
}
