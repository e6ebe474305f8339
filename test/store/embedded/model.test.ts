import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/rdf/record-graph.js";
import type { ChangeSelection } from "../../../src/store/changes.js";
import {
  type EmbeddedStore,
  openEmbeddedForLoading,
  openReadOnly,
} from "../../../src/store/embedded/embedded-store.js";
import { backlinksOf } from "../../../src/store/embedded/format/backlinks.js";
import type { Paged, PageQuery } from "../../../src/store/record.js";
import type { Store } from "../../../src/store/store.js";
import type { Stage, Staged, WritableStore } from "../../../src/store/writable-store.js";
import { forAllAsync, runsOf } from "../../properties.js";
import { contentOf, MemoryStore } from "../memory-store.js";
import { type Content, changesAfter, collect, graphOf, recordOf } from "../records.js";

interface Described extends Content {
  readonly endpoint: Staged["endpoint"];
  readonly valid: boolean;
}
interface Step {
  readonly iri: string;
  readonly content: Described | "delete" | "keep" | { readonly movedTo: string };
}
interface Load {
  readonly steps: readonly Step[];
  readonly source: string | undefined;
  /** Whether records for which nothing is staged are deleted. */
  readonly sync: boolean;
}

function stagedOf(iri: string, content: Described): Staged {
  const { endpoint, valid, label = "" } = content;
  return { graph: graphOf(iri, content), endpoint, valid, label };
}

const RECORDS = ["urn:a", "urn:a#1", "urn:é", "urn:😀", "urn:\uffff", `urn:${"l".repeat(2000)}`];
const PARTS = ["urn:x", "urn:y", `urn:${"p".repeat(2000)}`, "urn:a"];
const SOURCES = ["objects", "constructor"];
const TARGETS = [...RECORDS, ...PARTS, "urn:never"];

const content: fc.Arbitrary<Described> = fc.record({
  label: fc.constantFrom("", "one", "två", "😀"),
  materials: fc.uniqueArray(fc.constantFrom(...TARGETS), { maxLength: 4 }),
  parts: fc.uniqueArray(fc.constantFrom(...PARTS), { maxLength: 3 }),
  context: fc.constantFrom<Json>("urn:context", ["urn:extension", "urn:context"], { a: "urn:a" }),
  endpoint: fc.constantFrom("object" as const, "place" as const, null),
  valid: fc.boolean(),
});
const step: fc.Arbitrary<Step> = fc.record({
  iri: fc.constantFrom(...RECORDS),
  content: fc.oneof(
    { weight: 3, arbitrary: content },
    { weight: 1, arbitrary: fc.constantFrom("delete", "keep") },
    { weight: 1, arbitrary: fc.record({ movedTo: fc.constantFrom(...RECORDS) }) },
  ),
});
const load: fc.Arbitrary<Load> = fc.record({
  steps: fc.array(step, { maxLength: 8 }),
  source: fc.constantFrom(undefined, ...SOURCES),
  sync: fc.boolean(),
});

async function stageAll(store: WritableStore, { steps, source, sync }: Load): Promise<[Stage, string[]]> {
  const stage = await store.stage(source === undefined ? {} : { source });
  for (const { iri, content } of steps) {
    if (content === "delete") await stage.delete(iri);
    else if (typeof content === "object" && "movedTo" in content) await stage.delete(iri, content.movedTo);
    else if (content === "keep") await stage.keep(iri);
    else await stage.put(stagedOf(iri, content));
  }
  const deleted: string[] = [];
  if (sync) expect(await stage.deleteRest(({ iri }) => deleted.push(iri))).toBe(deleted.length);
  return [stage, deleted];
}

/** The items of all pages of a list. Expects every page but the last to be full. */
async function paged<T>(page: (query: PageQuery) => Promise<Paged<T>>, limit: number): Promise<T[]> {
  const all: T[] = [];
  let after: string | undefined;
  do {
    const { items, next } = await page({ after, limit });
    if (next !== undefined) expect(items).toHaveLength(limit);
    all.push(...items);
    after = next;
  } while (after !== undefined);
  return all;
}

const SELECTIONS: readonly ChangeSelection[] = [
  ...[{}, { endpoint: "object" }, { endpoint: "none" }, { source: "objects" }, { source: "never" }],
  ...[
    { endpoint: "place", source: "constructor" },
    { endpoint: "none", source: "objects" },
  ],
  ...["urn:a", "urn:never", `urn:${"l".repeat(2000)}`].map((iri) => ({ iri })),
] as ChangeSelection[];

async function expectSame(store: EmbeddedStore, model: Store): Promise<void> {
  const { lastChange, ...stats } = await store.stats();
  const { lastChange: _, ...expected } = await model.stats();
  expect(stats).toEqual(expected);
  const stored = await collect(store.lists.records());
  expect(stored.map(({ graph }) => graph.iri)).toEqual(
    (await collect(model.lists!.records())).map(({ graph }) => graph.iri),
  );
  // Nothing of replaced or deleted records remains.
  expect(store.database.backlinkCount).toBe(stored.reduce((sum, { graph }) => sum + backlinksOf(graph).length, 0));
  for (const table of ["numbers", "lists"] as const) expect(store.database[table].getKeysCount()).toBe(stored.length);
  for (const selection of SELECTIONS) await expectSameChanges(store, model, selection);
  const times = (await changesAfter(store, 0)).map(({ time }) => time);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(lastChange).toBe(times.at(-1) ?? null);
  for (const iri of RECORDS) await expectSameRecord(store, model, iri);
  for (const target of TARGETS) await expectSameBacklinks(store, model, target);
  for (const endpoint of ["object", "place", "none", "event"] as const) {
    expect(await paged((query) => store.lists.page(endpoint, query), 2)).toEqual(
      (await model.lists!.page(endpoint, { limit: 99 })).items,
    );
  }
  expect(await store.fragments("urn:a", 9)).toEqual(await model.fragments("urn:a", 9));
}

async function expectSameChanges(store: Store, model: Store, selection: ChangeSelection): Promise<void> {
  const count = await model.changes!.count(selection);
  expect(await store.changes!.count(selection)).toBe(count);
  const last = (await model.stats()).sequence;
  const queries = [
    ...[0, 1, last - 2].map((after) => ({ after, limit: 3 })),
    ...[Number.POSITIVE_INFINITY, last, 2].map((before) => ({ before, limit: 3 })),
    ...[0, count - 1].map((offset) => ({ offset: Math.max(0, offset), limit: 2 })),
  ];
  for (const query of queries) {
    const timeless = async (each: Store) =>
      (await each.changes!.page({ ...selection, ...query })).map(({ time: _, ...change }) => change);
    expect(await timeless(store)).toEqual(await timeless(model));
  }
}

async function expectSameBacklinks(store: Store, model: Store, target: string): Promise<void> {
  const sorted = <T>(items: readonly T[]): string[] => items.map((each) => JSON.stringify(each)).sort();
  const references = (await model.references!.page(target, { limit: 99 })).items;
  const found = await paged((query) => store.references!.page(target, query), 2);
  expect(sorted(found)).toEqual(sorted(references));
  expect(sorted(await store.references!.counts(target))).toEqual(sorted(await model.references!.counts(target)));
  for (const { property, records } of await store.references!.counts(target)) {
    const ofProperty = await paged((query) => store.references!.page(target, { ...query, property: property! }), 1);
    expect(ofProperty).toEqual(found.filter((reference) => reference.property === property));
    expect(ofProperty).toHaveLength(records);
  }
  expect([...(await store.describedIn(target, 100))].sort()).toEqual(
    [...(await model.describedIn(target, 100))].sort(),
  );
}

async function expectSameRecord(store: Store, model: Store, iri: string): Promise<void> {
  const [expected, found] = [await recordOf(model, iri), await recordOf(store, iri)];
  expect(found === undefined).toBe(expected === undefined);
  if (expected !== undefined && found !== undefined) {
    expect(contentOf({ ...found, ...found.meta })).toBe(contentOf({ ...expected, ...expected.meta }));
    expect(found.meta.sequence).toBe(expected.meta.sequence);
    const { sequence, modified, hash, meta } = (await store.find(iri))!;
    expect({ ...found.meta, sequence, modified, hash }).toEqual(meta);
  }
  expect((await store.tombstone(iri))?.sequence).toBe((await model.tombstone(iri))?.sequence);
}

describe("a store", () => {
  it("gives the same answers as the model in memory, after any loads in any order, and after reopening", async () => {
    await forAllAsync([fc.array(load, { maxLength: 6 })], runsOf(1_000, 6), async (loads) => {
      const directory = mkdtempSync(join(tmpdir(), "vitrine-model-"));
      using _ = { [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) };
      const model = new MemoryStore();
      for (const load of loads) {
        const store = await openEmbeddedForLoading(directory);
        const [stage, deleted] = await stageAll(store, load);
        const [expected, alsoDeleted] = await stageAll(model, load);
        expect(deleted).toEqual(alsoDeleted);
        expect(await stage.preview()).toEqual(await expected.preview());
        await expectSame(store, model);
        expect(await stage.publish()).toEqual(await expected.publish());
        await expectSame(store, model);
        await store.close();
      }
      if (loads.length === 0) return;
      const reader = await openReadOnly(directory);
      await expectSame(reader, model);
      await reader.close();
    });
  });
});
