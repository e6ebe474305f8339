/** Lists to take away: all records of a list as CSV or JSON lines, by `Accept` and at the list's path with a suffix. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { BYTE_ORDER_MARK } from "../../../base/csv.js";
import type { EndpointName } from "../../../model/tables/endpoints.js";
import { FORMATS, type MediaFormat, RESULT_FORMATS } from "../../../rdf/formats.js";
import type { StoredRecord } from "../../../store/store.js";
import { afterReading, isLarge } from "../../entity/large.js";
import { boundedLinks } from "../../entity/links.js";
import type { Content } from "../../message/content.js";
import { negotiator } from "../../message/headers/negotiate.js";
import { ProblemError } from "../../message/problems/problems.js";
import { fromStore } from "../../message/problems/store-unavailable.js";
import { parameter } from "../openapi/paths.js";
import type { Outcome, Route, RouteContext, RouteRequest } from "../route.js";
import { readPage } from "./collection-pages.js";
import { addressWith, searchedBy } from "./facet-links.js";
import { ColumnError, headRow, recordRow, tableColumns } from "./table-columns.js";

/** What a list consists of. */
export interface Listed {
  /** The endpoint that all its records are of, where they are of one. */
  readonly endpoint?: EndpointName | undefined;
  /** Their IRIs. */
  readonly parts: AsyncIterable<readonly string[]>;
}

/** A form of a table, under a media type by which clients ask for it. */
interface TableForm {
  readonly name: "csv" | "jsonl";
  readonly mediaType: string;
  readonly contentType: string;
  readonly profiles: readonly string[];
}

const CSV = RESULT_FORMATS.find(({ name }) => name === "csv")!;
const LINES = FORMATS.find(({ name }) => name === "jsonl")!;
const TABLES: readonly TableForm[] = [
  ...typesOf(CSV, "csv", `${CSV.contentType}; header=present`),
  ...typesOf(LINES, "jsonl"),
];

/** The parameter that only tables have. */
export const OF_TABLES = ["columns"];

/** IRIs of a part of a list that is read from cursor to cursor. */
const PART = 1_000;
/** Records that are written in one turn of the event loop. */
const WRITTEN_AT_ONCE = 25;

/**
 * A list's route that also gives the list as a table by `Accept`, and the route of its tables at its path with a suffix.
 * @param listed what the list has; `undefined` where there is none. May throw `ProblemError`
 */
export function withTables(
  context: RouteContext,
  list: Route,
  listed: (request: RouteRequest) => Listed | undefined,
): Route[] {
  const get = list.operations.get!;
  const own = ["application/json", ...Object.keys(get.content)].map((type) => type.split(";")[0]!);
  const negotiate = negotiator<TableForm | { mediaType: string; profiles: [] }>([
    ...own.map((mediaType) => ({ mediaType, profiles: [] as [] })),
    ...TABLES,
  ]);
  const asked = (accept: string | undefined): TableForm | undefined => {
    const offer = negotiate(accept);
    return offer !== undefined && "name" in offer ? offer : undefined;
  };
  const types = Object.fromEntries([CSV, LINES].map(({ mediaType }) => [mediaType, { type: "string" }]));
  const columns = parameter("columns", "query", "The columns of CSV: paths of properties, with commas between them.");
  return [
    {
      path: `${list.path}.{table}`,
      cost: "table",
      operations: {
        get: {
          id: `${get.id}Table`,
          tag: get.tag,
          summary: `${get.summary.replace(/,? to read\.$/, ".")} All of them, as CSV or as JSON lines.`,
          parameters: [...(get.parameters ?? []), columns],
          content: types,
          problems: ["malformed", "not-found"],
        },
      },
      answer: (request) => {
        const form = TABLES.find(({ name }) => name === request.parameter("table"));
        // It may be the address of an entity.
        const found = form && listed(request);
        return found && tableOf(context, request, form, found);
      },
    },
    {
      ...list,
      costOf: ({ headers }) => (asked(headers.accept) === undefined ? list.cost : "table"),
      operations: { ...list.operations, get: { ...get, content: { ...get.content, ...types } } },
      answer: async (request) => {
        const form = asked(request.headers.accept);
        if (form === undefined) return linked(await list.answer(request), context.base, request);
        const found = listed(request);
        return found && tableOf(context, request, form, found);
      },
    },
  ];
}

function typesOf({ mediaType, otherTypes = [] }: MediaFormat, name: TableForm["name"], contentType = mediaType) {
  return [mediaType, ...otherTypes].map((type) => ({ name, mediaType: type, contentType, profiles: [] }));
}

/** A list, with links to its tables. */
function linked(outcome: Outcome, base: string, request: RouteRequest): Outcome {
  if (outcome === undefined || outcome === "sent" || "status" in outcome) return outcome;
  const links = [CSV, LINES].map(
    ({ name, mediaType }) => `<${tableAddress(base, request, name)}>; rel="alternate"; type="${mediaType}"`,
  );
  const header = boundedLinks(links);
  return header === "" ? outcome : { ...outcome, headers: [...(outcome.headers ?? []), "Link", header] };
}

/** Where the table is that has all of a list. */
export function tableAddress(base: string, request: RouteRequest, name: string): string {
  return addressWith(`${base}${request.path}.${name}`, searchedBy(request));
}

/** What has to be known of it is known before the answer begins; what fails afterwards ends the connection. */
async function tableOf(
  context: RouteContext,
  request: RouteRequest,
  form: TableForm,
  listed: Listed,
): Promise<Content> {
  const { head, write } = form.name === "csv" ? csvWriter(context, request, listed) : lineWriter(context, request);
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
  return { type: form.contentType, body: body(), cacheControl: "no-store" };
}

interface TableWriter {
  readonly head: string;
  readonly write: (record: StoredRecord) => Promise<string>;
}

/** Throws `ProblemError`. */
function csvWriter({ store, addresses }: RouteContext, { query }: RouteRequest, { endpoint }: Listed): TableWriter {
  try {
    const columns = tableColumns(query.get("columns") ?? undefined, endpoint);
    return {
      head: BYTE_ORDER_MARK + headRow(columns),
      write: (record) => recordRow(columns, record, store, addresses),
    };
  } catch (error) {
    if (error instanceof ColumnError) throw new ProblemError("malformed", { detail: error.message });
    throw error;
  }
}

/** Documents as the entities' addresses answer them: a line each. Throws `ProblemError`. */
function lineWriter({ store, addresses, representations }: RouteContext, { query }: RouteRequest): TableWriter {
  if (query.has("columns"))
    throw new ProblemError("malformed", { detail: "JSON lines have whole records: columns are those of CSV." });
  const { write } = representations.find(({ format }) => format === "jsonld")!;
  return {
    head: "",
    write: async (record) => {
      const written = await write(record, { store, addresses, languages: [] });
      return typeof written === "string" ? written : written.body;
    },
  };
}

/** Those that are gone since they were listed are left out. */
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

/** The tables of a process take turns: whoever asks for anything else waits for a piece of one of them, however many there are. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = last.then(() => nextTurn()).then(work);
  last = mine.catch(() => {});
  return mine;
}

/** All parts of a list that is read from cursor to cursor. */
export async function* inParts<T>(
  read: (
    after: string | undefined,
    limit: number,
  ) => Promise<{ readonly items: readonly T[]; readonly next: string | undefined }>,
  iriOf: (item: T) => string,
): AsyncIterable<readonly string[]> {
  let after: string | undefined;
  do {
    const { items, next } = await read(after, PART);
    yield items.map(iriOf);
    after = next;
  } while (after !== undefined);
}
