/** The reader of queries in HTTP requests (SPARQL 1.1 Protocol, section 2.1). */
import type { IncomingMessage } from "node:http";
import { mediaTypeOf } from "../../base/http-client.js";
import { FORM, readText, unsupportedType } from "../message/body.js";
import { malformed, ProblemError } from "../message/problems/problems.js";

export const MAX_BODY = 1_048_576;

export interface ProtocolQuery {
  readonly text: string;
  readonly defaultGraphs: readonly string[];
  readonly namedGraphs: readonly string[];
  /** The name of the format that a request asks for in its parameters, rather than by `Accept`. */
  readonly format?: string | undefined;
}

const DIRECT = "application/sparql-query";
const UPDATE = "application/sparql-update";

/** The query of a request, or `undefined` for a GET without one. Throws `ProblemError`. */
export async function readProtocolQuery(request: IncomingMessage): Promise<ProtocolQuery | undefined> {
  const { method, url = "" } = request;
  const at = url.indexOf("?");
  const parameters = new URLSearchParams(at === -1 ? "" : url.slice(at + 1));
  if (method === "GET" || method === "HEAD") {
    return parameters.has("query") || parameters.has("update") ? queryIn(parameters, parameters) : undefined;
  }
  const type = mediaTypeOf(request.headers);
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(request.headers["content-type"] ?? "")?.[1]?.toLowerCase();
  if (type === UPDATE) throw readOnly();
  if (type !== FORM && type !== DIRECT) {
    const detail = `A query is posted as ${DIRECT}, or as ${FORM} with the parameter query; this is ${type || "without a type"}.`;
    throw unsupportedType(detail, [DIRECT, FORM]);
  }
  if (charset !== undefined && charset !== "utf-8") {
    throw unsupportedType(`A query is sent in UTF-8, and this says ${charset}.`, [DIRECT, FORM]);
  }
  const body = await readText(request, MAX_BODY, "A query");
  if (type === FORM) return queryIn(new URLSearchParams(body), parameters);
  return { text: body, ...datasetIn(parameters), format: parameters.get("format") || undefined };
}

/** The query among parameters; the dataset may stand in the URL beside a form. */
function queryIn(parameters: URLSearchParams, inUrl: URLSearchParams): ProtocolQuery {
  if (parameters.has("update")) throw readOnly();
  const [text, ...more] = parameters.getAll("query");
  if (text === undefined) throw malformed("The parameter query is missing.");
  if (more.length > 0) throw malformed("The parameter query is given more than once.");
  const dataset = datasetIn(parameters);
  const isNamed = dataset.defaultGraphs.length + dataset.namedGraphs.length > 0;
  const format = parameters.get("format") || inUrl.get("format") || undefined;
  return { text, ...(isNamed ? dataset : datasetIn(inUrl)), format };
}

function datasetIn(parameters: URLSearchParams): Omit<ProtocolQuery, "text" | "format"> {
  return {
    defaultGraphs: parameters.getAll("default-graph-uri"),
    namedGraphs: parameters.getAll("named-graph-uri"),
  };
}

function readOnly(): ProblemError {
  return new ProblemError("read-only", "The endpoint answers queries. Records are changed by `vitrine load`.");
}
