import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { ThreadLostError, WorkerClient } from "../../src/base/worker-client.js";
import { openSearched, openSearchedForLoading, rebuildSearch, searchProblems } from "../../src/search/open.js";
import { SEARCH_FILE } from "../../src/search/schema.js";
import { SearchIndex, SearchIndexError } from "../../src/search/search-index.js";
import { removeSqlite, Sqlite } from "../../src/search/sqlite.js";
import type { LoadableStore } from "../../src/store/open.js";
import { BASE, publish } from "../http/service.js";
import { CONTEXT_URI, graphOf } from "../jsonld/documents.js";
import { temporaryFolder } from "../temporary-folder.js";

const IDS = Array.from({ length: 600 }, (_, at) => `${BASE}/place/${at}`);

const directory = temporaryFolder();
const file = join(directory, SEARCH_FILE);
let store: LoadableStore;
beforeAll(async () => {
  store = await openSearchedForLoading({ directory });
  const documents = IDS.map((id, at) => ({ "@context": CONTEXT_URI, id, type: "Place", _label: `Number ${at}` }));
  await publish(store, documents.map(graphOf));
});
afterAll(() => store.close());

it("a search index stays as it was if its rebuilding is interrupted", async () => {
  await expect(rebuildSearch({ directory }, AbortSignal.abort())).rejects.toThrow(/abort/i);
  await using searched = await openSearched({ directory });
  const { items } = await searched.search.find({ text: "number 599" }, { limit: 9 });
  expect(items.map(({ iri }) => iri)).toEqual([IDS[599]]);
  expect(await searchProblems({ directory })).toEqual([]);
});

it("a store whose search index lacks many records opens before it is built, and is searched afterwards", async () => {
  removeSqlite(file);
  // While another has the database, the index cannot be built.
  const other = new Sqlite(file);
  other.exec("BEGIN IMMEDIATE");
  await using served = await openSearched({ directory, mostWaited: 599, isServed: true });
  const find = () => served.search.find({ text: "number 599" }, { limit: 9 });
  const [early, seventh] = await Promise.allSettled([find(), served.find(IDS[7]!)]);
  expect(early).toMatchObject({ reason: { message: expect.stringContaining("is being built") } });
  expect(seventh).toMatchObject({ value: { meta: { label: "Number 7" } } });
  other.close();
  await expect.poll(async () => (await find()).items.map(({ iri }) => iri)).toEqual([IDS[599]]);
});

it("a service reports once why its search index cannot be read or built", async () => {
  const reports: unknown[] = [];
  await using served = await openSearched({ directory, isServed: true }, (...report) => reports.push(report));
  removeSqlite(file);
  mkdirSync(file);
  const find = () => served.search.find({ text: "number 599" }, { limit: 9 });
  for (let time = 0; time < 3; time++) {
    await expect(find()).rejects.toThrow(/cannot be opened|is being built/);
    expect(reports).toHaveLength(1);
    await (served.search as SearchIndex).followMeanwhile();
  }
  expect(reports).toEqual([[expect.stringMatching(/cannot be opened or written to: .*; see that its disk/), true]]);
  // Also of an index that was so from the beginning, when opening it has failed already.
  const later: unknown[] = [];
  await using reopened = await openSearched({ directory }, (...report) => later.push(report));
  await expect(reopened.search.find({ text: "number 599" }, { limit: 9 })).rejects.toThrow(SearchIndexError);
  expect(later.slice(1)).toEqual(reports);
  rmSync(file, { recursive: true });
  await expect.poll(() => find().catch(String)).toMatchObject({ items: [{ iri: IDS[599] }] });
});

it("a service reports why no thread builds its search index, and searches once one can", async () => {
  const reports: unknown[] = [];
  const { ask } = WorkerClient.prototype;
  const asking = vi.spyOn(WorkerClient.prototype, "ask").mockImplementation(async function (this: object, ...given) {
    if (given[0] === "follow") throw new ThreadLostError("a thread cannot be started: EAGAIN");
    return await ask.apply(this as never, given);
  });
  onTestFinished(() => void asking.mockRestore());
  removeSqlite(file);
  const told = (...report: unknown[]) => reports.push(report);
  await using served = await openSearched({ directory, mostWaited: 599, isServed: true }, told);
  const index = served.search as SearchIndex;
  await index.followMeanwhile();
  const find = () => index.find({ text: "number 599" }, { limit: 9 });
  await expect(find()).rejects.toThrow(SearchIndexError);
  const problem = "the search index is behind the records: a thread cannot be started: EAGAIN";
  expect(reports.slice(1)).toEqual([[expect.stringContaining(problem), true]]);
  asking.mockRestore();
  await expect.poll(() => find().catch(String)).toMatchObject({ items: [{ iri: IDS[599] }] });
});

it("an index that is closed has no thread that still reads the store", async () => {
  removeSqlite(file);
  const index = new SearchIndex(directory, store);
  let hasEnded = false;
  const following = index.followMeanwhile().then(() => {
    hasEnded = true;
  });
  await index.close();
  await nextTurn();
  expect(hasEnded).toBe(true);
  await following;
});
