import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { writeNQuads } from "../../../src/rdf/ntriples-writer.js";
import { type Json, tripleCount } from "../../../src/rdf/record-graph.js";
import { type EmbeddedStore, openForLoading, openReadOnly } from "../../../src/store/embedded/embedded-store.js";
import { LONGEST_KEY } from "../../../src/store/embedded/format/keys.js";
import { mentionsOf } from "../../../src/store/embedded/format/mentions.js";
import type { Change, Publication, Reference, Stage, Staged, StoreStats } from "../../../src/store/store.js";
import { type Content, collect, graphOf, MADE_OF, PART } from "../records.js";

/** The store in the plainest form: what each function of the real one must answer. */
class Model {
  readonly records = new Map<string, { staged: Staged; sequence: number; source: string | null }>();
  readonly changes: Omit<Change, "time">[] = [];

  publish({ steps, source, sync }: Load): Omit<Publication, "triples"> {
    const counts = { created: 0, replaced: 0, unchanged: 0, deleted: 0 };
    const last = new Map(steps.filter(({ content }) => content !== "keep").map((step) => [step.iri, step]));
    for (const iri of [...last.keys()].sort(inStoreOrder)) {
      const { content } = last.get(iri)!;
      const before = this.records.get(iri);
      if (content === "delete") {
        if (before !== undefined) counts.deleted += this.#delete(iri);
      } else if (content !== "keep") {
        const staged = stagedOf(iri, content);
        const isUnchanged = before !== undefined && sayingOf(before.staged) === sayingOf(staged);
        counts[before === undefined ? "created" : isUnchanged ? "unchanged" : "replaced"]++;
        if (!isUnchanged) this.#change(iri, before === undefined ? "create" : "update");
        this.records.set(iri, {
          staged: isUnchanged ? before.staged : staged,
          sequence: isUnchanged ? before.sequence : this.changes.length,
          source: source ?? before?.source ?? null,
        });
      }
    }
    if (sync) for (const iri of this.rest({ steps, source, sync })) counts.deleted += this.#delete(iri);
    const repeated = [...last.keys()].filter(
      (iri) => steps.filter((step) => step.iri === iri && step.content !== "keep").length > 1,
    ).length;
    return { ...counts, repeated, sequence: this.changes.length };
  }

  /** What a load that synchronizes deletes. */
  rest({ steps, source }: Load): string[] {
    const spared = new Set(steps.map(({ iri }) => iri));
    const isWithin = (iri: string): boolean => source === undefined || this.records.get(iri)!.source === source;
    return [...this.records.keys()].filter((iri) => isWithin(iri) && !spared.has(iri)).sort(inStoreOrder);
  }

  stats(): Omit<StoreStats, "lastChange" | "baseUrl"> {
    const all = [...this.records.values()].map(({ staged }) => staged);
    const endpoints: { [endpoint: string]: number } = {};
    for (const { endpoint } of all) endpoints[endpoint ?? "none"] = (endpoints[endpoint ?? "none"] ?? 0) + 1;
    return {
      records: all.length,
      triples: all.reduce((sum, { graph }) => sum + tripleCount(graph), 0),
      invalid: all.filter(({ valid }) => !valid).length,
      endpoints,
      sequence: this.changes.length,
      sources: Object.fromEntries(
        SOURCES.map((source) => [
          source,
          [...this.records.values()].filter((each) => each.source === source).length,
        ]).filter(([, count]) => count !== 0),
      ),
    };
  }

  referrers(iri: string): Reference[] {
    return [...this.records.values()].flatMap(({ staged: { graph } }) =>
      [MADE_OF, PART]
        .filter((property) => hasTriple(graph, property, iri))
        .map((property) => ({ record: graph.iri, property })),
    );
  }

  describedIn(iri: string): string[] {
    return [...this.records.values()]
      .map(({ staged: { graph } }) => graph)
      .filter((graph) => graph.iri !== iri && hasTriple(graph, PART, iri))
      .map((graph) => graph.iri)
      .sort();
  }

  #delete(iri: string): 1 {
    this.records.delete(iri);
    this.#change(iri, "delete");
    return 1;
  }

  #change(iri: string, kind: Change["kind"]): void {
    this.changes.push({ iri, kind, sequence: this.changes.length + 1 });
  }
}

interface Described extends Content {
  readonly endpoint: Staged["endpoint"];
  readonly valid: boolean;
}
interface Step {
  readonly iri: string;
  readonly content: Described | "delete" | "keep";
}
interface Load {
  readonly steps: readonly Step[];
  readonly source: string | undefined;
  /** Whether what nothing is staged for is deleted. */
  readonly sync: boolean;
}

function stagedOf(iri: string, content: Described): Staged {
  const { endpoint, valid, label = "" } = content;
  return { graph: graphOf(iri, content), endpoint, valid, label };
}

/** Everything that makes a record another when it changes. */
function sayingOf({ graph, endpoint, label, valid }: Staged): string {
  return JSON.stringify([writeNQuads(graph), graph.context, endpoint, label, valid]);
}

function hasTriple({ terms, triples }: Staged["graph"], property: string, object: string): boolean {
  for (let at = 0; at < triples.length; at += 3) {
    if (terms[triples[at + 1]!]!.value === property && terms[triples[at + 2]!]!.value === object) return true;
  }
  return false;
}

/** The store's order: by UTF-8 bytes, and IRIs too long to be keys after all others. */
function inStoreOrder(a: string, b: string): number {
  const isLong = (iri: string): number => Number(Buffer.byteLength(iri) > LONGEST_KEY);
  return isLong(a) - isLong(b) || Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const RECORDS = ["urn:a", "urn:a#1", "urn:é", "urn:😀", "urn:\uffff", `urn:${"l".repeat(2000)}`];
const PARTS = ["urn:x", "urn:y", `urn:${"p".repeat(2000)}`, "urn:a"];
const SOURCES = ["objects", "people"];
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
  content: fc.oneof({ weight: 3, arbitrary: content }, { weight: 1, arbitrary: fc.constantFrom("delete", "keep") }),
});
const load: fc.Arbitrary<Load> = fc.record({
  steps: fc.array(step, { maxLength: 8 }),
  source: fc.constantFrom(undefined, ...SOURCES),
  sync: fc.boolean(),
});

async function stageAll(store: EmbeddedStore, { steps, source, sync }: Load, model: Model): Promise<Stage> {
  const stage = await store.stage(source === undefined ? {} : { source });
  for (const { iri, content } of steps) {
    if (content === "delete") await stage.delete(iri);
    else if (content === "keep") await stage.keep(iri);
    else await stage.put(stagedOf(iri, content));
  }
  if (!sync) return stage;
  const deleted: string[] = [];
  expect(await stage.deleteRest((iri) => deleted.push(iri))).toBe(deleted.length);
  expect(deleted).toEqual(model.rest({ steps, source, sync }));
  return stage;
}

async function expectSame(store: EmbeddedStore, model: Model): Promise<void> {
  const { lastChange, baseUrl, ...stats } = await store.stats();
  expect(stats).toEqual(model.stats());
  const stored = await collect(store.records());
  expect(stored.map(({ graph }) => graph.iri)).toEqual([...model.records.keys()].sort(inStoreOrder));
  // Nothing is left behind of what was replaced or deleted.
  const graphs = [...model.records.values()].map(({ staged }) => staged.graph);
  expect(store.database.mentions.getKeysCount()).toBe(graphs.reduce((sum, graph) => sum + mentionsOf(graph).length, 0));
  expect(store.database.numbers.getKeysCount()).toBe(graphs.length);
  const changes = await collect(store.changes(0));
  expect(changes.map(({ time, ...change }) => change)).toEqual(model.changes);
  const times = changes.map(({ time }) => time);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(lastChange).toBe(times.at(-1) ?? null);
  for (const iri of RECORDS) await expectSameRecord(store, model, iri);
  for (const target of TARGETS) {
    const inOrder = (references: readonly Reference[]) => references.map((each) => JSON.stringify(each)).sort();
    expect(inOrder(await store.referrers(target, 100))).toEqual(inOrder(model.referrers(target)));
    expect([...(await store.describedIn(target, 100))].sort()).toEqual(model.describedIn(target));
  }
  expect(await store.fragments("urn:a", 9)).toEqual(model.records.has("urn:a#1") ? ["urn:a#1"] : []);
}

async function expectSameRecord(store: EmbeddedStore, model: Model, iri: string): Promise<void> {
  const expected = model.records.get(iri);
  const found = await store.record(iri);
  expect(found === undefined).toBe(expected === undefined);
  if (expected !== undefined && found !== undefined) {
    const { endpoint, label, valid } = found.meta;
    expect(sayingOf({ graph: found.graph, endpoint, label, valid })).toBe(sayingOf(expected.staged));
    expect(found.meta.sequence).toBe(expected.sequence);
  }
  const last = model.changes.findLast((change) => change.iri === iri);
  const tombstone = await store.tombstone(iri);
  expect(tombstone?.sequence).toBe(last?.kind === "delete" ? last.sequence : undefined);
}

describe("a store", () => {
  it("answers as its plainest model does, whatever is loaded in whatever order, and after opening again", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(load, { maxLength: 6 }), async (loads) => {
        const directory = mkdtempSync(join(tmpdir(), "vitrine-model-"));
        try {
          const model = new Model();
          for (const load of loads) {
            const store = await openForLoading(directory);
            const stage = await stageAll(store, load, model);
            const { sequence } = await store.stats();
            const preview = await stage.preview();
            await expectSame(store, model);
            const publication = await stage.publish();
            expect(publication).toMatchObject(model.publish(load));
            expect(preview).toEqual({ ...publication, sequence });
            await expectSame(store, model);
            await store.close();
          }
          if (loads.length === 0) return;
          const reader = await openReadOnly(directory);
          await expectSame(reader, model);
          await reader.close();
        } finally {
          rmSync(directory, { recursive: true, force: true });
        }
      }),
      { numRuns: 60 },
    );
  });
});
