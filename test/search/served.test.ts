/** The search index in a service, which searches in a thread. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { WorkerClient } from "../../src/base/worker-client.js";
import { openSearched } from "../../src/search/open.js";
import { SEARCH_FILE } from "../../src/search/schema.js";
import { MAX_SEARCHES_WAITING, SearchIndexError } from "../../src/search/search-index.js";
import { removeSqlite, Sqlite } from "../../src/search/sqlite.js";
import { InvalidCursorError } from "../../src/store/errors.js";
import type { Search, SearchQuery } from "../../src/store/search.js";
import { SearchedStore } from "./searched-store.js";

const searched = new SearchedStore();

const RECORDS = {
  "urn:water": {
    label: "Water Lilies",
    maker: "urn:monet Claude Monet",
    years: ["1906", "1906"],
    type: "urn:painting",
  },
  "urn:bridge": { label: "The Bridge", maker: "urn:monet Claude Monet", years: ["1899", "1900"], type: "urn:painting" },
  "urn:monet": { label: "Claude Monet", names: ["Claude Monet"], endpoint: "person" },
  "urn:painting": { label: "painting", names: ["painting"], endpoint: "concept" },
} as const;

const QUERIES: readonly SearchQuery[] = [
  {},
  { text: "monet" },
  { text: "water lilly" },
  { text: "monet", sort: "-date" },
  { text: "monet", isAsWritten: true },
  { name: "nobody" },
  { relations: [{ property: "carried_out_by", target: "urn:monet" }], begins: 1900 },
  { related: { relation: "objectClassifiedAsConcept", iri: "urn:painting" } },
];

/** All that a search answers to a query. */
async function answers(search: Search, query: SearchQuery) {
  const first = await search.find(query, { limit: 1, hasReasons: true });
  const second = first.next === undefined ? undefined : await search.find(query, { limit: 1, after: first.next });
  const parts: (readonly string[])[] = [];
  for await (const part of search.all(query, 1)) parts.push(part);
  const facets = await search.facets(query, ["endpoint", "carried_out_by", "decade"], 9);
  return { first, second, parts, facets, letters: await search.letters(query) };
}

it("searches in a thread answer what others do, with the same errors", async () => {
  await searched.publish(RECORDS);
  await using served = await openSearched({ directory: searched.directory, isServed: true });
  for (const query of QUERIES)
    expect(await answers(served.search, query)).toEqual(await answers(searched.search, query));
  await expect(served.search.find({ text: "monet" }, { limit: 1, after: "?" })).rejects.toThrow(InvalidCursorError);
});

it("searches are refused while too many wait for the thread", async () => {
  await searched.publish(RECORDS);
  await using served = await openSearched({ directory: searched.directory, isServed: true });
  const asked = Array.from({ length: MAX_SEARCHES_WAITING + 8 }, (_, at) =>
    served.search.find({ begins: at }, { limit: 1 }),
  );
  const outcomes = await Promise.allSettled(asked);
  const refused = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason as Error] : []));
  expect(refused).toHaveLength(8);
  for (const error of refused) {
    expect(error).toBeInstanceOf(SearchIndexError);
    expect(error.message).toContain("answers other searches first: try again later");
  }
});

it("the thread answers once what several clients ask at once", async () => {
  await searched.publish(RECORDS);
  await using served = await openSearched({ directory: searched.directory, isServed: true });
  const asking = vi.spyOn(WorkerClient.prototype, "ask");
  const find = () => served.search.find({ text: "monet" }, { limit: 1 });
  const [one, ...others] = await Promise.all([find(), find(), find()]);
  for (const other of [...others, await find()]) expect(other).toEqual(one);
  expect(asking).toHaveBeenCalledTimes(1);
  asking.mockRestore();
});

it("what nobody waits for any more is not searched for, unless another client asks the same", async () => {
  await searched.publish(RECORDS);
  await using served = await openSearched({ directory: searched.directory, isServed: true });
  const [gone, stays] = [new AbortController(), new AbortController()];
  const find = (client: string, { signal }: AbortController, text: string) =>
    served.search.for({ client, signal }).find({ text }, { limit: 1 });
  const before = ["lilies", "bridge"].map((text) => find("before", stays, text));
  const left = ["monet", "painting"].map((text) => find("leaves", gone, text));
  const asked = find("stays", stays, "monet");
  gone.abort();
  const [, painting] = await Promise.allSettled(left);
  expect(painting).toMatchObject({ status: "rejected", reason: expect.any(SearchIndexError) });
  expect((await Promise.all([...before, asked])).map(({ total }) => total)).toEqual([1, 1, 3]);
});

it("searches of a thread that ends are refused, which is reported, and another thread answers the next", async () => {
  await searched.publish(RECORDS);
  const reports: unknown[] = [];
  const report = (...told: unknown[]) => void reports.push(told);
  await using served = await openSearched({ directory: searched.directory, isServed: true }, report);
  const asking = vi.spyOn(WorkerClient.prototype, "ask");
  const first = await served.search.find({ text: "water" }, { limit: 1 });
  const ended = (asking.mock.contexts[0] as WorkerClient<never>).terminate();
  asking.mockRestore();
  await expect(served.search.find({ text: "bridge" }, { limit: 1 })).rejects.toThrow(SearchIndexError);
  await ended;
  expect(reports).toEqual([[expect.stringContaining("the thread that searches ended in the middle"), true]]);
  expect(await served.search.find({ text: "Water" }, { limit: 1 })).toEqual(first);
});

it("damage that the thread met does not remove another index that has taken the place", async () => {
  await searched.publish(RECORDS);
  await using served = await openSearched({ directory: searched.directory, isServed: true });
  const path = join(searched.directory, SEARCH_FILE);
  const sqlite = new Sqlite(path);
  sqlite.exec("DROP TABLE word");
  sqlite.close();
  const { ask } = WorkerClient.prototype;
  const inodes: number[] = [];
  const asking = vi.spyOn(WorkerClient.prototype, "ask").mockImplementation(async function (this: object, ...given) {
    return await ask.apply(this as never, given).catch(async (error) => {
      asking.mockRestore();
      removeSqlite(path);
      await using _ = await openSearched({ directory: searched.directory });
      await served.search.find({ text: "bridge" }, { limit: 1 });
      inodes.push(statSync(path).ino);
      throw error;
    });
  });
  await expect(served.search.find({ text: "water" }, { limit: 1 })).rejects.toThrow(SearchIndexError);
  expect(statSync(path).ino).toBe(inodes[0]);
  expect((await served.search.find({ text: "water" }, { limit: 1 })).items).toHaveLength(1);
});
