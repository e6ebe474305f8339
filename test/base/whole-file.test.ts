import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { GrowingFile, replaceFileNow } from "../../src/base/whole-file.js";
import { temporaryFolder } from "../temporary-folder.js";

it("a file that cannot be replaced leaves no partial file behind", () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "tokens.json"));
  expect(() => replaceFileNow(join(folder, "tokens.json"), "[]")).toThrow(/EISDIR|EEXIST|ENOTEMPTY/);
  expect(existsSync(join(folder, "tokens.json.partial"))).toBe(false);
  replaceFileNow(join(folder, "others.json"), "[]");
  expect(readFileSync(join(folder, "others.json"), "utf8")).toBe("[]");
});

it("a file that grows is written where links lead, such as /dev/stdout, and keeps its mode", () => {
  const folder = temporaryFolder();
  const [file, link] = [join(folder, "file"), join(folder, "link")];
  writeFileSync(file, "before");
  chmodSync(file, 0o600);
  symlinkSync(file, link);
  const growing = new GrowingFile(link);
  growing.write("after");
  expect(readFileSync(link, "utf8")).toBe("before");
  growing.end();
  expect([readFileSync(file, "utf8"), lstatSync(link).isSymbolicLink()]).toEqual(["after", true]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
