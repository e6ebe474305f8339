/** Entities: the paths of their URIs, and `/entity?uri=` for any IRI. */
import type { Json } from "../../../rdf/record-graph.js";
import { pathOf } from "../../entity/addresses.js";
import type { Representation } from "../../representations/representation.js";
import { ALWAYS, HEADERS, type HeaderName, headersNamed } from "../openapi/headers.js";
import { ANY_OBJECT, CHOICES, DOCUMENT, parameter, parameterNamed, pathParameter } from "../openapi/paths.js";
import { URI_PARAMETER } from "../parameters.js";
import type { Operation, Route, RouteContext, RouteMaker } from "../route.js";
import { CHANGES, changeEntity } from "../service/change.js";

const LANGUAGES = parameter("Accept-Language", "header", "The languages of a page, where there are several.");

/** The server tries a record of the very IRI before any route; what is left for these is all else that a path may mean. */
export const entityRoutes: RouteMaker = (context) => {
  const { representations } = context;
  const byLanguage = representations.some(({ dependsOn }) => dependsOn?.languages === true);
  const asked = [...Object.keys(CHOICES).map(parameterNamed), ...(byLanguage ? [LANGUAGES] : [])];
  const path = pathParameter("path", "The rest of the entity's URI after the base URL, slashes and query included.");
  const suffixes = representations.flatMap(({ suffix }) => (suffix === null ? [] : [suffix.slice(1)]));
  const suffixed = representations.filter(({ suffix }) => suffix !== null);
  return [
    route(context, "/entity", {
      ...operation(representations),
      id: "entityByUri",
      summary: "An entity, by any IRI.",
      parameters: [URI_PARAMETER, ...asked],
    }),
    route(context, "/{path*}.{suffix}", {
      ...operation(suffixed),
      id: "representation",
      summary: "One representation of an entity, whatever `Accept` says.",
      parameters: [path, pathParameter("suffix", "The representation.", suffixes)],
    }),
    route(context, "/{path*}", {
      ...operation(representations),
      id: "entity",
      summary: "An entity, by the path of its URI.",
      description: "A record goes before a service path and before a suffix.",
      parameters: [path, ...asked],
    }),
  ];
};

function route({ otherwise, loading, addresses }: RouteContext, path: string, get: Operation): Route {
  const reading: Route = { path, cost: "entity", operations: { get }, answer: ({ message }) => otherwise(message) };
  // A dot in an IRI need not begin a suffix, so PUT and DELETE go by the whole path.
  if (path.endsWith("{suffix}")) return { ...reading, isDescription: true };
  if (loading === undefined) return reading;
  const id = (text: string): string => (path === "/entity" ? `${text}ByUri` : text);
  const parameters = get.parameters!.slice(0, 1);
  return {
    ...reading,
    operations: {
      get,
      put: { ...CHANGES.put, id: id("putEntity"), parameters },
      delete: { ...CHANGES.delete, id: id("deleteEntity"), parameters },
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

/** The common part of all operations on entities. */
function operation(representations: readonly Representation[]): Omit<Operation, "id" | "summary"> {
  const content = representations.map(({ contentType, mediaType }): [string, Json] => [
    contentType,
    mediaType.endsWith("json") && !contentType.includes("#expanded") ? DOCUMENT : {},
  ]);
  return {
    tag: "Entities",
    content: Object.fromEntries(content),
    headers: ["Content-Location", "Last-Modified", "Link", ...representations.flatMap(ownHeaders)],
    conditions: "tags and dates",
    problems: ["not-found", "not-acceptable", "gone", "precondition-failed"],
    responses: {
      301: leading("The address is that of an entity but for a slash at its end or parameters that count visits."),
      303: leading("The entity is described within the record of another, which `Location` leads to."),
    },
  };
}

function leading(description: string): Json {
  const headers = headersNamed(["Location", "Cache-Control", ...ALWAYS]);
  return { description, headers, content: { "application/json": { schema: ANY_OBJECT } } };
}

/** The headers that a representation has of its own, as far as the description knows them. */
function ownHeaders({ headers = [] }: Representation): HeaderName[] {
  return (Object.keys(HEADERS) as HeaderName[]).filter((name) => headers.includes(name));
}
