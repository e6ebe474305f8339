/** `/related/{relation}`: the records that stand in one of Linked Art's relations to an entity (linked.art/api/rels/1). */
import { RELATIONS, type Relation } from "../../../model/relations.js";
import type { SearchWindow } from "../../../store/search.js";
import type { Store } from "../../../store/store.js";
import { ProblemError } from "../../message/problems/problems.js";
import { fromStore, readPage } from "../../message/problems/store-unavailable.js";
import { entriesOf } from "../../pages/entries.js";
import { listPage, viewOf } from "../../pages/lists.js";
import { html, text } from "../../pages/markup.js";
import { pageContent } from "../entities/pages.js";
import { pathParameter } from "../openapi/paths.js";
import { URI_PARAMETER, uriParameter } from "../parameters.js";
import type { RouteMaker, RouteRequest } from "../route.js";
import { addressesOf, formOf, PAGE_CONTENT, PAGE_PARAMETERS, pageJson, windowOf } from "./collection-pages.js";
import { pageLinks, VIEW_PARAMETER, viewLinks, viewParameter } from "./list-links.js";
import { type TableList, tableLinks, withTables } from "./tables.js";

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
            URI_PARAMETER,
            VIEW_PARAMETER,
            ...PAGE_PARAMETERS,
          ],
          content: PAGE_CONTENT,
          conditions: "tags",
          problems: ["malformed", "not-found"],
        },
      },
      answer: async (request) => {
        const { relation, uri } = relatedParameters(request);
        const { name } = relation;
        const wanted = form(request.headers.accept);
        const isPage = wanted === "html";
        const part = { ...windowOf(request), isBrief: isPage };
        const window = await readPage(async () =>
          (await isOfOthers(store, relation, uri))
            ? NOTHING
            : search.find({ related: { relation: name, iri: uri } }, part),
        );
        const { items, total } = window;
        const pages = addressesOf(base + request.path, request, window, total);
        if (!isPage) return pageJson(request, pages, items, { total, form: wanted, label: name });
        const asked = viewParameter(request);
        const site = request.siteOf(context.site);
        const { words } = site;
        const { entries, of } = await fromStore(async () => {
          const meta = (await store.find(uri))?.meta;
          const named = meta === undefined ? uri : meta.label || words.unnamed(meta.endpoint);
          const iris = items.map(({ iri }) => iri);
          return { entries: await entriesOf(store, iris, site.reader), of: named };
        });
        return pageContent(
          listPage(site, addresses, {
            title: words.relation(name, of),
            address: site.path + request.target,
            lead: html`<p><a href="${text(site.link(addresses.url(uri)))}">${text(of)}</a></p>\n`,
            entries,
            total,
            view: asked,
            pages: pageLinks(pages, items.length, total),
            downloads: tableLinks(base, request),
            views: viewLinks(base + request.path, request, viewOf(entries, asked), words),
          }),
        );
      },
    },
    (request) => {
      const { relation, uri } = relatedParameters(request);
      const [endpoint, another] = relation.sources;
      const parts = async function* (): TableList["parts"] {
        if (!(await isOfOthers(store, relation, uri)))
          yield* search.all({ related: { relation: relation.name, iri: uri } });
      };
      return { endpoint: another === undefined ? endpoint : undefined, parts: parts() };
    },
  );
};

/** Throws `ProblemError`. */
function relatedParameters(request: RouteRequest): { readonly relation: Relation; readonly uri: string } {
  const name = request.parameter("relation");
  const relation = NAMED.get(name);
  if (relation === undefined) {
    const known = [...NAMED.keys()].join(", ");
    throw new ProblemError("not-found", { detail: `There is no relation ${name}: there are ${known}.` });
  }
  return { relation, uri: uriParameter(request) };
}

/** Whether the record of an IRI is of an endpoint that a relation does not lead to. */
async function isOfOthers(store: Store, { targets }: Relation, uri: string): Promise<boolean> {
  const target = (await store.find(uri))?.meta;
  return target?.endpoint != null && !targets.includes(target.endpoint);
}

const NOTHING: SearchWindow = { items: [], next: undefined, previous: undefined, total: 0 };
