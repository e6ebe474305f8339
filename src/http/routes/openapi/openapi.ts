/** `/openapi.json` and `/openapi.html`: the description of the interface (OpenAPI 3.1), generated from the field tables, the routes and the problems. */
import { lazily } from "../../../base/lazily.js";
import { endpointSchema, structureSchemas } from "../../../model/generate/json-schemas.js";
import type { ModelSettings } from "../../../model/settings.js";
import { ENDPOINTS } from "../../../model/tables/endpoints.js";
import { isJsonObject, type Json, type JsonObject } from "../../../rdf/record-graph.js";
import { API_VERSION } from "../../entity/hal.js";
import { type Content, jsonContent } from "../../message/content.js";
import { pageContent } from "../entities/pages.js";
import { type Route, type RouteContext, type RouteMaker, type RouteRequest, readRoute, type Tag } from "../route.js";
import { HEADERS, problemResponses } from "./answers.js";
import { openApiPage } from "./page.js";
import { CHOICES, CONDITIONS, paths } from "./paths.js";

const JSON_TYPE = "application/vnd.oai.openapi+json;version=3.1";

export const interfaceRoutes: RouteMaker = (context) => {
  // Made when it is first asked for: it tells of all routes, which are not there before.
  const description = lazily(() => openApi(context));
  const json = lazily(() => jsonContent(description(), JSON_TYPE));
  const about = { tag: "Service", conditions: "tags" } as const;
  const get = { ...about, id: "openapi", summary: "This description.", types: [JSON_TYPE] };
  const page = { ...about, id: "openapiPage", summary: "This description, to read.", types: ["text/html"] };
  const answerPage = async (request: RouteRequest): Promise<Content> =>
    pageContent(await openApiPage(context, description(), request.siteOf(context.site)));
  return [
    readRoute("/openapi.json", "file", get, () => json(), {
      link: { relation: "service-desc", mediaType: "application/vnd.oai.openapi+json" },
    }),
    readRoute("/openapi.html", "page", page, answerPage, {
      link: { relation: "service-doc", mediaType: "text/html" },
    }),
  ];
};

/** The whole description, with all that it refers to. */
function openApi({ base, model, routes }: Pick<RouteContext, "base" | "model" | "routes">): JsonObject {
  return {
    openapi: "3.1.0",
    info: {
      title: "Cultural heritage entities",
      version: API_VERSION,
      summary: "Descriptions of cultural-heritage entities as Linked Data, for reading.",
      description: `Every entity is dereferenced at its own URI. The data model is Linked Art 1.0, its context ${model.contextUri}. Every answer may be read by scripts of any origin (CORS).`,
    },
    servers: [{ url: base }],
    tags: tagsOf(routes),
    paths: paths(routes),
    components: {
      schemas: schemas(model),
      parameters: { ...CHOICES, ...CONDITIONS },
      headers: HEADERS,
      responses: problemResponses(base),
      ...(routes.some(({ takesToken }) => takesToken)
        ? { securitySchemes: { token: { type: "http", scheme: "bearer" } } }
        : {}),
    },
  };
}

const TAGS: Readonly<Record<Tag, string>> = {
  Entities: "Records, by the URI of what they describe.",
  Search: "Records, by what is known of them.",
  Harvest: "What changed, for those who keep copies.",
  Model: "What records have to be, and how documents are made of them.",
  Service: "The service itself.",
};

function tagsOf(routes: readonly Route[]): Json[] {
  const used = new Set(routes.flatMap(({ operations }) => Object.values(operations).map(({ tag }) => tag)));
  return (Object.keys(TAGS) as Tag[])
    .filter((name) => used.has(name))
    .map((name) => ({ name, description: TAGS[name] }));
}

function schemas(model: ModelSettings): JsonObject {
  const { $defs } = structureSchemas(model) as { $defs: JsonObject };
  const documents = ENDPOINTS.map(({ name, title }): [string, Json] => {
    const { $schema: _dialect, ...schema } = endpointSchema(name, model);
    return [`${title.replaceAll(" ", "")}Document`, schema];
  });
  return {
    Problem: PROBLEM_SCHEMA,
    Document: { oneOf: documents.map(([name]) => ({ $ref: `#/components/schemas/${name}` })) },
    ...(withinComponents({ ...$defs, ...Object.fromEntries(documents) }) as JsonObject),
  };
}

const PROBLEM_SCHEMA: JsonObject = {
  description: "Problem details (RFC 9457).",
  type: "object",
  properties: {
    type: { type: "string", format: "uri", description: "The kind of problem; its URL documents it." },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string", description: "What was wrong with this request." },
    instance: { type: "string", description: "The path that was asked for." },
  },
  required: ["type", "title", "status", "detail"],
};

/** References between the files of schemas become references within the description. */
function withinComponents(value: Json): Json {
  if (Array.isArray(value)) return value.map(withinComponents);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) =>
      key === "$ref" && typeof held === "string"
        ? [key, held.replace(/^(?:structures\.json)?#\/\$defs\//, "#/components/schemas/")]
        : [key, withinComponents(held)],
    ),
  );
}
