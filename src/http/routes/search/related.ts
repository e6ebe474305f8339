/** `/related/{relation}`: the records that are related to an entity by one of Linked Art's relations (linked.art/api/rels/1). */
import { RELATIONS, type Relation } from "../../../model/relations.js";
import type { Content } from "../../message/content.js";
import { ProblemError } from "../../message/problems/problems.js";
import { listedName } from "../../pages/entries.js";
import { html, linkHtml } from "../../pages/markup.js";
import { URI_PARAMETER } from "../openapi/paths.js";
import { type Operation, type RouteMaker, type RouteRequest, readRoute } from "../route.js";
import { formOf, OF_LISTS, PAGE_PARAMETERS, PAGE_TYPES } from "./collection-pages.js";
import { VIEW_PARAMETER } from "./list-links.js";
import { listAnswer } from "./search.js";
import { checkParameter } from "./search-parameters.js";
import { withTables } from "./tables.js";

const NAMED: ReadonlyMap<string, Relation> = new Map(RELATIONS.map((relation) => [relation.name, relation]));

const GET: Operation = {
  id: "related",
  tag: "Search",
  summary: "The records that have a relation to an entity, by label.",
  description: "For other relations, search by property: `/search/all?transferredTitleOf=IRI`.",
  parameters: [URI_PARAMETER, VIEW_PARAMETER, ...PAGE_PARAMETERS],
  types: PAGE_TYPES,
  conditions: "tags",
};

export const relatedRoute: RouteMaker = (context) => {
  const { store, base } = context;
  const { search } = store;
  if (search === undefined) return [];
  const form = formOf(base);
  const answer = (request: RouteRequest): Promise<Content> => {
    const { relation, uri, query } = relatedParameters(request);
    return listAnswer(context, request, {
      url: base + request.path,
      form: form(request.headers),
      find: (window) => search.for(request).find(query, { ...window, hasReasons: false }),
      labelsOf: () => [relation.name],
      page: async (site) => {
        const of = await listedName(store, uri, site.reader);
        const lead = html`<p>${linkHtml(site.entityLink(uri), of)}</p>\n`;
        return { title: site.words.relation(relation.name, of), lead };
      },
    });
  };
  const list = readRoute("/related/{relation}", "search", GET, answer, { names: { relation: [...NAMED.keys()] } });
  return withTables(context, list, (request) => {
    const { relation, query } = relatedParameters(request, "columns");
    const [endpoint, another] = relation.sources;
    return { endpoint: another === undefined ? endpoint : undefined, parts: search.for(request).all(query) };
  });
};

function relatedParameters(request: RouteRequest, ...others: readonly string[]) {
  const name = request.parameter("relation");
  const relation = NAMED.get(name);
  if (relation === undefined) {
    const known = [...NAMED.keys()].join(", ");
    throw new ProblemError("not-found", `There is no relation ${name}; the relations are ${known}.`);
  }
  const { uri, query } = request;
  for (const each of query.keys()) checkParameter(query, each, ["uri", ...OF_LISTS, ...others]);
  return { relation, uri, query: { related: { relation: name, iri: uri } } };
}
