/** The locks of a process on a search index, which keep another that closes the index from removing its write-ahead log. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SEARCH_FILE } from "../../src/search/schema.js";
import { SearchIndex } from "../../src/search/search-index.js";
import { LOG } from "../../src/search/sqlite.js";
import { bundled } from "../bundled.js";
import { SearchedStore } from "./searched-store.js";

const searched = new SearchedStore();
/** A process that reads the index and closes its connection before it ends: SQLite removes the log with the last connection. */
const CLOSING = `import { Sqlite } from "./src/search/sqlite.js";
const read = () => {
  const sqlite = new Sqlite(process.argv[2]);
  sqlite.exec("UPDATE fact SET mark = mark");
  sqlite.close();
};
read();
await new Promise((resolve) => setTimeout(resolve, 20));
gc();`;

it("a process that has checked the sums of the index keeps its locks", async () => {
  const path = join(searched.directory, SEARCH_FILE);
  const close = () => execFileSync(process.execPath, ["--expose-gc", bundled("closing-search", CLOSING), path]);
  await searched.publish({ "urn:a": { label: "Zebra" } });
  const index = new SearchIndex(searched.directory, searched.store);
  await index.follow();
  expect((await index.find({ text: "zebra" }, { limit: 1 })).total).toBe(1);
  close();
  expect(existsSync(path + LOG)).toBe(true);
  await searched.publish({ "urn:b": { label: "Zebra" } });
  expect((await index.find({ text: "zebra" }, { limit: 1 })).total).toBe(2);
  index.close();
});
