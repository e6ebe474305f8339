/** What README.md, docs/ and their neighbours name is there, and all that can be run of them is known. */
import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { allCommands } from "../../src/cli/main/commands.js";
import { COMMON_OPTIONS } from "../../src/cli/settings/common.js";
import { LIMITED_COSTS } from "../../src/http/routes/cost.js";
import { blocksOf, filesIn, NO_STEPS, PAGES, pathOf, README, type Step, stepsOf, textOf } from "./pages.js";
import { beginningOf, NOT_RUN, ROWS, ROWS_OF, type Rows } from "./rows.js";

const STEPS = PAGES.flatMap(stepsOf);
/** What looks like an option, and is one of Docker or GoAccess, or a property of a style sheet. */
const NO_OPTIONS = ["pid", "accent", "paper", "serif", "ignore-crawlers", "crawlers-only", "cpu-prof"];

describe("the documentation", () => {
  it("has commands of known kinds only", () => {
    for (const { text } of STEPS.filter(({ language }) => language === "sh"))
      expect(text).toMatch(/^(npm|curl|cp|vitrine|node|docker|pyshacl|echo .* \| vitrine) /);
    const counts = Object.keys(ROWS_OF).map((page) => stepsOf(page).length);
    expect(counts).toEqual(counts.map((count) => expect.toSatisfy(() => count > 3)));
    expect(STEPS.length).toBeGreaterThan(150);
  });

  it("has what is listed of it", () => {
    const ownOf = ({ page, text }: Step): string | undefined => beginningOf(ROWS_OF[page] ?? {}, text);
    const unused = (rows: Rows, used: readonly (string | undefined)[]): string[] =>
      Object.keys(rows).filter((beginning) => !used.includes(beginning));
    const shared = STEPS.filter((step) => ownOf(step) === undefined).map(({ text }) => beginningOf(ROWS, text));
    expect(unused(ROWS, shared)).toEqual([]);
    for (const [page, rows] of Object.entries(ROWS_OF)) expect(unused(rows, stepsOf(page).map(ownOf))).toEqual([]);
    expect(NOT_RUN.filter(([beginning]) => !STEPS.some(({ text }) => text.startsWith(beginning)))).toEqual([]);
    const begun = NO_STEPS.filter(([page, beginning]) =>
      blocksOf(page).some(({ lines }) => lines[0]!.startsWith(beginning)),
    );
    expect(begun).toEqual(NO_STEPS);
  });

  it("is named, page by page, by docs/README.md, and each script of docs/publish/prepare by its page", () => {
    const pages = PAGES.filter((page) => ![README, "README.md"].includes(page));
    expect(pages.filter((page) => !textOf("README.md").includes(`](${page})`))).toEqual([]);
    const shared = ["parts", "dates", "images"].map((name) => `publish/prepare/${name}.mjs`);
    const scripts = filesIn("publish/prepare", ".mjs").filter((path) => !shared.includes(path));
    expect(scripts.filter((path) => !textOf("publish/prepare.md").includes(`docs/${path}`))).toEqual([]);
  });

  it("says of limits and of what HTTP may change what the program does", () => {
    expect(textOf("use/http.md")).toContain(`(${LIMITED_COSTS.join(", ")})`);
    expect(textOf("run/security.md")).toContain("without a token changes the collection");
    expect(textOf("run/operation.md")).toMatch(/the old IRIs lead to the new ones \(301/);
  });

  it("names commands, options, scripts and campaigns that there are", async () => {
    const known = new Map((await allCommands()).map((each) => [each.name, [...each.options, ...COMMON_OPTIONS]]));
    known.set("help", []);
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: object };
    const campaigns = readdirSync("test", { recursive: true, encoding: "utf8" });
    const all = new Set([...known.values()].flat().map((option) => option.name));
    const wrong: string[] = [];
    for (const path of [...PAGES.map(pathOf), "CONTRIBUTING.md", "SECURITY.md"]) {
      const text = readFileSync(path, "utf8");
      for (const [, spoken, name] of text.matchAll(/`(vitrine ([a-z-]+)[^`]*)`/g)) {
        const names = known.get(name!)?.map((option) => option.name) ?? [];
        const named = [...spoken!.matchAll(/ --([a-z-]+)/g)].map(([, option]) => option!);
        if (!known.has(name!) || named.some((option) => !names.includes(option))) wrong.push(`${path}: ${spoken}`);
      }
      for (const [, option] of text.matchAll(/(?<=`|`[^`\n]* )--([a-z][a-z-]*)/g))
        if (!all.has(option!) && !NO_OPTIONS.includes(option!)) wrong.push(`${path}: --${option}`);
      for (const [spoken, script] of text.matchAll(/npm (?:run |(?=start|test))([a-z:-]+)/g))
        if (!(script! in scripts)) wrong.push(`${path}: ${spoken}`);
      for (const [spoken, campaign] of text.matchAll(/npm run campaigns -- ([a-z-]+)/g))
        if (!campaigns.some((file) => basename(file) === `${campaign!}.campaign.ts`)) wrong.push(`${path}: ${spoken}`);
    }
    expect(wrong).toEqual([]);
  });

  it("has the commands of continuous integration", () => {
    expect(STEPS.map(({ text }) => text)).toContain("npm ci && npm test");
    for (const command of ["npm ci", "npm test"]) expect(readFileSync(".ci/run", "utf8")).toContain(command);
    expect(JSON.parse(readFileSync("package.json", "utf8")).scripts.prestart).toBe("npm run build --silent");
  });
});
