/** The tables of limits, from which docs/run/limits.md is generated (`npx vitest run test/limits.test.ts -u` writes it). */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { READING_SETTINGS, SERVING_SETTINGS } from "../src/cli/settings/table.js";
import { HTTP_LIMITS } from "./http/limits.js";
import { type Limit, LOAD_LIMITS } from "./load/limits.js";
import { QUERY_LIMITS } from "./query/limits.js";

const TABLES = [
  { title: "Loading", of: "`load` and `validate`", limits: LOAD_LIMITS, options: READING_SETTINGS },
  {
    title: "HTTP",
    of: "each process that serves",
    limits: HTTP_LIMITS,
    options: SERVING_SETTINGS,
  },
  { title: "Queries", of: "`/sparql`", limits: QUERY_LIMITS, options: SERVING_SETTINGS },
];

function rowOf({ value, option, of, beyond }: Limit, options: (typeof TABLES)[number]["options"]): string {
  const setting = options.find(({ name }) => name === option);
  const given = setting?.default;
  const number = value ?? (given === undefined ? undefined : Number(given));
  const most = number === undefined ? "any" : number.toLocaleString("en");
  return `| ${most} | ${of} | ${setting === undefined ? "" : `\`${setting.kind === "setting" ? "--" : ""}${setting.name}\``} | ${beyond} |`;
}

function page(): string {
  const sections = TABLES.flatMap(({ title, of, limits, options }) => [
    `## ${title}: ${of}`,
    "",
    "| at most | of | setting | beyond it |",
    "| ---: | --- | --- | --- |",
    ...limits.map((limit) => rowOf(limit, options)),
    "",
  ]);
  return [
    "# Limits",
    "",
    "The limits, their settings, and what happens beyond them. `test/limits.test.ts` makes the tables from the values in the program, which `test/load/limits.ts`, `test/http/limits.ts` and `test/query/limits.ts` list; `test/limit-sides.test.ts` tests limits from both sides.",
    "",
    ...sections,
  ].join("\n");
}

describe("the limits", () => {
  it("are documented with their present values", async () => {
    await expect(page()).toMatchFileSnapshot("../docs/run/limits.md");
  });

  it.each(TABLES)("of $title have a value or an existing option, and different names", ({ limits, options }) => {
    for (const { name, value, option } of limits) {
      expect(value ?? option, name).toBeDefined();
      if (option !== undefined)
        expect(
          options.map((each) => each.name),
          name,
        ).toContain(option);
    }
    expect(new Set(limits.map(({ name }) => name)).size).toBe(limits.length);
  });

  it("are in no other table of the documentation", () => {
    const files = readdirSync("docs", { recursive: true, encoding: "utf8" });
    for (const file of files.filter((name) => name.endsWith(".md") && name !== join("run", "limits.md"))) {
      const text = readFileSync(join("docs", file), "utf8");
      for (const { of } of [...HTTP_LIMITS, ...QUERY_LIMITS, ...LOAD_LIMITS])
        expect(text, file).not.toContain(`| ${of} |`);
    }
  });
});
