/** `/activity` and below: the change stream (IIIF Change Discovery API 1.0), whole and per kind of record, Set, source or record. */
import { CHANGED_CLASSES } from "../../../model/tables/endpoints.js";
import type { Json, JsonObject } from "../../../rdf/record-graph.js";
import type { Change, ChangeLog, ChangeSelection } from "../../../store/changes.js";
import { isVersion } from "../../entity/mementos.js";
import { endingLonger } from "../../entity/resolution.js";
import { type Content, IMMUTABLE, jsonContent } from "../../message/content.js";
import { fromStore, ProblemError } from "../../message/problems/problems.js";
import { type Addressed, addressed } from "../../representations/representation.js";
import { INTEGER, parameter, URI_PARAMETER } from "../openapi/paths.js";
import { type Route, type RouteContext, type RouteMaker, type RouteRequest, readRoute, wholeNumber } from "../route.js";

/** The number of activities of a full page. Never change it: pages that clients know by their numbers would get other activities. */
export const PAGE = 100;

/** The contexts; the last must be IIIF's (Change Discovery 1.0, 3.1). */
const CONTEXTS = ["https://linked.art/ns/v1/record-types.json", "http://iiif.io/api/discovery/1/context.json"];

const MEDIA_TYPE = "application/ld+json";

export const ACTIVITY_TYPES = { create: "Create", update: "Update", delete: "Delete", move: "Move" } as const;

/** A part of the change log, with the paths of its collection and pages. */
interface Stream {
  readonly selection: ChangeSelection;
  readonly path: string;
  /** The path of a page without the page's number at its end. */
  readonly pages: string;
  /** Whether it has only the last change of each record; as `refresh`, after a `Refresh`, and only of records that exist. */
  readonly collapsed?: "latest" | "refresh";
}

type StreamOf = (request: RouteRequest) => Stream | Promise<Stream>;

/** What the operation of a stream's collection has besides what all have. */
type More = Partial<Route["operations"]["get"]>;

function streamAt(path: string, selection: ChangeSelection, more: Partial<Stream> = {}): Stream {
  return { path, pages: `${path}/page/`, selection, ...more };
}

function streamOfUri(path: string, { uri }: RouteRequest, name: "iri" | "set"): Stream {
  const address = `${path}?uri=${encodeURIComponent(uri)}`;
  return streamAt(address, { [name]: uri }, { pages: `${address}&page=` });
}

const ABOUT = { tag: "Harvest", types: [MEDIA_TYPE], conditions: "tags and dates" } as const;
const PAGE_PARAMETER = parameter("page", "query", "With `uri`: a page, by its number.", INTEGER);
const SET = parameter("uri", "query", "With `set`: the IRI of a Set, percent-encoded, for the changes of its members.");

export const activityRoutes: RouteMaker = (context) => {
  const { changes } = context.store;
  if (changes === undefined) return [];
  const stream = new ChangeStream(context, changes);
  const collection = (path: string, id: string, summary: string, of: StreamOf, more?: More): Route => {
    const description = "An OrderedCollection with its first and last page.";
    const get = { ...ABOUT, id: `activity${id}`, summary, description, ...more };
    return readRoute(path, "page", get, async (request) => stream.collection(await of(request), request));
  };
  const pages = (path: string, id: string, of: StreamOf, more?: More): Route => {
    const description = `Up to ${PAGE} activities, the oldest first. A page that has a next one stays as it is.`;
    const get = { ...ABOUT, id: `activity${id}Page`, summary: "A page of such changes.", description, ...more };
    return readRoute(`${path}/page/{number}`, "page", get, async (request) =>
      stream.page(await of(request), request.number),
    );
  };
  const both = (path: string, id: string, summary: string, of: StreamOf, more?: More, ofPages?: More): Route[] => [
    collection(path, id, summary, of, more),
    pages(path, id, of, ofPages),
  ];
  const whole = async (): Promise<Stream> => streamAt(await stream.root(), {}, { pages: "/activity/page/" });
  const collapsedOf = (path: string, id: string, summary: string, collapsed: "latest" | "refresh"): Route[] =>
    both(path, id, summary, () => streamAt(path, {}, { collapsed }), {}, { conditions: "tags" });
  const ofEndpoint = (request: RouteRequest): Stream => {
    const { endpoint, query } = request;
    if (endpoint === "set" && query.has("uri")) return streamOfUri("/activity/set", request, "set");
    return streamAt(`/activity/${endpoint}`, { endpoint });
  };
  const oneOf = { ...ABOUT, id: "activityChange", summary: "One change of a record." };
  return [
    ...both("/activity", "", "All changes of records.", whole),
    collection("/activity/all", "All", "All changes of records.", whole),
    readRoute("/activity/change/{number}", "page", oneOf, (request) => stream.activity(request.number)),
    ...collapsedOf("/activity/latest", "Latest", "The last change of each record.", "latest"),
    ...collapsedOf("/activity/refresh", "Refresh", "Refresh, and then every existing record once.", "refresh"),
    collection(
      "/activity/record",
      "OfRecord",
      "The changes of one record.",
      (request) => streamOfUri("/activity/record", request, "iri"),
      { parameters: [URI_PARAMETER, PAGE_PARAMETER], problems: ["not-found"] },
    ),
    ...both("/activity/source/{source}", "OfSource", "The changes of the records of one feed.", (request) => {
      const source = request.parameter("source");
      return streamAt(`/activity/source/${encodeURIComponent(source)}`, { source });
    }),
    ...both("/activity/{endpoint}", "OfEndpoint", "The changes of one kind of record.", ofEndpoint, {
      parameters: [SET, PAGE_PARAMETER],
    }),
  ];
};

class ChangeStream {
  readonly #alternates: readonly Addressed[];
  readonly #endsLonger: ReturnType<typeof endingLonger>;

  constructor(
    readonly context: RouteContext,
    readonly changes: ChangeLog,
  ) {
    this.#endsLonger = endingLonger(context.representations);
    this.#alternates = addressed(context.representations).filter(({ appliesTo }) => appliesTo === undefined);
  }

  /** The path of the whole stream: `/activity`, unless a record has that IRI, since records take precedence (docs/use/http.md). */
  async root(): Promise<string> {
    const { store, base, addresses } = this.context;
    const iri = `${base}/activity`;
    const record = addresses.has(iri) ? await fromStore(async () => store.find(iri)) : undefined;
    return record === undefined ? "/activity" : "/activity/all";
  }

  /** The OrderedCollection (3.1), with the number of activities and links to the first and last page; if `page` is given besides `uri`, that page. */
  async collection(stream: Stream, { query }: RouteRequest): Promise<Content> {
    const page = stream.pages.endsWith("&page=") ? query.get("page") : null;
    if (page !== null) return this.page(stream, wholeNumber(page));
    const { selection, collapsed } = stream;
    const newest = { ...selection, before: Number.POSITIVE_INFINITY, limit: 1 };
    const [total, [last]] = await fromStore(() =>
      Promise.all([this.changes.count(selection), this.changes.page(newest)]),
    );
    const collection = {
      id: this.#url(stream.path),
      type: "OrderedCollection",
      ...(collapsed ? {} : { totalItems: total }),
      ...(total === 0 ? {} : { first: this.#pageReference(stream, 1) }),
      // Required even of an empty collection, whose only page is empty.
      last: this.#pageReference(stream, Math.max(1, Math.ceil(total / PAGE))),
    };
    return this.#json(collection, "no-cache", last?.time);
  }

  /** An OrderedCollectionPage (3.2), with the activities in chronological order. Throws `ProblemError`. */
  async page(stream: Stream, number: number): Promise<Content> {
    const { selection, collapsed } = stream;
    const isRefresh = collapsed === "refresh";
    const offset = (number - 1) * PAGE;
    // With the change that came after them, if there is one: it gave the page its link to the next one.
    const changes = await fromStore(() => this.changes.page({ ...selection, offset, limit: PAGE + 1 }));
    if (changes.length === 0 && number > 1) {
      const pages = Math.max(1, Math.ceil((await fromStore(() => this.changes.count(selection))) / PAGE));
      throw new ProblemError("not-found", `This stream has pages 1 to ${pages}.`);
    }
    const hasNext = changes.length > PAGE;
    const own = changes.slice(0, PAGE);
    const shown = collapsed ? await this.#lastOnly(own) : own;
    const items = (isRefresh ? shown.filter(isVersion) : shown).map((each) => this.#item(each));
    const page = {
      id: this.#url(stream.pages + number),
      type: "OrderedCollectionPage",
      partOf: { id: this.#url(stream.path), type: "OrderedCollection" },
      ...(collapsed ? {} : { startIndex: offset }),
      ...(number > 1 ? { prev: this.#pageReference(stream, number - 1) } : {}),
      ...(hasNext ? { next: this.#pageReference(stream, number + 1) } : {}),
      orderedItems: isRefresh && number === 1 ? [await this.#refresh(), ...items] : items,
    };
    // When a record changes again, its earlier change disappears from this page. No time of a change on the page shows that, so it has no `Last-Modified`.
    if (collapsed) return this.#json(page, "no-cache", undefined);
    return this.#json(page, hasNext ? IMMUTABLE : "no-cache", changes.at(-1)?.time);
  }

  /** One activity, at the IRI that pages give it. Throws `ProblemError`. */
  async activity(sequence: number): Promise<Content> {
    const [change] = await fromStore(() => this.changes.page({ after: sequence - 1, limit: 1 }));
    if (change?.sequence !== sequence) throw new ProblemError("not-found", "There is no such change.");
    return this.#json(this.#item(change), IMMUTABLE, change.time);
  }

  async #lastOnly(changes: readonly Change[]): Promise<readonly Change[]> {
    const { store } = this.context;
    const last = await fromStore(() =>
      Promise.all(changes.map(async ({ iri }) => ((await store.find(iri)) ?? (await store.tombstone(iri)))?.sequence)),
    );
    return changes.filter(({ sequence }, at) => last[at] === sequence);
  }

  /** The Refresh activity (2.1.5). It has the time of the first change as its `startTime`, so that it comes before all changes. */
  async #refresh(): Promise<Json> {
    const [first] = await fromStore(() => this.changes.page({ limit: 1 }));
    const startTime = new Date(first?.time ?? 0).toISOString();
    return { id: this.#url("/activity/refresh#start"), type: "Refresh", startTime };
  }

  #item(change: Change): JsonObject {
    const { sequence, iri, kind, time, endpoint, target } = change;
    const type = (endpoint === null ? undefined : CHANGED_CLASSES.get(endpoint)) ?? "Entity";
    return {
      id: this.#url(`/activity/change/${sequence}`),
      type: ACTIVITY_TYPES[kind],
      object: { id: iri, type, ...(isVersion(change) ? { seeAlso: this.#seeAlso(iri) } : {}) },
      ...(target === undefined ? {} : { target: { id: target, type, seeAlso: this.#seeAlso(target) } }),
      // Always present and of fixed width, since consumers compare these as strings.
      endTime: new Date(time).toISOString(),
    };
  }

  #seeAlso(iri: string): Json {
    const url = this.context.addresses.url(iri);
    const own = this.#alternates.filter(({ suffix }) => !this.#endsLonger(iri, suffix));
    return own.map(({ suffix, mediaType: format, profiles: [profile] }) => {
      return { id: url + suffix, type: "Dataset", format, ...(profile !== undefined && { profile }) };
    });
  }

  #pageReference({ pages }: Stream, number: number): Json {
    return { id: this.#url(pages + number), type: "OrderedCollectionPage" };
  }

  #url(path: string): string {
    return this.context.base + path;
  }

  #json(value: JsonObject, cacheControl: string, modified: number | undefined): Content {
    return { ...jsonContent({ "@context": CONTEXTS, ...value }, MEDIA_TYPE), cacheControl, modified };
  }
}
