/** Routes of entities: the paths of their URIs, and `/entity?uri=` for any IRI. PUT and DELETE are loads of one record, under the request's conditions. */
import { firstRecord, hasFacets } from "../../../store/store.js";
import { pathOf } from "../../entity/addresses.js";
import { iriSpellings, toIri } from "../../entity/iri-equivalents.js";
import { ANY_RECORD, type HttpLoad, type LoadConditions, NO_RECORD, SILENT } from "../../loads/loads.js";
import { type Answer, COMMON_HEADERS, jsonAnswer } from "../../message/answer.js";
import { strongHashes } from "../../message/headers/conditions.js";
import { parseHttpDate } from "../../message/headers/http-date.js";
import { fromStore, malformed, ProblemError } from "../../message/problems/problems.js";
import type { Representation } from "../../representations/representation.js";
import { headersNamed, leadingTo } from "../openapi/answers.js";
import { ANY_OBJECT, CHOICES, parameter, parameterNamed, URI_PARAMETER } from "../openapi/paths.js";
import type { LoadService, Operation, Route, RouteContext, RouteMaker, RouteRequest } from "../route.js";
import { readRoute } from "../route.js";
import { checkRoom, formatOfUpload, RECORDS_BODY, tokenTerms } from "../service/load.js";

const LANGUAGES = parameter("Accept-Language", "header", "The preferred languages of a page, if it has several.");

const TIME = parameter("Accept-Datetime", "header", "If versions are kept: a time (RFC 7089, 2.1.1).");

const FORMAT = "The representation, whatever `Accept` says.";
const SOURCE = parameter("source", "query", "The feed, if the token is for several.");
const LEADING = { "application/json": { schema: ANY_OBJECT } };

/** The routes for paths that name an entity in another way than by its exact IRI. For records with exactly that IRI the server looks before any route. */
export const entityRoutes: RouteMaker = (context) => {
  const { representations, store, otherwise } = context;
  const byLanguage = representations.some(({ dependsOn }) => dependsOn?.languages === true);
  const formats = representations.map(({ format }) => format);
  const byTime = hasFacets(store, "changes", "versions") ? [TIME] : [];
  const choices = [...Object.keys(CHOICES).map(parameterNamed), ...(byLanguage ? [LANGUAGES] : []), ...byTime];
  const suffixed = representations.filter(({ suffix }) => suffix !== null);
  const bySuffix = {
    ...about(suffixed),
    id: "representation",
    summary: "One representation of an entity, whatever `Accept` says.",
    parameters: byTime,
  };
  return [
    route(context, "/entity", {
      ...about(representations),
      id: "entityByUri",
      summary: "An entity, by any IRI.",
      parameters: [URI_PARAMETER, parameter("format", "query", FORMAT, { enum: formats }), ...choices],
    }),
    // A dot in an IRI does not always begin a suffix, so PUT and DELETE use the whole path.
    readRoute("/{path*}.{suffix}", "entity", bySuffix, ({ message }) => otherwise(message), {
      names: { suffix: suffixed.map(({ suffix }) => suffix!.slice(1)) },
      isDescription: true,
    }),
    route(context, "/{path*}", {
      ...about(representations),
      id: "entity",
      summary: "An entity, by the path of its URI.",
      description: "A record takes precedence over a service path and over a suffix.",
      parameters: choices,
    }),
  ];
};

function route(context: RouteContext, path: string, get: Operation): Route {
  const { otherwise, loading } = context;
  const reading = readRoute(path, "entity", get, ({ message }) => otherwise(message));
  if (loading === undefined) return reading;
  const [suffix, named] = path === "/entity" ? ["ByUri", [URI_PARAMETER, SOURCE]] : ["", []];
  const parameters = [...named, ...["If-Match", "If-Unmodified-Since"].map(parameterNamed)];
  return {
    ...reading,
    operations: {
      get,
      put: {
        ...CHANGE,
        id: `putEntity${suffix}`,
        summary: "Creates or replaces the record of an entity.",
        parameters: [...parameters, parameterNamed("If-None-Match")],
        requestBody: RECORDS_BODY,
        types: ["application/json"],
        headers: ["Location"],
        problems: [...CHANGE.problems, "unsupported-media-type", "content-too-large"],
        responses: { 201: leadingTo("The record is new.", LEADING) },
      },
      delete: {
        ...CHANGE,
        id: `deleteEntity${suffix}`,
        summary: "Deletes the record of an entity; it leaves a tombstone.",
        parameters,
        types: [],
        problems: [...CHANGE.problems, "not-found"],
        responses: { 204: { description: "The record is deleted.", headers: headersNamed([]) } },
      },
    },
    takesToken: true,
    hasDeadline: true,
    isUpload: true,
    answer: (request) => (request.method === "GET" ? reading.answer(request) : changeEntity(request, loading, context)),
  };
}

function about(representations: readonly Representation[]): Omit<Operation, "id" | "summary"> {
  const documents = representations.filter(({ format }) => format === "jsonld" || format === "json");
  const document = { $ref: "#/components/schemas/Document" };
  return {
    tag: "Entities",
    types: representations.map(({ contentType }) => contentType),
    schemas: Object.fromEntries(documents.map(({ contentType }) => [contentType, document])),
    headers: ["Content-Location", "Last-Modified", "Link"],
    conditions: "tags and dates",
    problems: ["not-found", "not-acceptable", "gone"],
    responses: {
      301: leadingTo("The record moved, or its URL differs in a final slash, an empty query or tracking.", LEADING),
      302: leadingTo("The version of the time in `Accept-Datetime`, if versions are kept.", undefined, ["Link"]),
      303: leadingTo("The record of another entity, at `Location`, describes this one.", LEADING),
    },
  };
}

const CHANGE = {
  tag: "Entities",
  problems: ["unauthorized", "not-permitted", "precondition-failed", "record-refused"],
} as const;

/** The state that the record must have by the request's conditions (RFC 9110, 13.2.2). Throws `ProblemError`. */
function wantedState({ headers }: RouteRequest): Pick<LoadConditions, "hash" | "unmodifiedSince"> {
  const [match, noneMatch] = [headers["if-match"], headers["if-none-match"]];
  if (noneMatch?.trim() === "*") return { hash: NO_RECORD };
  if (noneMatch !== undefined)
    throw malformed("For a change, If-None-Match can only be *: the record must not exist yet.");
  if (match !== undefined) return { hash: match.trim() === "*" ? ANY_RECORD : strongHashes(match).join(",") };
  const unmodifiedSince = parseHttpDate(headers["if-unmodified-since"] ?? "");
  return unmodifiedSince === undefined ? {} : { unmodifiedSince };
}

/** Answers PUT or DELETE of an entity. Throws `ProblemError`. */
async function changeEntity(request: RouteRequest, service: LoadService, { store, addresses }: RouteContext) {
  const isPut = request.method === "PUT";
  const { ofSource, ...terms } = tokenTerms(request, service, isPut ? "load" : "delete");
  if (isPut && request.headers["content-range"] !== undefined)
    throw malformed("PUT replaces a whole record: Content-Range is not supported (RFC 9110, 14.5).");
  const { likeliest } = addresses.named(pathOf(request.message.url ?? "/") ?? "/", request.sentTo);
  // The record that GET finds, or a new one, in any spelling of its IRI.
  const spellings = iriSpellings(likeliest);
  const iri = (await fromStore(() => firstRecord(store, spellings)))?.iri ?? toIri(likeliest);
  const onlyRecord = [...new Set([iri, ...spellings])];
  const conditions = { onlyRecord, ...terms.conditions, ...wantedState(request) };
  checkRoom(request, service);
  const args = isPut
    ? ["load", "-", "--wait", `--format=${formatOfUpload(request)}`, ...ofSource]
    : ["delete", "--wait", "--json", "--", iri];
  const order = { ...terms, args, conditions, what: `${request.method} ${iri}` };
  const { lines, ended } = service.loads.take(isPut ? { ...order, message: request.message } : order);
  lines.resume();
  return isPut ? afterPut(await ended, request, iri, addresses.url(iri)) : afterDelete(await ended, request);
}

/** The answer to PUT after its load. @param url the entity's URL at this service */
function afterPut(done: HttpLoad, request: RouteRequest, iri: string, url: string) {
  const { load, state, problem, unmet, summary, records } = done;
  const data = (summary ?? {}) as { created?: number; records?: number; refused?: number; unpublished?: string | null };
  const { created = 0, refused = 0, records: count = 0, unpublished } = data;
  if (state === "published" && refused === 0)
    return jsonAnswer(created > 0 ? 201 : 200, { load, summary }, ["Location", url]);
  if (problem === SILENT) throw new ProblemError("timeout", problem, { members: { load } });
  checkConditions(done, request, unpublished === "other source" ? "source" : unmet);
  const other = count === 1 ? `The body describes another entity than ${iri}.` : "The body must be one record.";
  const said = unpublished === "abort" ? null : problem;
  const detail = unpublished === "other record" ? other : (said ?? "The record breaks rules.");
  const members = { load, records: JSON.parse(JSON.stringify(records)) };
  throw new ProblemError("record-refused", detail, { instance: request.message.url, members });
}

function afterDelete(done: HttpLoad, request: RouteRequest): Answer {
  const { load, status, problem } = done;
  if (status === 0) return { status: 204, headers: COMMON_HEADERS, body: "" };
  checkConditions(done, request);
  throw new ProblemError("record-refused", problem ?? "The record was not deleted.", { members: { load } });
}

/** Throws `ProblemError` if a condition was not met, or if the store could not be changed, for no fault of the request. */
function checkConditions(done: HttpLoad, { message: { url: instance } }: RouteRequest, unmet = done.unmet): void {
  const { load, state, problem } = done;
  if (state === "failed" || done.unmet === "store")
    throw new ProblemError("unavailable", problem ?? "The store could not be changed.", { members: { load } });
  if (unmet === "state")
    throw new ProblemError("precondition-failed", `The request's condition is not met: ${problem}.`, { instance });
  if (unmet === "source") throw new ProblemError("not-permitted", "The record belongs to another source.");
  if (unmet === "existence") throw new ProblemError("not-found", "No record describes the IRI.", { instance });
}
