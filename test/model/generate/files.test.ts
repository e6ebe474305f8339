import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { modelFiles } from "../../../src/model/generate/files.js";

describe("files of the model", () => {
  it("are the same as generated (npm run generate writes them)", () => {
    for (const { path, content } of modelFiles()) expect(readFileSync(path, "utf8"), path).toBe(content);
  });

  it("include all frames, none of them stale", () => {
    const paths = modelFiles().map(({ path }) => path);
    for (const name of readdirSync("frames")) expect(paths).toContain(`frames/${name}`);
  });
});
