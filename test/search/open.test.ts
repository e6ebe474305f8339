import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { openSearched, openSearchedForLoading, rebuildSearch, searchProblems } from "../../src/search/open.js";
import { SEARCH_FILE } from "../../src/search/schema.js";
import { SearchIndex } from "../../src/search/search-index.js";
import { removeSqlite, Sqlite } from "../../src/search/sqlite.js";
import type { LoadableStore } from "../../src/store/open.js";
import { BASE, publish } from "../http/service.js";
import { CONTEXT_URI, graphOf } from "../jsonld/documents.js";
import { temporaryFolder } from "../temporary-folder.js";

const IDS = Array.from({ length: 600 }, (_, at) => `${BASE}/place/${at}`);

it("a search index stays as it was if its rebuilding is interrupted", () =>
  withRecords(async (directory) => {
    await expect(rebuildSearch({ directory }, AbortSignal.abort())).rejects.toThrow(/abort/i);
    await using store = await openSearched({ directory });
    const { items } = await store.search.find({ text: "number 599" }, { limit: 9 });
    expect(items.map(({ iri }) => iri)).toEqual([IDS[599]]);
    expect(await searchProblems({ directory })).toEqual([]);
  }));

it("a store whose search index lacks many records opens before it is built, and is searched afterwards", () =>
  withRecords(async (directory) => {
    removeSqlite(join(directory, SEARCH_FILE));
    // While another has the database, the index cannot be built.
    const other = new Sqlite(join(directory, SEARCH_FILE));
    other.exec("BEGIN IMMEDIATE");
    await using store = await openSearched({ directory, mostWaited: 599, isServed: true });
    const find = () => store.search.find({ text: "number 599" }, { limit: 9 });
    const [early, seventh] = await Promise.allSettled([find(), store.find(IDS[7]!)]);
    expect(early).toMatchObject({ reason: { message: expect.stringContaining("is being built") } });
    expect(seventh).toMatchObject({ value: { meta: { label: "Number 7" } } });
    other.close();
    await expect.poll(async () => (await find()).items.map(({ iri }) => iri), { timeout: 8_000 }).toEqual([IDS[599]]);
  }));

it("an index that is closed for good has no thread that still reads the store", () =>
  withRecords(async (directory, store) => {
    removeSqlite(join(directory, SEARCH_FILE));
    const index = new SearchIndex(directory, store);
    let hasEnded = false;
    const following = index.followMeanwhile().then(() => {
      hasEnded = true;
    });
    await index.close();
    await nextTurn();
    expect(hasEnded).toBe(true);
    await following;
  }));

/** Do work with a store of a few hundred records. */
async function withRecords(work: (directory: string, store: LoadableStore) => Promise<void>): Promise<void> {
  const directory = temporaryFolder(onTestFinished);
  await using store = await openSearchedForLoading({ directory });
  const documents = IDS.map((id, at) => ({ "@context": CONTEXT_URI, id, type: "Place", _label: `Number ${at}` }));
  await publish(store, documents.map(graphOf));
  await work(directory, store);
}
