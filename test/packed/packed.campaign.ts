/** Packs, installs and tries out the package in an empty folder. It takes libraries from npm's cache, or else from the registry. */
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../temporary-folder.js";
import { install, pack, query, tryOut } from "./packed.js";

it("runs in an empty folder where npm installed it", async () => {
  const folder = temporaryFolder(onTestFinished);
  const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`;
  const { file, paths } = await pack(folder);
  const begun = performance.now();
  const command = await install(file, folder);
  const installed = performance.now();
  await tryOut(command, folder);
  await query(command, folder);
  console.log(
    `packed: ${paths.length} files, installed in ${seconds(installed - begun)}, tried out in ${seconds(performance.now() - installed)}`,
  );
  expect(paths.length).toBeGreaterThan(0);
});
