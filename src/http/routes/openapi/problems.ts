/** The problems as answers, as the description of the interface tells of them. */
import type { Json, JsonObject } from "../../../rdf/record-graph.js";
import { PROBLEMS, type ProblemName, problemType, TITLES } from "../../message/problems/problems.js";
import { ALWAYS, type HeaderName, headersNamed } from "./headers.js";

/** The problems that any request may meet. */
export const ANYWHERE: readonly ProblemName[] = [
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

/** Each problem as an answer, by its name. */
export function problemResponses(base: string): JsonObject {
  const names = Object.keys(PROBLEMS) as ProblemName[];
  return Object.fromEntries(names.map((name) => [name, problemResponse(base, name)]));
}

/** Headers of some problems, beyond those of all. */
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

function problemResponse(base: string, name: ProblemName): JsonObject {
  const { status, advice } = PROBLEMS[name];
  const title = TITLES[name];
  return {
    description: `${title}. ${advice}`,
    ...problemForm(status),
    content: {
      "application/problem+json": {
        schema: PROBLEM,
        example: { type: problemType(base, name), title, status, detail: "..." },
      },
      "text/html": { schema: { type: "string" } },
    },
  };
}

const PROBLEM: Json = { $ref: "#/components/schemas/Problem" };

function problemForm(status: number): JsonObject {
  return { headers: headersNamed([...(OWN_HEADERS[status] ?? []), "Cache-Control", ...ALWAYS]) };
}

/** The answers of an operation that may meet these problems, by status. */
export function errors(names: readonly ProblemName[]): JsonObject {
  const byStatus = new Map<number, ProblemName[]>();
  for (const name of names) byStatus.set(PROBLEMS[name].status, [...(byStatus.get(PROBLEMS[name].status) ?? []), name]);
  return Object.fromEntries([...byStatus].map(([status, alike]) => [String(status), oneOf(status, alike)]));
}

/** A status has one answer, so problems of one status share it. */
function oneOf(status: number, names: readonly ProblemName[]): Json {
  if (names.length === 1) return { $ref: `#/components/responses/${names[0]}` };
  return {
    description: names.map((name) => `${TITLES[name]}. ${PROBLEMS[name].advice}`).join("\n\n"),
    ...problemForm(status),
    content: { "application/problem+json": { schema: PROBLEM }, "text/html": { schema: { type: "string" } } },
  };
}
