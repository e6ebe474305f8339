/** `/oai`: OAI-PMH 2.0, a view of the change log. */
import { packed, unpacked } from "../../../base/json.js";
import { XML_DECLARATION, xmlElement, xmlStart, xmlText } from "../../../base/xml.js";
import type { Json } from "../../../rdf/record-graph.js";
import { type ChangeLog, changeMark } from "../../../store/changes.js";
import { InvalidCursorError } from "../../../store/errors.js";
import { mayLackChanges } from "../../../store/open.js";
import { hasFacets, type StoreWith } from "../../../store/store.js";
import { FORM, readForm } from "../../message/body.js";
import type { Content } from "../../message/content.js";
import { fromStore, StoreUnavailableError } from "../../message/problems/problems.js";
import { parameter } from "../openapi/paths.js";
import type { Route, RouteContext, RouteMaker } from "../route.js";
import { type MetadataFormat, metadataFormats } from "./formats.js";
import { hasFormat, RecordLists, setsAfter } from "./record-lists.js";
import {
  ARGUMENT_NAMES,
  badToken,
  datestamp,
  listQueryOf,
  OaiError,
  type OaiRequest,
  type Position,
  positionOf,
  readRequest,
  VERB_NAMES,
} from "./request.js";

const NAMESPACE = "http://www.openarchives.org/OAI/2.0/";
const MEDIA_TYPE = "text/xml";

const MAX_BODY = 65_536;

const ARGUMENTS: readonly Json[] = [
  parameter("verb", "query", "The request of the protocol.", { enum: [...VERB_NAMES] }),
  ...ARGUMENT_NAMES.map((name) => parameter(name, "query", `The protocol's argument ${name}.`)),
];

const ABOUT = { tag: "Harvest", types: [MEDIA_TYPE] } as const;

export const oaiRoute: RouteMaker = (context) => {
  const { store } = context;
  if (!hasFacets(store, "changes")) return [];
  const repository = new Repository(context, store);
  const route: Route = {
    path: "/oai",
    cost: "page",
    operations: {
      get: {
        ...ABOUT,
        id: "oai",
        summary: "OAI-PMH 2.0.",
        description: "Errors of the protocol are answered with 200, as it requires.",
        parameters: ARGUMENTS,
      },
      post: {
        ...ABOUT,
        id: "oaiPost",
        summary: "OAI-PMH 2.0, with the arguments in a form.",
        requestBody: { required: true, content: { [FORM]: { schema: { type: "object" } } } },
        problems: ["content-too-large", "unsupported-media-type"],
      },
    },
    answer: async ({ method, query, message }) =>
      repository.answer(method === "POST" ? await readForm(message, MAX_BODY, "A request") : query),
  };
  return [route];
};

type Part = string | AsyncIterable<string>;

class Repository {
  readonly #formats: readonly MetadataFormat[];
  readonly #lists: RecordLists;
  readonly #address: string;

  constructor(
    readonly context: RouteContext,
    readonly store: StoreWith<"changes">,
  ) {
    this.#formats = metadataFormats(context);
    this.#lists = new RecordLists({ store, addresses: context.addresses, languages: [] });
    this.#address = `${context.base}/oai`;
  }

  async answer(parameters: URLSearchParams): Promise<Content> {
    let request: OaiRequest | undefined;
    const date = await fromStore(() => this.#date());
    try {
      request = readRequest(parameters);
      return this.#content(date, request, await fromStore(() => this.#partOf(request!)));
    } catch (thrown) {
      // An error of the protocol is not a failure of the store.
      const error = thrown instanceof StoreUnavailableError ? thrown.cause : thrown;
      if (!(error instanceof OaiError)) throw thrown;
      // A request that is not understood is repeated without attributes (3.2).
      const isUnderstood = error.code !== "badVerb" && error.code !== "badArgument";
      const part = xmlElement("error", { code: error.code }, xmlText(error.message));
      return this.#content(date, isUnderstood ? request : undefined, part);
    }
  }

  /** The date of an answer, from which harvesters ask next time: that of the last change if changes may be on their way, which are older than their appearance. */
  async #date(): Promise<number> {
    const now = Date.now();
    const { directory } = this.context;
    const lacksChanges = directory !== undefined && (await mayLackChanges({ directory }));
    return lacksChanges ? Math.min(now, (await this.store.stats()).lastChange ?? 0) : now;
  }

  #content(date: number, request: OaiRequest | undefined, part: Part): Content {
    const attributes = {
      xmlns: NAMESPACE,
      "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
      "xsi:schemaLocation": `${NAMESPACE} http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd`,
    };
    const responded = xmlElement("responseDate", {}, datestamp(date));
    const repeated = request === undefined ? {} : { verb: request.verb, ...request.given };
    const asked = xmlElement("request", repeated, xmlText(this.#address));
    const head = `${XML_DECLARATION}${xmlStart("OAI-PMH", attributes)}\n${responded}\n${asked}\n`;
    const end = "\n</OAI-PMH>\n";
    const body = typeof part === "string" ? head + part + end : around(head, part, end);
    return { type: `${MEDIA_TYPE}; charset=utf-8`, body, cacheControl: "no-cache" };
  }

  async #partOf(request: OaiRequest): Promise<Part> {
    const { verb, given } = request;
    if (verb === "Identify") return this.#identify();
    if (verb === "ListMetadataFormats") return this.#listFormats(given.identifier);
    if (verb === "ListSets") return this.#listSets(given.resumptionToken);
    if (verb === "GetRecord") return this.#record(given.identifier!, this.#format(given.metadataPrefix!));
    return this.#list(request);
  }

  /** Answers Identify (4.2). */
  async #identify(): Promise<string> {
    const { site, base, dataset } = this.context;
    const [first] = await this.store.changes.page({ limit: 1 });
    const values = {
      repositoryName: site.title,
      baseURL: this.#address,
      protocolVersion: "2.0",
      adminEmail: adminEmail(dataset?.contact, base),
      earliestDatestamp: datestamp(first?.time ?? Date.now()),
      deletedRecord: "persistent",
      granularity: "YYYY-MM-DDThh:mm:ssZ",
    };
    const elements = Object.entries(values).map(([name, value]) => xmlElement(name, {}, xmlText(value)));
    const compressions = ["gzip", "br"].map((coding) => xmlElement("compression", {}, coding));
    return verbElement("Identify", [...elements, ...compressions]);
  }

  /** Answers ListMetadataFormats (4.4). Throws `OaiError`. */
  async #listFormats(identifier: string | undefined): Promise<string> {
    const current = identifier === undefined ? undefined : await this.#lists.current(identifier);
    const elements: string[] = [];
    for (const format of this.#formats) {
      if (current !== undefined && !(await hasFormat(current, format))) continue;
      const { prefix, schema, namespace } = format;
      elements.push(parent("metadataFormat", { metadataPrefix: prefix, schema, metadataNamespace: namespace }));
    }
    return verbElement("ListMetadataFormats", elements);
  }

  /** Answers ListSets (4.6). Throws `OaiError`. */
  async #listSets(token: string | undefined): Promise<string> {
    const after = token === undefined ? undefined : unpacked<string>(token);
    if (token !== undefined && typeof after !== "string") throw badToken();
    const { sets, next } = await setsAfter(this.store, after).catch((error) => {
      throw error instanceof InvalidCursorError ? badToken() : error;
    });
    const elements = sets.map(({ spec, name }) => parent("set", { setSpec: spec, setName: name }));
    // The last part of a list has an empty token (3.5).
    const isPart = token !== undefined || next !== undefined;
    const resumption = isPart ? [xmlElement("resumptionToken", {}, next === undefined ? "" : packed(next))] : [];
    return verbElement("ListSets", [...elements, ...resumption]);
  }

  /** Answers GetRecord (4.1). Throws `OaiError`. */
  async #record(identifier: string, format: MetadataFormat): Promise<string> {
    const current = await this.#lists.current(identifier);
    if (!(await hasFormat(current, format)))
      throw new OaiError("cannotDisseminateFormat", `${format.prefix} cannot express ${identifier}`);
    return verbElement("GetRecord", [await this.#lists.record(current, format)]);
  }

  /** Answers ListIdentifiers and ListRecords (4.3 and 4.5). Throws `OaiError`. */
  async #list(request: OaiRequest): Promise<Part> {
    const position = await this.#position(request);
    const format = this.#format(position.prefix);
    const parts = this.#lists.after(position, format, (current) =>
      request.verb === "ListRecords" ? this.#lists.record(current, format) : this.#lists.header(current),
    );
    // Find an error such as an empty list before anything is sent.
    const first = await parts.next();
    if (first.done === true) throw new OaiError("noRecordsMatch", "There is no such record");
    return around(`<${request.verb}>\n${first.value}`, parts, `\n</${request.verb}>`);
  }

  async #position(request: OaiRequest): Promise<Position> {
    const { resumptionToken } = request.given;
    if (resumptionToken !== undefined) {
      const position = positionOf(resumptionToken);
      // A token of another store, or of this one before a backup was restored, would leave out records.
      if ((await changeMark(this.store, position.after)) !== position.mark) throw badToken();
      return position;
    }
    const { from, ...query } = listQueryOf(request);
    return { ...query, after: from === undefined ? 0 : await lastBefore(this.store.changes, from), given: 0 };
  }

  #format(prefix: string): MetadataFormat {
    const format = this.#formats.find((each) => each.prefix === prefix);
    if (format !== undefined) return format;
    const prefixes = this.#formats.map((each) => each.prefix).join(", ");
    throw new OaiError("cannotDisseminateFormat", `There is no format ${prefix}; the formats are ${prefixes}`);
  }
}

async function* around(start: string, parts: AsyncIterable<string>, end: string): AsyncIterable<string> {
  yield start;
  yield* parts;
  yield end;
}

function parent(name: string, children: Readonly<Record<string, string>>): string {
  const content = Object.entries(children).map(([child, text]) => xmlElement(child, {}, xmlText(text)));
  return xmlElement(name, {}, content.join(""));
}

function verbElement(verb: string, parts: readonly string[]): string {
  return xmlElement(verb, {}, `\n${parts.join("\n")}\n`);
}

/** The e-mail address of an administrator, which the protocol requires. Default: the one that every web server has (RFC 2142, 5). */
function adminEmail(contact: string | undefined, base: string): string {
  if (contact !== undefined && !/^https?:/.test(contact)) return contact;
  const { hostname } = new URL(base);
  return `webmaster@${hostname.includes(".") ? hostname : `${hostname}.invalid`}`;
}

/** The sequence number of the last change before a time, by binary search: times never decrease. */
async function lastBefore(log: ChangeLog, time: number): Promise<number> {
  let [low, high, last] = [0, await log.count(), 0];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const [change] = await log.page({ offset: middle, limit: 1 });
    if (change !== undefined && change.time < time) [low, last] = [middle + 1, change.sequence];
    else high = middle;
  }
  return last;
}
