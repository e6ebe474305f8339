/** The reader of a change stream, which processes it as the IIIF Change Discovery API 1.0 says (3.5): backwards to the known position. */
import { headerOf } from "../../base/http-client.js";
import { jsonIn } from "../../base/json.js";
import { asList } from "../../jsonld/json-values.js";
import { CHANGED_CLASSES } from "../../model/tables/endpoints.js";
import { isJsonObject, type Json, type JsonObject } from "../../rdf/record-graph.js";
import type { Change } from "../../store/changes.js";
import { type Client, FollowError } from "./client.js";

/** The position to which a stream was read. */
export interface StreamPosition {
  /** The activity processed last: its IRI, or what distinguishes it from others. */
  readonly key: string | null;
  /** The activity's time, as written. */
  readonly time: string | null;
}

/** The position before all activities. */
export const START: StreamPosition = { key: null, time: null };

export interface ResourceChange {
  readonly iri: string;
  /** The kind of change; `target` is that of a move. */
  readonly kind: "include" | "remove" | "move";
  readonly target: string | undefined;
  /** The addresses of the model's JSON documents of the resource, or of a move's target, among those that the activity lists. */
  readonly seeAlso: readonly string[];
  /** The activity that states the change. */
  readonly position: StreamPosition;
}

const ACCEPT = "application/ld+json, application/json;q=0.9, application/activity+json;q=0.8";

const KINDS: ReadonlyMap<string, ResourceChange["kind"]> = new Map([
  ["Create", "include"],
  ["Update", "include"],
  ["Add", "include"],
  ["Delete", "remove"],
  ["Remove", "remove"],
  ["Move", "move"],
]);

/** Matches format and profile of the model's JSON documents. Other vocabularies and forms have profiles of their own. */
const MODEL_JSON = /^application\/(?:ld\+)?json\b(?!.*(?:schema\.org|#expanded|#flattened))/;

/** The changes and pages of a stream that are kept in memory, some 600 bytes each. A stream with more may have no end. */
const MAX_READ = 3_000_000;

/** The pages in a row without an activity after which a stream is taken to have no end, as one is whose first page names another before it. Pages whose numbers count down have one. */
const MAX_EMPTY = 100;

/** The last change of each resource since a position, oldest first, or with `isRewritten` of all times; with `isLogged`, also all activities; and the address and tag of the last page. `undefined` if that page was `seen`: the collection may stay the same when its last page grows. */
export async function changesSince(
  client: Client,
  collection: string,
  since: StreamPosition,
  seen: string | null,
  isLogged = false,
  most = MAX_READ,
) {
  const { last } = documentOf(await client.get(collection, { accept: ACCEPT }));
  const lastPage = idOf(last, `${collection} names no last page`);
  const [known, knownTag = ""] = seen?.split(" ", 2) ?? [];
  const condition = known === lastPage ? { "if-none-match": knownTag } : {};
  const newest = await client.get(lastPage, { accept: ACCEPT, ...condition });
  if (newest.status === 304) return undefined;
  const tag = headerOf(newest.headers, "etag");
  let from = since;
  const found = new Map<string, ResourceChange>();
  const log: Change[] = [];
  const ended = () => ({
    changes: [...found.values()].reverse(),
    log: log.reverse(),
    isRewritten: from !== since,
    lastPage: tag === "" ? null : `${lastPage} ${tag}`,
  });
  let onlyRemovals = false;
  const ensureRoom = (pages: number): void => {
    if (found.size + log.length + pages > most)
      throw new FollowError(`${collection} has more than ${most} changes to read: begin with a dump or a backup`);
  };
  for await (const items of pagesBackwards(client, lastPage, newest, ensureRoom)) {
    for (const item of items.toReversed()) {
      if (!isJsonObject(item)) continue;
      if (item.type === "Refresh") {
        if ((from.key ?? from.time) === null) return ended();
        onlyRemovals = true;
        continue;
      }
      const { id, type, object, endTime = null } = item;
      // Without an IRI, an activity is known by what distinguishes it from others.
      const key = typeof id === "string" ? id : JSON.stringify([type!, idIn(object) ?? null, endTime]);
      const position = { key, time: typeof endTime === "string" ? endTime : null };
      if (isRenumbered(position, from)) from = START;
      if (position.key === from.key || isOlder(position, from)) return ended();
      if (isLogged) log.push(loggedChange(item));
      const change = changeOf(item, position);
      if (change === undefined || found.has(change.iri) || (onlyRemovals && change.kind === "include")) continue;
      found.set(change.iri, change);
    }
  }
  return ended();
}

/** The activities of each page, from the last page backwards. Throws `FollowError` for pages that are in the wrong order or have no end. @param newest the last page, already read @param onPage called with the number of pages, before the next one is read */
async function* pagesBackwards(
  client: Client,
  lastPage: string,
  newest: Parameters<typeof documentOf>[0],
  onPage: (pages: number) => void,
): AsyncIterable<readonly Json[]> {
  const read = new Set<string>();
  let empty = 0;
  let times: readonly number[] = [];
  let next: string | undefined = lastPage;
  while (next !== undefined) {
    const at: string = next;
    if (read.has(at)) throw new FollowError(`the pages before ${at} lead back to it`);
    onPage(read.add(at).size);
    const page = documentOf(at === lastPage ? newest : await client.get(at, { accept: ACCEPT }));
    if (!Array.isArray(page.orderedItems)) throw new FollowError(`${at} is not a page of a change stream`);
    // Two times may differ because a clock was set back; once there are three, those of further pages say nothing new.
    if (times.length < 3) times = [...timesOf(page.orderedItems), ...times];
    const onlyDecrease = new Set(times).size > 2 && times.every((time, at) => at === 0 || time <= times[at - 1]!);
    // The end of such a stream would show nothing new on the next visit.
    if (onlyDecrease) throw new FollowError(`${at} has its newest activity first, not last`);
    // In JSON-LD, `null` says as little as no property.
    next = page.prev ? idOf(page.prev, `${at} names a page before it without an id`) : undefined;
    if (page.orderedItems.length > 0) empty = 0;
    else if (!countsDown(at, next)) empty++;
    if (empty > MAX_EMPTY) throw new FollowError(`the ${MAX_EMPTY} pages before ${at} are empty, and more follow`);
    yield page.orderedItems;
  }
}

/** The times of activities, in their order, each run of equal ones once. */
function timesOf(items: readonly Json[]): readonly number[] {
  const times = items.map((item) => (isJsonObject(item) ? Date.parse(String(item.endTime)) : Number.NaN));
  return times.filter((time, at) => time !== times[at - 1]);
}

/** Whether a page's address ends in a number, and that of the page before it in a lower one. */
function countsDown(page: string, before = ""): boolean {
  const [number, lower] = [page, before].map((url) => Number(/\d+$/.exec(url)?.[0] ?? Number.NaN));
  return lower! < number!;
}

/** An activity as a change in the log of a service of this software, without its label. */
export function loggedChange({ id, type, object, target, endTime }: JsonObject): Change {
  const [subject, to] = [object, target].map((node) => idIn(node) ?? "");
  const [endpoint = null] = [...CHANGED_CLASSES].find(([, name]) => isJsonObject(object) && object.type === name) ?? [];
  const kind = String(type).toLowerCase() as Change["kind"];
  const sequence = changeNumber(String(id));
  const time = Date.parse(String(endTime));
  return { sequence, iri: subject!, kind, time, endpoint, label: "", ...(kind === "move" && { target: to! }) };
}

/** The number of a change in the log of a service of this software, by the IRI of its activity; NaN for an activity of other software. */
export function changeNumber(key: string | null): number {
  return Number(/\/activity\/change\/(\d+)$/.exec(key ?? "")?.[1]);
}

/** Whether a service of this software has numbered its changes anew after it restored a backup: the known number is that of another change, or a later change has a lower one. */
function isRenumbered(position: StreamPosition, since: StreamPosition): boolean {
  if (position.key === since.key) return position.time !== since.time;
  return changeNumber(position.key) < changeNumber(since.key) && isOlder(since, position);
}

/** Whether an activity is older than the last processed one, so that everything up to it was processed. */
function isOlder(position: StreamPosition, since: StreamPosition): boolean {
  if (since.time === null || position.time === null) return false;
  const [time, known] = [Date.parse(position.time), Date.parse(since.time)];
  return Number.isNaN(time) || Number.isNaN(known) ? position.time < since.time : time < known;
}

function changeOf(item: JsonObject, position: StreamPosition): ResourceChange | undefined {
  const kind = KINDS.get(String(item.type));
  const described = kind === "move" ? item.target : item.object;
  const [iri, target] = [idIn(item.object), idIn(described)];
  if (kind === undefined || iri === undefined || target === undefined) return undefined;
  return { iri, kind, seeAlso: seeAlsoOf(described), position, target: kind === "move" ? target : undefined };
}

function seeAlsoOf(described: Json | undefined): ResourceChange["seeAlso"] {
  return asList((isJsonObject(described) && described.seeAlso) || [])
    .filter(isJsonObject)
    .filter(({ format = "", profile = "" }) => MODEL_JSON.test(`${format} ${profile}`))
    .flatMap(({ id }) => (typeof id === "string" ? [id] : []));
}

function documentOf({ url, status, body }: { url: string; status: number; body: Buffer }): JsonObject {
  if (status !== 200) throw new FollowError(`${url} answers ${status}`);
  const document = jsonIn<Json>(body);
  if (!isJsonObject(document)) throw new FollowError(`${url} is not a JSON object`);
  return document;
}

/** The IRI in a reference, which may be a string or an object. */
function idIn(reference: Json | undefined): string | undefined {
  const id = isJsonObject(reference) ? reference.id : reference;
  return typeof id === "string" ? id : undefined;
}

function idOf(reference: Json | undefined, problem: string): string {
  const id = idIn(reference);
  if (id === undefined) throw new FollowError(problem);
  return id;
}
