import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { generatedFiles } from "../../../src/model/generate/files.js";

describe("generated files", () => {
  it("are what the model generates (npm run generate writes them)", () => {
    for (const { path, content } of generatedFiles()) expect(readFileSync(path, "utf8"), path).toBe(content);
  });

  it("leave no stale frame behind", () => {
    const paths = generatedFiles().map(({ path }) => path);
    for (const name of readdirSync("frames")) expect(paths).toContain(`frames/${name}`);
  });
});
