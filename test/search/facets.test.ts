import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openSearchedForLoading } from "../../src/search/open.js";
import { SAMPLE } from "../data/sample.js";
import { shareOf } from "../extent.js";
import { publish } from "../http/service.js";
import { readingAt } from "../jsonld/documents.js";
import { forAllAsync, runsOf } from "../properties.js";
import { temporaryFolder } from "../temporary-folder.js";
import { CountedBySparql } from "./counted-by-sparql.js";
import { expectCounts, queriesOf } from "./facet-cases.js";

const DAY = 86_400_000;

const directory = temporaryFolder();
let store: Awaited<ReturnType<typeof openSearchedForLoading>>;
let sparql: CountedBySparql;
beforeAll(async () => {
  store = await openSearchedForLoading({ directory });
  const read = readingAt("https://museum.example/");
  const graphs = shareOf([...SAMPLE.values()], 3).map(({ document }) => read(document));
  const now = Date.now();
  // The records are published in five parts, so that files come both before and after what they show.
  for (const [part, days] of [600, 200, 20, 3, 0].entries()) {
    const some = graphs.filter((_, at) => at % 5 === part);
    vi.useFakeTimers({ toFake: ["Date"], now: now - days * DAY });
    await publish(store, some);
    vi.useRealTimers();
  }
  const snapshot = store.snapshots.take();
  sparql = new CountedBySparql(snapshot.records(() => {}));
  snapshot.close();
});
afterAll(async () => {
  await store.close();
});

describe("facets of the sample", () => {
  it("have the counts of SPARQL for all records", async () => {
    expect(await expectCounts(store.search, sparql, {})).toBe(false);
  });

  // In parts, as all of them together take long.
  it.each([1, 2, 3, 4, 5])("have the counts of SPARQL for any combination of conditions (%i)", async (part) => {
    const seed = fc.readConfigureGlobal().seed! + part;
    await forAllAsync([await queriesOf(store.search)], { ...runsOf(200, 8), seed }, async (query) => {
      await expectCounts(store.search, sparql, query);
    });
  });
});
