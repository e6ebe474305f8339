/** Checksums of the pages of a search index, which find bits that flip while it is in use. */
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { openSearched } from "../../src/search/open.js";
import { checkSums, knownSums, writeSums } from "../../src/search/page-sums.js";
import { indexStateOf, SEARCH_FILE } from "../../src/search/schema.js";
import { SearchIndex, SearchIndexError } from "../../src/search/search-index.js";
import { LOG, OPENING_LOCK, Sqlite, SUMS } from "../../src/search/sqlite.js";
import { SearchedStore } from "./searched-store.js";

const searched = new SearchedStore();
const path = (): string => join(searched.directory, SEARCH_FILE);
const inode = (): number => statSync(path()).ino;
const HOUR = 3_600_000;
const DAMAGE = expect.stringMatching(
  /^the search index is damaged \(page \d+ is not what was written\), and is built anew$/,
);

afterEach(() => void vi.useRealTimers());

/** Flip a bit in the last occurrence of a word in a file. */
function flip(word: string, file = path()): void {
  const at = readFileSync(file).lastIndexOf(word);
  expect(at).toBeGreaterThan(0);
  const open = openSync(file, "r+");
  writeSync(open, Buffer.from([word.charCodeAt(0) ^ 1]), 0, 1, at);
  closeSync(open);
}

async function found(text: string): Promise<string[]> {
  const index = new SearchIndex(searched.directory, searched.store);
  const { items } = await index.find({ text }, { limit: 9 }).finally(() => index.close());
  return items.map(({ iri }) => iri);
}

it("checksums find a bit that flips under a service within an hour, and the index is built anew", async () => {
  await searched.publish({ "urn:a": { label: "Zebra" }, "urn:b": { label: "Lion" } });
  await searched.store.close();
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const reports: unknown[] = [];
  const served = await openSearched({ directory: searched.directory, mostWaited: 9, isServed: true }, (...report) =>
    reports.push(report),
  );
  const first = inode();
  flip("zebra");
  vi.advanceTimersByTime(HOUR - 1);
  await served.search.find({ text: "lion" }, { limit: 1 });
  expect(inode()).toBe(first);
  vi.advanceTimersByTime(1);
  vi.useRealTimers();
  const zebras = async () => {
    const { items } = await served.search.find({ text: "zebra" }, { limit: 1 });
    return items.map(({ iri }) => [iri, inode() !== first]);
  };
  await expect.poll(() => zebras().catch(String)).toEqual([["urn:a", true]]);
  // An operator must know of a disk that changes bits.
  await expect.poll(() => reports).toEqual([[DAMAGE, true]]);
  await served.close();
  await searched.open();
});

it("checksums are checked while a service already answers: after a flipped bit, searches are refused until the index is built anew", async () => {
  await searched.publish({ "urn:a": { label: "Zebra" }, "urn:b": { label: "Lion" } });
  await searched.store.close();
  const first = inode();
  flip("zebra");
  const reports: string[] = [];
  const served = await openSearched({ directory: searched.directory, mostWaited: 9 }, (report) => reports.push(report));
  expect((await served.find("urn:a"))?.meta.label).toBe("Zebra");
  await expect(served.search.find({ text: "lion" }, { limit: 1 })).rejects.toThrow(/is being built/);
  const lions = async () => (await served.search.find({ text: "lion" }, { limit: 1 })).items.map(({ iri }) => iri);
  await expect.poll(() => lions().catch(String)).toEqual(["urn:b"]);
  expect([inode() === first, reports]).toEqual([false, [DAMAGE]]);
  await served.close();
  await searched.open();
});

it("checksums are those of the state that is read, also of newer pages in the write-ahead log, and are checked part by part", async () => {
  await searched.publish({ "urn:a": { label: "Zebra" } });
  // A reader of an older state keeps the log from being emptied.
  const reading = new Sqlite(path());
  reading.exec("BEGIN; SELECT * FROM fact");
  await searched.publish({ "urn:b": { label: "Lion" } });
  expect(statSync(path() + LOG).size).toBeGreaterThan(0);
  const first = inode();
  const check = (sqlite: Sqlite, count: number): number => 1 + [...checkSums(sqlite, count)].length;
  const sqlite = new Sqlite(path());
  const [pages] = sqlite.row<[number]>("PRAGMA page_count")!;
  for (const count of [1, 7, pages - 1, pages, 1_000]) expect(check(sqlite, count)).toBe(Math.ceil(pages / count));
  sqlite.close();
  await new SearchIndex(searched.directory, searched.store).follow({ pause: 0 });
  expect([inode(), knownSums(reading, indexStateOf(reading)!.state)]).toEqual([first, undefined]);
  flip("lion", path() + LOG);
  const other = new Sqlite(path());
  expect(() => check(other, 7)).toThrow(/page \d+ is not what was written/);
  other.close();
  reading.close();
  await new SearchIndex(searched.directory, searched.store).follow({ pause: 0 });
  expect([inode() === first, await found("lion")]).toEqual([false, ["urn:b"]]);
});

it("unknown checksums are written once no other connection writes", async () => {
  await searched.publish({ "urn:a": { label: "Zebra" } });
  const [sqlite, writing] = [new Sqlite(path()), new Sqlite(path())];
  const { state } = indexStateOf(sqlite)!;
  const sums = knownSums(sqlite, state)!;
  rmSync(path() + SUMS);
  writing.exec("BEGIN IMMEDIATE");
  expect(() => [...checkSums(sqlite, 1_000)]).toThrow(/locked/);
  expect(knownSums(sqlite, state)).toBeUndefined();
  writing.exec("ROLLBACK");
  expect([...checkSums(sqlite, 1_000)]).toEqual([]);
  expect(knownSums(sqlite, state)).toEqual(sums);
  sqlite.close();
  writing.close();
});

it("checksums of all pages are written if no write-ahead log says which pages changed", async () => {
  await searched.publish({ "urn:a": { label: "Zebra" } });
  const copy = `${path()}.copy`;
  copyFileSync(path(), copy);
  const sqlite = new Sqlite(copy);
  sqlite.exec("PRAGMA journal_mode = DELETE");
  expect(existsSync(copy + LOG)).toBe(false);
  const { state } = indexStateOf(sqlite)!;
  writeSums(sqlite, state, new Uint32Array(3));
  // The first page differs, as it says how changes are written.
  expect(knownSums(sqlite, state)?.slice(1)).toEqual(knownSums({ path: path() }, state)?.slice(1));
  writeSums(sqlite, state + 1);
  expect(knownSums(sqlite, state + 1)).toBeUndefined();
  sqlite.close();
});

it("damage to an index does not remove another that has taken its place", async () => {
  await searched.publish({ "urn:a": { label: "Zebra" } });
  const index = new SearchIndex(searched.directory, searched.store);
  expect((await index.find({ text: "zebra" }, { limit: 1 })).items).toHaveLength(1);
  flip("zebra");
  const beside = new SearchIndex(searched.directory, searched.store);
  await Promise.all([index.followMeanwhile(), beside.followMeanwhile(1)]);
  beside.close();
  expect(await index.problems()).toEqual([]);
  expect((await index.find({ text: "zebra" }, { limit: 1 })).items).toHaveLength(1);
  index.close();
});

it("damage that cannot be removed ends nothing: the next search meets it", async () => {
  await searched.publish({ "urn:a": { label: "Zebra" } });
  const index = new SearchIndex(searched.directory, searched.store);
  onTestFinished(() => index.close());
  expect(index.sequence()).toBe(1);
  flip("zebra");
  // As on a disk that can only be read since it met an error, no file of the index can be opened anew.
  rmSync(path() + OPENING_LOCK);
  mkdirSync(path() + OPENING_LOCK);
  await index.follow({ checksLater: true });
  await expect(index.find({ text: "zebra" }, { limit: 1 })).rejects.toThrow(SearchIndexError);
});
