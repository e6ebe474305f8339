/** What a check finds where tables contradict the records. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { openEmbeddedForLoading } from "../../src/store/embedded/embedded-store.js";
import { problemsIn } from "../store/checked.js";
import { temporaryFolder } from "../temporary-folder.js";
import { makeSound, PLACES } from "./torn-pages.js";

const folder = temporaryFolder();
beforeAll(async () => {
  await makeSound(join(folder, "sound"));
});

it.each<[string, (database: Awaited<ReturnType<typeof openEmbeddedForLoading>>["database"]) => unknown, RegExp]>([
  ["counts", (it) => it.facts.putSync("state", { ...it.state, triples: 1 }), /says 1 for triples, and has 598/],
  ["numbers", (it) => it.numbers.clearSync(), /is not found by its number/],
  ["backlinks", (it) => it.backlinks.putSync(Buffer.alloc(14), Buffer.alloc(6)), /1 more backlinks are stored/],
  ["changes", (it) => it.changes.removeSync(Buffer.from([0, 0, 0, 0, 0, 0, 0, 9])), /change 10 follows change 8/],
  ["tombstones", (it) => it.tombstones.putSync(Buffer.from(`${PLACES}3`), Buffer.alloc(8)), /does not name a deletion/],
])("finds %s that contradict the records", async (name, spoil, problem) => {
  const damaged = join(folder, name);
  cpSync(join(folder, "sound"), damaged, { recursive: true });
  const store = await openEmbeddedForLoading(damaged);
  store.database.root.transactionSync(() => spoil(store.database));
  await store.close();
  expect((await problemsIn(damaged)).join("\n")).toMatch(problem);
});
