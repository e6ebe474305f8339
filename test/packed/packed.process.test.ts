import { beforeAll, expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.js";
import { pack, tryOut, unpack } from "./packed.js";

const folder = temporaryFolder();
let packed: Awaited<ReturnType<typeof pack>>;
beforeAll(async () => {
  packed = await pack(folder);
});

it("has what runs and what is read, and nothing of the workshop", () => {
  const folders = new Set(packed.paths.map((path) => path.split("/")[0]));
  const files = ["LICENSE", "README.md", "package.json"];
  const expected = ["assets", "bin", "data", "deploy", "dist", "docs", "frames", "schemas", "shapes", ...files];
  expect([...folders].sort()).toEqual(expected.sort());
  expect(packed.paths.filter((path) => /\.test\.|\.map$|\.tsx?$/.test(path))).toEqual(["data/make-quads.ts"]);
});

it("runs in an empty folder, with the libraries that it names", async () => {
  await tryOut(await unpack(packed.file, folder), folder, "place");
});
