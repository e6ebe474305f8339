/** A search index that others have locked: searches and services do not wait for the lock, which would outlast the tests. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { expect, it, onTestFinished, vi } from "vitest";
import { openSearched, openSearchedForLoading, searchProblems } from "../../src/search/open.js";
import { SEARCH_FILE } from "../../src/search/schema.js";
import { SearchIndex, SearchIndexError } from "../../src/search/search-index.js";
import { OPENING_LOCK, removeSqlite, Sqlite } from "../../src/search/sqlite.js";
import { openForLoading } from "../../src/store/open.js";
import { startService } from "../http/service.js";
import { HAS_SMALL_DISKS, smallDisk } from "../load/small-disk.js";
import { SearchedStore, stagedOf } from "./searched-store.js";

const searched = new SearchedStore();
const path = (): string => join(searched.directory, SEARCH_FILE);
/** Publish a record that the index does not have. */
async function publishAlone(iri: string, label: string): Promise<void> {
  await searched.store.close();
  await using loading = await openForLoading({ directory: searched.directory });
  const stage = await loading.stage();
  await stage.put(stagedOf(iri, { label }));
  await stage.publish();
}

it("while another connection writes, searches use the state before, and a service opens at once", async () => {
  await searched.publish({ "urn:a": { label: "One" } });
  await publishAlone("urn:b", "Two");
  const writing = new Sqlite(path());
  writing.exec("BEGIN IMMEDIATE");
  writing.exec("DELETE FROM entity; DELETE FROM word");
  const served = await openSearched({ directory: searched.directory, mostWaited: 10, isServed: true });
  const find = async (text: string) => (await served.search.find({ text }, { limit: 2 })).items.map(({ iri }) => iri);
  expect(await find("one")).toEqual(["urn:a"]);
  expect(await find("two")).toEqual([]);
  const { values } = await served.search.facets({}, ["endpoint"], 9);
  expect(values.map(({ records }) => records)).toEqual([1]);
  writing.exec("ROLLBACK");
  writing.close();
  await expect.poll(() => find("two")).toEqual(["urn:b"]);
  await served.close();
});

it("a writer waits for another writer without blocking its thread, and then follows", async () => {
  await searched.publish({ "urn:a": { label: "One" } });
  await publishAlone("urn:b", "Two");
  await searched.open();
  const [writing, index] = [new Sqlite(path()), new SearchIndex(searched.directory, searched.store)];
  writing.exec("BEGIN IMMEDIATE");
  await expect(index.follow({ signal: AbortSignal.timeout(100) })).rejects.toThrow(/timeout/i);
  await expect(index.follow({ patience: 0 })).rejects.toMatchObject({ code: "SQLITE_BUSY" });
  let turns = 0;
  const turning = setInterval(() => turns++, 5);
  const followed = index.follow();
  const checked = index.problems();
  await expect.poll(() => turns).toBeGreaterThan(10);
  clearInterval(turning);
  writing.exec("ROLLBACK");
  writing.close();
  await followed;
  expect([await checked, index.sequence()]).toEqual([[], 2]);
  index.close();
});

it("a writer that cannot read the store leaves the index unlocked, and in its file", async () => {
  await searched.publish({ "urn:a": { label: "One" } });
  await publishAlone("urn:b", "Two");
  await searched.open();
  const { store, directory } = searched;
  let isFull = true;
  const take = () => {
    if (isFull) throw new Error("all readers of the store are in use");
    return store.snapshots.take();
  };
  const index = new SearchIndex(directory, { ...store, snapshots: { take } });
  const { ino } = statSync(path());
  await expect(index.follow()).rejects.toThrow("all readers");
  const other = new Sqlite(path());
  other.exec("BEGIN IMMEDIATE; ROLLBACK");
  other.close();
  isFull = false;
  await index.follow();
  expect([index.sequence(), statSync(path()).ino]).toEqual([2, ino]);
  index.close();
});

it("an index that cannot even be read gives 503 at once, with the time to try again", async () => {
  let file = "";
  const service = await startService({}, (directory) => {
    file = join(directory, SEARCH_FILE);
    return openSearchedForLoading({ directory });
  });
  // No other connection can open it, as while its log is recovered.
  removeSqlite(file);
  const exclusive = new Sqlite(file);
  exclusive.exec("PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE fact (edition)");
  try {
    for (const what of ["?text=x", "/facets"]) {
      const answer = await fetch(`${service.origin}/search/all${what}`);
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, expect.stringMatching(/^\d+$/)]);
      expect(await answer.json()).toMatchObject({ detail: expect.stringContaining("another process has locked it") });
    }
    expect(service.reported).toEqual([]);
    expect((await fetch(`${service.origin}/health`)).status).toBe(200);
    exclusive.close();
    const status = async () => (await fetch(`${service.origin}/search/all?text=x`)).status;
    await expect.poll(status).toBe(200);
  } finally {
    await service.stop();
  }
});

it("a search of a locked index says that it is locked", async () => {
  removeSqlite(path());
  const exclusive = new Sqlite(path());
  exclusive.exec("PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE fact (edition)");
  const index = new SearchIndex(searched.directory, searched.store);
  await expect(index.find({ text: "one" }, { limit: 1 })).rejects.toThrow(SearchIndexError);
  expect(index.sequence()).toBeUndefined();
  index.close();
  exclusive.close();
});

it("an index is opened or removed by one connection at a time", async () => {
  await searched.publish({ "urn:a": { label: "Zebra" } });
  const [damaged, other] = [0, 1].map(() => new SearchIndex(searched.directory, searched.store)) as [
    SearchIndex,
    SearchIndex,
  ];
  const find = async () => (await damaged.find({ text: "zebra" }, { limit: 1 })).items.map(({ iri }) => iri);
  await find();
  const inode = (): number => statSync(path()).ino;
  const first = inode();
  const sqlite = new Sqlite(path());
  sqlite.exec("DROP TABLE word");
  sqlite.close();
  const held = new Libsql(path() + OPENING_LOCK);
  held.exec("BEGIN EXCLUSIVE");
  expect(other.sequence()).toBeUndefined();
  await expect(damaged.find({ text: "zebra again" }, { limit: 1 })).rejects.toThrow(SearchIndexError);
  expect(inode()).toBe(first);
  held.close();
  await expect.poll(inode).not.toBe(first);
  await expect.poll(() => find().catch(String)).toEqual(["urn:a"]);
  damaged.close();
  other.close();
});

it("a service opens a store whose search index cannot be opened, and searches once it can", async () => {
  await searched.publish({ "urn:a": { label: "One" } });
  await searched.store.close();
  rmSync(path() + OPENING_LOCK);
  mkdirSync(path() + OPENING_LOCK);
  const report = vi.fn();
  const served = await openSearched({ directory: searched.directory, mostWaited: 10, isServed: true }, report);
  const barred = expect.stringMatching(
    /cannot be opened or written to: .*search\.sqlite-lock.*; see that its disk has room/,
  );
  expect(report.mock.lastCall).toEqual([barred, true]);
  const find = () => served.search.find({ text: "one" }, { limit: 1 });
  await expect(find()).rejects.toThrow(/cannot be opened or written to: .*search\.sqlite-lock/);
  await expect(searchProblems({ directory: searched.directory })).rejects.toThrow(SearchIndexError);
  rmdirSync(path() + OPENING_LOCK);
  expect((await find()).items).toHaveLength(1);
  await served.close();
});

it("empties a lock file in which something was written", async () => {
  await searched.publish({ "urn:a": { label: "One" } });
  writeFileSync(path() + OPENING_LOCK, "no database, but as long as the head of one: ".repeat(100));
  expect(await searchProblems({ directory: searched.directory })).toEqual([]);
  expect(statSync(path() + OPENING_LOCK).size).toBe(0);
});

it.skipIf(!HAS_SMALL_DISKS)("an index on a full or read-only disk is no damage", async () => {
  await searched.publish({ "urn:a": { label: "One" } });
  await searched.store.close();
  const disk = smallDisk(4)!;
  onTestFinished(() => disk.remove());
  const directory = join(disk.path, "store");
  cpSync(searched.directory, directory, { recursive: true });
  spawnSync("dd", ["if=/dev/zero", `of=${join(disk.path, "full")}`, "bs=4k"]);
  await expect(searchProblems({ directory })).rejects.toThrow(
    /cannot be opened or written to: database or disk is full/,
  );
  rmSync(join(disk.path, "full"));
  expect(spawnSync("mount", ["-o", "remount,ro", disk.path]).status).toBe(0);
  expect(await searchProblems({ directory })).toEqual([]);
});
