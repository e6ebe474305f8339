/** `/reconcile`: matching of a table's cells with records, for OpenRefine and other clients (Reconciliation Service API 0.2). */
import { setImmediate as nextTurn } from "node:timers/promises";
import { withoutDirectionMarks } from "../../../base/plain-text.js";
import { beginning } from "../../../base/shortened.js";
import type { EndpointName } from "../../../model/tables/names.js";
import { isJsonObject, type Json, type JsonObject } from "../../../rdf/record-graph.js";
import { foldedForm, formsOf, searchForm, wordsOf } from "../../../search/forms.js";
import type { Search } from "../../../store/search.js";
import type { RecordStore } from "../../../store/store.js";
import { iriSpellings } from "../../entity/iri-equivalents.js";
import { FORM, readForm } from "../../message/body.js";
import { jsonContent } from "../../message/content.js";
import { malformed, ProblemError, readPage } from "../../message/problems/problems.js";
import { descriptionOf } from "../../pages/description.js";
import { entriesOf, hostsOfEntries } from "../../pages/entries.js";
import { nameIn, namesOf } from "../../pages/languages.js";
import { html, join, NOTHING, text } from "../../pages/markup.js";
import { fill } from "../../pages/words/words.js";
import { parameter } from "../openapi/paths.js";
import { type Route, type RouteContext, type RouteMaker, type RouteRequest, readRoute } from "../route.js";
import { candidatesOf, endpointsOfType, NAME_RANKS, parseObject, parseQueries, TYPES } from "./reconcile-queries.js";
import { cellValues, columnNamed, columnsOf, describedBy, valueWords, withLabels } from "./reconcile-values.js";

/** The maximum size of a body in bytes, and the maximum number of rows to extend in one request. */
const MAX_BODY = 1_048_576;
const MAX_ROWS = 1_000;
/** The maximum number of columns to extend: as many as are proposed for all types together. */
const MAX_COLUMNS = columnsOf(undefined).length;
const SUGGESTED = 20;
/** How many suggestions a client can skip. The list ends with the `SUGGESTED` that follow. */
const MAX_SKIPPED = 1_000;

export const reconcileRoutes: RouteMaker = (context) => {
  const { search } = context.store;
  if (search === undefined) return [];
  return [
    serviceRoute(context, search),
    suggestRoute("entity", "Entities whose names or identifiers begin with the prefix.", entities(context, search)),
    suggestRoute("type", "Kinds of records.", async (prefix, skipped) => begunBy(prefix, TYPES).slice(skipped)),
    suggestRoute("property", "Properties.", async (prefix, skipped) =>
      // Objects have other names for the columns of titles and inventory numbers.
      begunBy(prefix, [undefined, "object" as const].flatMap(columnsOf)).slice(skipped),
    ),
    proposeRoute(),
    readRoute("/reconcile/preview", "search", PREVIEW, (request) => preview(context, request)),
  ];
};

function serviceRoute(context: RouteContext, search: Search): Route {
  const about = {
    tag: "Search",
    summary: "Matching a table's cells with records (Reconciliation Service API 0.2).",
    types: ["application/json"],
  } as const;
  const parameters = [
    parameter("queries", "query", "A batch of queries, as JSON."),
    parameter("extend", "query", "The entities and the properties to extend them by, as JSON."),
  ];
  return {
    path: "/reconcile",
    cost: "search",
    operations: {
      get: { ...about, id: "reconcile", description: "Without one, the manifest.", parameters, conditions: "tags" },
      post: {
        ...about,
        id: "reconcilePost",
        requestBody: { content: { [FORM]: { schema: { type: "object", properties: { queries: {}, extend: {} } } } } },
        problems: ["content-too-large", "unsupported-media-type"],
      },
    },
    answer: async (request) => {
      const { method, query, message } = request;
      const given = method === "POST" ? await readForm(message, MAX_BODY, "A batch of queries") : query;
      const parameters = given.has("queries") || given.has("extend") ? given : query;
      const [queries, extend] = [parameters.get("queries"), parameters.get("extend")];
      if (queries !== null) return jsonContent(await reconcile(context, search.for(request), queries, request.signal));
      if (extend !== null) return jsonContent(await extension(context, extend));
      if (method === "POST") throw malformed("The parameter queries or extend is missing.");
      return jsonContent(await manifest(context));
    },
  };
}

/** The forms of other entities in a cell, with their names. */
const CONTENTS = [
  { value: "entity", name: "Matched, with name and IRI" },
  { value: "name", name: "Name as text" },
  { value: "id", name: "IRI as text" },
] as const;

/** A setting that a client offers for each column to fill (0.2, 8.1). */
function setting(name: string, label: string, type: string, initial: Json, help: string, more: JsonObject = {}): Json {
  return { name, label, type, default: initial, help_text: help, ...more };
}

const IN_LANGUAGE = "Only names and texts in this language, such as nl, or without a language.";
const SETTINGS: Json = [
  setting("limit", "Values", "number", 0, "The most values per row; 0 for all, up to 100."),
  setting("language", "Language", "text", "", IN_LANGUAGE),
  setting("content", "Other records", "select", "entity", "The form of other records, such as a maker, in a cell.", {
    choices: CONTENTS.map((each) => ({ ...each })),
  }),
];

/** Parses the settings of a column from a client; numbers may be strings. Throws `ProblemError`. */
function settingsOf(given: Json | undefined) {
  const { limit = 0, language = "", content: named = "entity" } = isJsonObject(given) ? given : {};
  const content = CONTENTS.find(({ value }) => value === (named === "literal" ? "name" : named))?.value;
  if (!/^\d{0,9}$/.test(String(limit)) || typeof language !== "string" || content === undefined)
    throw malformed("A property's settings may be a number `limit`, a `language`, and `content`: entity, name or id.");
  return { limit: Number(limit), language, content };
}

async function manifest({ base, site, store }: RouteContext): Promise<Json> {
  const { endpoints } = await readPage(() => store.stats());
  const service = (path: string): Json => ({ service_url: base, service_path: `/reconcile${path}` });
  return {
    versions: ["0.2"],
    name: site.title,
    identifierSpace: `${base}/`,
    schemaSpace: "https://linked.art/model/",
    documentation: `${base}/openapi.html`,
    defaultTypes: TYPES.filter(({ id }) => (endpoints[id] ?? 0) > 0),
    view: { url: `${base}/entity?uri={{id}}` },
    preview: { url: `${base}/reconcile/preview?id={{id}}`, ...PREVIEW_SIZE },
    suggest: Object.fromEntries(["entity", "type", "property"].map((of) => [of, service(`/suggest/${of}`)])),
    extend: { propose_properties: service("/extend/propose"), property_settings: SETTINGS },
  };
}

async function reconcile({ store }: RouteContext, search: Search, given: string, signal: AbortSignal): Promise<Json> {
  const results: [string, Json][] = [];
  for (const [key, query] of parseQueries(given))
    results.push([key, { result: await readPage(() => candidatesOf(store, search, query, signal)) }]);
  // `fromEntries` treats `__proto__` as a key like any other.
  return Object.fromEntries(results);
}

/** The values of entities for the columns of a table (0.2, 8). */
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
    throw malformed(`A request may have up to ${MAX_ROWS} entities and ${MAX_COLUMNS} properties.`);
  const asked = properties as { id: string; settings?: Json }[];
  const wanted = asked.map(({ id, settings }) => ({ id, settings: settingsOf(settings) }));
  const rows: [string, Json][] = [];
  let endpoint: EndpointName | null = null;
  for (const id of ids as string[]) {
    const record = await readPage(() => recordNamed(store, id));
    endpoint ??= record?.meta.endpoint ?? null;
    const cells = await readPage(() =>
      withLabels(store, (labelOf) =>
        wanted.map(({ id, settings }) => [id, record ? cellValues(record.graph, id, { ...settings, labelOf }) : []]),
      ),
    );
    rows.push([id, Object.fromEntries(cells)]);
    await nextTurn();
  }
  return { meta: wanted.map((each) => columnNamed(each.id, endpoint)), rows: Object.fromEntries(rows) };
}

/** The public record of an IRI in any spelling. */
async function recordNamed(store: RecordStore, id: string) {
  for (const iri of iriSpellings(id)) {
    const found = await store.find(iri);
    if (found !== undefined) return found.record();
  }
  return undefined;
}

/** Suggests entities by name: first those whose name in the language of the reader matches, then others, whose descriptions quote the name that matches. */
const entities =
  ({ store, site }: RouteContext, search: Search): Suggest =>
  async (prefix, skipped, request) => {
    const begins = wordsOf(searchForm(prefix));
    // A last word of one letter is not searched for as a beginning, but as an initial.
    const text = prefix.replace(/(?<=\p{L}\s\p{L})$/u, ".");
    const type = request.query.get("type") || undefined;
    const endpoint = TYPES.find(({ id }) => id === type)?.id;
    if (begins.length === 0 || (type !== undefined && endpoint === undefined)) return [];
    const isBegun = (name: string): boolean => {
      const { words } = formsOf(name);
      return begins.every((each) => words.some((word) => word.startsWith(each)));
    };
    const { words, languages } = request.siteOf(site).reader;
    const limit = Math.min(skipped, MAX_SKIPPED) + SUGGESTED;
    const find = (isAsWritten: boolean) =>
      readPage(() => search.for(request).find({ text, endpoint, isAsWritten, hasAllWords: true }, { limit }));
    const written = await find(true);
    const { items } = written.items.length > 0 ? written : await find(false);
    const isCalled = items.some(({ rank }) => NAME_RANKS.includes(rank));
    // A client that skips twenty has skipped the others among them, too.
    const shown = items.slice(skipped).filter(({ rank }) => !isCalled || NAME_RANKS.includes(rank));
    const [byLabel, byOther]: [Json[], Json[]] = [[], []];
    for (const { iri, endpoint, label } of shown) {
      const record = await readPage(async () => (await store.find(iri))?.record());
      if (record === undefined) continue;
      const own = descriptionOf(record.graph);
      const name = nameIn(namesOf(own, own.root), label, languages)?.text ?? label;
      const isShown = isBegun(name);
      const named = cellValues(record.graph, "identified_by").map(valueWords);
      const other = isShown ? undefined : [...named, label, iri].find(isBegun);
      const about = await describedBy(store, record, words);
      const description = other === undefined ? about : `${fill(words.file.list.quoted, { text: other })}, ${about}`;
      const notable = TYPES.filter(({ id }) => id === endpoint);
      (isShown ? byLabel : byOther).push({ id: iri, name: name || iri, description, notable });
    }
    return [...byLabel, ...byOther];
  };

/** The types or properties whose id, name or any word of the name begins with a prefix. */
function begunBy<T extends { readonly id: string; readonly name: string }>(prefix: string, all: readonly T[]): T[] {
  const start = foldedForm(prefix);
  return all
    .filter(({ id, name }) =>
      [foldedForm(id), ...foldedForm(name).split(" "), foldedForm(name)].some((each) => each.startsWith(start)),
    )
    .filter(({ id }, at, begins) => begins.findIndex((other) => other.id === id) === at)
    .slice(0, 5 * SUGGESTED);
}

const OFFER = { tag: "Search", types: ["application/json"], conditions: "tags" } as const;
const TYPED = [parameter("prefix", "query", "The typed text."), parameter("cursor", "query", "Suggestions to skip.")];

type Suggest = (prefix: string, skipped: number, request: RouteRequest) => Promise<Json[]>;

function suggestRoute(of: string, summary: string, suggest: Suggest) {
  const narrowed = of === "entity" ? [parameter("type", "query", "Only entities of this type.")] : [];
  const get = { ...OFFER, id: `suggest${of}`, summary, parameters: [...TYPED, ...narrowed] };
  return readRoute(`/reconcile/suggest/${of}`, "search", get, async (request) => {
    const cursor = /^\d{1,6}$/.exec(request.query.get("cursor") ?? "0");
    const result = await suggest(request.query.get("prefix") ?? "", Number(cursor?.[0] ?? 0), request);
    return { ...jsonContent({ result }), vary: "Accept-Language" };
  });
}

function proposeRoute(): Route {
  const summary = "The properties that entities of a type may have.";
  const parameters = [parameter("type", "query", "The type."), parameter("limit", "query", "The most properties.")];
  const get = { ...OFFER, id: "proposeProperties", summary, parameters };
  return readRoute("/reconcile/extend/propose", "search", get, ({ query }) => {
    const type = query.get("type") || undefined;
    const [limit] = (/^\d{1,4}$/.exec(query.get("limit") ?? "") ?? []).map(Number);
    return jsonContent({ properties: columnsOf(endpointsOfType(type ?? "")[0]).slice(0, limit), type, limit });
  });
}

/** The small page that a client shows in a frame next to a candidate (0.2, 6). */
const PREVIEW = {
  id: "preview",
  tag: "Search",
  summary: "A short HTML description of an entity, with its picture.",
  parameters: [{ ...parameter("id", "query", "The entity's IRI."), required: true }],
  types: ["text/html"],
  problems: ["not-found"],
} as const;

export const PREVIEW_SIZE = { width: 400, height: 180 };
/** How many characters of a statement to send; the page shows as many as there is room for. */
const SHOWN = 300;

async function preview({ store, site: all, addresses }: RouteContext, request: RouteRequest) {
  const id = request.query.get("id");
  if (!id) throw malformed("/reconcile/preview needs the IRI of an entity, percent-encoded, as ?id=");
  const site = request.siteOf(all);
  const record = await readPage(async () => (await store.find(id))?.record());
  if (record === undefined) throw new ProblemError("not-found", `There is no record of ${id}.`);
  const entries = await entriesOf(store, [id], site.reader);
  const picture = entries[0]?.picture;
  const wordsAt = (path: string): string[] => cellValues(record.graph, path, { limit: 5 }).map(valueWords);
  const title = record.meta.label || site.words.unnamed(record.meta.endpoint);
  const names = wordsAt("identified_by/Name").filter((name) => name !== title);
  const [statement = ""] = [...wordsAt("referred_to_by/300435416"), ...wordsAt("referred_to_by")];
  const rows = [
    html`<p dir="auto">${text(await describedBy(store, record, site.words))}</p>`,
    html`<p dir="auto" class="aside">${text(names.join(" · "))}</p>`,
    html`<p dir="auto">${text(beginning(statement, SHOWN))}</p>`,
  ].filter((row) => !row.includes("></p>"));
  const image = picture === undefined ? NOTHING : html`<img src="${text(site.shortened(picture))}" alt="">`;
  const theme = site.theme.hasStyle
    ? html`<link rel="stylesheet" href="${text(site.path)}/assets/theme/theme.css">`
    : NOTHING;
  const body = html`<!doctype html>
<html lang="${text(site.words.language)}"${site.direction}><head><meta charset="utf-8"><title>${text(withoutDirectionMarks(title))}</title>
<link rel="stylesheet" href="${text(site.path)}/assets/pages.css">${theme}</head>
<body class="preview">${image}<div><h1 dir="auto"><a href="${text(addresses.url(id))}" target="_blank">${text(title)}</a></h1>
${join(rows, "\n")}</div></body></html>
`;
  // The page is made for frames, and contains nothing that could be misused in one.
  const hosts = [...hostsOfEntries(entries)].join(" ");
  const policy = `default-src 'none'; style-src 'self'; img-src 'self' ${hosts}; base-uri 'none'; form-action 'none'; frame-ancestors *`;
  const security = ["Content-Security-Policy", policy, "Referrer-Policy", "no-referrer"];
  const headers = ["Content-Language", site.words.language, ...security];
  return { type: "text/html; charset=utf-8", body, vary: "Accept-Language", headers };
}
