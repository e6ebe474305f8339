import { execFile } from "node:child_process";
import { appendFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { generatedFiles } from "../../generate/files.js";
import { temporaryFolder } from "../temporary-folder.js";

const MAIN = resolve("generate/main.ts");
const TSX = fileURLToPath(import.meta.resolve("tsx"));

describe("npm run generate", () => {
  const folder = temporaryFolder();

  /** Runs the command in the folder: its exit status and the files that it names. */
  function generate(...args: string[]): Promise<{ status: number; named: string[] }> {
    return new Promise((done) => {
      execFile(process.execPath, ["--import", TSX, MAIN, ...args], { cwd: folder }, (error, _stdout, stderr) => {
        const named = stderr.split("\n").filter((line) => line !== "");
        done({ status: error === null ? 0 : Number(error.code), named: named.map((line) => line.split(" ")[0]!) });
      });
    });
  }

  it("--check names missing files and fails, writing writes them, --check then passes until one differs", async () => {
    const paths = (await generatedFiles()).map(({ path }) => path);
    expect(await generate("--check")).toEqual({ status: 1, named: paths });
    expect(await generate()).toEqual({ status: 0, named: paths });
    expect(await generate("--check")).toEqual({ status: 0, named: [] });
    await appendFile(join(folder, "frames/place.json"), " ");
    expect(await generate("--check")).toEqual({ status: 1, named: ["frames/place.json"] });
  });
});
