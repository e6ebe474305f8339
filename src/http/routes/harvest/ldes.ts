/** `/ldes`: the change log as a Linked Data Event Stream (TREE, LDES). Each change is a member; full pages never change. */
import { iri, literal, type Term, XSD } from "../../../rdf/terms.js";
import type { ChangeLog } from "../../../store/changes.js";
import { DescriptionGraph, dateTime, given, words } from "../../dataset/graph.js";
import { type Content, IMMUTABLE } from "../../message/content.js";
import { fromStore, ProblemError } from "../../message/problems/problems.js";
import { type RouteMaker, type RouteRequest, readRoute } from "../route.js";
import { ACTIVITY_TYPES, PAGE } from "./activity.js";
import { DESCRIPTION_TYPES, descriptionContent } from "./dataset.js";

export const ldesRoutes: RouteMaker = ({ store: { changes }, base }) => {
  if (changes === undefined) return [];
  const about = { tag: "Harvest", types: DESCRIPTION_TYPES, conditions: "tags" } as const;
  const whole = { ...about, id: "ldes", summary: "All changes as a Linked Data Event Stream." };
  const page = { ...about, id: "ldesPage", summary: "A page of it: a node of TREE." };
  return [
    readRoute("/ldes", "page", whole, ({ headers }) => {
      return { ...descriptionContent(streamGraph(base), headers.accept), cacheControl: "public, max-age=3600" };
    }),
    readRoute("/ldes/page/{number}", "page", page, (request) => pageOf(changes, base, request)),
  ];
};

/** A page, which is a node of TREE: members in chronological order, and the link to the next page. Throws `ProblemError`. */
async function pageOf(log: ChangeLog, base: string, { number, headers }: RouteRequest): Promise<Content> {
  // One more change than fits tells whether another page follows, and at which time that begins.
  const changes = await fromStore(() => log.page({ offset: (number - 1) * PAGE, limit: PAGE + 1 }));
  if (changes.length === 0 && number > 1) throw new ProblemError("not-found", "The stream has no such page.");
  const graph = streamGraph(base);
  const next = changes[PAGE];
  graph.add(nodeIri(base, number), {
    "rdf:type": "tree:Node",
    "ldes:immutable": next && literal("true", XSD.boolean),
    "tree:relation": next && {
      "rdf:type": "tree:GreaterThanOrEqualToRelation",
      "tree:node": nodeIri(base, number + 1),
      "tree:path": "as:endTime",
      "tree:value": dateTime(next.time),
    },
  });
  for (const { sequence, kind, iri: record, time, target } of changes.slice(0, PAGE)) {
    const member = iri(`${base}/activity/change/${sequence}`);
    graph.add(graph.root, { "tree:member": member });
    graph.add(member, {
      "rdf:type": `as:${ACTIVITY_TYPES[kind]}`,
      "as:object": iri(record),
      "as:target": given(target, iri),
      "as:endTime": dateTime(time),
    });
  }
  return { ...descriptionContent(graph, headers.accept), cacheControl: next === undefined ? "no-cache" : IMMUTABLE };
}

function nodeIri(base: string, number: number): Term {
  return iri(`${base}/ldes/page/${number}`);
}

/** The stream without its members, and the link to the first page. */
function streamGraph(base: string): DescriptionGraph {
  const graph = new DescriptionGraph(`${base}/ldes`);
  graph.add(graph.root, {
    "rdf:type": "ldes:EventStream",
    "ldes:timestampPath": "as:endTime",
    "ldes:versionOfPath": "as:object",
    "rdfs:comment": words("Every change stays. A page that another follows never changes.", "en"),
    "tree:view": nodeIri(base, 1),
  });
  return graph;
}
