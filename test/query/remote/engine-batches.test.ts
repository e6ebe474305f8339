/** The steps of an engine leave the event loop to requests, however many records they read. */
import { expect, it, onTestFinished } from "vitest";
import type { EngineAccess } from "../../../src/engine/engine-access.js";
import { fillSteps, nextStep } from "../../../src/query/remote/engine-batches.js";
import { compareEngine } from "../../../src/query/remote/engine-comparison.js";
import { engineTriples } from "../../../src/query/remote/engine-lines.js";
import type { EnginePosition, EngineWriter } from "../../../src/query/remote/engine-writer.js";
import { iri, literal, RDFS_LABEL } from "../../../src/rdf/terms.js";
import { turnsDuring } from "../../turns.js";
import { publish, recordOf, testStore } from "../records.js";

const RECORDS = 2_000;
/** Fewer turns than a step should give, and more than it needs for itself. */
const TURNS = 30;
/** The engine holds what the store remembers, so a step reads nothing from it. */
const unread = {} as EngineWriter;

const PLACE = iri("http://data.example/place");

/** A record that names a place. */
function at(number: number, label = "here") {
  const self = iri(`http://data.example/${number}`);
  return recordOf(self.value, [
    [self, iri("http://data.example/at"), PLACE],
    [PLACE, iri(RDFS_LABEL), literal(label)],
  ]);
}

async function filledStore() {
  const there = await testStore();
  onTestFinished(there.remove);
  await publish(
    there.store,
    Array.from({ length: RECORDS }, (_, number) => at(number)),
  );
  return there.store;
}

it("the continuation of an interrupted filling leaves turns to others while it passes over the records that are in the engine", async () => {
  const store = await filledStore();
  using snapshot = store.snapshots.take();
  const filledTo = [...snapshot.iris()].at(-1)!;
  let triples = -1;
  const turns = await turnsDuring(async () => {
    const from = { sequence: RECORDS, mark: "", graphs: "merged", filledTo } as const;
    for await (const step of fillSteps(store, from, () => {})) triples = step.triples;
  });
  expect(triples).toBe(0);
  expect(turns).toBeGreaterThan(TURNS);
});

it("a step leaves turns to others while it looks for a removed triple among all records that refer to its subject", async () => {
  const store = await filledStore();
  await publish(store, [at(0, "there")]);
  await publish(store, [at(0)]);
  const from = { sequence: RECORDS + 1, mark: "", graphs: "merged" } as const;
  let removed: unknown;
  const turns = await turnsDuring(async () => {
    removed = (await nextStep(store, unread, from))?.batch;
  });
  expect(removed).toMatchObject({ remove: [expect.stringContaining('"there"')] });
  expect(turns).toBeGreaterThan(TURNS);
});

it("a comparison leaves turns to others in all its parts", async () => {
  const store = await filledStore();
  const access = { select: async () => ({ rows: [], isCut: false }) } as unknown as EngineAccess;
  let found: unknown;
  const turns = await turnsDuring(async () => {
    found = await compareEngine({ store, access, graphs: "merged", isRepaired: false });
  });
  // The label of the place is one triple of all records.
  expect(found).toMatchObject({ triples: RECORDS + 1, missing: RECORDS + 1, surplus: 0 });
  // The records, their triples, the subjects for the digest, and the subjects to compare.
  expect(turns).toBeGreaterThan(4 * TURNS);
});

it("a comparison finds that more triples of a subject are missing than a function has arguments", async () => {
  const there = await testStore();
  onTestFinished(there.remove);
  const many = Array.from({ length: 150_000 }, (_, at) => [PLACE, iri(RDFS_LABEL), literal(String(at))] as const);
  await publish(there.store, [recordOf(PLACE.value, many)]);
  const access = { select: async () => ({ rows: [], isCut: false }) } as unknown as EngineAccess;
  const compared = compareEngine({ store: there.store, access, graphs: "merged", isRepaired: false });
  await expect(compared).resolves.toMatchObject({ missing: many.length });
});

it("a step takes no more changes than fit into memory, and the next one the rest", async () => {
  const there = await testStore();
  onTestFinished(there.remove);
  const large = (number: number) => {
    const self = iri(`http://data.example/${number}`);
    return recordOf(
      self.value,
      Array.from({ length: 15_000 }, (_, at) => [self, iri(RDFS_LABEL), literal(String(at))]),
    );
  };
  await publish(
    there.store,
    Array.from({ length: 5 }, (_, number) => large(number)),
  );
  const reached: number[] = [];
  let position: EnginePosition = { sequence: 0, mark: "", graphs: "records" };
  for (let step = await nextStep(there.store, unread, position); step !== undefined; ) {
    position = step.to;
    reached.push(position.sequence);
    step = await nextStep(there.store, unread, position);
  }
  expect(reached).toEqual([3, 5]);
});

it("a line has escapes for control characters that only texts may have, since Virtuoso takes none in the IRIs of updates", () => {
  const [self, odd] = [iri("http://data.example/1"), iri("http://data.example/caf\u0085")];
  const record = recordOf(self.value, [[self, odd, literal('a\v\u0085"b')]]);
  expect([...engineTriples(record).keys()]).toEqual([`<${self.value}> <${odd.value}> "a\\u000B\u0085\\"b" .`]);
});
