/** Counts over a large collection: counted again after a minute, whatever the clock says. */
import { expect, it, onTestFinished, vi } from "vitest";
import { CollectionCounter } from "../../src/harvest/collection-counts.js";
import { openForLoading } from "../../src/store/open.js";
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
  await vi.waitFor(async () => expect((await counter.counts())?.sequence).toBe(2_002), {
    timeout: 5_000,
    interval: 50,
  });
});
