import { readdirSync, readFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bringUpToDate, generatedFiles } from "../../generate/files.js";
import { temporaryFolder } from "../temporary-folder.js";

const FILES = await generatedFiles();
const PATHS = FILES.map(({ path }) => path);

describe("generated files", () => {
  it("are what the tables generate (npm run generate writes them)", () => {
    for (const { path, content } of FILES) expect(readFileSync(path, "utf8"), path).toBe(content);
  });

  it("leave no stale frame behind", () => {
    for (const name of readdirSync("frames")) expect(PATHS).toContain(`frames/${name}`);
  });
});

describe("bringing files up to date", () => {
  const folder = temporaryFolder();

  it("names missing files where it only checks, writes them, and finds none until one differs", async () => {
    const named: string[] = [];
    const bring = async (isCheck: boolean) => {
      named.length = 0;
      return bringUpToDate(folder, isCheck, (text) => named.push(text.split(" ")[0]!));
    };
    expect([await bring(true), named]).toEqual([false, PATHS]);
    expect([await bring(false), named]).toEqual([false, PATHS]);
    expect([await bring(true), named]).toEqual([true, []]);
    await appendFile(join(folder, "frames/place.json"), " ");
    expect([await bring(true), named]).toEqual([false, ["frames/place.json"]]);
  });
});
