/** `/related/{relation}`: the records that stand in one of Linked Art's relations to an entity (linked.art/api/rels/1). */
import { RELATIONS, type Relation } from "../../../model/relations.js";
import { classesOf } from "../../../rdf/record-graph.js";
import type { Window } from "../../../store/search.js";
import type { PageQuery, Store } from "../../../store/store.js";
import { ProblemError } from "../../message/problems/problems.js";
import { fromStore } from "../../message/problems/store-unavailable.js";
import { entriesOf } from "../../pages/entries.js";
import { listPage, viewOf } from "../../pages/lists.js";
import { html, text } from "../../pages/markup.js";
import { pageContent } from "../entities/pages.js";
import { parameter, pathParameter } from "../openapi/paths.js";
import type { RouteMaker, RouteRequest } from "../route.js";
import {
  addressesOf,
  formOf,
  PAGE_CONTENT,
  PAGE_PARAMETERS,
  type PageItem,
  pageJson,
  readPage,
  windowOf,
} from "./collection-pages.js";
import { pageLinks, VIEW_PARAMETER, viewAsked, viewLinks } from "./list-links.js";
import { inParts, tableLinks, withTables } from "./tables.js";

const NAMED: ReadonlyMap<string, Relation> = new Map(RELATIONS.map((relation) => [relation.name, relation]));

export const relatedRoute: RouteMaker = (context) => {
  const { store, base, addresses } = context;
  const { search } = store;
  if (search === undefined) return [];
  const form = formOf(base);
  return withTables(
    context,
    {
      path: "/related/{relation}",
      cost: "search",
      operations: {
        get: {
          id: "related",
          tag: "Search",
          summary: "The records that stand in a relation to an entity, by label.",
          description:
            "What no relation of the list says is asked for by property: `/search/all?transferredTitleOf=IRI`.",
          parameters: [
            pathParameter("relation", "The relation, as linked.art/api/rels/1 lists them.", [...NAMED.keys()]),
            { ...parameter("uri", "query", "The entity's IRI, percent-encoded."), required: true },
            VIEW_PARAMETER,
            ...PAGE_PARAMETERS,
          ],
          content: PAGE_CONTENT,
          conditions: "tags",
          problems: ["malformed", "not-found"],
        },
      },
      answer: async (request) => {
        const { relation, uri } = askedOf(request);
        const { name } = relation;
        const { window, total, items } = await readPage(async () => {
          const isOther = await isOfOthers(store, relation, uri);
          const all = isOther ? 0 : await search.relatedCount(name, uri);
          const part = isOther ? NOTHING : await search.related(name, uri, windowOf(request));
          return { window: part, total: all, items: await itemsOf(store, part.items) };
        });
        const pages = addressesOf(base + request.path, request, window, total);
        const wanted = form(request.headers.accept);
        if (wanted !== "html") return pageJson(request, pages, items, { total, form: wanted, label: name });
        const asked = viewAsked(request);
        const site = request.siteOf(context.site);
        const { words } = site;
        const { entries, of } = await fromStore(async () => {
          const meta = (await store.find(uri))?.meta;
          const named = meta === undefined ? uri : meta.label || words.unnamed(meta.endpoint);
          return { entries: await entriesOf(store, window.items, site.reader), of: named };
        });
        return pageContent(
          listPage(site, addresses, {
            title: words.relation(name, of),
            address: site.path + request.target,
            lead: html`<p><a href="${text(site.link(addresses.url(uri)))}">${text(of)}</a></p>\n`,
            entries,
            total,
            view: asked,
            pages: pageLinks(pages, window.items.length, total),
            downloads: tableLinks(base, request),
            views: viewLinks(base + request.path, request, viewOf(entries, asked), words),
          }),
        );
      },
    },
    (request) => {
      const { relation, uri } = askedOf(request);
      const read = async (window: PageQuery): Promise<Window<string>> =>
        (await isOfOthers(store, relation, uri)) ? NOTHING : search.related(relation.name, uri, window);
      const [endpoint, another] = relation.sources;
      return {
        endpoint: another === undefined ? endpoint : undefined,
        parts: inParts(read, (iri) => iri),
      };
    },
  );
};

/** Throws `ProblemError`. */
function askedOf(request: RouteRequest): { readonly relation: Relation; readonly uri: string } {
  const name = request.parameter("relation");
  const relation = NAMED.get(name);
  if (relation === undefined) {
    const known = [...NAMED.keys()].join(", ");
    throw new ProblemError("not-found", { detail: `There is no relation ${name}: there are ${known}.` });
  }
  const uri = request.query.get("uri");
  if (uri === null || uri === "") {
    throw new ProblemError("malformed", { detail: `${request.path} needs an IRI, percent-encoded, as ?uri=` });
  }
  return { relation, uri };
}

/** What a relation says of agents, say, no place has; what has no record here is what those that refer to it say. */
async function isOfOthers(store: Store, { targets }: Relation, uri: string): Promise<boolean> {
  const target = (await store.find(uri))?.meta;
  return target?.endpoint != null && !targets.includes(target.endpoint);
}

const NOTHING = { items: [], next: undefined, previous: undefined };

type Item = PageItem & { readonly endpoint: Relation["sources"][number] | null };

async function itemsOf(store: Store, iris: readonly string[]): Promise<Item[]> {
  const items: Item[] = [];
  for (const iri of iris) {
    const found = await store.find(iri);
    const record = await found?.record();
    if (record === undefined) continue;
    items.push({ iri, classes: classesOf(record.graph), label: record.meta.label, endpoint: record.meta.endpoint });
  }
  return items;
}
