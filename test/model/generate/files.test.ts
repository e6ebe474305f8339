import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { modelFiles } from "../../../src/model/generate/files.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { ENDPOINTS } from "../../../src/model/tables/endpoints.js";

describe("files of the model", () => {
  it("are the same as generated (npm run generate writes them)", () => {
    for (const { path, content } of modelFiles()) expect(readFileSync(path, "utf8"), path).toBe(content);
  });

  it("include all frames, none of them stale", () => {
    const paths = modelFiles().map(({ path }) => path);
    for (const name of readdirSync("frames")) expect(paths).toContain(`frames/${name}`);
  });

  it("include frames that name the context, the endpoint's classes and then its properties in field table order", () => {
    const files = modelFiles({ ...DEFAULT_MODEL, contextUri: "https://example.org/context.json" });
    for (const { name, classes, fields } of ENDPOINTS) {
      const made = JSON.parse(files.find(({ path }) => path === `frames/${name}.json`)!.content);
      expect(made["@context"]).toBe("https://example.org/context.json");
      expect([made.type].flat()).toEqual(classes);
      expect(Object.keys(made)).toEqual([
        "@context",
        "type",
        "@embed",
        "@omitDefault",
        ...fields.map(({ property }) => property).filter((each) => !["@context", "id", "type"].includes(each)),
      ]);
    }
  });
});
