/** What a check finds where tables contradict the records. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { openEmbeddedForLoading } from "../../src/store/embedded/embedded-store.js";
import { checkEmbedded } from "../../src/store/embedded/maintenance/check/check.js";
import { problemsIn } from "../store/checked.js";
import { graphOf, stagedObject } from "../store/records.js";
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

it("says that it must be repeated if a load changed the store meanwhile, also one that only moves records to its source", async () => {
  const directory = join(folder, "moved");
  await using store = await openEmbeddedForLoading(directory);
  const load = async (source: string): Promise<void> => {
    const stage = await store.stage({ source });
    for (let number = 0; number < 1_500; number++) await stage.put(stagedObject(graphOf(`urn:${number}`)));
    await stage.publish();
  };
  await load("first");
  const check = async (): Promise<void> => {
    for await (const { records } of checkEmbedded(directory)) if (records === 1_000) await load("second");
  };
  await expect(check()).rejects.toThrow("changed while it was checked, by a load: check again");
  expect(await problemsIn(directory)).toEqual([]);
});
