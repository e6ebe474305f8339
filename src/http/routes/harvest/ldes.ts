/** `/ldes`: the change log as a Linked Data Event Stream (TREE, LDES). Each change is a member; full pages never change. */
import { iri, literal, type Term, XSD } from "../../../rdf/terms.js";
import type { ChangeLog } from "../../../store/changes.js";
import { DescriptionGraph, dateTime } from "../../dataset/graph.js";
import { type Content, IMMUTABLE } from "../../message/content.js";
import { fromStore, ProblemError } from "../../message/problems/problems.js";
import { type RouteContext, type RouteMaker, type RouteRequest, readRoute } from "../route.js";
import { ACTIVITY_TYPES, PAGE } from "./activity.js";
import { DESCRIPTION_TYPES, descriptionContent } from "./dataset.js";

const RETENTION = "Every change stays. A page that another follows never changes.";

export const ldesRoutes: RouteMaker = ({ store: { changes }, base }) => {
  if (changes === undefined) return [];
  const stream = new EventStream(changes, base);
  const about = { tag: "Harvest", types: DESCRIPTION_TYPES, conditions: "tags and dates" } as const;
  const whole = { ...about, id: "ldes", summary: "All changes as a Linked Data Event Stream." };
  const page = { ...about, id: "ldesPage", summary: "A page of it: a node of TREE." };
  return [
    readRoute("/ldes", "page", whole, (request) => stream.described(request)),
    readRoute("/ldes/page/{number}", "page", page, (request) => stream.page(request, request.number)),
  ];
};

class EventStream {
  readonly #stream: Term;

  constructor(
    readonly log: ChangeLog,
    readonly base: RouteContext["base"],
  ) {
    this.#stream = iri(`${base}/ldes`);
  }

  /** The stream without its members, and the link to the first page. */
  async described(request: RouteRequest): Promise<Content> {
    return this.#content(request, this.#graph(), "public, max-age=3600");
  }

  /** A page, which is a node of TREE: members in chronological order, and the link to the next page. Throws `ProblemError`. */
  async page(request: RouteRequest, number: number): Promise<Content> {
    const offset = (number - 1) * PAGE;
    // One more change tells whether another page follows, and the time at which it begins.
    const changes = await fromStore(() => this.log.page({ offset, limit: PAGE + 1 }));
    if (changes.length === 0 && number > 1) throw new ProblemError("not-found", "The stream has no such page.");
    const graph = this.#graph();
    const node = this.#node(number);
    const next = changes[PAGE];
    graph.add(node, {
      "rdf:type": "tree:Node",
      "ldes:immutable": next && literal("true", XSD.boolean),
      "tree:relation": next && {
        "rdf:type": "tree:GreaterThanOrEqualToRelation",
        "tree:node": this.#node(number + 1),
        "tree:path": "as:endTime",
        "tree:value": dateTime(next.time),
      },
    });
    for (const { sequence, kind, iri: record, time, target } of changes.slice(0, PAGE)) {
      const member = iri(`${this.base}/activity/change/${sequence}`);
      graph.add(this.#stream, { "tree:member": member });
      graph.add(member, {
        "rdf:type": `as:${ACTIVITY_TYPES[kind]}`,
        "as:object": iri(record),
        "as:target": target === undefined ? undefined : iri(target),
        "as:endTime": dateTime(time),
      });
    }
    return this.#content(request, graph, next === undefined ? "no-cache" : IMMUTABLE);
  }

  #node(number: number): Term {
    return iri(`${this.base}/ldes/page/${number}`);
  }

  #graph(): DescriptionGraph {
    const graph = new DescriptionGraph(this.#stream.value);
    graph.add(this.#stream, {
      "rdf:type": "ldes:EventStream",
      "ldes:timestampPath": "as:endTime",
      "ldes:versionOfPath": "as:object",
      "rdfs:comment": literal(RETENTION, undefined, "en"),
      "tree:view": this.#node(1),
    });
    return graph;
  }

  #content({ headers }: RouteRequest, graph: DescriptionGraph, cacheControl: string): Content {
    return { ...descriptionContent(graph, headers.accept), cacheControl };
  }
}
