import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { generatedFiles } from "../../../src/model/generate/files.js";

describe("generated files", () => {
  it.each(generatedFiles().map(({ path, content }) => [path, content] as const))(
    "%s is what the model generates (npm run generate writes it)",
    (path, content) => {
      expect(readFileSync(path, "utf8")).toBe(content);
    },
  );

  it("leave no stale frame behind", () => {
    const paths = generatedFiles().map(({ path }) => path);
    for (const name of readdirSync("frames")) expect(paths).toContain(`frames/${name}`);
  });
});
