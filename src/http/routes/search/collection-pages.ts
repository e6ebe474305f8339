/** Pages of records in the form of Linked Art's search: OrderedCollectionPages linked by `next` and `prev` (linked.art/api/1.0/search). */
import type { IncomingHttpHeaders } from "node:http";
import { isEntityClass } from "../../../model/tables/endpoints.js";
import { className } from "../../../model/vocabulary/vocabulary.js";
import type { Json, JsonObject } from "../../../rdf/record-graph.js";
import { sortForm } from "../../../search/label-order.js";
import type { SearchHit, Window, WindowQuery } from "../../../store/search.js";
import { MAX_TARGET, pathOf } from "../../entity/addresses.js";
import { type Content, jsonContent } from "../../message/content.js";
import { linkText } from "../../message/headers/link.js";
import { negotiator, type Offer } from "../../message/headers/negotiate.js";
import { malformed, ProblemError } from "../../message/problems/problems.js";
import { INTEGER, parameter } from "../openapi/paths.js";
import type { RouteRequest } from "../route.js";

/** The context of pages and collections; it identifies Linked Art's form. */
export const SEARCH_CONTEXT = "https://linked.art/ns/v1/search.json";
/** The media type of pages and collections. */
export const LIST_TYPE = "application/ld+json";

export const ITEMS_A_PAGE = 50;

/** The parameters that select a page; all others select the records. */
export const OF_PAGES = ["page", "after", "before", "from", "index"];
/** The parameters that select a page and a view of a list. */
export const OF_LISTS = ["view", ...OF_PAGES];

const PAGES = ["first", "last", "all"];

const INDEX = "The index of the page's first record in the collection, as links to pages give it.";

export const PAGE_PARAMETERS: readonly Json[] = [
  parameter("page", "query", "Which page: the first, the last, or the collection itself.", { enum: PAGES }),
  parameter("after", "query", "The cursor at which the previous page ended, from its `next`."),
  parameter("before", "query", "The cursor at which the following page begins, from its `prev`."),
  parameter("from", "query", "In a list by label: the text from which labels are listed."),
  parameter("index", "query", INDEX, INTEGER),
];

export type PageForm = "items" | "labels" | "html";

/** The profile of pages with labels, after the base URL. */
const LABELS = "/search#labels";

/** Chooses the form that a client wants: items with `id` and `type`; items that also have `_label`, for the labels profile; or HTML. */
export function formOf(base: string): (headers: IncomingHttpHeaders) => PageForm {
  const offers: readonly (Offer & { readonly form: PageForm })[] = [
    { mediaType: LIST_TYPE, profiles: [SEARCH_CONTEXT], form: "items" },
    { mediaType: "application/json", profiles: [], form: "items" },
    { mediaType: LIST_TYPE, profiles: [base + LABELS], form: "labels" },
    { mediaType: "text/html", profiles: [], form: "html" },
  ];
  const negotiate = negotiator(offers);
  return ({ accept, "accept-profile": profile }) => negotiate(accept, profile)?.form ?? "items";
}

export const PAGE_TYPES = [LIST_TYPE, "text/html"] as const;

/** The window of a list that a request asks for. Throws `ProblemError` for a page number: lists are read from page to page. */
export function windowOf({ query }: RouteRequest): WindowQuery {
  const limit = ITEMS_A_PAGE;
  const [page, after, before, from] = [query.get("page"), query.get("after"), query.get("before"), query.get("from")];
  if (page !== null && !PAGES.includes(page))
    throw malformed(`The parameter page must be one of ${PAGES.join(", ")}, not ${page}. Follow next instead.`);
  if (from !== null) return { from: sortForm(from, () => undefined), limit };
  if (page === "last") return { before: "", limit };
  if (before !== null) return { before, limit };
  return { after: after ?? "", limit };
}

/** The URLs of a collection and its pages, and the index of a page's first item in the collection, from 0, if known. */
export type PageAddresses = ReturnType<typeof addressesOf>;

/** Adds query parameters to a URL. */
export function addressWith(url: string, parameters: readonly (readonly [string, string])[]): string {
  const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());
  const query = parameters.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join("&");
  return query === "" ? url : `${url}?${query}`;
}

/** The longest path and query of a list of several pages. It leaves room for the cursor and the index of a page: cursors have the beginning of a label. */
const MAX_LIST = MAX_TARGET - 500;

/** The URLs of a page of a list. Throws `ProblemError` if those of further pages would be too long to be requested. @param url the URL of the list, without a query */
export function addressesOf(url: string, { query }: RouteRequest, window: Window<unknown>, total: number | undefined) {
  const kept = [...query].filter(([name]) => !OF_PAGES.includes(name));
  const { length: needed } = pathOf(addressWith(url, kept))!;
  if (needed > MAX_LIST && (window.next ?? window.previous) !== undefined) {
    const detail = `As its links to pages write them, the path and query of this list have ${needed} bytes; they may have ${MAX_LIST}. Ask for less, or take the list as a table, which has no pages.`;
    throw new ProblemError("uri-too-long", detail);
  }
  const address = (...more: [string, string][]): string => addressWith(url, [...kept, ...more]);
  const length = window.items.length;
  const startIndex = startIndexOf(query, window, total);
  const further = (items: number): [string, string][] =>
    startIndex === undefined ? [] : [["index", String(Math.max(0, startIndex + items))]];
  const own = [...query].filter(([name]) => OF_PAGES.includes(name));
  return {
    collection: address(["page", "all"]),
    self: own.length === 0 ? address(["page", "first"]) : address(...own),
    first: address(["page", "first"]),
    last: address(["page", "last"]),
    next: window.next === undefined ? undefined : address(["after", window.next], ...further(length)),
    prev: window.previous === undefined ? undefined : address(["before", window.previous], ...further(-ITEMS_A_PAGE)),
    startIndex,
  };
}

/** The index of a page's first item in its list: counted from an end of the list, or as the link to the page gave it. */
function startIndexOf(query: URLSearchParams, { items, previous }: Window<unknown>, total: number | undefined) {
  const isLast = query.get("page") === "last" || query.get("before") === "";
  if (isLast && total !== undefined) return total - items.length;
  if (previous === undefined && !isLast && !query.has("before")) return 0;
  const [index] = /^\d{1,15}$/.exec(query.get("index") ?? "") ?? [];
  return index === undefined ? undefined : Number(index);
}

/** A page, or just the collection for `page=all`. A page with labels names its profile, as clients that asked by `Accept-Profile` expect. */
export function pageJson(
  base: string,
  request: RouteRequest,
  addresses: PageAddresses,
  items: readonly SearchHit[],
  { total, form, labels }: { total: number | undefined; form: PageForm; labels: string[] },
): Content {
  const reference = (id: string): Json => ({ id, type: "OrderedCollectionPage" });
  const collection: JsonObject = {
    id: addresses.collection,
    type: "OrderedCollection",
    first: reference(addresses.first),
    last: reference(addresses.last),
    ...(total === undefined ? {} : { totalItems: total }),
    ...(labels.length === 0 ? {} : { label: { en: labels } }),
  };
  if (request.query.get("page") === "all") return jsonContent({ "@context": SEARCH_CONTEXT, ...collection }, LIST_TYPE);
  const page = {
    "@context": SEARCH_CONTEXT,
    id: addresses.self,
    type: "OrderedCollectionPage",
    partOf: collection,
    ...(addresses.next === undefined ? {} : { next: reference(addresses.next) }),
    ...(addresses.prev === undefined ? {} : { prev: reference(addresses.prev) }),
    ...(addresses.startIndex === undefined ? {} : { startIndex: addresses.startIndex }),
    orderedItems: items.map(({ iri, classes, label: named }) => ({
      id: iri,
      type: typeOf(classes),
      ...(form === "labels" && named !== "" ? { _label: named } : {}),
    })),
  };
  const content = jsonContent(page, LIST_TYPE);
  if (form !== "labels") return content;
  return { ...content, headers: ["Link", linkText({ relation: "profile", href: base + LABELS })] };
}

/** The class that decides the endpoint of a record, by its name in documents, or by its IRI if the model has no name for it. */
function typeOf(classes: readonly string[]): string {
  const deciding = classes.find(isEntityClass) ?? classes[0];
  return deciding === undefined ? "Entity" : (className(deciding) ?? deciding);
}
