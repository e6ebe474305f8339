import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { replaceFileNow } from "../../src/base/whole-file.js";
import { temporaryFolder } from "../temporary-folder.js";

it("a file that cannot be replaced leaves no partial file behind", () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "tokens.json"));
  expect(() => replaceFileNow(join(folder, "tokens.json"), "[]")).toThrow(/EISDIR|EEXIST|ENOTEMPTY/);
  expect(existsSync(join(folder, "tokens.json.partial"))).toBe(false);
  replaceFileNow(join(folder, "others.json"), "[]");
  expect(readFileSync(join(folder, "others.json"), "utf8")).toBe("[]");
});
