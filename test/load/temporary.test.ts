import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { TemporaryFileError } from "../../src/load/errors.js";
import { makeTemporaryDirectory, removeAbandoned } from "../../src/load/temporary.js";
import { temporaryFolder } from "../temporary-folder.js";

let parent: string;
beforeEach(() => {
  parent = temporaryFolder(onTestFinished);
});

/** One more than Linux gives any process. */
const NO_PID = 2 ** 22 + 1;

/** The same directory, as if a process that has ended had made it. */
function madeByTheDead(directory: string): string {
  const name = directory.replace(`-${process.pid}-`, `-${NO_PID}-`);
  mkdirSync(join(name, "below"), { recursive: true });
  writeFileSync(join(name, "below", "part-0"), "x");
  return name;
}

describe("temporary directories", () => {
  it("are removed once their process is gone, and nothing else is", async () => {
    const ours = [makeTemporaryDirectory(parent, "group"), makeTemporaryDirectory(parent, "dry-run")];
    const theirs = ours.map(madeByTheDead);
    const others = [
      join(parent, "vitrine-store-1-abc"),
      theirs[0]!.replace("vitrine-group-", "vitrine-group-elsewhere."),
      join(parent, "notes"),
    ];
    for (const other of others) mkdirSync(other);
    await removeAbandoned(parent);
    expect(theirs.map((directory) => existsSync(directory))).toEqual([false, false]);
    expect(readdirSync(parent).sort()).toEqual(
      [...ours, ...others].map((path) => path.slice(parent.length + 1)).sort(),
    );
  });

  it("need a place to be in", async () => {
    expect(() => makeTemporaryDirectory(join(parent, "none"), "group")).toThrow(TemporaryFileError);
    await removeAbandoned(join(parent, "none"));
  });
});
