/** Counts over a collection: what they count, and when a large one is counted again, whatever the clock says. */
import { expect, it, onTestFinished, vi } from "vitest";
import { CollectionCounter, PartitionCounter } from "../../src/harvest/collection-counts.js";
import { openForLoading } from "../../src/store/open.js";
import { CONTEXT_URI, readingAt } from "../jsonld/documents.js";
import { graphOf, publish } from "../store/records.js";
import { temporaryFolder } from "../temporary-folder.js";

it("counts a large collection again after a minute, even if the clock was set back", async () => {
  const directory = temporaryFolder(onTestFinished);
  await using store = await openForLoading({ directory });
  const thing = (number: number) => graphOf(`http://a.example/object/${number}`);
  await publish(
    store,
    Array.from({ length: 2_001 }, (_, number) => thing(number)),
  );
  const counter = new CollectionCounter(store, directory);
  const first = await counter.counts();
  await publish(store, [thing(2_001)]);
  expect(await counter.counts()).toBe(first);
  vi.spyOn(Date, "now").mockReturnValue(0);
  const elapsed = performance.now() + 61_000;
  vi.spyOn(performance, "now").mockReturnValue(elapsed);
  onTestFinished(() => void vi.restoreAllMocks());
  await expect.poll(async () => (await counter.counts())?.sequence).toBe(2_002);
});

it("counts nodes that records describe by class: embedded ones with IRIs and without, but no references", () => {
  const counter = new PartitionCounter();
  const read = readingAt("https://museum.example/");
  const dated = { timespan: { type: "TimeSpan", begin_of_the_begin: "1665-01-01T00:00:00Z" } };
  const painter = { id: "person/1", type: "Person", _label: "a painter" };
  const makings = [{ id: "object/1/production" }, {}].map((own) => ({
    ...own,
    type: "Production",
    ...dated,
    carried_out_by: [painter],
  }));
  for (const [at, produced_by] of makings.entries())
    counter.add(read({ "@context": CONTEXT_URI, id: `object/${at}`, type: "HumanMadeObject", produced_by }));
  const counts = Object.entries(counter.partitions.classes).map(([iri, count]) => [/[^/]*$/.exec(iri)![0], count]);
  expect(Object.fromEntries(counts)).toEqual({ "E22_Human-Made_Object": 2, E12_Production: 2, "E52_Time-Span": 2 });
});
