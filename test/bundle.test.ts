/** The bundles that the build makes of the sources. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

function textsIn(folder: string, extension: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(extension));
  return names.map((name) => readFileSync(join(folder, name), "utf8"));
}

// Messages between threads name the classes of errors, but a bundler renames a class if another module has one of the same name.
it("the build keeps the names of error classes", () => {
  const sources = textsIn("src", ".ts").join("\n");
  const errors = [...sources.matchAll(/^(?:export )?class (\w+) extends \w+(?:Error|Problem)\b/gm)].map(
    ([, name]) => name!,
  );
  expect(errors).toContain("StoreError");
  const renamed = new RegExp(`\\b(?:_(?:${errors.join("|")})|(?:${errors.join("|")})\\d+)\\b`, "g");
  expect(textsIn("dist", ".js").flatMap((text) => [...text.matchAll(renamed)].map(([name]) => name))).toEqual([]);
});
