/** `/activity` and below: the change stream (IIIF Change Discovery API 1.0), whole, per kind of record, Set, source and record. */
import { ENDPOINTS } from "../../../model/tables/endpoints.js";
import type { EndpointName } from "../../../model/tables/names.js";
import type { Json } from "../../../rdf/record-graph.js";
import type { Change, ChangeLog, ChangeSelection } from "../../../store/changes.js";
import { isVersion } from "../../entity/mementos.js";
import { type Content, FOR_GOOD, jsonContent } from "../../message/content.js";
import { ProblemError } from "../../message/problems/problems.js";
import { fromStore } from "../../message/problems/store-unavailable.js";
import { ANY_OBJECT, parameter, pathParameter } from "../openapi/paths.js";
import { ENDPOINT_PARAMETER, endpointParameter, uriParameter } from "../parameters.js";
import {
  type Operation,
  type Route,
  type RouteContext,
  type RouteMaker,
  type RouteRequest,
  readRoute,
} from "../route.js";

/** Activities of a full page. It is part of what a page's number means, so it stays as it is. */
export const PAGE = 100;

/** The last of several contexts has to be IIIF's (Change Discovery 1.0, 3.1). */
const CONTEXTS = ["https://linked.art/ns/v1/record-types.json", "http://iiif.io/api/discovery/1/context.json"];

const MEDIA_TYPE = "application/ld+json";

/** The activity of each kind of change. */
export const ACTIVITY_TYPES = { create: "Create", update: "Update", delete: "Delete", move: "Move" } as const;

/**
 * The class of every record of an endpoint, as far as its change tells: where an endpoint has several classes, the one that
 * all of them are kinds of (E55 Type of materials, languages and the like; E4 Period of events; E5 Event of activities).
 */
const CLASSES: ReadonlyMap<EndpointName, string> = new Map(
  ENDPOINTS.map(({ name, classes }) => [name, name === "concept" ? "Type" : classes[0]!]),
);

/** Part of the change log, and where its collection and pages are. */
interface Stream {
  readonly selection: ChangeSelection;
  /** From the service's root. */
  readonly path: string;
  /** Likewise; it ends in the page's number. */
  page(number: number): string;
  /** Only changes that no later one of the same record follows. */
  readonly isCollapsed?: true;
  /** Of these only those of records that there are, after a `Refresh`. */
  readonly isRefresh?: true;
}

export const activityRoutes: RouteMaker = (context) => {
  const { changes } = context.store;
  if (changes === undefined) return [];
  const stream = new ChangeStream(context, changes);
  const ofPath = (
    base: string,
    selection: ChangeSelection,
    more: Pick<Stream, "isCollapsed" | "isRefresh"> = {},
  ): Stream => ({
    selection,
    path: base,
    page: (number) => `${base === "/activity/all" ? "/activity" : base}/page/${number}`,
    ...more,
  });
  const ofEndpoint = (request: RouteRequest): Stream => {
    const endpoint = endpointParameter(request);
    return ofPath(`/activity/${endpoint}`, { endpoint });
  };
  const both = (path: string, id: string, summary: string, of: (request: RouteRequest) => Stream): Route[] => [
    collection(path, id, summary, (request) => stream.collection(of(request))),
    page(`${path}/page/{number}`, `${id}Page`, (request) => stream.page(of(request), pageNumber(request))),
  ];
  return [
    ...["/activity", "/activity/all"].map((path) =>
      collection(path, path === "/activity" ? "activity" : "activityAll", "All changes of records.", async () =>
        stream.collection(ofPath(await stream.root(), {})),
      ),
    ),
    page("/activity/page/{number}", "activityPage", async (request) =>
      stream.page(ofPath(await stream.root(), {}), pageNumber(request)),
    ),
    change("/activity/change/{number}", (request) => stream.activity(pageNumber(request))),
    ...both("/activity/latest", "activityLatest", "The last change of each record.", () =>
      ofPath("/activity/latest", {}, { isCollapsed: true }),
    ),
    ...both("/activity/refresh", "activityRefresh", "Refresh, and then every record that there is, once.", () =>
      ofPath("/activity/refresh", {}, { isCollapsed: true, isRefresh: true }),
    ),
    ofRecords("/activity/record", "activityOfRecord", "The changes of one record.", (request) =>
      stream.byUri(request, "/activity/record", (iri) => ({ iri })),
    ),
    ...both("/activity/source/{source}", "activityOfSource", "The changes of the records of one feed.", (request) => {
      const source = request.parameter("source");
      return ofPath(`/activity/source/${encodeURIComponent(source)}`, { source });
    }),
    collection("/activity/{endpoint}", "activityOfEndpoint", "The changes of one kind of record.", (request) =>
      endpointParameter(request) === "set" && request.query.has("uri")
        ? stream.byUri(request, "/activity/set", (set) => ({ set }))
        : stream.collection(ofEndpoint(request)),
    ),
    page("/activity/{endpoint}/page/{number}", "activityOfEndpointPage", (request) =>
      stream.page(ofEndpoint(request), pageNumber(request)),
    ),
  ];
};

/** Makes collections, pages and activities out of the change log. */
class ChangeStream {
  readonly #context: RouteContext;
  readonly #changes: ChangeLog;
  /** The other representations that every record has, without their addresses. */
  readonly #alternates: readonly { readonly suffix: string; readonly format: string; readonly profile?: string }[];

  constructor(context: RouteContext, changes: ChangeLog) {
    this.#context = context;
    this.#changes = changes;
    this.#alternates = context.representations.flatMap(({ suffix, mediaType, profiles, appliesTo }) => {
      const [profile] = profiles;
      return suffix === null || appliesTo !== undefined
        ? []
        : [{ suffix, format: mediaType, ...(profile === undefined ? {} : { profile }) }];
    });
  }

  /** Where the whole stream is: a record whose IRI is that of `/activity` goes before it (DESIGN.md, HTTP). */
  async root(): Promise<string> {
    const { store, base } = this.#context;
    const record = await fromStore(async () => store.find(`${base}/activity`));
    return record === undefined ? "/activity" : "/activity/all";
  }

  /** OrderedCollection (3.1): how many activities there are, and where the first and the last page are. */
  async collection(stream: Stream): Promise<Content> {
    const log = this.#changes;
    const [total, last] = await fromStore(() =>
      Promise.all([
        log.count(stream.selection),
        log.page({ ...stream.selection, before: Number.POSITIVE_INFINITY, limit: 1 }),
      ]),
    );
    return this.#json(
      {
        "@context": CONTEXTS,
        id: this.#url(stream.path),
        type: "OrderedCollection",
        ...(stream.isCollapsed ? {} : { totalItems: total }),
        ...(total === 0 ? {} : { first: this.#pageReference(stream, 1) }),
        // Required even of an empty collection, whose only page is empty.
        last: this.#pageReference(stream, Math.max(1, Math.ceil(total / PAGE))),
      },
      "no-cache",
      last[0]?.time,
    );
  }

  /** OrderedCollectionPage (3.2): the activities in the order in which they happened. Throws `ProblemError`. */
  async page(stream: Stream, number: number): Promise<Content> {
    const log = this.#changes;
    const { selection } = stream;
    const offset = (number - 1) * PAGE;
    const [total, changes] = await fromStore(() =>
      Promise.all([log.count(selection), log.page({ ...selection, offset, limit: PAGE })]),
    );
    if (number < 1 || (offset >= total && number > 1)) {
      const pages = Math.max(1, Math.ceil(total / PAGE));
      throw new ProblemError("not-found", { detail: `This stream has pages 1 to ${pages}.` });
    }
    const hasNext = offset + changes.length < total;
    const shown = stream.isCollapsed ? await this.#lastOnly(changes) : changes;
    const items = stream.isRefresh ? shown.filter(isVersion) : shown;
    return this.#json(
      {
        "@context": CONTEXTS,
        id: this.#url(stream.page(number)),
        type: "OrderedCollectionPage",
        partOf: { id: this.#url(stream.path), type: "OrderedCollection" },
        ...(stream.isCollapsed ? {} : { startIndex: offset }),
        ...(number > 1 ? { prev: this.#pageReference(stream, number - 1) } : {}),
        ...(hasNext ? { next: this.#pageReference(stream, number + 1) } : {}),
        orderedItems: [
          ...(stream.isRefresh && number === 1 ? [await this.#refresh()] : []),
          ...items.map((each) => this.#item(each)),
        ],
      },
      hasNext && !stream.isCollapsed ? FOR_GOOD : "no-cache",
      changes.at(-1)?.time,
    );
  }

  /** A stream of what a `uri` in the query names, or with `page` one of its pages. Throws `ProblemError`. */
  byUri(request: RouteRequest, path: string, select: (iri: string) => ChangeSelection): Promise<Content> {
    const iri = uriParameter(request);
    const asked = `${path}?uri=${encodeURIComponent(iri)}`;
    const stream: Stream = { selection: select(iri), path: asked, page: (number) => `${asked}&page=${number}` };
    const page = request.query.get("page");
    return page === null ? this.collection(stream) : this.page(stream, wholeNumber(page));
  }

  /** One activity at the IRI that the pages give it. Throws `ProblemError`. */
  async activity(sequence: number): Promise<Content> {
    const [change] = await fromStore(() => this.#changes.page({ after: sequence - 1, limit: 1 }));
    if (change?.sequence !== sequence) throw new ProblemError("not-found", { detail: "There is no such change." });
    return this.#json({ "@context": CONTEXTS, ...this.#item(change) }, FOR_GOOD, change.time);
  }

  /** Those changes that no later one of the same record follows. */
  async #lastOnly(changes: readonly Change[]): Promise<readonly Change[]> {
    const { store } = this.#context;
    const last = await fromStore(() =>
      Promise.all(changes.map(async ({ iri }) => ((await store.find(iri)) ?? (await store.tombstone(iri)))?.sequence)),
    );
    return changes.filter(({ sequence }, at) => last[at] === sequence);
  }

  /** The beginning of all that follows (2.1.5): by `startTime`, so that it stands before the first change. */
  async #refresh(): Promise<Json> {
    const [first] = await fromStore(() => this.#changes.page({ limit: 1 }));
    return {
      id: this.#url("/activity/refresh#start"),
      type: "Refresh",
      startTime: new Date(first?.time ?? 0).toISOString(),
    };
  }

  #item(change: Change): { [key: string]: Json } {
    const { sequence, iri, kind, time, endpoint, target } = change;
    const type = (endpoint === null ? undefined : CLASSES.get(endpoint)) ?? "Entity";
    return {
      id: this.#url(`/activity/change/${sequence}`),
      type: ACTIVITY_TYPES[kind],
      object: { id: iri, type, ...(isVersion(change) ? { seeAlso: this.#seeAlso(iri) } : {}) },
      ...(target === undefined ? {} : { target: { id: target, type, seeAlso: this.#seeAlso(target) } }),
      // Consumers compare these as strings: always there, and always of this width.
      endTime: new Date(time).toISOString(),
    };
  }

  /** Where the representations of a record are. */
  #seeAlso(iri: string): Json {
    const url = this.#context.addresses.url(iri);
    return this.#alternates.map(({ suffix, ...about }) => ({ id: url + suffix, type: "Dataset", ...about }));
  }

  #pageReference(stream: Stream, number: number): { id: string; type: string } {
    return { id: this.#url(stream.page(number)), type: "OrderedCollectionPage" };
  }

  #url(path: string): string {
    return this.#context.base + path;
  }

  #json(value: { [key: string]: Json }, cacheControl: string, modified: number | undefined): Content {
    return { ...jsonContent(value, MEDIA_TYPE), cacheControl, ...(modified === undefined ? {} : { modified }) };
  }
}

/** Throws `ProblemError`. */
export function pageNumber(request: RouteRequest): number {
  return wholeNumber(request.parameter("number"));
}

/** Throws `ProblemError`. */
function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new ProblemError("not-found", { detail: `${text} is no number from 1 on.` });
}

type Answering = (request: RouteRequest) => Content | Promise<Content>;

const ABOUT = {
  tag: "Harvest",
  content: { [MEDIA_TYPE]: ANY_OBJECT },
  conditions: "tags and dates",
  problems: ["not-found"],
} as const;

const PARAMETERS = {
  endpoint: ENDPOINT_PARAMETER,
  source: pathParameter("source", "The feed, as `load --source` named it."),
  number: pathParameter("number", "From 1 on."),
} as const;

function collection(path: string, id: string, summary: string, answer: Answering): Route {
  return route(
    path,
    { ...ABOUT, id, summary, description: "An OrderedCollection with its first and last page." },
    answer,
  );
}

function page(path: string, id: string, answer: Answering): Route {
  const description = `Up to ${PAGE} activities, the oldest first. A page that has a next one stays as it is.`;
  return route(path, { ...ABOUT, id, summary: "A page of such changes.", description }, answer);
}

function change(path: string, answer: Answering): Route {
  return route(path, { ...ABOUT, id: "activityChange", summary: "One change of a record." }, answer);
}

function ofRecords(path: string, id: string, summary: string, answer: Answering): Route {
  const parameters = [parameter("uri", "query", "The IRI, percent-encoded."), parameter("page", "query", "A page.")];
  return route(path, { ...ABOUT, id, summary, parameters, problems: ["not-found", "malformed"] }, answer);
}

function route(path: string, operation: Operation, answer: Answering): Route {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => PARAMETERS[name as keyof typeof PARAMETERS]);
  const parameters = [...inPath, ...(operation.parameters ?? [])];
  return readRoute(path, "page", { ...operation, parameters }, answer);
}
