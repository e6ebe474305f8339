/** Tests of a store on any engine. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EngineAddresses, EngineGraphs } from "../../../src/engine/engine-access.js";
import { RDF } from "../../../src/rdf/terms.js";
import { InvalidCursorError } from "../../../src/store/errors.js";
import type { RemoteStore } from "../../../src/store/remote/remote-store.js";
import { SAMPLE } from "../../data/sample.js";
import { readingAt } from "../../jsonld/documents.js";
import { clearAll, difference, putAll, remoteStore, triplesOf } from "./published.js";

const read = readingAt("http://data.museum.example/");

/** Records of the sample. */
export const RECORDS = [...SAMPLE.values()].filter((_, at) => at % 20 === 0).map(({ document }) => read(document));

/** An engine: its name, and the ways in which it can hold records. */
export type Row = [name: string, ways: readonly EngineGraphs[], addressesOf: () => EngineAddresses];

/** Define the tests of stores on these engines. */
export function holdStores(engines: readonly Row[]): void {
  describe.each(engines)("a store on %s", (_, ways, addressesOf) => {
    describe.each(ways)("that holds %s", (graphs) => {
      let store: RemoteStore;
      beforeAll(async () => {
        await clearAll(addressesOf());
        await putAll(addressesOf(), graphs, RECORDS);
        store = remoteStore(addressesOf(), graphs);
      });
      afterAll(() => store.close());

      it("gives the records, with triples in canonical order", async () => {
        const looked = graphs === "records" ? RECORDS : RECORDS.slice(0, 8);
        const found = await Promise.all(looked.map((graph) => difference(store, graph)));
        // In one graph, references have the triples of all records about them, and embedded nodes with the same IRI merge.
        if (graphs === "records") expect(found.filter((each) => each !== "none" && each !== "known")).toEqual([]);
        else expect(found.filter((each) => each.includes("is not there") || /lacks [^ ]/.test(each))).toEqual([]);
        const first = (await (await store.find(RECORDS[0]!.iri))!.record()).meta;
        expect(first).toMatchObject({ endpoint: expect.any(String), label: expect.stringMatching(/./), valid: true });
        expect(await store.find("http://nowhere.example/x")).toBeUndefined();
        expect(await store.find("no iri")).toBeUndefined();
      });

      it("gives the referrers of an IRI, page by page", async () => {
        const target = mostReferred();
        const counts = await store.references.counts(target);
        const all = await store.references.page(target, { limit: 1_000 });
        expect(counts.reduce((sum, { records }) => sum + records, 0)).toBe(all.items.length);
        expect(all.items.length).toBeGreaterThan(2);
        const first = await store.references.page(target, { limit: 2 });
        const second = await store.references.page(target, { limit: 1_000, after: first.next });
        expect([...first.items, ...second.items]).toEqual(all.items);
        const { property } = all.items[0]!;
        const only = await store.references.page(target, { limit: 1_000, property: property! });
        expect(only.items.every((each) => each.property === property)).toBe(true);
        const records = new Set(RECORDS.map((graph) => graph.iri));
        const known = all.items.filter(({ record }) => records.has(record));
        // In one graph, an embedded node with an IRI counts as a referrer itself.
        if (graphs === "records") expect(known).toEqual(all.items);
        else expect(known.length).toBeGreaterThan(2);
        await expect(store.references.page(target, { limit: 1, after: "x" })).rejects.toBeInstanceOf(
          InvalidCursorError,
        );
      });

      it("counts records, and knows of no deletions", async () => {
        expect((await store.stats()).records).toBeGreaterThan(RECORDS.length / 2);
        expect(await store.tombstone()).toBeUndefined();
      });
    });
  });
}

/** The IRI with the most references. */
function mostReferred(): string {
  const counts = new Map<string, number>();
  for (const graph of RECORDS) {
    for (const [, p, o] of triplesOf(graph)) {
      if (o.termType === "NamedNode" && p.value !== RDF.type) counts.set(o.value, (counts.get(o.value) ?? 0) + 1);
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]![0];
}
