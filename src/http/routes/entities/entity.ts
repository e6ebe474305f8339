/** Entities: the paths of their URIs, and `/entity?uri=` for any IRI. */
import { pathOf } from "../../entity/addresses.js";
import type { Representation } from "../../representations/representation.js";
import { leadingTo } from "../openapi/answers.js";
import { ANY_OBJECT, CHOICES, DOCUMENT, parameter, parameterNamed } from "../openapi/paths.js";
import { URI_PARAMETER } from "../parameters.js";
import type { Operation, Route, RouteContext, RouteMaker } from "../route.js";
import { CHANGES, changeEntity } from "../service/change.js";

const LANGUAGES = parameter("Accept-Language", "header", "The languages of a page, where there are several.");

const FORMAT = "The representation, whatever `Accept` says.";

/** The server tries a record of the very IRI before any route; what is left for these is all else that a path may mean. */
export const entityRoutes: RouteMaker = (context) => {
  const { representations } = context;
  const byLanguage = representations.some(({ dependsOn }) => dependsOn?.languages === true);
  const formats = representations.map(({ format }) => format);
  const asked = [...Object.keys(CHOICES).map(parameterNamed), ...(byLanguage ? [LANGUAGES] : [])];
  const suffixed = representations.filter(({ suffix }) => suffix !== null);
  const bySuffix: Route = {
    path: "/{path*}.{suffix}",
    names: { suffix: suffixed.map(({ suffix }) => suffix!.slice(1)) },
    cost: "entity",
    operations: {
      get: {
        ...about(suffixed),
        id: "representation",
        summary: "One representation of an entity, whatever `Accept` says.",
      },
    },
    // A dot in an IRI need not begin a suffix, so PUT and DELETE go by the whole path.
    isDescription: true,
    answer: ({ message }) => context.otherwise(message),
  };
  return [
    route(context, "/entity", {
      ...about(representations),
      id: "entityByUri",
      summary: "An entity, by any IRI.",
      parameters: [URI_PARAMETER, parameter("format", "query", FORMAT, { enum: formats }), ...asked],
    }),
    bySuffix,
    route(context, "/{path*}", {
      ...about(representations),
      id: "entity",
      summary: "An entity, by the path of its URI.",
      description: "A record goes before a service path and before a suffix.",
      parameters: asked,
    }),
  ];
};

function route({ otherwise, loading, addresses }: RouteContext, path: string, get: Operation): Route {
  const reading: Route = { path, cost: "entity", operations: { get }, answer: ({ message }) => otherwise(message) };
  if (loading === undefined) return reading;
  const [suffix, parameters] = path === "/entity" ? ["ByUri", [URI_PARAMETER]] : ["", []];
  return {
    ...reading,
    operations: {
      get,
      put: { ...CHANGES.put, id: `putEntity${suffix}`, parameters },
      delete: { ...CHANGES.delete, id: `deleteEntity${suffix}`, parameters },
    },
    takesToken: true,
    hasDeadline: true,
    answer: (request) => {
      if (request.method === "GET") return otherwise(request.message);
      const { meant } = addresses.named(pathOf(request.message.url ?? "/") ?? "/");
      return changeEntity(request, loading, meant);
    },
  };
}

function about(representations: readonly Representation[]): Omit<Operation, "id" | "summary"> {
  const documents = representations.filter(({ format }) => format === "jsonld" || format === "json");
  const leading = { "application/json": { schema: ANY_OBJECT } };
  return {
    tag: "Entities",
    types: representations.map(({ contentType }) => contentType),
    schemas: Object.fromEntries(documents.map(({ contentType }) => [contentType, DOCUMENT])),
    headers: ["Content-Location", "Last-Modified", "Link"],
    conditions: "tags and dates",
    problems: ["not-found", "not-acceptable", "gone"],
    responses: {
      301: leadingTo(
        "The address is that of an entity but for a slash at its end or parameters that count visits.",
        leading,
      ),
      303: leadingTo("The entity is described within the record of another, which `Location` leads to.", leading),
    },
  };
}
