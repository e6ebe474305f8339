/** The paths of the OpenAPI description, made from the routes. */
import { ENDPOINT_NAMES } from "../../../model/tables/names.js";
import type { Json, JsonObject } from "../../../rdf/record-graph.js";
import type { Method, Operation, Route } from "../route.js";
import { errors, type HeaderName, headersNamed, PAGE_HEADERS } from "./answers.js";

const TEXT: Json = { type: "string" };
export const INTEGER: Json = { type: "integer" };
export const ANY_OBJECT: Json = { type: "object" };

/** A parameter object of OpenAPI. */
export function parameter(
  name: string,
  place: "header" | "path" | "query",
  description: string,
  schema: Json = TEXT,
): JsonObject {
  return { name, in: place, description, schema, ...(place === "path" ? { required: true } : {}) };
}

export const URI_PARAMETER: Json = {
  ...parameter("uri", "query", "The entity's IRI, percent-encoded."),
  required: true,
};

/** A reference to a parameter in the components of the description. */
export function parameterNamed(name: string): Json {
  return { $ref: `#/components/parameters/${name}` };
}

const IN_PATHS: Readonly<Record<string, string>> = {
  dump: "The time of the dump.",
  endpoint: "The kind of record.",
  file: "The name of the file.",
  format: "The format.",
  id: "The id at the beginning of the answer to the load.",
  name: "The type of problem.",
  number: "A whole number, 1 or more.",
  of: "All records, or those of one kind.",
  path: "The rest of the entity's URI after the base URL, slashes and query included.",
  relation: "The relation, as linked.art/api/rels/1 lists them.",
  source: "The name of the feed, as in `load --source`.",
  suffix: "The representation.",
  table: "The form of the table.",
};

/** The parameters in a route's path. */
export function pathParameters({ path, names = {} }: Route): JsonObject[] {
  return [...path.matchAll(/\{(\w+)\*?\}/g)].map(([, name = ""]) => {
    const values = name === "endpoint" ? ENDPOINT_NAMES : names[name];
    return parameter(name, "path", IN_PATHS[name] ?? name, values && { enum: [...values] });
  });
}

function headerParameters(descriptions: Readonly<Record<string, string>>): JsonObject {
  const named = Object.entries(descriptions);
  return Object.fromEntries(named.map(([name, description]) => [name, parameter(name, "header", description)]));
}

/** The request headers that choose a representation, besides `Accept`, which OpenAPI expresses by the media types of answers. */
export const CHOICES = headerParameters({
  "Accept-Profile": "Profiles of the representation, each an IRI in angle brackets (Content Negotiation by Profile).",
  "Accept-Encoding": "br or gzip, for a compressed body (RFC 9110, 12.5.3).",
});

export const CONDITIONS = headerParameters({
  "If-None-Match": "Entity tags that the client has (RFC 9110, 13.1.2).",
  "If-Match": "Entity tags, one of which the representation must have.",
  "If-Modified-Since": "Without tags: the date of the client's copy.",
  "If-Unmodified-Since": "Without tags: a date after which the record must not have changed.",
});

const BY_TAG = ["If-None-Match", "If-Match"];
const CONDITIONS_OF = { none: [], tags: BY_TAG, "tags and dates": Object.keys(CONDITIONS) } as const;

/** The path items of all routes, by path. */
export function paths(routes: readonly Route[]): JsonObject {
  return Object.fromEntries(routes.map((route) => [route.path.replaceAll("*}", "}"), pathItem(route)]));
}

function pathItem(route: Route): JsonObject {
  const item: JsonObject = {};
  for (const [method, operation] of Object.entries(route.operations) as [Method, Operation][]) {
    const described = operationObject(route, operation);
    item[method] = described;
    if (method !== "get") continue;
    const { description: _description, responses, ...head } = described;
    const answers = Object.entries(responses as { [status: string]: JsonObject });
    const withoutBodies = answers.map(([status, { content: _content, ...rest }]) => [status, rest]);
    item.head = { ...head, operationId: `${operation.id}Head`, responses: Object.fromEntries(withoutBodies) };
  }
  return { ...item, options: optionsObject(route) };
}

function operationObject(route: Route, operation: Operation): JsonObject {
  const { id, tag, summary, description, requestBody, conditions = "none" } = operation;
  const parameters = [
    ...pathParameters(route),
    ...(operation.parameters ?? []),
    ...CONDITIONS_OF[conditions].map(parameterNamed),
  ];
  return {
    operationId: id,
    tags: [tag],
    ...(route.takesToken && { security: [{}, { token: [] }] }),
    summary,
    ...(description && { description }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: responsesOf(route, operation),
  };
}

function responsesOf({ path }: Route, operation: Operation): JsonObject {
  const { summary, types, schemas = {}, headers = [], conditions, problems = [], responses } = operation;
  const kept: readonly HeaderName[] =
    conditions === undefined ? [] : ["ETag", ...headers.filter((name) => name === "Content-Location")];
  const dated: readonly HeaderName[] = conditions === "tags and dates" ? ["Last-Modified"] : [];
  const ofPage = types.some((type) => type.startsWith("text/html")) ? PAGE_HEADERS : [];
  return {
    ...(types.length > 0 && {
      200: {
        description: summary,
        headers: headersNamed([...kept, ...dated, ...headers, ...ofPage, "Cache-Control", "Content-Encoding"]),
        content: Object.fromEntries(types.map((type) => [type, { schema: schemas[type] ?? schemaOf(type) }])),
      },
    }),
    ...(conditions && {
      304: { description: "The client's copy is current.", headers: headersNamed([...kept, "Cache-Control"]) },
    }),
    ...responses,
    ...errors([
      ...(path.includes("{") ? (["not-found"] as const) : []),
      ...problems,
      ...(conditions === undefined ? [] : (["precondition-failed"] as const)),
    ]),
  };
}

function schemaOf(type: string): Json {
  if (/[/+]json(?:;|$)/.test(type)) return type.endsWith('#expanded"') ? { type: "array" } : ANY_OBJECT;
  return /^(?:image|\*)\/|gzip|octet-stream/.test(type) ? {} : TEXT;
}

function optionsObject(route: Route): JsonObject {
  const [{ id, tag }] = Object.values(route.operations) as [Operation];
  const parameters = pathParameters(route);
  const headers = headersNamed([
    "Allow",
    "Access-Control-Allow-Methods",
    "Access-Control-Allow-Headers",
    "Access-Control-Max-Age",
  ]);
  return {
    operationId: `${id}Options`,
    tags: [tag],
    summary: "The supported methods, also for CORS preflights.",
    ...(parameters.length > 0 && { parameters }),
    responses: { 204: { description: "The methods.", headers } },
  };
}
