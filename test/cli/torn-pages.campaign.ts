/** Every page of a store's file is torn, one after the other: each is found that anything is lost with. */
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { timesOf } from "../extent.js";
import { temporaryFolder } from "../temporary-folder.js";
import { makeSound, tornPages } from "./torn-pages.js";

it("any torn page is survived, and found where anything is lost with it", async () => {
  const folder = temporaryFolder(onTestFinished);
  await makeSound(join(folder, "sound"));
  const found = await tornPages(join(folder, "sound"), join(folder, "torn"), timesOf(1_000, 16));
  console.log(`torn-pages: ${found.length} pages torn, ${found.filter((status) => status === 1).length} of them found`);
  expect(new Set(found)).toEqual(new Set([0, 1]));
});
