/** The files of a site, and their list: whatever a killed build wrote, the next one removes, or writes again. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { LIST, SiteFiles } from "../../../src/cli/site/site-files.js";
import { temporaryFolder } from "../../temporary-folder.js";

const PAGE = { tag: '"page"', content: "a page" };

it("removes all that a killed build wrote of a record that is gone, also an incomplete file", async () => {
  const folder = temporaryFolder(onTestFinished);
  const source = join(temporaryFolder(onTestFinished), "picture.jpg");
  writeFileSync(source, "a picture");
  // A build that ends here does nothing more, as a killed one.
  const killed = new SiteFiles(folder, "edition");
  killed.write("object/1.ttl", PAGE, "object/1");
  await killed.copy("images/1.jpg", source);
  writeFileSync(join(folder, "object/1.ttl.partial"), "a p");
  const next = new SiteFiles(folder, "edition");
  next.write("index.html", PAGE);
  next.end(1, "mark");
  expect(readdirSync(folder).sort()).toEqual([LIST, "index.html"]);
});

it("takes no file for written that a killed build was writing", () => {
  const folder = temporaryFolder(onTestFinished);
  const first = new SiteFiles(folder, "edition");
  first.write("object/1.ttl", PAGE, "object/1");
  first.end(1, "mark");
  const list = readFileSync(join(folder, LIST), "utf8");
  const killed = new SiteFiles(folder, "edition");
  killed.write("object/1.ttl", { tag: '"other"', content: "another page" }, "object/1");
  const lines = readFileSync(join(folder, LIST), "utf8").slice(list.length).trimEnd().split("\n");
  // It was killed before it could say what it had written.
  writeFileSync(join(folder, LIST), `${list}${lines.slice(0, -1).join("\n")}\n`);
  const next = new SiteFiles(folder, "edition");
  expect(next.keepAll("object/1", [".ttl"])).toBe(false);
  next.write("object/1.ttl", PAGE, "object/1");
  next.end(2, "mark");
  expect(readFileSync(join(folder, "object/1.ttl"), "utf8")).toBe("a page");
  expect(readdirSync(folder).sort()).toEqual([LIST, "object"]);
});

it("lists nothing of what records said that are changed or gone", () => {
  const folder = temporaryFolder(onTestFinished);
  const sought = (content: string) => ({ url: "/", content, language: "en", meta: {}, filters: {}, sort: {} });
  const build = (sequence: number, ...said: readonly string[]): string => {
    const files = new SiteFiles(folder, "edition");
    for (const [at, content] of said.entries())
      files.write(`object/${at}.html`, { ...PAGE, tag: `"${sequence}"`, sought: sought(content) }, `object/${at}`);
    files.end(sequence, `mark ${sequence}`);
    return readFileSync(join(folder, LIST), "utf8");
  };
  expect(build(1, "a vase", "a forgery", "a secret")).toMatch(/a vase.*a forgery.*a secret/s);
  const list = build(2, "a vase", "a copy");
  expect(list).toMatch(/a vase.*a copy/s);
  expect(list).not.toMatch(/forgery|secret/);
});
