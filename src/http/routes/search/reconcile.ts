/** `/reconcile`: matching a table's cells with records, in OpenRefine and elsewhere (Reconciliation Service API 0.2). */
import { setImmediate as nextTurn } from "node:timers/promises";
import { ENDPOINTS, type EndpointName } from "../../../model/tables/endpoints.js";
import { foundForm } from "../../../rdf/found-text.js";
import { isJsonObject, type Json, type JsonObject } from "../../../rdf/record-graph.js";
import type { Search } from "../../../store/search.js";
import { readText, unsupportedType } from "../../message/body.js";
import { type Content, tagOf } from "../../message/content.js";
import { ProblemError } from "../../message/problems/problems.js";
import { ENDPOINT_WORDS } from "../../pages/labels.js";
import { html, join, text } from "../../pages/markup.js";
import { ANY_OBJECT, parameter } from "../openapi/paths.js";
import type { Operation, Outcome, Route, RouteContext, RouteMaker, RouteRequest } from "../route.js";
import { readPage } from "./collection-pages.js";
import {
  candidatesOf,
  descriptionOf,
  endpointsOfType,
  malformed,
  parseObject,
  parseQueries,
  typeOfEndpoint,
} from "./reconcile-queries.js";
import { cellValues, columnNamed, columnsOf, type ValueSettings } from "./reconcile-values.js";

/** The longest body that is read, in bytes; rows that are extended at once, and columns of them. */
const MAX_BODY = 1_048_576;
const MAX_ROWS = 1_000;
/** As many as are proposed, whatever the type. */
const MAX_COLUMNS = columnsOf(undefined).length;
const SUGGESTED = 20;
/** In pixels. */
const PREVIEW = { width: 400, height: 180 };

const FORM = "application/x-www-form-urlencoded";

export const reconcileRoutes: RouteMaker = (context) => {
  const { search } = context.store;
  if (search === undefined) return [];
  const types = ENDPOINTS.map(({ name, title }) => ({ id: name, name: title }));
  return [
    serviceRoute(context, search),
    suggestRoute("entity", "Entities whose names or identifiers begin so.", (prefix) =>
      suggestEntities(search, prefix),
    ),
    suggestRoute("type", "Kinds of records.", async (prefix) => beginning(types, prefix)),
    suggestRoute("property", "Properties.", async (prefix) => beginning(columnsOf(undefined), prefix)),
    proposeRoute(),
    previewRoute(context),
  ];
};

function serviceRoute(context: RouteContext, search: Search): Route {
  const described: Operation = {
    id: "reconcile",
    tag: "Search",
    summary: "Matching a table's cells with records (Reconciliation Service API 0.2).",
    description: "Without a parameter, what the service is and can do.",
    parameters: [
      parameter("queries", "query", "A batch of queries, as JSON."),
      parameter("extend", "query", "Which properties of which entities, as JSON."),
    ],
    content: { "application/json": ANY_OBJECT },
    conditions: "tags",
    problems: ["malformed"],
  };
  const { conditions: _, ...changing } = described;
  const post: Operation = {
    ...changing,
    id: "reconcilePost",
    parameters: [],
    requestBody: { content: { [FORM]: { schema: { type: "object", properties: { queries: {}, extend: {} } } } } },
    problems: ["malformed", "content-too-large", "unsupported-media-type"],
  };
  return {
    path: "/reconcile",
    cost: "search",
    operations: { get: described, post },
    answer: async (request) => {
      const parameters = await parametersOf(request);
      const [queries, extend] = [parameters.get("queries"), parameters.get("extend")];
      if (queries !== null) return json(await reconcile(context, search, queries));
      if (extend !== null) return json(await extension(context, extend));
      if (request.method === "POST") throw malformed("The parameter queries is missing, or extend.");
      return json(await manifest(context));
    },
  };
}

/** Throws `ProblemError`. */
async function parametersOf({ method, query, headers, message }: RouteRequest): Promise<URLSearchParams> {
  if (method === "GET") return query;
  const type = (headers["content-type"] ?? "").toLowerCase().split(";")[0]!.trim();
  if (type !== FORM) {
    throw unsupportedType(`Queries are posted as ${FORM}; this is ${type || "without a type"}.`, [FORM]);
  }
  const body = new URLSearchParams(await readText(message, MAX_BODY, "A batch of queries"));
  return body.has("queries") || body.has("extend") ? body : query;
}

/** What may be asked of each column that is filled (0.2, 8.1). */
const SETTINGS: Json = [
  { name: "limit", label: "Values", type: "number", default: 0, help_text: "At most so many values a row; 0 for all." },
  {
    name: "language",
    label: "Language",
    type: "text",
    default: "",
    help_text: "Only names and texts in this language, such as nl, and those that say none.",
  },
  {
    name: "content",
    label: "Other records",
    type: "select",
    default: "entity",
    help_text: "How other records, such as a maker, come into a cell.",
    choices: [
      { value: "entity", name: "Matched, with name and IRI" },
      { value: "name", name: "Name as text" },
      { value: "id", name: "IRI as text" },
    ],
  },
];

/** The settings of a column as a client gives them: numbers may be strings. Throws `ProblemError`. */
function settingsOf(given: Json | undefined): ValueSettings {
  const { limit = 0, language = "", content = "entity" } = isJsonObject(given) ? given : {};
  const isKnown = content === "entity" || content === "name" || content === "id" || content === "literal";
  if (!/^\d{0,9}$/.test(String(limit)) || typeof language !== "string" || !isKnown)
    throw malformed("A property's settings may be a number `limit`, a `language`, and `content`: entity, name or id.");
  return { limit: Number(limit), language, content: content === "literal" ? "name" : content };
}

/** The service manifest (0.2, 3). */
async function manifest({ base, site, store }: RouteContext): Promise<Json> {
  const { endpoints } = await readPage(() => store.stats());
  const service = (path: string): Json => ({ service_url: base, service_path: `/reconcile${path}` });
  return {
    versions: ["0.2"],
    name: site.title,
    identifierSpace: `${base}/`,
    schemaSpace: "https://linked.art/model/",
    documentation: `${base}/openapi.html`,
    defaultTypes: ENDPOINTS.filter(({ name }) => (endpoints[name] ?? 0) > 0).map(({ name, title }) => ({
      id: name,
      name: title,
    })),
    view: { url: `${base}/entity?uri={{id}}` },
    preview: { url: `${base}/reconcile/preview?id={{id}}`, ...PREVIEW },
    suggest: {
      entity: service("/suggest/entity"),
      type: service("/suggest/type"),
      property: service("/suggest/property"),
    },
    extend: { propose_properties: service("/extend/propose"), property_settings: SETTINGS },
  };
}

async function reconcile({ store }: RouteContext, search: Search, given: string): Promise<Json> {
  const results: JsonObject = {};
  for (const [key, query] of parseQueries(given)) {
    // `__proto__` is a key like any other.
    Object.defineProperty(results, key, {
      value: { result: (await readPage(() => candidatesOf(store, search, query))) as unknown as Json },
      enumerable: true,
    });
    await nextTurn();
  }
  return results;
}

/** What entities say, for the columns of a table (0.2, 8). */
async function extension({ store }: RouteContext, given: string): Promise<Json> {
  const { ids, properties } = parseObject(given, "extend");
  const isSound =
    Array.isArray(ids) &&
    ids.every((id) => typeof id === "string") &&
    Array.isArray(properties) &&
    properties.every((each) => typeof (each as JsonObject | null)?.id === "string");
  if (!isSound)
    throw malformed("The parameter extend needs `ids`, an array of strings, and `properties`, each with its `id`.");
  if (ids.length > MAX_ROWS || properties.length > MAX_COLUMNS)
    throw malformed(`Up to ${MAX_ROWS} entities and ${MAX_COLUMNS} properties are asked for at once.`);
  const asked = (properties as { id: string; settings?: Json }[]).map(({ id, settings }) => ({
    id,
    settings: settingsOf(settings),
  }));
  const rows: [string, Json][] = [];
  let endpoint: EndpointName | null = null;
  for (const [at, id] of (ids as string[]).entries()) {
    const record = await readPage(async () => (await store.find(id))?.record());
    endpoint ??= record?.meta.endpoint ?? null;
    const cells = asked.map(({ id: column, settings }): [string, Json] => [
      column,
      record === undefined ? [] : (cellValues(record.graph, column, settings) as unknown as Json),
    ]);
    rows.push([id, Object.fromEntries(cells)]);
    if (at % 50 === 49) await nextTurn();
  }
  const columns = asked.map((each) => columnNamed(each.id, endpoint));
  return { meta: columns as unknown as Json, rows: Object.fromEntries(rows) };
}

async function suggestEntities(search: Search, prefix: string): Promise<Json[]> {
  const { items } = await readPage(() => search.find({ text: prefix }, { limit: SUGGESTED }));
  return items.map((hit) => ({
    id: hit.iri,
    name: hit.label === "" ? hit.iri : hit.label,
    ...descriptionOf(hit),
    notable: typeOfEndpoint(hit.endpoint),
  }));
}

/** Those of which a word begins so, or the id does. */
function beginning(all: readonly { readonly id: string; readonly name: string }[], prefix: string): Json[] {
  const begun = foundForm(prefix);
  return all
    .filter(({ id, name }) =>
      [foundForm(id), ...foundForm(name).split(" "), foundForm(name)].some((each) => each.startsWith(begun)),
    )
    .slice(0, 5 * SUGGESTED)
    .map(({ id, name }) => ({ id, name }));
}

function suggestRoute(of: string, summary: string, suggest: (prefix: string) => Promise<Json[]>): Route {
  return {
    path: `/reconcile/suggest/${of}`,
    cost: "search",
    operations: {
      get: {
        id: `suggest${of}`,
        tag: "Search",
        summary,
        parameters: [
          parameter("prefix", "query", "What was typed."),
          parameter("cursor", "query", "How many to leave out."),
        ],
        content: { "application/json": ANY_OBJECT },
      },
    },
    answer: async ({ query }) => {
      const cursor = /^\d{1,6}$/.exec(query.get("cursor") ?? "0");
      return json({ result: (await suggest(query.get("prefix") ?? "")).slice(Number(cursor?.[0] ?? 0)) });
    },
  };
}

function proposeRoute(): Route {
  return {
    path: "/reconcile/extend/propose",
    cost: "search",
    operations: {
      get: {
        id: "proposeProperties",
        tag: "Search",
        summary: "The properties that entities of a type may have.",
        parameters: [parameter("type", "query", "The type."), parameter("limit", "query", "At most so many.")],
        content: { "application/json": ANY_OBJECT },
      },
    },
    answer: async ({ query }) => {
      const type = query.get("type") ?? "";
      const given = /^\d{1,4}$/.exec(query.get("limit") ?? "");
      const columns = columnsOf(endpointsOfType(type)[0]);
      const properties = columns.slice(0, given === null ? undefined : Number(given[0]));
      return json({
        properties: properties as unknown as Json,
        ...(type === "" ? {} : { type }),
        ...(given === null ? {} : { limit: Number(given[0]) }),
      });
    },
  };
}

/** A small page about an entity, for a frame in somebody's tool (0.2, 6). */
function previewRoute({ store, site, addresses }: RouteContext): Route {
  return {
    path: "/reconcile/preview",
    cost: "search",
    operations: {
      get: {
        id: "preview",
        tag: "Search",
        summary: "A few words about an entity, to read.",
        parameters: [{ ...parameter("id", "query", "The entity's IRI."), required: true }],
        content: { "text/html": { type: "string" } },
        headers: ["Content-Security-Policy", "Referrer-Policy"],
        problems: ["not-found"],
      },
    },
    answer: async ({ query }): Promise<Outcome> => {
      const id = query.get("id") ?? "";
      const record = await readPage(async () => (await store.find(id))?.record());
      if (record === undefined) throw new ProblemError("not-found", { detail: `There is no record of ${id}.` });
      const { endpoint, label } = record.meta;
      const said = (term: string): string[] =>
        cellValues(record.graph, term).flatMap((value) =>
          "str" in value ? [value.str] : "name" in value ? [value.name] : [],
        );
      const names = said("identified_by").filter((name) => name !== label);
      const [statement = ""] = said("referred_to_by");
      const rows = [
        endpoint === null ? "" : ENDPOINT_WORDS[endpoint].one,
        names.slice(0, 4).join(", "),
        statement.length > 160 ? `${statement.slice(0, 160).toWellFormed()}…` : statement,
      ].filter((row) => row !== "");
      const body = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${text(label)}</title></head>
<body><h1><a href="${text(addresses.url(id))}" target="_blank">${text(label === "" ? id : label)}</a></h1>
${join(rows.map((row) => html`<p>${text(row)}</p>\n`))}<p>${text(site.title)}</p></body></html>
`;
      // It is made for frames, and has nothing in it that could be misused there.
      const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors *";
      return {
        type: "text/html; charset=utf-8",
        body,
        headers: ["Content-Security-Policy", policy, "Referrer-Policy", "no-referrer"],
      };
    },
  };
}

function json(value: Json): Content {
  const body = `${JSON.stringify(value)}\n`;
  return { type: "application/json", body, tag: tagOf(body) };
}
