/** `/held`: the records that are held, for whoever shows a token that may read. */
import type { HeldRecords } from "../../../store/held.js";
import { PRIVATE } from "../../entity/held.js";
import { type Content, momentaryJson } from "../../message/content.js";
import { malformed, readPage } from "../../message/problems/problems.js";
import { heldPage } from "../../pages/lists.js";
import { pageContent, wantsPage } from "../entities/pages.js";
import { parameter } from "../openapi/paths.js";
import { type Operation, type RouteContext, type RouteMaker, type RouteRequest, readRoute } from "../route.js";
import { permitted } from "./load.js";

/** Records of a page, unless fewer are asked for. */
const MAX_LISTED = 1000;

export const heldRoute: RouteMaker = (context) => {
  const { loading } = context;
  const { held } = context.store;
  if (loading === undefined || held === undefined) return [];
  const get: Operation = {
    id: "held",
    tag: "Service",
    summary: "The records that are held, by IRI: loaded, and not published.",
    description: "For a token that may read; one for sources sees theirs. A browser shows it as a password.",
    parameters: [
      parameter("after", "query", "Where the page before ended: its `next`."),
      parameter("limit", "query", `At most so many records; ${MAX_LISTED} unless fewer are asked for.`),
    ],
    types: ["application/json", "text/html"],
    problems: ["unauthorized", "not-permitted"],
  };
  const shown = (request: RouteRequest): Promise<Content> =>
    answer(context, held, request, permitted(request, loading, "read").sources);
  return [readRoute("/held", "page", get, shown, { takesToken: true })];
};

async function answer(
  { addresses, base, site }: RouteContext,
  held: HeldRecords,
  request: RouteRequest,
  sources: readonly string[] | undefined,
): Promise<Content> {
  const { query } = request;
  const after = query.get("after") ?? undefined;
  const limit = limitOf(query);
  const { items, next } = await readPage(() => held.list({ after, limit, sources }));
  const address = (from: string): string => `${base}/held?after=${encodeURIComponent(from)}`;
  if (wantsPage(request)) {
    const pages = { first: after === undefined ? undefined : `${base}/held`, next: next && address(next) };
    const page = pageContent(heldPage(request.siteOf(site), addresses, items, pages));
    return { ...page, cacheControl: PRIVATE, vary: "Authorization, Accept-Language" };
  }
  const records = items.map(({ since, ...each }) => ({
    ...each,
    url: addresses.url(each.iri),
    since: new Date(since).toISOString(),
  }));
  const more = next === undefined ? {} : { next: address(next) };
  return { ...momentaryJson({ records, ...more }), cacheControl: PRIVATE, vary: "Authorization" };
}

function limitOf(query: URLSearchParams): number {
  const limit = Number(query.get("limit") ?? MAX_LISTED);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LISTED) return limit;
  throw malformed(`limit must be a number from 1 to ${MAX_LISTED}.`);
}
