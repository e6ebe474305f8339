/** The paths of the interface, as its description tells of them: parameters, answers, errors. */

import type { ModelSettings } from "../../../model/settings.js";
import { ENDPOINTS } from "../../../model/tables/endpoints.js";
import type { Json } from "../../../rdf/record-graph.js";
import type { Representation } from "../../entity/representations.js";
import { PROBLEMS, type ProblemName } from "../../problems/problems.js";
import { ALWAYS, headersNamed, type JsonObject } from "./headers.js";
import { ANYWHERE, errors } from "./problems.js";
import { sparqlPath } from "./sparql.js";

/** What the description depends on. */
export interface InterfaceSettings {
  readonly model: ModelSettings;
  /** `{base_url}` without a final slash. */
  readonly base: string;
  /** What there is of every entity. */
  readonly representations: readonly Representation[];
  /** Whether `/images/` answers, and `/sparql`. */
  readonly images: boolean;
  readonly sparql: boolean;
}

function parameter(name: string, place: "header" | "path" | "query", description: string, schema: Json = TEXT): Json {
  return { name, in: place, description, schema, ...(place === "path" ? { required: true } : {}) };
}

const TEXT: Json = { type: "string" };

/** Headers that choose, beside `Accept`, which OpenAPI tells of by the media types of the answers. */
export const CHOICES: JsonObject = {
  "Accept-Profile": parameter(
    "Accept-Profile",
    "header",
    "Profiles of the representation, each an IRI in angle brackets (Content Negotiation by Profile).",
  ),
  "Accept-Encoding": parameter("Accept-Encoding", "header", "br or gzip, for a compressed body (RFC 9110, 12.5.3)."),
};

/** Headers that make a request conditional. */
export const CONDITIONS: JsonObject = {
  "If-None-Match": parameter("If-None-Match", "header", "Entity tags that the client has (RFC 9110, 13.1.2)."),
  "If-Modified-Since": parameter("If-Modified-Since", "header", "Without tags: the date of what the client has."),
  "If-Match": parameter("If-Match", "header", "Entity tags of which the representation has to have one."),
  "If-Unmodified-Since": parameter(
    "If-Unmodified-Since",
    "header",
    "Without tags: a date since which nothing changed.",
  ),
};

const OF_ENTITIES: readonly ProblemName[] = ["not-found", "not-acceptable", "gone", "precondition-failed"];

function referenceTo(kind: string): (name: string) => Json {
  return (name) => ({ $ref: `#/components/${kind}/${name}` });
}

/** What an operation is, but for its method. */
interface Operation {
  readonly id: string;
  readonly tag: "Entities" | "Model" | "Service";
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Json[];
  readonly responses: JsonObject;
}

/** GET, HEAD without the body, and OPTIONS. */
function readable({ id, tag, summary, description, parameters = [], responses }: Operation): JsonObject {
  const about = { tags: [tag], summary, ...(description === undefined ? {} : { description }) };
  const withoutBody = Object.fromEntries(
    Object.entries(responses as { [status: string]: JsonObject }).map(([status, { content: _content, ...rest }]) => [
      status,
      rest,
    ]),
  );
  return {
    ...(parameters.length === 0 ? {} : { parameters: [...parameters] }),
    get: { operationId: id, ...about, responses },
    head: { operationId: `${id}Head`, ...about, responses: withoutBody },
    options: {
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
    },
  };
}

/** The answers for an entity, in these representations. */
function entityResponses(settings: InterfaceSettings, suffix: boolean): JsonObject {
  const offered = settings.representations.filter((representation) => !suffix || representation.suffix !== null);
  const content = offered.map(({ contentType, mediaType }): [string, Json] => [
    contentType,
    { schema: mediaType.endsWith("json") && !contentType.includes("#expanded") ? DOCUMENT : {} },
  ]);
  const cached = ["ETag", "Content-Location", "Cache-Control"];
  return {
    200: {
      description: "The record, in the representation that was asked for.",
      headers: headersNamed([...cached, "Last-Modified", "Link", "Content-Encoding", ...ALWAYS]),
      content: Object.fromEntries(content),
    },
    303: {
      description: "The entity is described within the record of another, which `Location` leads to.",
      headers: headersNamed(["Location", "Cache-Control", ...ALWAYS]),
      content: { "application/json": { schema: { type: "object" } } },
    },
    304: { description: "The client has the representation as it is.", headers: headersNamed([...cached, ...ALWAYS]) },
    ...errors([...ANYWHERE, ...OF_ENTITIES]),
  };
}

const HTML = "text/html; charset=utf-8";
const DOCUMENT: Json = { $ref: "#/components/schemas/Document" };

function entityPaths(settings: InterfaceSettings): JsonObject {
  const path = parameter(
    "path",
    "path",
    "The rest of the entity's URI after the base URL, slashes and query included.",
  );
  const asked = [...Object.keys(CHOICES), ...Object.keys(CONDITIONS)].map(referenceTo("parameters"));
  const conditional = Object.keys(CONDITIONS).map(referenceTo("parameters"));
  const suffixes = settings.representations.flatMap(({ suffix }) => (suffix === null ? [] : [suffix.slice(1)]));
  return {
    "/{path}": readable({
      id: "entity",
      tag: "Entities",
      summary: "An entity, by the path of its URI.",
      description: "A record goes before a service path and before a suffix.",
      parameters: [path, ...asked],
      responses: entityResponses(settings, false),
    }),
    "/{path}.{suffix}": readable({
      id: "representation",
      tag: "Entities",
      summary: "One representation of an entity, whatever `Accept` says.",
      parameters: [path, parameter("suffix", "path", "The representation.", { enum: suffixes }), ...conditional],
      responses: entityResponses(settings, true),
    }),
    "/entity": readable({
      id: "entityByUri",
      tag: "Entities",
      summary: "An entity, by any IRI.",
      parameters: [
        { ...(parameter("uri", "query", "The entity's IRI, percent-encoded.") as JsonObject), required: true },
        ...asked,
      ],
      responses: entityResponses(settings, false),
    }),
  };
}

/** A document that stays the same while the service runs. */
function file(
  id: string,
  tag: Operation["tag"],
  summary: string,
  type: string,
  parameters: readonly Json[] = [],
): Json {
  const conditional = [{ $ref: "#/components/parameters/If-None-Match" }];
  const ofPage = type === HTML ? ["Content-Security-Policy", "Referrer-Policy"] : [];
  return readable({
    id,
    tag,
    summary,
    parameters: [...parameters, ...conditional],
    responses: {
      200: {
        description: summary,
        headers: headersNamed(["ETag", "Cache-Control", ...ofPage, ...ALWAYS]),
        content: { [type]: { schema: {} } },
      },
      304: {
        description: "The client has it as it is.",
        headers: headersNamed(["ETag", "Cache-Control", ...ALWAYS]),
      },
      ...errors([...ANYWHERE, "not-found"]),
    },
  });
}

function modelPaths(): JsonObject {
  const endpoint = parameter("endpoint", "path", "The kind of record.", { enum: ENDPOINTS.map(({ name }) => name) });
  const profile = (name: string): string => `application/ld+json;profile="http://www.w3.org/ns/json-ld#${name}"`;
  return {
    "/context": file("context", "Model", "The data model's JSON-LD context.", "application/ld+json"),
    "/frames/{endpoint}.json": file("frame", "Model", "The JSON-LD frame of a kind of record.", profile("frame"), [
      endpoint,
    ]),
    "/shapes/{endpoint}.ttl": file(
      "shape",
      "Model",
      "The SHACL shape of a kind of record.",
      "text/turtle; charset=utf-8",
      [endpoint],
    ),
    "/shapes/structures.ttl": file(
      "structureShapes",
      "Model",
      "The SHACL shapes of embedded structures.",
      "text/turtle; charset=utf-8",
    ),
    "/schemas/{endpoint}.json": file(
      "schema",
      "Model",
      "The JSON Schema of a kind of record.",
      "application/schema+json",
      [endpoint],
    ),
    "/schemas/structures.json": file(
      "structureSchemas",
      "Model",
      "The JSON Schemas of embedded structures.",
      "application/schema+json",
    ),
  };
}

/** What is true at this moment only. */
function state(id: string, summary: string): Json {
  return readable({
    id,
    tag: "Service",
    summary,
    responses: {
      200: {
        description: summary,
        headers: headersNamed(["Cache-Control", ...ALWAYS]),
        content: { "application/json": { schema: { type: "object" } } },
      },
      ...errors(ANYWHERE),
    },
  });
}

function servicePaths({ images, sparql }: InterfaceSettings): JsonObject {
  const name = parameter("name", "path", "The kind of problem.", { enum: Object.keys(PROBLEMS) });
  return {
    "/": state("service", "What the service is, and where things are."),
    "/health": state("health", "Whether the service lives."),
    "/ready": state("ready", "200 once entities answer, with how far the index for queries is."),
    "/problems": file("problems", "Service", "All kinds of problems.", "application/json"),
    "/problems/{name}": file(
      "problem",
      "Service",
      "A kind of problem: when it comes, and what to do.",
      "application/json",
      [name],
    ),
    "/openapi.json": file("openapi", "Service", "This description.", "application/vnd.oai.openapi+json;version=3.1"),
    "/openapi.html": file("openapiPage", "Service", "This description, to read.", HTML),
    ...(sparql ? { "/sparql": sparqlPath() } : {}),
    ...(images
      ? {
          "/images/{file}": file("image", "Service", "A picture.", "image/*", [parameter("file", "path", "Its name.")]),
        }
      : {}),
  };
}

/** All paths. */
export function paths(settings: InterfaceSettings): JsonObject {
  return { ...entityPaths(settings), ...modelPaths(), ...servicePaths(settings) };
}
