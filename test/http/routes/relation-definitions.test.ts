/** The relations compared with the SPARQL definitions that Linked Art publishes for them; docs/use/relations.md lists the differences. */
import { existsSync, readFileSync } from "node:fs";
import * as oxigraph from "oxigraph";
import { beforeAll, describe, expect, it } from "vitest";
import { RELATIONS, type Relation } from "../../../src/model/relations.js";
import type { EndpointName } from "../../../src/model/tables/names.js";
import { writeNTriples } from "../../../src/rdf/ntriples/writer.js";
import type { Json, RecordGraph } from "../../../src/rdf/record-graph.js";
import { SAMPLE } from "../../data/sample.js";
import { IS_WHOLE, shareOf } from "../../extent.js";
import { readingAt } from "../../jsonld/documents.js";
import { documents, MUSEUMS, OFFICIAL } from "../../model/corpus.js";
import { BASE, publish, serviceForAll } from "../service.js";

const DEFINITIONS = "../shared/outside/linked-art-relations";
const PAGE = readFileSync("docs/use/relations.md", "utf8");
/** Relations whose query for all entities at once Oxigraph does not finish. */
const ENDLESS = /^objectProductionInfluencedBy/;

/** The relations that the rows of a chapter name, in the given column. */
function namedIn(chapter: string, column: number): Set<string> {
  const text = PAGE.split(/^## /m).find((part) => part.startsWith(chapter))!;
  const cells = [...text.matchAll(/^\|(.*)\|$/gm)].map(([, row]) => row!.split("|")[column]!);
  return new Set(cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!)));
}

const MORE = namedIn("What is also found", 1);
const WRONG = namedIn("Wrong definitions", 0);

describe("docs/use/relations.md", () => {
  it("names existing relations, and none as both wrong and sound", () => {
    const names = RELATIONS.map(({ name }) => name);
    for (const name of [...MORE, ...WRONG]) expect(names).toContain(name);
    expect(WRONG.size).toBe(46);
    expect([...MORE].filter((name) => WRONG.has(name))).toEqual([]);
  });
});

describe.skipIf(!existsSync(DEFINITIONS))("the definitions of Linked Art (need ../shared)", () => {
  const service = serviceForAll();
  const graphs = new Map<string, RecordGraph>();
  const merged = new oxigraph.Store();
  beforeAll(async () => {
    const read = readingAt(`${BASE}/`);
    const corpus = [OFFICIAL, MUSEUMS].flatMap((file) => (existsSync(file) ? shareOf(documents(file)) : []));
    for (const document of [...shareOf([...SAMPLE.values()], 3).map((each) => each.document as Json), ...corpus]) {
      const graph = read(document);
      graphs.set(graph.iri, graph);
    }
    await publish(service.store, [...graphs.values()]);
    for (const graph of graphs.values()) {
      merged.load(writeNTriples(graph), { format: "application/n-triples", no_transaction: true });
    }
  });

  /** The pairs of a record that a definition finds and the entity that it is found for, one of these. */
  function defined(name: string, entities: ReadonlyMap<string, unknown>): Set<string> {
    const [, query] = /```sparql\n([\s\S]*?)```/.exec(readFileSync(`${DEFINITIONS}/${name}.md`, "utf8"))!;
    const [, answer] = /SELECT DISTINCT \?(\w+)/.exec(query!)!;
    const rows = merged.query(query!.replace("SELECT DISTINCT", "SELECT DISTINCT ?current"));
    const pairs = new Set<string>();
    for (const row of rows as Map<string, oxigraph.Term>[]) {
      const [current, found] = [row.get("current")!, row.get(answer!)!];
      if (entities.has(current.value) && graphs.has(found.value)) pairs.add(`${found.value} for ${current.value}`);
    }
    return pairs;
  }

  /** The same pairs by the search. @param endpoints of the entities, by their IRIs; an entity without a record has none */
  async function found(
    { name, targets }: Relation,
    endpoints: ReadonlyMap<string, EndpointName | null | undefined>,
  ): Promise<Set<string>> {
    const pairs = new Set<string>();
    for (const [iri, endpoint] of endpoints) {
      if (endpoint != null && !targets.includes(endpoint)) continue;
      const asked = { related: { relation: name, iri } };
      const { items } = await service.store.search!.find(asked, { limit: 10_000, isBrief: true });
      for (const item of items) pairs.add(`${item.iri} for ${iri}`);
    }
    return pairs;
  }

  it("find the same as /related, which finds more only where the page says so", async () => {
    const named = [...graphs.values()].flatMap(({ terms }) => terms.filter(({ termType }) => termType === "NamedNode"));
    const entities = shareOf([...new Set(named.map(({ value }) => value))], 2);
    const endpoints = new Map<string, EndpointName | null | undefined>();
    for (const iri of entities) endpoints.set(iri, (await service.store.find(iri))?.meta.endpoint);
    const [lacking, differing]: [string[], Set<string>] = [[], new Set()];
    let compared = 0;
    for (const relation of shareOf(RELATIONS, 2)) {
      if (WRONG.has(relation.name) || ENDLESS.test(relation.name)) continue;
      const wanted = defined(relation.name, endpoints);
      const ours = await found(relation, endpoints);
      compared += wanted.size;
      lacking.push(...[...wanted].filter((pair) => !ours.has(pair)).map((pair) => `${relation.name}: ${pair}`));
      if ([...ours].some((pair) => !wanted.has(pair))) differing.add(relation.name);
    }
    expect(lacking).toEqual([]);
    expect(compared).toBeGreaterThan(IS_WHOLE ? 1_000 : 100);
    expect([...differing].filter((name) => !MORE.has(name))).toEqual([]);
    if (IS_WHOLE) expect([...MORE].filter((name) => !differing.has(name))).toEqual([]);
  });
});
