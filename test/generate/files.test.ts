import { readFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bringUpToDate, generatedFiles } from "../../generate/files.js";
import { modelFiles } from "../../src/model/generate/files.js";
import { temporaryFolder } from "../temporary-folder.js";

const FILES = await generatedFiles();
const PATHS = FILES.map(({ path }) => path);
/** What the tests of the model compare. */
const MODEL = new Set(modelFiles().map(({ path }) => path));

it("pages and the schema of settings are what the tables generate (npm run generate writes them)", () => {
  const others = FILES.filter(({ path }) => !MODEL.has(path));
  expect(others.length).toBeGreaterThan(0);
  for (const { path, content } of others) expect(readFileSync(path, "utf8"), path).toBe(content);
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
