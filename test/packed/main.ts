/** Packs, installs and tries out the package in an empty folder: `npm run packed`. It takes libraries from npm's cache, or else from the registry. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { install, pack, tryOut } from "./packed.js";

const folder = mkdtempSync(join(tmpdir(), "vitrine-packed-"));
try {
  const { file, paths } = await pack(folder);
  const begun = performance.now();
  const command = await install(file, folder);
  const installed = performance.now();
  await tryOut(command, folder);
  const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`;
  console.log(
    `${paths.length} files packed; installed in ${seconds(installed - begun)}, tried out in ${seconds(performance.now() - installed)}`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
