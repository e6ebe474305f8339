/** Held records, for whoever shows a token that may read, and kept by no cache: `/held`, which lists them, and their own addresses. */
import { entryOf } from "../../../base/entries.js";
import type { HeldRecords, Store } from "../../../store/store.js";
import type { Dereferencer, EntityRequest } from "../../entity/dereference.js";
import { readTokenShown, type StoredToken } from "../../loads/tokens.js";
import { type Answer, varyingBy, withHeader } from "../../message/answer.js";
import { type Content, momentaryJson } from "../../message/content.js";
import { malformed, readPage } from "../../message/problems/problems.js";
import { heldPage } from "../../pages/lists.js";
import { pageContent, wantsPage } from "../entities/pages.js";
import { parameter } from "../openapi/paths.js";
import { type Operation, type RouteContext, type RouteMaker, type RouteRequest, readRoute } from "../route.js";
import { isFor, permitted } from "./load.js";

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
    const page = pageContent(heldPage(request.siteOf(site), items, pages));
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

/** The value of `Cache-Control` on what is not for everybody (RFC 9111, 5.2.2). */
export const PRIVATE = "private, no-store";

/** Answers for those who may see held records. */
export class HeldAnswers {
  /** By the sources whose records are shown. */
  readonly #dereferencers = new Map<string, Dereferencer>();

  /** @param dereferencer makes that of a store, which has all representations and keeps no answers */
  constructor(
    readonly store: Store,
    readonly tokens: () => readonly StoredToken[],
    readonly dereferencer: (store: Store) => Dereferencer,
  ) {}

  /** The answer with a token that may read, where that finds a record. @param isEntity whether other spellings of the path count */
  async answer(request: EntityRequest, isEntity: boolean): Promise<Answer | undefined> {
    const token = readTokenShown(this.tokens(), request.headers.authorization);
    if (token?.may.includes("read") !== true) return undefined;
    const { sources } = token;
    const dereferencer = entryOf(this.#dereferencers, JSON.stringify(sources ?? null), () =>
      this.dereferencer(withHeld(this.store, sources)),
    );
    const answer =
      (await dereferencer.existing(request)) ?? (isEntity ? await dereferencer.spelled(request) : undefined);
    return answer && privately(answer);
  }
}

/** The store as it is to those who may see the held records of these sources, or of any. Their earlier versions stay where they are. */
function withHeld(store: Store, sources: readonly string[] | undefined): Store {
  const { versions: _, ...others } = store;
  return {
    ...others,
    find: (iri) => {
      const held = store.held?.find(iri);
      return held !== undefined && isFor(sources, held.source) ? held : store.find(iri);
    },
  };
}

/** An answer that is kept by nobody, and counted as no reading of the record. */
function privately(answer: Answer): Answer {
  const { about: _, ...rest } = varyingBy(answer, "Authorization");
  const isSaid = rest.headers.includes("Cache-Control");
  if (!isSaid) return { ...rest, headers: [...rest.headers, "Cache-Control", PRIVATE] };
  return withHeader(rest, "Cache-Control", () => PRIVATE);
}
