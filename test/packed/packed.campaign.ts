/** Packs, installs and tries out the package in an empty folder. It takes libraries from npm's cache, or else from the registry. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { install, pack, query, tryOut } from "./packed.js";

it("runs in an empty folder where npm installed it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-packed-"));
  const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`;
  using _ = {
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  };
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
