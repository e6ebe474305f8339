/** The parts of requests that many routes share: a kind of record in the path, an entity by its IRI in the query. */
import { ENDPOINT_NAMES, type EndpointName } from "../../model/tables/names.js";
import type { Json } from "../../rdf/record-graph.js";
import { malformed, ProblemError } from "../message/problems/problems.js";
import { parameter } from "./openapi/paths.js";
import type { RouteRequest } from "./route.js";

export const URI_PARAMETER: Json = {
  ...parameter("uri", "query", "The entity's IRI, percent-encoded."),
  required: true,
};

/** The kind of record that a path asks for. Throws `ProblemError`. */
export function endpointParameter(request: RouteRequest): EndpointName {
  const name = request.parameter("endpoint");
  const endpoint = ENDPOINT_NAMES.find((each) => each === name);
  if (endpoint !== undefined) return endpoint;
  throw new ProblemError("not-found", `There is no kind of record ${name}: there are ${ENDPOINT_NAMES.join(", ")}.`);
}

/** The IRI that a query asks for. Throws `ProblemError`. */
export function uriParameter({ query, path }: RouteRequest): string {
  const uri = query.get("uri") ?? "";
  if (uri === "") throw malformed(`${path} needs an IRI, percent-encoded, as ?uri=`);
  return uri;
}

/** The number, from 1 on, that a path has for a name. Throws `ProblemError`. */
export function numberParameter(request: RouteRequest): number {
  return wholeNumber(request.parameter("number"));
}

/** Throws `ProblemError`. */
export function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new ProblemError("not-found", `${text} is no number from 1 on.`);
}
