/** The problems as answers, as the description of the interface tells of them. */
import { entryOf } from "../../../base/entries.js";
import type { JsonObject } from "../../../rdf/record-graph.js";
import { PROBLEMS, type ProblemName, problemType, TITLES } from "../../message/problems/problems.js";
import { type HeaderName, headersNamed } from "./headers.js";

const ANYWHERE: readonly ProblemName[] = [
  "malformed",
  "method-not-allowed",
  "timeout",
  "uri-too-long",
  "too-many-requests",
  "headers-too-large",
  "not-implemented",
  "internal",
  "unavailable",
];

const OWN_HEADERS: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ["WWW-Authenticate"],
  405: ["Allow"],
  406: ["Link"],
  412: ["ETag"],
  415: ["Accept", "Accept-Encoding"],
  416: ["Content-Range"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

/** Each problem as an answer, by its name. */
export function problemResponses(base: string): JsonObject {
  const names = Object.keys(PROBLEMS) as ProblemName[];
  const named = names.map((name) => {
    const [status] = PROBLEMS[name];
    return [name, response([name], { type: problemType(base, name), title: TITLES[name], status, detail: "..." })];
  });
  return Object.fromEntries(named);
}

/** The answers of an operation that may meet these problems besides those of any request, by status: problems of one status share its answer. */
export function errors(names: readonly ProblemName[]): JsonObject {
  const byStatus = new Map<number, ProblemName[]>();
  for (const name of new Set([...ANYWHERE, ...names])) entryOf(byStatus, PROBLEMS[name][0], () => []).push(name);
  return Object.fromEntries(
    [...byStatus].map(([status, alike]) => [
      status,
      alike.length === 1 ? { $ref: `#/components/responses/${alike[0]}` } : response(alike),
    ]),
  );
}

function response(names: readonly ProblemName[], example?: JsonObject): JsonObject {
  const [status] = PROBLEMS[names[0]!];
  return {
    description: names.map((name) => `${TITLES[name]}. ${PROBLEMS[name][1]}`).join("\n\n"),
    headers: headersNamed([...(OWN_HEADERS[status] ?? []), "Cache-Control"]),
    content: {
      "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" }, ...(example && { example }) },
      "text/html": { schema: { type: "string" } },
    },
  };
}
