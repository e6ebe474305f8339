import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { EndpointName } from "../../src/model/tables/names.js";
import { writeNQuads } from "../../src/rdf/ntriples/writer.js";
import { openSearchedForLoading } from "../../src/search/open.js";
import type { Change, ChangeLog } from "../../src/store/changes.js";
import { InvalidCursorError } from "../../src/store/errors.js";
import type { Lists, References, Store } from "../../src/store/store.js";
import type { Staged, WritableStore } from "../../src/store/writable-store.js";
import { startOxigraphEngine } from "../query/remote/oxigraph-engine.js";
import { startedForAll } from "../started.js";
import { temporaryFolder } from "../temporary-folder.js";
import { MemoryStore } from "./memory-store.js";
import { type Content, collect, graphOf, MADE_OF, PART } from "./records.js";
import { clearAll, expectedText, putAll, remoteStore } from "./remote/published.js";

interface Put extends Content {
  readonly iri: string;
  readonly endpoint?: EndpointName | null;
}

function staged({ iri, endpoint = "object", label = "x", ...content }: Put): Staged {
  return { graph: graphOf(iri, { label, ...content }), endpoint, label, valid: true };
}

let directory: string;
let store: Store;
let publish: (puts: readonly Put[], deletions?: readonly string[], source?: string) => Promise<void>;
const engine = startedForAll(startOxigraphEngine);
beforeEach(() => {
  directory = temporaryFolder(onTestFinished);
});
afterEach(async () => {
  await store.close();
});

/** Test a store that is written by loads. */
function write(written: WritableStore): void {
  store = written;
  publish = async (puts, deletions = [], source) => {
    const stage = await written.stage(source === undefined ? {} : { source });
    for (const put of puts) await stage.put(staged(put));
    for (const iri of deletions) await stage.delete(iri);
    await stage.publish();
  };
}

/** Test the store on an engine that others fill, with a cache too small for any record, so that everything is read from the engine. */
async function fill(): Promise<void> {
  await clearAll(engine.addresses);
  store = remoteStore(engine.addresses, "records", { cacheBytes: 1 });
  publish = async (puts, deletions = []) => {
    for (const iri of [...puts.map(({ iri }) => iri), ...deletions]) engine.store.update(`DROP SILENT GRAPH <${iri}>`);
    await putAll(
      engine.addresses,
      "records",
      puts.map((put) => staged(put).graph),
    );
  };
}

const sequences = (changes: readonly Change[]): number[] => changes.map(({ sequence }) => sequence);

const FACETS = ["changes", "references", "lists", "search", "versions", "held", "snapshots"] as const;
type Facet = (typeof FACETS)[number];

/** The contract of all stores, and of each facet for the stores that have it. An engine keeps neither the order of triples nor contexts. */
describe.each<[string, readonly Facet[], () => Promise<void>]>([
  ["an embedded store", FACETS, async () => write(await openSearchedForLoading({ directory }))],
  ["a store in memory", ["changes", "references", "lists"], async () => write(new MemoryStore())],
  ["an engine that others fill", ["references"], fill],
])("%s", (name, facets, open) => {
  const isWritten = facets.includes("changes");
  const having = (facet: Facet) => describe.runIf(facets.includes(facet));
  let changes: ChangeLog;
  let references: References;
  let lists: Lists;
  beforeEach(async () => {
    await open();
    ({ changes, references, lists } = store as Required<Store>);
  });

  it("has exactly its facets, and can be decorated", async () => {
    expect(FACETS.filter((facet) => store[facet] !== undefined)).toEqual(facets);
    await publish([{ iri: "urn:a" }]);
    const { find, ...others } = store;
    const decorated: Store = { ...others, find: (iri) => find(`urn:${iri}`) };
    expect((await decorated.find("a"))?.meta.endpoint).toBe("object");
    expect((await decorated.stats()).records).toBe(1);
  });

  describe("finds", () => {
    it("a record with its metadata, at once in an embedded store, and nothing for an IRI without a record", async () => {
      const context = ["urn:context"];
      await publish([{ iri: "urn:a", label: "Ein Bild", context }]);
      const finding = store.find("urn:a");
      expect(finding instanceof Promise).toBe(name !== "an embedded store");
      const found = (await finding)!;
      expect(found.meta).toMatchObject({ endpoint: "object", label: "Ein Bild", valid: true, sequence: 1 });
      expect([found.sequence, found.modified, found.hash]).toEqual([1, found.meta.modified, found.meta.hash]);
      expect(found.hash).toHaveLength(32);
      const { meta, graph } = await found.record();
      expect(meta).toEqual(found.meta);
      const expected = graphOf("urn:a", { label: "Ein Bild" });
      expect(writeNQuads(graph)).toBe(isWritten ? writeNQuads(expected) : expectedText(expected));
      expect(graph.context).toEqual(isWritten ? context : undefined);
      for (const iri of ["urn:b", "", "urn:A", `urn:${"l".repeat(3000)}`])
        expect(await store.find(iri)).toBeUndefined();
    });

    it("records whose parts can be read in any order and at any later time", async () => {
      const iris = ["urn:a", "urn:b", "urn:c"];
      await publish(iris.map((iri, at) => ({ iri, label: iri, materials: Array(at * 50).fill("urn:oak") })));
      const found = await Promise.all(iris.map((iri) => store.find(iri)));
      await store.stats();
      for (const [at, each] of found.entries()) {
        expect([each!.sequence, each!.meta.sequence, each!.meta.label]).toEqual([at + 1, at + 1, iris[at]]);
        expect(each!.hash).toEqual(each!.meta.hash);
        expect((await each!.record()).graph.iri).toBe(iris[at]);
      }
    });

    it("equal hashes for equal records, and different ones for different records", async () => {
      await publish([{ iri: "urn:a", label: "1" }]);
      const hashOf = async () => Buffer.from((await store.find("urn:a"))!.hash).toString("hex");
      const first = await hashOf();
      await publish([{ iri: "urn:a", label: "2" }]);
      const second = await hashOf();
      await publish([{ iri: "urn:a", label: "1" }]);
      expect(second).not.toBe(first);
      expect(await hashOf()).toBe(first);
      if (isWritten) expect((await store.find("urn:a"))!.sequence).toBe(3);
    });
  });

  having("changes")("gives changes", () => {
    const publishChanges = async (): Promise<void> => {
      await publish([{ iri: "urn:o1", label: "one" }, { iri: "urn:o2" }, { iri: "urn:p1", endpoint: "place" }]); // 1 2 3
      await publish([{ iri: "urn:o3" }, { iri: "urn:x", endpoint: null }], [], "feed"); // 4 5
      await publish([
        { iri: "urn:o1", label: "uno" },
        { iri: "urn:o3", label: "three" },
      ]); // 6 7
      await publish([], ["urn:o1", "urn:o3", "urn:p1"]); // 8 9 10
      await publish([{ iri: "urn:o1", label: "again" }], [], "other"); // 11
    };

    it("oldest first after a sequence number, newest first before one, and from any place", async () => {
      await publishChanges();
      expect(sequences(await changes.page({ limit: 3 }))).toEqual([1, 2, 3]);
      expect(sequences(await changes.page({ after: 3, limit: 3 }))).toEqual([4, 5, 6]);
      expect(sequences(await changes.page({ after: 10, limit: 3 }))).toEqual([11]);
      expect(sequences(await changes.page({ after: 11, limit: 3 }))).toEqual([]);
      expect(sequences(await changes.page({ before: Number.POSITIVE_INFINITY, limit: 2 }))).toEqual([11, 10]);
      expect(sequences(await changes.page({ before: 3, limit: 5 }))).toEqual([2, 1]);
      expect(sequences(await changes.page({ before: 1, limit: 5 }))).toEqual([]);
      expect(sequences(await changes.page({ offset: 9, limit: 5 }))).toEqual([10, 11]);
      expect(await changes.count()).toBe(11);
    });

    it("of an endpoint, of a source, of both, and of one record, with their number", async () => {
      await publishChanges();
      const all = { limit: 99 };
      expect(sequences(await changes.page({ endpoint: "object", ...all }))).toEqual([1, 2, 4, 6, 7, 8, 9, 11]);
      expect(sequences(await changes.page({ endpoint: "object", before: 9, limit: 2 }))).toEqual([8, 7]);
      expect(sequences(await changes.page({ endpoint: "object", after: 2, limit: 2 }))).toEqual([4, 6]);
      expect(sequences(await changes.page({ endpoint: "object", offset: 5, limit: 2 }))).toEqual([8, 9]);
      expect(sequences(await changes.page({ endpoint: "place", ...all }))).toEqual([3, 10]);
      expect(sequences(await changes.page({ endpoint: "none", ...all }))).toEqual([5]);
      // A record keeps its source until another source brings it.
      expect(sequences(await changes.page({ source: "feed", ...all }))).toEqual([4, 5, 7, 9]);
      expect(sequences(await changes.page({ source: "feed", endpoint: "object", ...all }))).toEqual([4, 7, 9]);
      expect(sequences(await changes.page({ source: "nobody", ...all }))).toEqual([]);
      expect(sequences(await changes.page({ iri: "urn:o1", ...all }))).toEqual([1, 6, 8, 11]);
      expect(sequences(await changes.page({ iri: "urn:o1", before: 8, limit: 1 }))).toEqual([6]);
      expect(sequences(await changes.page({ iri: "urn:none", ...all }))).toEqual([]);
      const counted = [{ endpoint: "object" }, { source: "feed" }, { source: "feed", endpoint: "event" }] as const;
      expect(await Promise.all(counted.map((each) => changes.count(each)))).toEqual([8, 4, 0]);
      expect(await changes.count({ iri: "urn:o1" })).toBe(4);
    });

    it("of the members of a Set, including those that join and those that leave", async () => {
      await publishChanges();
      await publish([{ iri: "urn:m1", sets: ["urn:s", "urn:t"] }, { iri: "urn:m2" }]); // 12 13
      await publish([
        { iri: "urn:m1", sets: ["urn:t"], label: "gone" },
        { iri: "urn:m2", sets: ["urn:s"], label: "come" },
      ]); // 14 15
      await publish([{ iri: "urn:m1", label: "alone" }], ["urn:m2"]); // 16 17
      expect(sequences(await changes.page({ set: "urn:s", limit: 9 }))).toEqual([12, 14, 15, 17]);
      expect(sequences(await changes.page({ set: "urn:t", limit: 9 }))).toEqual([12, 14, 16]);
      expect(sequences(await changes.page({ set: "urn:s", offset: 1, limit: 2 }))).toEqual([14, 15]);
      expect(sequences(await changes.page({ set: "urn:s", before: 17, limit: 2 }))).toEqual([15, 14]);
      expect(await changes.count({ set: "urn:s" })).toBe(4);
      expect(await changes.count({ set: "urn:m1" })).toBe(0);
    });

    it("with endpoint and label, also for deleted records", async () => {
      await publishChanges();
      const [deleted] = await changes.page({ before: 9, limit: 1 });
      expect(deleted).toMatchObject({ iri: "urn:o1", kind: "delete", endpoint: "object", label: "uno" });
      expect(await changes.page({ iri: "urn:p1", limit: 9 })).toMatchObject([
        { kind: "create", endpoint: "place", label: "x" },
        { kind: "delete", endpoint: "place", label: "x" },
      ]);
      expect(await store.tombstone("urn:p1")).toEqual((await changes.page({ after: 9, limit: 1 }))[0]);
      expect(await store.tombstone("urn:o1")).toBeUndefined();
      await publish([{ iri: "urn:long", label: `${"l".repeat(499)}😀` }]);
      const [long] = await changes.page({ before: 99, limit: 1 });
      expect(long!.label.isWellFormed()).toBe(true);
      expect(long!.label.slice(0, 499)).toBe("l".repeat(499));
    });

    it("with the feed that a record came from, also for deleted records", async () => {
      await publish([{ iri: "urn:a" }, { iri: "urn:b" }, { iri: "urn:d" }], [], "feed");
      await publish([{ iri: "urn:b", label: "taken over" }], [], "other");
      await publish([{ iri: "urn:c" }], ["urn:d"]);
      const iris = ["urn:a", "urn:b", "urn:c", "urn:d", "urn:never"];
      expect(await Promise.all(iris.map((iri) => changes.sourceOf(iri)))).toEqual([
        ...["feed", "other", null, "feed", undefined],
      ]);
    });
  });

  having("references")("gives the referrers of an IRI", () => {
    const OAK = "urn:oak";
    const names = (count: number) => Array.from({ length: count }, (_, at) => `urn:r${String(at).padStart(3, "0")}`);

    it("by property, in pages, with counts", async () => {
      await publish(names(25).map((iri, at) => ({ iri, materials: [OAK], parts: at < 3 ? [OAK] : [] })));
      const counts = await references.counts(OAK);
      expect([...counts].sort((a, b) => a.records - b.records)).toEqual([
        { property: PART, records: 3 },
        { property: MADE_OF, records: 25 },
      ]);
      const seen: string[] = [];
      let after: string | undefined;
      for (let pages = 0; pages < 6; pages++) {
        const page = await references.page(OAK, { property: MADE_OF, after, limit: 5 });
        seen.push(...page.items.map(({ record }) => record));
        after = page.next;
        if (after === undefined) break;
        expect(page.items).toHaveLength(5);
      }
      expect(seen.sort()).toEqual(names(25));
      const all = await references.page(OAK, { limit: 28 });
      expect([all.items.length, all.next]).toEqual([28, undefined]);
      expect((await references.page(OAK, { limit: 27 })).next).toBeTypeOf("string");
      for (const after of name === "an embedded store" ? [undefined, "0.0"] : [undefined])
        expect((await references.page(OAK, { property: "urn:none", after, limit: 9 })).items).toEqual([]);
      // No IRI, but SPARQL: clients name properties.
      for (const property of ["urn:none> || ?property != <urn:none", "urn:none> || true) } #"])
        expect((await references.page(OAK, { property, limit: 9 })).items).toEqual([]);
      expect(await references.page("urn:never", { limit: 9 })).toEqual({ items: [], next: undefined });
      expect(await references.counts("urn:never")).toEqual([]);
      expect(await store.describedIn(OAK, 2)).toEqual(isWritten ? names(2) : []);
    });

    it("also after replacements and deletions", async () => {
      await publish(names(3).map((iri) => ({ iri, materials: [OAK] })));
      await publish([{ iri: "urn:r000", materials: ["urn:ash"] }], ["urn:r001"]);
      expect((await references.page(OAK, { limit: 9 })).items).toEqual([{ record: "urn:r002", property: MADE_OF }]);
      expect(await references.counts(OAK)).toEqual([{ property: MADE_OF, records: 1 }]);
    });

    it("and refuses invalid cursors", async () => {
      for (const after of ["x", "", "-1", "1.2.3"]) {
        await expect(references.page(OAK, { after, limit: 9 })).rejects.toThrow(InvalidCursorError);
      }
    });
  });

  having("lists")("lists records", () => {
    const labels = ["zebra", "Äpfel", "apfel", "Birne", "", "Œuvre", "Éclair", "100 Bilder", "(ohne)"];

    it("of an endpoint, sorted by label without case and marks, then by IRI, in pages", async () => {
      await publish([
        ...labels.map((label, at) => ({ iri: `urn:${at}`, label })),
        { iri: "urn:b", label: "zebra" },
        { iri: "urn:p", label: "a place", endpoint: "place" as const },
        { iri: "urn:n", label: "of none", endpoint: null },
      ]);
      const whole = await lists.page("object", { limit: 99 });
      expect(whole.items.map(({ label }) => label)).toEqual([
        ...["", "(ohne)", "100 Bilder", "Äpfel", "apfel", "Birne", "Éclair", "zebra", "zebra", "Œuvre"],
      ]);
      expect(whole.items.filter(({ label }) => label === "zebra").map(({ iri }) => iri)).toEqual(["urn:0", "urn:b"]);
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = await lists.page("object", { after, limit: 3 });
        seen.push(...page.items.map(({ iri }) => iri));
        after = page.next;
      } while (after !== undefined);
      expect(seen).toEqual(whole.items.map(({ iri }) => iri));
      expect((await lists.page("place", { limit: 9 })).items).toEqual([{ iri: "urn:p", label: "a place" }]);
      expect((await lists.page("none", { limit: 9 })).items).toEqual([{ iri: "urn:n", label: "of none" }]);
    });

    it("by their present labels after replacements and deletions", async () => {
      await publish([
        { iri: "urn:a", label: "a" },
        { iri: "urn:b", label: "b" },
        { iri: "urn:c", label: "c" },
      ]);
      const { next } = await lists.page("object", { limit: 2 });
      await publish(
        [
          { iri: "urn:a", label: "z" },
          { iri: "urn:c", label: "c", endpoint: "place" },
        ],
        ["urn:b"],
      );
      expect((await lists.page("object", { limit: 9 })).items).toEqual([{ iri: "urn:a", label: "z" }]);
      expect(next).toBeTypeOf("string");
      await expect(lists.page("object", { after: "?", limit: 9 })).rejects.toThrow(InvalidCursorError);
    });

    it("of all endpoints or of one, and gives the time when a block of them last changed", async () => {
      await publish([{ iri: "urn:1" }, { iri: "urn:1#part", endpoint: "place" }, { iri: "urn:z", endpoint: null }]);
      const iris = async (endpoint?: EndpointName) =>
        (await collect(lists.records(endpoint))).map(({ graph }) => graph.iri);
      expect(await iris()).toEqual(["urn:1", "urn:1#part", "urn:z"]);
      expect(await iris("place")).toEqual(["urn:1#part"]);
      expect(await lists.blockTimes()).toEqual([(await store.stats()).lastChange]);
      await publish([], ["urn:1"]);
      expect(await lists.blockTimes()).toEqual([(await store.stats()).lastChange]);
    });
  });

  it.runIf(isWritten)("knows the totals of all records, their origins, fragments and contexts", async () => {
    const stage = await (store as WritableStore).stage({
      baseUrl: "https://a.org/",
      contexts: new Map([["urn:context", { a: "urn:a" }]]),
    });
    await stage.put(staged({ iri: "https://a.org/1" }));
    await stage.put(staged({ iri: "https://a.org/1#part", endpoint: "place" }));
    await stage.put(staged({ iri: "urn:z", endpoint: null }));
    await stage.publish();
    const endpoints = { object: 1, place: 1, none: 1 };
    expect(await store.stats()).toMatchObject({
      records: 3,
      invalid: 0,
      endpoints,
      sequence: 3,
      baseUrl: "https://a.org/",
    });
    expect(await store.countUnder("https://a.org/")).toBe(2);
    expect(await store.origins(1)).toEqual([{ prefix: "https://a.org/", records: 2 }]);
    expect(await store.fragments("https://a.org/1", 9)).toEqual(["https://a.org/1#part"]);
    expect([...(await store.contexts())]).toEqual([["urn:context", { a: "urn:a" }]]);
  });

  having("versions")("gives versions", () => {
    it("of present records, and no older ones if none are kept", async () => {
      await publish([{ iri: "urn:a", label: "1" }]);
      await publish([{ iri: "urn:a", label: "2" }]);
      expect(store.versions!.areKept()).toBe(false);
      expect((await store.versions!.find(2))!.meta.label).toBe("2");
      for (const sequence of [1, 3]) expect(await store.versions!.find(sequence)).toBeUndefined();
    });
  });

  having("snapshots")("gives snapshots", () => {
    it("of one state, which stay as they are while others publish", async () => {
      await publish([{ iri: "urn:a", label: "1" }, { iri: "urn:b" }]);
      const snapshot = store.snapshots!.take();
      await publish([{ iri: "urn:a", label: "2" }], ["urn:b"]);
      const later = store.snapshots!.take();
      const fail = (error: Error): never => {
        throw error;
      };
      using _later = { [Symbol.dispose]: () => later.close() };
      using _snapshot = { [Symbol.dispose]: () => snapshot.close() };
      expect([snapshot.stats.sequence, snapshot.stats.triples, later.stats.sequence, later.stats.triples]).toEqual([
        2, 4, 4, 2,
      ]);
      expect([...snapshot.records(fail)].map(({ graph }) => graph.iri)).toEqual(["urn:a", "urn:b"]);
      expect(later.record("urn:b")).toBeUndefined();
      expect(snapshot.record("urn:a")!.number).toBe(later.record("urn:a")!.number);
      const [a, b] = later.changesAfter(2, 9)!;
      expect([a!.before, a!.after]).toEqual([snapshot.record("urn:a"), later.record("urn:a")]);
      expect([b!.iri, b!.before, b!.after]).toEqual(["urn:b", snapshot.record("urn:b"), undefined]);
      expect(later.changesAfter(2, 1)).toBeUndefined();
      expect([later.changesAfter(2, 9, 6)?.length, later.changesAfter(2, 9, 5)]).toEqual([2, undefined]);
    });

    it("whose changes lack no replaced record where an IRI without a record was moved", async () => {
      await publish([{ iri: "urn:a" }, { iri: "urn:b" }]);
      await publish([], ["urn:a"]);
      const stage = await (store as WritableStore).stage();
      for (const iri of ["urn:a", "urn:b", "urn:never"]) await stage.delete(iri, "urn:c");
      await stage.publish();
      using snapshot = store.snapshots!.take();
      const [a, b, never] = snapshot.changesAfter(3, 9)!;
      expect([a, never]).toEqual(["urn:a", "urn:never"].map((iri) => ({ iri, before: undefined, after: undefined })));
      expect(b).toMatchObject({ iri: "urn:b", before: { number: 2 }, after: undefined });
      expect(snapshot.nextChanges(3, 9, Number.POSITIVE_INFINITY).changed.map(({ before }) => before?.length)).toEqual([
        0, 1, 0,
      ]);
    });
  });
});
