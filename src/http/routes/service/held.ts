/** Held records, which need a token with the power to read and are never cached: the list at `/held`, and each record at its URL. */
import type { Store } from "../../../store/store.js";
import type { EntityRequest } from "../../entity/addresses.js";
import type { Dereferencer } from "../../entity/dereference.js";
import { tokenShown } from "../../loads/tokens.js";
import { type Answer, headersWithout, varyingBy } from "../../message/answer.js";
import { type Content, momentaryJson } from "../../message/content.js";
import { malformed, readPage } from "../../message/problems/problems.js";
import { withoutCaption } from "../../pages/caption.js";
import { listPage } from "../../pages/lists.js";
import { html, text } from "../../pages/markup.js";
import { pageContent, wantsPage } from "../entities/pages.js";
import { parameter } from "../openapi/paths.js";
import { type LoadService, type Operation, type RouteMaker, type RouteRequest, readRoute } from "../route.js";
import { isFor, permitted } from "./load.js";

const MAX_LISTED = 1000;

const GET: Operation = {
  id: "held",
  tag: "Service",
  summary: "The held records, by IRI: loaded, but not published.",
  description: "Needs a token that may read; one for sources sees only theirs. A browser sends it as a password.",
  parameters: [
    parameter("after", "query", "The cursor at which the previous page ended, from its `next`."),
    parameter("limit", "query", `The most records to list. Default: ${MAX_LISTED}.`),
  ],
  types: ["application/json", "text/html"],
  problems: ["unauthorized", "not-permitted"],
};

export const heldRoute: RouteMaker = ({ store: { held }, loading, addresses, base, site }) => {
  if (loading === undefined || held === undefined) return [];
  const answer = async (request: RouteRequest): Promise<Content> => {
    const { sources } = permitted(request, loading, "read");
    const { query } = request;
    const after = query.get("after") ?? undefined;
    const limit = Number(query.get("limit") ?? MAX_LISTED);
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LISTED)
      throw malformed(`The parameter limit must be a number from 1 to ${MAX_LISTED}.`);
    const { items, next } = await readPage(() => held.list({ after, limit, sources }));
    const first = `${base}/held?limit=${limit}`;
    const following = next && `${first}&after=${encodeURIComponent(next)}`;
    if (wantsPage(request)) {
      const read = request.siteOf(site);
      const { held: title, heldAbout } = read.words.file.list;
      const page = listPage(read, {
        title,
        address: `${read.path}/held`,
        lead: html`<p class="aside">${text(heldAbout)}</p>`,
        entries: items.map((record) => withoutCaption(record, read.words)),
        pages: { first: after === undefined ? undefined : first, next: following },
      });
      return { ...pageContent(page), cacheControl: PRIVATE, vary: "Authorization, Accept-Language" };
    }
    const records = items.map(({ since, ...each }) => ({
      ...each,
      url: addresses.url(each.iri),
      since: new Date(since).toISOString(),
    }));
    return { ...momentaryJson({ records, next: following }), cacheControl: PRIVATE, vary: "Authorization" };
  };
  return [readRoute("/held", "page", GET, answer, { takesToken: true })];
};

/** The value of `Cache-Control` on answers that are not public (RFC 9111, 5.2.2). */
export const PRIVATE = "private, no-store";

/** Returns a function that answers with a record, held or not, if the request's token may read. With `isSpelled`, it also looks for other spellings of the IRI. */
export function heldAnswers(store: Store, { tokens }: LoadService, dereferencerOf: (store: Store) => Dereferencer) {
  return async (request: EntityRequest, isSpelled: boolean): Promise<Answer | undefined> => {
    const token = tokenShown(tokens(), request.headers.authorization, "read");
    if (token?.may.includes("read") !== true) return undefined;
    // A view for this request alone: what pages keep of a store is current until its sequence number changes, and held records change without it.
    const dereferencer = dereferencerOf(withHeld(store, token.sources));
    const found =
      (await dereferencer.existing(request)) ?? (isSpelled ? await dereferencer.spelled(request) : undefined);
    if (found === undefined) return undefined;
    // It is not cached, and not counted among the records that were read.
    const { about: _, headers, ...rest } = varyingBy(found, "Authorization");
    return { ...rest, headers: [...headersWithout(headers, "cache-control"), "Cache-Control", PRIVATE] };
  };
}

/** A view of the store in which the held records of these sources, or of all, take the place of published ones. It has no versions. */
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
