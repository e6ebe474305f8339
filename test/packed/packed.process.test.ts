/** The package as it would be published: what is in it, and that it runs with nothing else. The campaign `packed` installs it, too. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { pack, tryOut, unpack } from "./packed.js";

let folder: string;
let packed: Awaited<ReturnType<typeof pack>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-packed-"));
  packed = await pack(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));

it("has what runs and what is read, and nothing of the workshop", () => {
  const folders = new Set(packed.paths.map((path) => path.split("/")[0]));
  const files = ["LICENSE", "README.md", "package.json"];
  const expected = ["assets", "bin", "data", "deploy", "dist", "docs", "frames", "schemas", "shapes", ...files];
  expect([...folders].sort()).toEqual(expected.sort());
  expect(packed.paths.filter((path) => /\.test\.|tsbuildinfo|\.tsx?$/.test(path) && !path.endsWith(".d.ts"))).toEqual(
    packed.paths.filter((path) => path === "data/make-quads.ts"),
  );
});

it("runs in an empty folder, with the libraries that it names", async () => {
  await tryOut(await unpack(packed.file, folder), folder, "place");
});
