/** The paths of the interface, as its description tells of them: made of the routes. */
import type { Json, JsonObject } from "../../../rdf/record-graph.js";
import type { Method, Operation, Route } from "../route.js";
import { ALWAYS, headersNamed } from "./headers.js";
import { ANYWHERE, errors } from "./problems.js";

const TEXT: Json = { type: "string" };

/** A schema of which no more is said. */
export const ANY_OBJECT: Json = { type: "object" };

/** The schema of every document. */
export const DOCUMENT: Json = { $ref: "#/components/schemas/Document" };

/** OpenAPI's parameter object. */
export function parameter(
  name: string,
  place: "header" | "path" | "query",
  description: string,
  schema: Json = TEXT,
): JsonObject {
  return { name, in: place, description, schema, ...(place === "path" ? { required: true } : {}) };
}

/** A name in a route's path; `values` are all that it may stand for. */
export function pathParameter(name: string, description: string, values?: readonly string[]): JsonObject {
  return parameter(name, "path", description, values === undefined ? TEXT : { enum: [...values] });
}

/** A reference to one of the description's parameters. */
export function parameterNamed(name: string): Json {
  return { $ref: `#/components/parameters/${name}` };
}

/** Headers that choose, beside `Accept`, which OpenAPI tells of by the media types of the answers. */
export const CHOICES: JsonObject = {
  "Accept-Profile": parameter(
    "Accept-Profile",
    "header",
    "Profiles of the representation, each an IRI in angle brackets (Content Negotiation by Profile).",
  ),
  "Accept-Encoding": parameter("Accept-Encoding", "header", "br or gzip, for a compressed body (RFC 9110, 12.5.3)."),
};

const BY_TAG: JsonObject = {
  "If-None-Match": parameter("If-None-Match", "header", "Entity tags that the client has (RFC 9110, 13.1.2)."),
  "If-Match": parameter("If-Match", "header", "Entity tags of which the representation has to have one."),
};

/** Headers that make a request conditional. */
export const CONDITIONS: JsonObject = {
  ...BY_TAG,
  "If-Modified-Since": parameter("If-Modified-Since", "header", "Without tags: the date of what the client has."),
  "If-Unmodified-Since": parameter(
    "If-Unmodified-Since",
    "header",
    "Without tags: a date since which nothing changed.",
  ),
};

const CONDITIONS_OF = { none: [], tags: Object.keys(BY_TAG), "tags and dates": Object.keys(CONDITIONS) } as const;

/** All paths. */
export function paths(routes: readonly Route[]): JsonObject {
  return Object.fromEntries(routes.map((route) => [route.path.replaceAll("*}", "}"), pathItem(route)]));
}

/** The methods of a route, HEAD and OPTIONS among them. */
function pathItem({ operations, takesToken = false }: Route): JsonObject {
  const item: JsonObject = {};
  for (const [method, operation] of Object.entries(operations) as [Method, Operation][]) {
    const described = operationObject(operation, takesToken);
    item[method] = described;
    if (method !== "get") continue;
    const { description: _description, ...head } = described;
    item.head = { ...head, operationId: `${operation.id}Head`, responses: withoutBodies(described.responses!) };
  }
  const [{ id, tag }] = Object.values(operations) as [Operation];
  return { ...item, options: optionsObject(id, tag) };
}

function operationObject(operation: Operation, takesToken: boolean): JsonObject {
  const { id, tag, summary, description, requestBody, conditions = "none" } = operation;
  const parameters = [...(operation.parameters ?? []), ...CONDITIONS_OF[conditions].map(parameterNamed)];
  return {
    operationId: id,
    tags: [tag],
    ...(takesToken ? { security: [{}, { token: [] }] } : {}),
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: responsesOf(operation),
  };
}

function responsesOf({ summary, content, headers = [], conditions, problems = [], responses }: Operation): JsonObject {
  const kept = conditions === undefined ? [] : (["ETag"] as const);
  const own = headers.filter((name) => name === "Content-Location");
  const schemas = Object.entries(content).map(([type, schema]): [string, Json] => [type, { schema }]);
  return {
    200: {
      description: summary,
      headers: headersNamed([
        ...new Set([...kept, ...headers, "Cache-Control", "Content-Encoding", ...ALWAYS] as const),
      ]),
      content: Object.fromEntries(schemas),
    },
    ...(conditions === undefined
      ? {}
      : {
          304: {
            description: "The client has it as it is.",
            headers: headersNamed([...kept, ...own, "Cache-Control", ...ALWAYS]),
          },
        }),
    ...responses,
    ...errors([
      ...new Set([...ANYWHERE, ...problems, ...(conditions === undefined ? [] : (["precondition-failed"] as const))]),
    ]),
  };
}

function withoutBodies(responses: Json): JsonObject {
  return Object.fromEntries(
    Object.entries(responses as { [status: string]: JsonObject }).map(([status, { content: _content, ...rest }]) => [
      status,
      rest,
    ]),
  );
}

function optionsObject(id: string, tag: string): JsonObject {
  return {
    operationId: `${id}Options`,
    tags: [tag],
    summary: "What may be asked here, also for scripts of other origins.",
    responses: {
      204: {
        description: "The methods.",
        headers: headersNamed([
          "Allow",
          "Access-Control-Allow-Methods",
          "Access-Control-Allow-Headers",
          "Access-Control-Max-Age",
          ...ALWAYS,
        ]),
      },
    },
  };
}
