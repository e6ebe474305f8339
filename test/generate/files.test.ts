import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { generatedFiles } from "../../generate/files.js";

describe("generated files", () => {
  it("are what the tables generate (npm run generate writes them)", async () => {
    for (const { path, content } of await generatedFiles()) expect(readFileSync(path, "utf8"), path).toBe(content);
  });

  it("leave no stale frame behind", async () => {
    const paths = (await generatedFiles()).map(({ path }) => path);
    for (const name of readdirSync("frames")) expect(paths).toContain(`frames/${name}`);
  });
});
