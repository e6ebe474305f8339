import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { makeTemporaryDirectory, removeAbandoned, TemporaryFileError } from "../../src/base/temporary.js";
import { temporaryFolder } from "../temporary-folder.js";

let parent: string;
beforeEach(() => {
  parent = temporaryFolder(onTestFinished);
});

/** One more than the highest process id of Linux. */
const NO_PID = 2 ** 22 + 1;

/** Create the same directory as if by a process that has ended. */
function madeByEndedProcess(directory: string): string {
  const name = directory.replace(`-${process.pid}-`, `-${NO_PID}-`);
  mkdirSync(join(name, "below"), { recursive: true });
  writeFileSync(join(name, "below", "part-0"), "x");
  return name;
}

describe("temporary directories", () => {
  it("are removed once their process has ended, and nothing else is removed", async () => {
    const ours = [makeTemporaryDirectory(parent, "group"), makeTemporaryDirectory(parent, "dry-run")];
    const theirs = ours.map(madeByEndedProcess);
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

  it("need an existing parent directory", async () => {
    expect(() => makeTemporaryDirectory(join(parent, "none"), "group")).toThrow(TemporaryFileError);
    await removeAbandoned(join(parent, "none"));
  });
});
