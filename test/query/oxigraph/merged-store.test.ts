import fc from "fast-check";
import * as oxigraph from "oxigraph";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { blankLabels } from "../../../src/query/oxigraph/index-triples.js";
import { MergedStore, TripleCounts } from "../../../src/query/oxigraph/merged-store.js";
import { writeNQuads, writeNTriples } from "../../../src/rdf/ntriples/writer.js";
import { blank, iri, literal, XSD } from "../../../src/rdf/terms.js";
import type { TextHash } from "../../../src/rdf/text-hash.js";
import type { Snapshot } from "../../../src/store/snapshots.js";
import { forAllAsync, runsOf } from "../../properties.js";
import { randomFrom } from "../../random.js";
import { publish, recordOf, type TestStore, type Triple, testStore } from "../records.js";

let there: TestStore;
beforeEach(async () => {
  there = await testStore();
});
afterEach(() => there.remove());

const lines = (store: oxigraph.Store): string[] => store.match().map(String).sort();

/** Texts that only the lenient parser accepts; it gives blank nodes new labels. */
const ODD = /a\.example:x|longsubtag/;

/** Triples to compare, without the labels of blank nodes if the store may have given new ones. */
function comparable(store: oxigraph.Store, isOdd: boolean): string[] {
  return isOdd
    ? lines(store)
        .map((line) => line.replace(/_:\w+/g, "_:b"))
        .sort()
    : lines(store);
}

/** The merge of all records, made anew with Oxigraph's own parser. */
function recomputed(snapshot: Snapshot, withGraphs: boolean): oxigraph.Store {
  const store = new oxigraph.Store();
  for (const { number, graph } of snapshot.records(failing)) {
    const triples = writeNTriples(graph, blankLabels(number));
    const quads = withGraphs ? writeNQuads(graph, blankLabels(number)) : "";
    const options = { format: "application/n-quads", lenient: true };
    if (ODD.test(triples + quads)) store.load(triples + quads, options);
    else for (const quad of oxigraph.parse(triples + quads, options)) store.add(quad);
  }
  return store;
}

function failing(error: Error): never {
  throw error;
}

function reading<T>(read: (snapshot: Snapshot) => T): T {
  const snapshot = there.store.snapshots.take();
  using _ = { [Symbol.dispose]: () => snapshot.close() };
  return read(snapshot);
}

const IRIS = [
  "https://a.example/1",
  "https://a.example/2",
  "urn:x:3",
  "https://a.example/ü",
  "https://a.example:x/%zz",
];
const record = fc.constantFrom(...IRIS);
const node = fc.oneof(record.map(iri), fc.constantFrom("b0", "b1").map(blank));
const value = fc.oneof(
  node,
  fc.constantFrom("x", "y").map((text) => literal(text)),
  fc.constantFrom("7", "007", "+7").map((text) => literal(text, XSD.integer)),
  fc.constantFrom("1.5", "1.50").map((text) => literal(text, XSD.decimal)),
  fc.constantFrom("EN", "en", "de-x-longsubtag").map((language) => literal("x", undefined, language)),
  fc.constantFrom("2020-01-01T00:00:00Z", "2020-01-01T00:00:00.0Z", "soon").map((text) => literal(text, XSD.dateTime)),
);
const triple: fc.Arbitrary<Triple> = fc.tuple(node, fc.constantFrom("urn:p:1", "urn:p:2").map(iri), value);
const publication = fc.record({
  records: fc.array(fc.tuple(record, fc.array(triple, { minLength: 1, maxLength: 6 })), { maxLength: 3 }),
  deletions: fc.array(record, { maxLength: 2 }),
});

describe("the merged store", () => {
  it.each([false, true])(
    "is the merge of the records after any publications (named graphs: %s)",
    async (withGraphs) => {
      await forAllAsync(
        [fc.array(publication, { minLength: 1, maxLength: 6 }), fc.nat(2)],
        runsOf(1_000, 20),
        async (publications, skipped) => {
          await publish(there.store, [], IRIS);
          const isOdd = ODD.test(JSON.stringify(publications));
          let merged = reading((snapshot) => new MergedStore(snapshot.records(failing), { withGraphs }));
          let sequence = reading((snapshot) => snapshot.stats.sequence);
          for (const [index, { records, deletions }] of publications.entries()) {
            await publish(
              there.store,
              records.map(([name, triples]) => recordOf(name, triples)),
              deletions,
            );
            // Several publications may be followed at once.
            if (index < publications.length - 1 && index % 3 < skipped) continue;
            reading((snapshot) => {
              if (!merged.replace(snapshot.changesAfter(sequence, 1_000)!)) {
                merged = new MergedStore(snapshot.records(failing), { withGraphs });
              }
              sequence = snapshot.stats.sequence;
              const expected = comparable(recomputed(snapshot, withGraphs), isOdd);
              expect(comparable(merged.oxigraph, isOdd)).toEqual(expected);
              expect(merged.live).toBe(expected.length);
              // A newly filled one is the same.
              const anew = new MergedStore(snapshot.records(failing), { withGraphs });
              expect(comparable(anew.oxigraph, isOdd)).toEqual(expected);
            });
          }
        },
      );
    },
  );

  it("keeps a triple that two records state until the second is gone, and counts what it removed", async () => {
    const shared: Triple = [iri("urn:x:type"), iri("urn:p:label"), literal("painting")];
    const own = (name: string): Triple => [iri(name), iri("urn:p:type"), iri("urn:x:type")];
    await publish(there.store, [
      recordOf("urn:r:1", [own("urn:r:1"), shared]),
      recordOf("urn:r:2", [own("urn:r:2"), shared]),
    ]);
    const merged = reading((snapshot) => new MergedStore(snapshot.records(failing), { withGraphs: false }));
    const counts: number[][] = [[merged.live, merged.dead]];
    for (const [at, name] of ["urn:r:1", "urn:r:2"].entries()) {
      await publish(there.store, [], [name]);
      reading((snapshot) => merged.replace(snapshot.changesAfter(2 + at, 10)!));
      counts.push([merged.live, merged.dead]);
    }
    expect(counts).toEqual([
      [3, 0],
      [2, 1],
      [0, 3],
    ]);
  });

  it("reports its progress by triples, so that a few very large records are no silence", async () => {
    const large = (name: string) =>
      recordOf(
        name,
        Array.from({ length: 10_000 }, (_, at): Triple => [iri(name), iri("urn:p:1"), literal(String(at))]),
      );
    await publish(there.store, ["urn:r:1", "urn:r:2", "urn:r:3"].map(large));
    const reported: number[] = [];
    const progress = (triples: number) => reported.push(triples);
    reading((snapshot) => new MergedStore(snapshot.records(failing), { withGraphs: false, progress }));
    expect(reported).toEqual([10_000, 20_000, 30_000, 30_000]);
  });

  it("has the graph of a record with more triples than a function has arguments, and a text that only the lenient parser accepts", async () => {
    const [subject, property] = [iri("urn:r:1"), iri("urn:p:1")];
    const many = Array.from({ length: 130_000 }, (_, at): Triple => [subject, property, literal(String(at))]);
    await publish(there.store, [recordOf("urn:r:1", [...many, [subject, property, iri("http://a.example:x/")]])]);
    const merged = reading((snapshot) => new MergedStore(snapshot.records(failing), { withGraphs: true }));
    expect(merged.oxigraph.size).toBe(2 * 130_001);
  });

  it("removes named graphs after the query that needed them", async () => {
    await publish(there.store, [recordOf("urn:r:1", [[iri("urn:r:1"), iri("urn:p:1"), blank("b")]])]);
    reading((snapshot) => {
      const merged = new MergedStore(snapshot.records(failing), { withGraphs: false });
      const before = lines(merged.oxigraph);
      const during = merged.withNamedGraphs([...snapshot.records(failing)], () => lines(merged.oxigraph));
      expect(during).toHaveLength(2);
      expect([lines(merged.oxigraph), merged.dead]).toEqual([before, 1]);
    });
  });

  it("is followed only as far back as the changes are known", async () => {
    const graph = (text: string) => [recordOf("urn:r:1", [[iri("urn:r:1"), iri("urn:p:1"), literal(text)]])];
    await publish(there.store, graph("1"));
    await publish(there.store, graph("2"));
    await publish(there.store, graph("3"));
    reading((snapshot) => {
      expect(snapshot.changesAfter(0, 2)).toBeUndefined();
      expect(snapshot.changesAfter(1, 2)).toMatchObject([{ iri: "urn:r:1" }]);
      expect(snapshot.changesAfter(0, 3)).toMatchObject([{ before: undefined }]);
    });
  });
});

/** Keys of which many start at the same slots, and some differ only in their last word. */
const keyOf = (number: number): TextHash => ({ a: number % 97, b: number >>> 3, c: (number % 8) * 2 });

describe("counts of triples", () => {
  it("equal those of a map, however many there are, and can be passed to another table", () => {
    const random = randomFrom(7);
    const wrong: number[] = [];
    const expected = new Map<number, number>();
    let counts = new TripleCounts();
    for (let step = 0; step < 20_000; step++) {
      const number = Math.floor(random() * 5_000);
      const before = expected.get(number) ?? 0;
      const isAdded = before === 0 || random() < 0.6;
      const after = before + (isAdded ? 1 : -1);
      if ((isAdded ? counts.add(keyOf(number)) : counts.remove(keyOf(number))) !== after) wrong.push(number);
      expected.set(number, after);
      if (step % 5_000 === 0) counts = new TripleCounts(counts.slots, counts.used);
    }
    for (const [number, count] of expected) if (counts.add(keyOf(number)) !== count + 1) wrong.push(number);
    expect(wrong).toEqual([]);
  });

  it("refuse to remove a triple that was not added", () => {
    expect(() => new TripleCounts().remove(keyOf(1))).toThrow("no record states");
  });
});
