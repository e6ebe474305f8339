/** `PUT` and `DELETE` of one entity: the same load as any other, of one record, under the request's conditions. */
import { ANY_RECORD, HASH_DIFFERS, type HttpLoad, type LoadConditions, NO_RECORD } from "../../loads/loads.js";
import { type Answer, bodyHeaders, COMMON_HEADERS } from "../../message/answer.js";
import { strongHashes } from "../../message/headers/conditions.js";
import { parseHttpDate } from "../../message/headers/http-date.js";
import { malformed, ProblemError } from "../../message/problems/problems.js";
import type { LoadService, Operation, RouteRequest } from "../route.js";
import { checkRoom, formatOfUpload, permitted, RECORDS_BODY, sourceFor } from "./load.js";

const PROBLEMS = [
  "unauthorized",
  "not-permitted",
  "precondition-failed",
  "record-refused",
  "unsupported-media-type",
] as const;

export const CHANGES: { readonly put: Operation; readonly delete: Operation } = {
  put: {
    id: "putEntity",
    tag: "Entities",
    summary: "Creates or replaces the record of an entity.",
    requestBody: RECORDS_BODY,
    types: ["application/json"],
    problems: PROBLEMS,
  },
  delete: {
    id: "deleteEntity",
    tag: "Entities",
    summary: "Deletes the record of an entity; it leaves a tombstone.",
    types: ["application/json"],
    problems: [...PROBLEMS, "not-found"],
  },
};

/** The state that the record has to be in, as far as the request's conditions say (RFC 9110, 13.2.2). Throws `ProblemError`. */
function wantedState({ headers }: RouteRequest): Pick<LoadConditions, "hash" | "unmodifiedSince"> {
  const [match, noneMatch] = [headers["if-match"], headers["if-none-match"]];
  if (noneMatch !== undefined && noneMatch.trim() !== "*") {
    throw malformed("There is no record yet, so If-None-Match can only be *.");
  }
  if (noneMatch !== undefined) return { hash: NO_RECORD };
  if (match !== undefined) return { hash: match.trim() === "*" ? ANY_RECORD : strongHashes(match).join(",") };
  const unmodifiedSince = parseHttpDate(headers["if-unmodified-since"] ?? "");
  return unmodifiedSince === undefined ? {} : { unmodifiedSince };
}

/** Answer PUT or DELETE of an entity. @param iri the entity's. Throws `ProblemError`. */
export async function changeEntity(request: RouteRequest, service: LoadService, iri: string): Promise<Answer> {
  const isPut = request.method === "PUT";
  const token = permitted(request, service, isPut ? "load" : "delete");
  const source = sourceFor(request, token);
  const state = wantedState(request);
  if (isPut) checkRoom(request, service);
  const own = source === undefined ? [] : [`--source=${source}`];
  const args = isPut
    ? ["load", "-", "--wait", `--format=${formatOfUpload(request)}`, ...own]
    : ["delete", "--wait", "--json", "--", iri];
  const conditions = {
    onlyRecord: iri,
    ...(token.sources === undefined ? {} : { onlySource: source ?? "" }),
    ...state,
  };
  const order = { args, conditions, by: token.name, source, what: `${request.method} ${iri}` };
  const { lines, ended } = service.loads.take(isPut ? { ...order, message: request.message } : order);
  lines.resume();
  return isPut ? afterPut(await ended, request, service) : afterDelete(await ended, request);
}

interface Summary {
  readonly created?: number;
  readonly records?: number;
  readonly refused?: number;
  readonly unpublished?: string | null;
}

function afterPut(
  { load, state, problem, summary, records }: HttpLoad,
  request: RouteRequest,
  { base }: LoadService,
): Answer {
  const { created = 0, refused = 0, unpublished = null, records: count = 0 } = (summary ?? {}) as Summary;
  if (state === "published" && refused === 0 && count === 1) {
    const body = `${JSON.stringify({ load, summary })}\n`;
    return {
      status: created > 0 ? 201 : 200,
      headers: ["Location", `${base}${request.path}`, ...bodyHeaders("application/json", body)],
      body,
    };
  }
  checkCondition(problem, request);
  if (unpublished === "other source") throw new ProblemError("not-permitted", "The record belongs to another source.");
  throw new ProblemError(
    "record-refused",
    unpublished === "other record"
      ? "The body describes another entity."
      : (problem ?? (count === 1 ? "The record breaks rules." : "The body has to be one record.")),
    { instance: request.path, members: { load, records: JSON.parse(JSON.stringify(records)) } },
  );
}

function afterDelete({ load, status, problem }: HttpLoad, request: RouteRequest): Answer {
  if (status === 0) return { status: 204, headers: COMMON_HEADERS, body: "" };
  checkCondition(problem, request);
  if (problem?.includes("has another source"))
    throw new ProblemError("not-permitted", "The record belongs to another source.");
  if (problem?.includes("has no record"))
    throw new ProblemError("not-found", "No record describes the IRI.", { instance: request.path });
  throw new ProblemError("record-refused", problem ?? "The record was not deleted.", { members: { load } });
}

function checkCondition(problem: string | null, request: RouteRequest): void {
  if (problem?.includes(HASH_DIFFERS) !== true) return;
  throw new ProblemError("precondition-failed", "The record does not meet the request's condition.", {
    instance: request.path,
  });
}
