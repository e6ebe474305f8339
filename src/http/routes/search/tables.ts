/** Downloads of lists: all records of a list as CSV or JSON lines, by `Accept` or at the list's path with a suffix. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { EndpointName } from "../../../model/tables/names.js";
import { FORMATS, type MediaFormat, RESULT_FORMATS } from "../../../rdf/formats.js";
import type { JsonObject } from "../../../rdf/record-graph.js";
import { afterReading, isLarge } from "../../entity/large-records.js";
import { boundedLinks } from "../../entity/links.js";
import { negotiator } from "../../message/headers/negotiate.js";
import { fromStore, malformed, readPage } from "../../message/problems/problems.js";
import { writtenText } from "../../representations/representation.js";
import { parameter } from "../openapi/paths.js";
import { type Operation, type Outcome, type Route, type RouteContext, type RouteRequest, readRoute } from "../route.js";
import { addressWith, OF_LISTS } from "./collection-pages.js";
import { isLinked, searchedBy } from "./facets.js";
import { csvWriter } from "./table-columns.js";

export interface TableList {
  /** The endpoint of the records, if all have the same. */
  readonly endpoint?: EndpointName | undefined;
  readonly parts: AsyncIterable<readonly string[]>;
}

const CSV = RESULT_FORMATS.find(({ name }) => name === "csv")!;
const TABLES: readonly (MediaFormat & { readonly label: string })[] = [
  { ...CSV, contentType: `${CSV.contentType}; header=present`, label: "CSV" },
  FORMATS.find(({ name }) => name === "jsonl")!,
];
/** The tables as offers for negotiation, one for each media type that clients use. */
const OFFERS = TABLES.flatMap(({ name, mediaType, otherTypes = [] }) =>
  [mediaType, ...otherTypes].map((each) => ({ mediaType: each, profiles: [], table: name })),
);

type TableWriter = ReturnType<typeof csvWriter>;

const WRITTEN_AT_ONCE = 10;

/** Adds tables to a list: at its own path by `Accept`, and at that path with a suffix. @param listed gives the records of the list; may throw `ProblemError` */
export function withTables(context: RouteContext, list: Route, listed: (request: RouteRequest) => TableList): Route[] {
  const get = list.operations.get!;
  const own = ["application/json", ...get.types].map((type) => type.split(";")[0]!);
  const negotiate = negotiator([...own.map((mediaType) => ({ mediaType, profiles: [], table: undefined })), ...OFFERS]);
  const types = TABLES.map(({ mediaType }) => mediaType);
  const names = { ...list.names, table: TABLES.map(({ name }) => name) };
  const kept = (get.parameters ?? []).filter((each) => !OF_LISTS.includes(String((each as JsonObject).name)));
  const columns = parameter("columns", "query", "The columns of CSV: paths of properties, separated by commas.");
  const whole: Operation = {
    id: `${get.id}Table`,
    tag: get.tag,
    summary: `${get.summary.replace(/,? to read\.$/, ".")} All of them, as CSV or as JSON lines.`,
    parameters: [...kept, columns],
    types,
  };
  const answerWhole = (request: RouteRequest) => {
    const name = request.parameter("table");
    // Otherwise the path may be that of an entity.
    return names.table.includes(name) ? tableOf(context, request, name, listed(request)) : undefined;
  };
  return [
    readRoute(`${list.path}.{table}`, "table", whole, answerWhole, { names }),
    {
      ...list,
      costOf: (message) => {
        if (negotiate(message.headers.accept)?.table !== undefined) return "table";
        return list.cost === "search" && isLinked(message) ? "facet" : list.cost;
      },
      operations: {
        ...list.operations,
        get: { ...get, types: [...get.types, ...types], headers: [...(get.headers ?? []), "Link"] },
      },
      answer: async (request) => {
        const name = negotiate(request.headers.accept)?.table;
        if (name === undefined) return linked(await list.answer(request), context.base, request);
        return tableOf(context, request, name, listed(request));
      },
    },
  ];
}

function linked(outcome: Outcome, base: string, request: RouteRequest): Outcome {
  if (outcome === undefined || outcome === "sent" || "status" in outcome) return outcome;
  const links = tableLinks(base, request).map(({ url, type }) => `<${url}>; rel="alternate"; type="${type}"`);
  const header = boundedLinks(links);
  return header === "" ? outcome : { ...outcome, headers: [...(outcome.headers ?? []), "Link", header] };
}

/** The links to the tables of a list. */
export function tableLinks(base: string, request: RouteRequest) {
  const searched = searchedBy(request).filter(([name]) => name !== "view");
  return TABLES.map(({ name, label, mediaType }) => {
    return { name: label, type: mediaType, url: addressWith(`${base}${request.path}.${name}`, searched) };
  });
}

/** Answers with a table. Its first part is read before the answer begins, so that errors become problems; a later failure closes the connection. */
async function tableOf(context: RouteContext, { query }: RouteRequest, name: string, listed: TableList) {
  const columns = query.get("columns") || undefined;
  const { head, write } = name === "csv" ? csvWriter(columns, listed.endpoint, context) : lineWriter(context, columns);
  const { mediaType, contentType: type = mediaType } = TABLES.find((each) => each.name === name)!;
  const parts = listed.parts[Symbol.asyncIterator]();
  const first = await readPage(() => inTurn(() => parts.next()));
  async function* body(): AsyncIterable<string> {
    yield head;
    for (let part = first; part.done !== true; part = await fromStore(() => inTurn(() => parts.next()))) {
      for (let at = 0; at < part.value.length; at += WRITTEN_AT_ONCE) {
        const iris = part.value.slice(at, at + WRITTEN_AT_ONCE);
        yield await fromStore(() => inTurn(() => writeAll(context, iris, write)));
      }
    }
  }
  return { type, body: body(), cacheControl: "no-store" };
}

/** Writes one document per line, as at the entities' URLs. Throws `ProblemError`. */
function lineWriter({ store, addresses, representations }: RouteContext, columns: string | undefined): TableWriter {
  if (columns !== undefined) throw malformed("JSON lines contain whole records; only CSV has columns.");
  const { write } = representations.find(({ format }) => format === "jsonld")!;
  return { head: "", write: async (record) => writtenText(await write(record, { store, addresses, languages: [] })) };
}

/** Writes records, without those deleted since they were listed. */
async function writeAll({ store }: RouteContext, iris: readonly string[], write: TableWriter["write"]) {
  let text = "";
  for (const iri of iris) {
    const found = await store.find(iri);
    if (found === undefined) continue;
    text += await write(await found.record());
    if (isLarge(found)) await afterReading();
  }
  return text;
}

let last: Promise<unknown> = Promise.resolve();

/** Makes all tables of a process take turns. Other requests thus wait for a piece of one table at most, however many tables are written. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = last.then(() => nextTurn()).then(work);
  last = mine.catch(() => {});
  return mine;
}
