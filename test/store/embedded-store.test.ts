import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EndpointName } from "../../src/model/endpoints.js";
import { writeNQuads } from "../../src/rdf/ntriples-writer.js";
import { type Json, type RecordGraph, RecordGraphBuilder, tripleCount } from "../../src/rdf/record-graph.js";
import { RDF, RDFS_LABEL } from "../../src/rdf/terms.js";
import { type EmbeddedStore, openForLoading, openReadOnly } from "../../src/store/embedded/embedded-store.js";
import { StoreFormatError, StoreLockedError, StoreMissingError } from "../../src/store/embedded/errors.js";
import type { Publication } from "../../src/store/store.js";

const CRM = "http://www.cidoc-crm.org/cidoc-crm/";
const PART = `${CRM}P46_is_composed_of`;
const MADE_OF = `${CRM}P45_consists_of`;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "vitrine-store-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

interface Content {
  readonly label?: string;
  readonly materials?: readonly string[];
  /** Embedded nodes with an IRI of their own, described by a part. */
  readonly parts?: readonly string[];
  readonly context?: Json;
}

function graphOf(iri: string, { label = "x", materials = [], parts = [], context }: Content = {}): RecordGraph {
  const builder = new RecordGraphBuilder(iri, context);
  const root = builder.iri(iri);
  builder.add(root, builder.iri(RDF.type), builder.iri(`${CRM}E22_Human-Made_Object`));
  builder.add(root, builder.iri(RDFS_LABEL), builder.literal(label));
  for (const material of materials) builder.add(root, builder.iri(MADE_OF), builder.iri(material));
  for (const part of parts) {
    builder.add(root, builder.iri(PART), builder.iri(part));
    builder.add(builder.iri(part), builder.iri(PART), builder.blank("p"));
  }
  return builder.build();
}

const describeObject = (graph: RecordGraph) => ({ graph, endpoint: "object" as EndpointName, label: "x", valid: true });

async function publish(
  store: EmbeddedStore,
  graphs: readonly RecordGraph[],
  deletions: readonly string[] = [],
): Promise<Publication> {
  const stage = await store.stage();
  for (const graph of graphs) await stage.put(describeObject(graph));
  for (const iri of deletions) await stage.delete(iri);
  return stage.publish();
}

async function loading<T>(work: (store: EmbeddedStore) => Promise<T>): Promise<T> {
  const store = await openForLoading(directory);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe("publication", () => {
  it("creates, replaces, leaves alone and deletes", async () => {
    await loading(async (store) => {
      const graphs = ["urn:a", "urn:b", "urn:c"].map((iri) => graphOf(iri));
      expect(await publish(store, graphs)).toMatchObject({
        created: 3,
        replaced: 0,
        unchanged: 0,
        triples: 6,
        sequence: 3,
      });
      expect(await publish(store, graphs)).toMatchObject({
        created: 0,
        replaced: 0,
        unchanged: 3,
        triples: 0,
        sequence: 3,
      });
      const changed = graphOf("urn:b", { label: "y" });
      expect(await publish(store, [changed], ["urn:c", "urn:unknown"])).toMatchObject({
        replaced: 1,
        deleted: 1,
        sequence: 5,
      });
      expect(await store.record("urn:c")).toBeUndefined();
      expect(await store.tombstone("urn:c")).toMatchObject({ kind: "delete", iri: "urn:c", sequence: 5 });
      expect((await collect(store.changes(3))).map(({ kind, iri }) => [kind, iri])).toEqual([
        ["update", "urn:b"],
        ["delete", "urn:c"],
      ]);
      expect(await publish(store, [graphs[2]!])).toMatchObject({ created: 1 });
      expect(await store.tombstone("urn:c")).toBeUndefined();
      expect(await store.stats()).toMatchObject({
        records: 3,
        triples: 6,
        invalid: 0,
        endpoints: { object: 3 },
        sequence: 6,
      });
    });
  });

  it("takes the last of two records with one IRI", async () => {
    await loading(async (store) => {
      const first = graphOf("urn:a", { label: "first" });
      const last = graphOf("urn:a", { label: "last" });
      expect(await publish(store, [first, graphOf("urn:b"), last])).toMatchObject({
        created: 2,
        replaced: 0,
        repeated: 1,
        sequence: 2,
      });
      expect(writeNQuads((await store.record("urn:a"))!.graph)).toContain('"last"');
    });
  });

  it("counts another order, context, label or validity as a change, and other blank labels as none", async () => {
    await loading(async (store) => {
      const graph = graphOf("urn:a", { materials: ["urn:m", "urn:n"], parts: ["urn:p"] });
      await publish(store, [graph]);
      const relabelled = {
        ...graph,
        terms: graph.terms.map((term) => (term.value === "p" ? { ...term, value: "q" } : term)),
      };
      expect(await publish(store, [relabelled])).toMatchObject({ unchanged: 1 });
      expect(
        await publish(store, [graphOf("urn:a", { materials: ["urn:n", "urn:m"], parts: ["urn:p"] })]),
      ).toMatchObject({ replaced: 1 });
      expect(await publish(store, [{ ...graph, context: "urn:context" }])).toMatchObject({ replaced: 1 });
      const stage = await store.stage();
      await stage.put({ ...describeObject({ ...graph, context: "urn:context" }), valid: false });
      expect(await stage.publish()).toMatchObject({ replaced: 1 });
      expect(await store.stats()).toMatchObject({ records: 1, invalid: 1 });
    });
  });

  it("leaves nothing of a load that was given up", async () => {
    await loading(async (store) => {
      const stage = await store.stage();
      await stage.put(describeObject(graphOf("urn:a")));
      await stage.discard();
      expect(await store.record("urn:a")).toBeUndefined();
      expect(readdirSync(join(directory, "staging"))).toEqual([]);
    });
  });

  it("keeps base URL and contexts", async () => {
    await loading(async (store) => {
      const context = [{ ex: "https://example.org/" }, "urn:context"];
      const stage = await store.stage({
        baseUrl: "https://museum.example/",
        contexts: new Map([["urn:context", { a: "urn:a" }]]),
      });
      await stage.put(describeObject(graphOf("urn:a", { context })));
      await stage.publish();
      expect((await store.record("urn:a"))!.graph.context).toEqual(context);
      expect([...(await store.contexts())]).toEqual([["urn:context", { a: "urn:a" }]]);
      expect((await store.stats()).baseUrl).toBe("https://museum.example/");
    });
  });
});

describe("a store opened for reading", () => {
  it("sees what another opening publishes, at once", async () => {
    await loading(async (store) => {
      await publish(store, [graphOf("urn:a")]);
      const reader = await openReadOnly(directory);
      expect((await reader.record("urn:a"))!.meta).toMatchObject({
        endpoint: "object",
        label: "x",
        valid: true,
        sequence: 1,
      });
      await publish(store, [graphOf("urn:b", { label: "later" })], ["urn:a"]);
      expect(await reader.record("urn:a")).toBeUndefined();
      expect((await reader.record("urn:b"))!.meta.sequence).toBe(2);
      expect((await reader.stats()).records).toBe(1);
      await reader.close();
    });
  });

  it("is an error where there is none", async () => {
    await expect(openReadOnly(join(directory, "none"))).rejects.toThrow(StoreMissingError);
  });

  it("refuses another format and says what to do", async () => {
    await loading(async ({ database }) => {
      database.root.transactionSync(() => database.facts.putSync("state", { ...database.state, format: 99 }));
    });
    await expect(openReadOnly(directory)).rejects.toThrow(StoreFormatError);
    await expect(openReadOnly(directory)).rejects.toThrow(/use a newer version/);
  });
});

describe("the loader's lock", () => {
  it("refuses a second loader with the number of the first", async () => {
    await loading(async () => {
      await expect(openForLoading(directory)).rejects.toThrow(StoreLockedError);
      await expect(openForLoading(directory)).rejects.toThrow(`process ${process.pid} is loading`);
    });
    await loading(async (store) => expect((await store.stats()).records).toBe(0));
  });
});

describe("reading", () => {
  it("finds who describes and who refers, after replacement and deletion too", async () => {
    await loading(async (store) => {
      await publish(store, [
        graphOf("urn:a", { materials: ["urn:oak"], parts: ["urn:part"] }),
        graphOf("urn:b", { materials: ["urn:oak", "urn:a"] }),
      ]);
      expect(await store.describedIn("urn:part", 10)).toEqual(["urn:a"]);
      expect(await store.describedIn("urn:oak", 10)).toEqual([]);
      expect(await store.referrers("urn:oak", 10)).toEqual([
        { record: "urn:a", property: MADE_OF },
        { record: "urn:b", property: MADE_OF },
      ]);
      expect(await store.referrers("urn:oak", 1)).toHaveLength(1);
      await publish(store, [graphOf("urn:a", { materials: ["urn:ash"] })], ["urn:b"]);
      expect(await store.describedIn("urn:part", 10)).toEqual([]);
      expect(await store.referrers("urn:oak", 10)).toEqual([]);
      expect(await store.referrers("urn:ash", 10)).toEqual([{ record: "urn:a", property: MADE_OF }]);
    });
  });

  it("finds the fragments of a document, and takes IRIs longer than LMDB's keys", async () => {
    await loading(async (store) => {
      const long = `https://example.org/${"x".repeat(5000)}`;
      await publish(
        store,
        ["urn:a#1", "urn:a#2", "urn:ab", "urn:a", long].map((iri) => graphOf(iri)),
      );
      expect(await store.fragments("urn:a", 10)).toEqual(["urn:a#1", "urn:a#2"]);
      expect((await store.record(long))!.graph.iri).toBe(long);
      expect((await collect(store.records())).map(({ graph }) => graph.iri)).toContain(long);
    });
  });

  it("tells where the records lie", async () => {
    await loading(async (store) => {
      await publish(
        store,
        ["https://a.org/x/1", "https://a.org/y", "https://b.org/é", "urn:z"].map((iri) => graphOf(iri)),
      );
      expect(await store.origins(10)).toEqual([
        { prefix: "https://a.org/", records: 2 },
        { prefix: "https://b.org/", records: 1 },
        { prefix: "urn:", records: 1 },
      ]);
      expect(await store.countUnder("https://a.org/x/")).toBe(1);
    });
  });

  it("walks all records, and those of one endpoint, in batches", async () => {
    await loading(async (store) => {
      const iris = Array.from({ length: 1234 }, (_, at) => `urn:${String(at).padStart(5, "0")}`);
      await publish(
        store,
        iris.map((iri) => graphOf(iri)),
      );
      expect((await collect(store.records("object"))).map(({ graph }) => graph.iri)).toEqual(iris);
      expect(await collect(store.records("place"))).toEqual([]);
      expect((await collect(store.changes(0))).map(({ sequence }) => sequence)).toEqual(iris.map((_, at) => at + 1));
    });
  });

  it("keeps every triple of a record of 30,000, in order", async () => {
    await loading(async (store) => {
      const graph = graphOf("urn:a", { materials: Array.from({ length: 30_000 }, (_, at) => `urn:é${at}`) });
      await publish(store, [graph]);
      const back = (await store.record("urn:a"))!.graph;
      expect(tripleCount(back)).toBe(30_002);
      expect(writeNQuads(back)).toBe(writeNQuads(graph));
    });
  });
});

describe("as a model", () => {
  it("holds what a plain map would, whatever is published in whatever order", async () => {
    const iri = fc.constantFrom("urn:a", "urn:b", "urn:c", "urn:d");
    const content = fc.record({
      label: fc.string({ unit: "grapheme" }),
      materials: fc.uniqueArray(iri),
      parts: fc.uniqueArray(fc.constantFrom("urn:x", "urn:y")),
    });
    const load = fc.record({
      puts: fc.array(fc.tuple(iri, content), { maxLength: 4 }),
      deletions: fc.uniqueArray(iri, { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(load, { maxLength: 6 }), async (loads) => {
        rmSync(directory, { recursive: true, force: true });
        await loading(async (store) => {
          const model = new Map<string, RecordGraph>();
          for (const { puts, deletions } of loads) {
            const graphs = puts.map(([of, what]) => graphOf(of, what));
            await publish(store, graphs, deletions);
            for (const graph of graphs) model.set(graph.iri, graph);
            for (const deleted of deletions) model.delete(deleted);
          }
          const quads = (await collect(store.records())).map(({ graph }) => writeNQuads(graph));
          expect(quads).toEqual([...model.keys()].sort().map((key) => writeNQuads(model.get(key)!)));
          for (const target of ["urn:a", "urn:b"]) {
            const referring = [...model.values()].filter((graph) =>
              graph.terms.some(({ value }, at) => value === target && isMaterial(graph, at)),
            );
            const expected = referring.map((graph) => graph.iri).sort();
            expect((await store.referrers(target, 100)).map(({ record }) => record).sort()).toEqual(expected);
          }
          for (const part of ["urn:x", "urn:y"]) {
            const describing = [...model.values()].filter(({ terms }) => terms.some(({ value }) => value === part));
            expect(await store.describedIn(part, 100)).toEqual(describing.map((graph) => graph.iri).sort());
          }
          expect((await store.stats()).triples).toBe(
            [...model.values()].reduce((sum, graph) => sum + tripleCount(graph), 0),
          );
        });
      }),
      { numRuns: 40 },
    );
  });
});

function isMaterial(graph: RecordGraph, term: number): boolean {
  for (let at = 0; at < graph.triples.length; at += 3) {
    if (graph.terms[graph.triples[at + 1]!]!.value === MADE_OF && graph.triples[at + 2] === term) return true;
  }
  return false;
}
