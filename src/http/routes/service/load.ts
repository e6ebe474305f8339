/** `/load` and `/loads`: loads over HTTP and their results, with a token. */
import { mediaTypeOf } from "../../../base/http-client.js";
import { FORMATS, isReadable } from "../../../rdf/formats.js";
import { bearerToken, type Power, type StoredToken, tokenShown } from "../../loads/tokens.js";
import { type Answer, COMMON_HEADERS } from "../../message/answer.js";
import { codingOf, unsupportedType } from "../../message/body.js";
import { type Content, momentaryJson } from "../../message/content.js";
import { malformed, ProblemError } from "../../message/problems/problems.js";
import { parameter } from "../openapi/paths.js";
import { type LoadService, type Operation, type RouteMaker, type RouteRequest, readRoute } from "../route.js";

const LINES = "application/x-ndjson";

/** The format of each media type; the parameter `format` can also name formats that have none. */
const FORMAT_OF: ReadonlyMap<string, string> = new Map(
  FORMATS.filter(isReadable).flatMap(({ name, mediaType, otherTypes = [] }) =>
    [mediaType, ...otherTypes].map((type) => [type, name] as const),
  ),
);

export const RECORDS_BODY = {
  required: true,
  content: Object.fromEntries([...FORMAT_OF.keys()].map((type) => [type, {}])),
};

/** The token of a request, if it has a power. Throws `ProblemError` if not. @param why ends the message that it lacks the power */
export function permitted({ headers }: RouteRequest, { tokens }: LoadService, power: Power, why = ""): StoredToken {
  const token = tokenShown(tokens(), headers.authorization, power);
  if (token === undefined) {
    const made = "the operator of the service makes one with vitrine token new.";
    const isShown = bearerToken(headers.authorization) !== undefined;
    const detail = isShown
      ? `The service does not know this token, or it was revoked; ${made}`
      : `Send a token as Authorization: Bearer TOKEN; ${made}`;
    // If Basic is offered, browsers ask for a password and send it with later requests.
    const challenge = power === "read" ? `Basic realm="held records", Bearer` : "Bearer";
    throw new ProblemError("unauthorized", detail, { headers: ["WWW-Authenticate", challenge] });
  }
  if (!token.may.includes(power))
    throw new ProblemError("not-permitted", `The token ${token.name} may not ${power}${why}.`);
  return token;
}

/** The terms of a load by the request's token: who loads, and for which source. Throws `ProblemError` if the token lacks the power, or is not for the source. */
export function tokenTerms(request: RouteRequest, service: LoadService, power: Power) {
  const { name: by, sources, may } = permitted(request, service, power);
  const source = request.query.get("source") ?? (sources?.length === 1 ? sources[0] : undefined);
  if (sources !== undefined && (source === undefined || !sources.includes(source))) {
    // The query of an entity's path is part of its IRI.
    const how = request.method === "POST" ? "?source=NAME" : "/entity?uri=IRI&source=NAME";
    throw new ProblemError("not-permitted", `The token ${by} is only for ${sources.join(", ")}: name one with ${how}.`);
  }
  const conditions = { hidesHeld: !may.includes("read"), ...(sources && { onlySource: source! }) };
  return { by, source, conditions, ofSource: source === undefined ? [] : [`--source=${source}`] };
}

/** The name of a body's format. Throws `ProblemError` if the format is not named, or if the content coding is not supported. */
export function formatOfUpload({ query, headers }: RouteRequest): string {
  const format = query.get("format") ?? FORMAT_OF.get(mediaTypeOf(headers));
  codingOf({ headers });
  const types = [...FORMAT_OF.keys()];
  if (format === undefined)
    throw unsupportedType(`Name the format by Content-Type (${types.join(", ")}) or ?format=.`, types);
  return format;
}

/** Throws `ProblemError` if the declared length of a body is too large, or if too many loads are waiting. */
export function checkRoom({ headers }: RouteRequest, { loads }: LoadService): void {
  if (Number(headers["content-length"] ?? 0) > loads.maxBytes)
    throw new ProblemError("content-too-large", `A load may have up to ${loads.maxBytes} bytes.`);
  if (loads.isFull) throw new ProblemError("unavailable", "Too many loads are waiting.");
}

/** The query parameters as options of the command. Throws `ProblemError` for unknown parameters and wrong values. */
function argumentsOf({ query }: RouteRequest, { parameters, problemOf }: LoadService): string[] {
  return [...query].flatMap(([name, value]) => {
    if (!parameters.has(name))
      throw malformed(`There is no parameter ${name}; the parameters are ${[...parameters].join(", ")}.`);
    const detail = problemOf(name, value);
    if (detail !== undefined) throw malformed(detail);
    if (name === "format" || name === "source" || value === "false") return [];
    return value === "" || value === "true" ? `--${name}` : `--${name}=${value}`;
  });
}

async function load(request: RouteRequest, service: LoadService, base: string): Promise<Answer> {
  const { ofSource, ...terms } = tokenTerms(request, service, "load");
  const format = formatOfUpload(request);
  const args = ["load", "-", "--wait", `--format=${format}`, ...argumentsOf(request, service), ...ofSource];
  if (args.includes("--sync")) permitted(request, service, "delete", ", and sync deletes what the input lacks");
  checkRoom(request, service);
  const { id, lines } = service.loads.take({ ...terms, args, what: "load", message: request.message });
  const headers = [
    ...["Content-Type", LINES, "Location", `${base}/loads/${id}`],
    ...["Cache-Control", "no-store", "X-Accel-Buffering", "no"],
  ];
  return { status: 200, headers: [...headers, ...COMMON_HEADERS], body: lines };
}

const ABOUT = { tag: "Service", types: ["application/json"], problems: ["unauthorized", "not-permitted"] } as const;

const POST: Operation = {
  ...ABOUT,
  id: "load",
  summary: "Loads records, all of them or none.",
  description:
    "The body in any format that `vitrine load` reads, also compressed with gzip, brotli or deflate; the parameters are the command's options; `sync` needs a token that may also delete. The answer is " +
    "lines of JSON while it runs: results for records, progress, the summary, and last the state.",
  requestBody: RECORDS_BODY,
  types: [LINES],
  headers: ["Location"],
  problems: [...ABOUT.problems, "unsupported-media-type", "content-too-large"],
};

const LATEST = { ...ABOUT, id: "loads", summary: "The latest loads over HTTP, newest first." };
const BY_ID = { ...ABOUT, id: "loadById", summary: "The state and result of a load over HTTP." };

export const loadRoutes: RouteMaker = ({ loading, base }) => {
  if (loading === undefined) return [];
  const list = (request: RouteRequest): Content => {
    const { sources } = permitted(request, loading, "load");
    return momentaryJson({ loads: loading.loads.latest().filter((each) => isFor(sources, each.source)) });
  };
  const byId = (request: RouteRequest): Content => {
    const { sources } = permitted(request, loading, "load");
    const found = loading.loads.find(request.parameter("id"));
    if (found !== undefined && isFor(sources, found.source)) return momentaryJson(found);
    throw new ProblemError("not-found", "There is no load with this id.", { instance: request.message.url });
  };
  const options = [...loading.parameters].map((name) => parameter(name, "query", `--${name} of \`vitrine load\`.`));
  return [
    {
      path: "/load",
      cost: "load",
      operations: { post: { ...POST, parameters: options } },
      takesToken: true,
      hasDeadline: true,
      isUpload: true,
      answer: (request) => load(request, loading, base),
    },
    readRoute("/loads", "load", LATEST, list, { takesToken: true }),
    readRoute("/loads/{id}", "load", BY_ID, byId, { takesToken: true }),
  ];
};

/** Whether a token for these sources, or for all, covers a record of this source. */
export function isFor(sources: readonly string[] | undefined, source: string | null): boolean {
  return sources === undefined || (source !== null && sources.includes(source));
}
