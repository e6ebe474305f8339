/** `/openapi.json` and `/openapi.html`: the description of the interface (OpenAPI 3.1), generated from the field tables, the routes and the problems. */
import { codeHtml, escapeHtml, linkTo } from "../../../base/html.js";
import { lazily } from "../../../base/lazily.js";
import { dumpsIn } from "../../../harvest/dumps/manifest.js";
import { endpointSchema, structureSchemas } from "../../../model/generate/json-schemas.js";
import type { ModelSettings } from "../../../model/settings.js";
import { ENDPOINTS } from "../../../model/tables/endpoints.js";
import { isJsonObject, type Json, type JsonObject } from "../../../rdf/record-graph.js";
import { API_VERSION } from "../../entity/hal.js";
import { jsonContent } from "../../message/content.js";
import { fromStore } from "../../message/problems/problems.js";
import type { HtmlPage, Site } from "../../pages/site.js";
import { pageContent } from "../entities/pages.js";
import { type Operation, type Route, type RouteContext, type RouteMaker, readRoute, type Tag } from "../route.js";
import { addressWith } from "../search/collection-pages.js";
import { HEADERS, problemResponses } from "./answers.js";
import { CHOICES, CONDITIONS, pathParameters, paths } from "./paths.js";

const JSON_TYPE = "application/vnd.oai.openapi+json;version=3.1";

export const interfaceRoutes: RouteMaker = (context) => {
  // Made at the first request, since it describes all routes, and not all of them exist yet.
  const description = lazily(() => openApi(context));
  const json = lazily(() => jsonContent(description(), JSON_TYPE));
  const about = { tag: "Service", conditions: "tags" } as const;
  const get = { ...about, id: "openapi", summary: "This description.", types: [JSON_TYPE] };
  const page = { ...about, id: "openapiPage", summary: "This description, to read.", types: ["text/html"] };
  const read = (site: Site) => openApiPage(context, description(), site);
  return [
    readRoute("/openapi.json", "file", get, () => json(), {
      link: { relation: "service-desc", mediaType: "application/vnd.oai.openapi+json" },
    }),
    readRoute("/openapi.html", "page", page, async (request) => pageContent(await read(request.siteOf(context.site))), {
      link: { relation: "service-doc", mediaType: "text/html" },
    }),
  ];
};

function openApi({ base, model, routes }: Pick<RouteContext, "base" | "model" | "routes">) {
  const used = new Set<string>(routes.flatMap(({ operations }) => Object.values(operations).map(({ tag }) => tag)));
  const hasTokens = routes.some(({ takesToken }) => takesToken);
  return {
    openapi: "3.1.0",
    info: {
      title: "Cultural heritage entities",
      version: API_VERSION,
      summary: "Descriptions of cultural-heritage entities as Linked Data, for reading.",
      description: `Every entity is dereferenced at its own URI. The data model is Linked Art 1.0, its context ${model.contextUri}. Every answer may be read by scripts of any origin (CORS).`,
    },
    servers: [{ url: base }],
    tags: Object.entries(TAGS).flatMap(([name, description]) => (used.has(name) ? { name, description } : [])),
    paths: paths(routes),
    components: {
      schemas: schemas(model),
      parameters: { ...CHOICES, ...CONDITIONS },
      headers: HEADERS,
      responses: problemResponses(base),
      ...(hasTokens && { securitySchemes: { token: { type: "http", scheme: "bearer" } } }),
    },
  };
}

const TAGS: Readonly<Record<Tag, string>> = {
  Entities: "Records, by the URI of what they describe.",
  Search: "Finding records.",
  Harvest: "The changes of records, for those who keep copies.",
  Model: "The rules for records, and how documents are made of them.",
  Service: "The service itself.",
};

function schemas(model: ModelSettings): JsonObject {
  const { $defs } = structureSchemas(model) as { $defs: JsonObject };
  const documents = ENDPOINTS.map(({ name, title }): [string, Json] => {
    const { $schema: _dialect, ...schema } = endpointSchema(name, model);
    return [`${title.replaceAll(" ", "")}Document`, schema];
  });
  return {
    Problem: PROBLEM_SCHEMA,
    // The records of provenance are also events, so a document may have two of these shapes.
    Document: { anyOf: documents.map(([name]) => ({ $ref: `#/components/schemas/${name}` })) },
    ...(JSON.parse(JSON.stringify({ ...$defs, ...Object.fromEntries(documents) }), withinComponents) as JsonObject),
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
    instance: { type: "string", description: "The requested path." },
  },
  required: ["type", "title", "status", "detail"],
};

/** Turns a reference between the files of schemas into one within the description. */
function withinComponents(key: string, value: Json): Json {
  const isReference = key === "$ref" && typeof value === "string";
  return isReference ? value.replace(/^(?:structures\.json)?#\/\$defs\//, "#/components/schemas/") : value;
}

type Description = ReturnType<typeof openApi>;

interface Described extends Pick<Operation, "summary" | "description" | "parameters"> {
  readonly tags: readonly string[];
  readonly responses: JsonObject;
}

interface Parameter extends Readonly<Record<"name" | "in" | "description", string>> {
  readonly required?: boolean;
  readonly schema: { readonly enum?: readonly string[] };
}

/** The description as a page, with example URLs that this collection answers. */
async function openApiPage(context: RouteContext, description: Description, site: Site): Promise<HtmlPage> {
  const examples = await examplesOf(context);
  const { base } = context;
  const { info, tags, paths } = description;
  const sections = tags.map(({ name, description: about }) => {
    const articles = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations as unknown as { readonly [method: string]: Described })
        .filter(([method, { tags }]) => !["head", "options"].includes(method) && tags.includes(name))
        .map(([method, operation]) => {
          const example = method === "get" ? examples.get(path) : undefined;
          return operationHtml(method, path, operation, description, example);
        }),
    );
    return `<h2>${escapeHtml(name)}</h2>\n<p>${escapeHtml(about)}</p>\n${articles.join("\n")}`;
  });
  // The description exists only in English.
  return site.plain(
    site.words.file.page.interface,
    [
      '<div lang="en">',
      `<h1>${escapeHtml(info.title)}</h1>`,
      `<p>${escapeHtml(info.summary)} Version ${escapeHtml(info.version)} at ${linkTo(base)}.</p>`,
      `<p>${escapeHtml(info.description)}</p>`,
      "<p>All paths also answer <code>OPTIONS</code>, and those with <code>GET</code> also <code>HEAD</code>.",
      `The same for programs, with all headers: ${linkTo(`${base}/openapi.json`)}.</p>`,
      ...sections,
      "</div>",
    ].join("\n"),
    `${site.path}/openapi.html`,
  );
}

function operationHtml(
  method: string,
  path: string,
  { summary, description: more, parameters = [], responses }: Described,
  description: Description,
  example: string | undefined,
): string {
  const named = parameters.map((parameter) => resolved(parameter, description) as unknown as Parameter);
  const answers = Object.entries(responses).map(([status, response]) => {
    const { description: about, content = {} } = resolved(response, description) as JsonObject;
    return [status, String(about), Object.keys(content as object).join(", ")];
  });
  return [
    `<details><summary><h3>${method.toUpperCase()} <code>${escapeHtml(path)}</code></h3> ${codeHtml(summary)}</summary>`,
    more === undefined ? "" : `<p>${codeHtml(more)}</p>`,
    example === undefined ? "" : `<p>Try it: ${linkTo(example)}</p>`,
    named.length === 0 ? "" : table(["Parameter", "In", "Meaning"], named.map(parameterCells)),
    table(["Status", "Meaning", "Content"], answers),
    "</details>",
  ].join("\n");
}

function parameterCells({ name, in: place, description, required, schema }: Parameter): string[] {
  const values = schema.enum === undefined ? "" : ` One of: ${schema.enum.join(", ")}.`;
  return [name, required === true ? `${place}, required` : place, description + values];
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[], tag: "td" | "th"): string =>
    `<tr>${cells.map((cell) => `<${tag}>${codeHtml(cell)}</${tag}>`).join("")}</tr>`;
  const body = rows.map((cells) => row(cells, "td"));
  return `<table>\n<thead>${row(heads, "th")}</thead>\n<tbody>${body.join("\n")}</tbody>\n</table>`;
}

/** Resolves a reference within the description; returns any other value as it is. */
function resolved(value: Json, description: Description): Json {
  const reference = isJsonObject(value) ? value.$ref : undefined;
  if (typeof reference !== "string") return value;
  let found: Json = description;
  for (const key of reference.slice("#/".length).split("/")) found = (found as JsonObject)[key]!;
  return found;
}

type Values = Readonly<Record<string, string | undefined>>;

const LOOKED_UP = 1_000;

/** A query that every collection answers quickly. */
const QUERY = "SELECT DISTINCT ?class { ?s a ?class } LIMIT 10";

/** An example URL for each path with GET that this collection can answer, by path. */
async function examplesOf(context: RouteContext): Promise<ReadonlyMap<string, string>> {
  const file = context.dumps === undefined ? undefined : (await dumpsIn(context.dumps))[0]?.files[0];
  const values: Values = { ...(await fromStore(() => valuesOf(context))), of: file?.of, format: file?.format };
  const examples = new Map<string, string>();
  for (const route of context.routes) {
    const isOfVersions = route.path.startsWith("/versions");
    if (isOfVersions && context.store.versions?.areKept() !== true) continue;
    if (route.path.startsWith("/dumps/latest") && file === undefined) continue;
    const address = addressOf(route, isOfVersions ? { ...values, number: values.version } : values);
    if (address !== undefined) examples.set(route.path, context.base + address);
  }
  return examples;
}

/** Example values of parameters, from the first record whose IRI is under the base URL and has an endpoint. */
async function valuesOf({ store, base, addresses }: RouteContext): Promise<Values> {
  const { sources = {} } = await store.stats();
  const fixed = { number: "1", suffix: "ttl", query: QUERY, source: Object.keys(sources)[0] };
  const numbered = await store.lists?.numbered(1, LOOKED_UP);
  for (const { iri } of numbered?.records ?? []) {
    const url = addresses.url(iri);
    const found = url.startsWith(`${base}/`) && !url.includes("?") ? await store.find(iri) : undefined;
    if (found === undefined || found.meta.endpoint === null) continue;
    const { endpoint, label, sequence } = found.meta;
    const [referred] = (await store.references?.counts(iri)) ?? [];
    const word = label.split(/\s+/)[0] || undefined;
    return {
      ...fixed,
      path: url.slice(base.length + 1),
      uri: iri,
      id: iri,
      endpoint,
      property: referred?.property ?? undefined,
      version: String(sequence),
      name: word,
      prefix: word,
    };
  }
  return fixed;
}

/** Optional parameters that examples nevertheless include. */
const SHOWN = ["name", "prefix", "query", "id"];

function addressOf(route: Route, values: Values): string | undefined {
  const { get } = route.operations;
  if (get === undefined) return undefined;
  let address = route.path;
  for (const parameter of pathParameters(route)) {
    const value = exampleFor(parameter, values);
    if (value === undefined) return undefined;
    address = address.replace(`{${parameter.name}*}`, () => value);
    address = address.replace(`{${parameter.name}}`, () => encodeURIComponent(value));
  }
  const query: [string, string][] = [];
  for (const parameter of (get.parameters ?? []) as readonly JsonObject[]) {
    const { name, required } = parameter;
    if (parameter.in !== "query" || (required !== true && !SHOWN.includes(String(name)))) continue;
    const value = exampleFor(parameter, values);
    if (value !== undefined) query.push([String(name), value]);
    else if (required === true) return undefined;
  }
  return addressWith(address, query);
}

/** The example value of a parameter: the known value of its name, if allowed, or the first allowed value in a path. */
function exampleFor(parameter: JsonObject, values: Values): string | undefined {
  const { enum: choices } = (parameter.schema ?? {}) as { enum?: readonly string[] };
  const value = values[String(parameter.name)];
  if (choices === undefined || (value !== undefined && choices.includes(value))) return value;
  return parameter.in === "path" ? choices[0] : undefined;
}
