/** The commands of docs/*.md are run as they stand there, in the order of their pages; first-day, prepare and clients have tests of their own. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { allCommands } from "../../src/cli/commands.js";
import { COMMON_OPTIONS } from "../../src/cli/common.js";
import { Machine } from "./machine.js";
import { type Command, commandsOf, filesOf, NO_COMMANDS, PAGES, textOf } from "./pages.js";
import { holdsSomething, NOT_RUN, ROWS } from "./rows.js";
import { makeScene } from "./scene.js";

/** Its examples stand alone; the commands of other pages follow one another. */
const REFERENCE = "cli.md";

const ALL: readonly Command[] = PAGES.flatMap(commandsOf);
const RUN = ALL.filter(({ text }) => !NOT_RUN.some(([beginning]) => text.startsWith(beginning)));
/** What looks like an option, and is one of Docker or a property of a style sheet. */
const NO_OPTIONS = ["pid", "accent", "paper", "serif"];
const FILES = PAGES.flatMap((page) => [...filesOf(page)]);

let scene: string;
beforeAll(async () => {
  const root = process.cwd();
  scene = mkdtempSync(join(tmpdir(), "vitrine-scene-"));
  process.chdir(scene);
  try {
    await makeScene();
    for (const [name, text] of FILES) writeFileSync(name, text);
  } finally {
    process.chdir(root);
  }
});
afterAll(() => rmSync(scene, { recursive: true, force: true }));

async function works(machine: Machine, { text }: Command): Promise<void> {
  const { given, status = 0, says = /^/, makes, after, look } = ROWS[text]!;
  if (given !== undefined) expect((await machine.run(given)).status).toBe(0);
  const outcome = await machine.run(text, look);
  expect([outcome.status, outcome.stdout + outcome.stderr]).toEqual([status, expect.stringMatching(says)]);
  if (makes !== undefined) expect(holdsSomething(makes), makes).toBe(true);
  if (after === undefined) return;
  const told = await machine.run(after[0]);
  expect([told.status, told.stdout + told.stderr]).toEqual([0, expect.stringMatching(after[1])]);
}

describe.each([...new Set(RUN.map(({ page }) => page))])("docs/%s", (page) => {
  let machine: Machine | undefined;
  const leave = async (): Promise<void> => {
    await machine?.close();
    machine = undefined;
  };
  afterEach(async () => {
    if (page === REFERENCE) await leave();
  });
  afterAll(leave);

  it.each(RUN.filter((command) => command.page === page))("$line: $text", async (command) => {
    expect(command.text in ROWS, "say in test/docs/rows.ts what comes of it").toBe(true);
    machine ??= new Machine(scene);
    await works(machine, command);
  });
});

describe("docs", () => {
  it("have what is listed of them", () => {
    expect(RUN.length).toBeGreaterThan(80);
    const texts = new Set(ALL.map(({ text }) => text));
    expect(Object.keys(ROWS).filter((text) => !texts.has(text))).toEqual([]);
    expect(NOT_RUN.filter(([beginning]) => !ALL.some(({ text }) => text.startsWith(beginning)))).toEqual([]);
    const begun = NO_COMMANDS.filter(([page, beginning]) => textOf(page).includes(`\n\n    ${beginning}`));
    expect(begun).toEqual(NO_COMMANDS);
  });

  it("name commands, options and scripts that there are", async () => {
    const known = new Map((await allCommands()).map((each) => [each.name, [...each.options, ...COMMON_OPTIONS]]));
    known.set("help", []);
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: object };
    const all = new Set([...known.values()].flat().map((option) => option.name));
    const wrong: string[] = [];
    for (const path of [...PAGES.map((page) => `docs/${page}`), "README.md", "CONTRIBUTING.md", "SECURITY.md"]) {
      const text = readFileSync(path, "utf8");
      for (const [, spoken, name] of text.matchAll(/`(vitrine ([a-z]+)[^`]*)`/g)) {
        const names = known.get(name!)?.map((option) => option.name) ?? [];
        const named = [...spoken!.matchAll(/ --([a-z-]+)/g)].map(([, option]) => option!);
        if (!known.has(name!) || named.some((option) => !names.includes(option))) wrong.push(`${path}: ${spoken}`);
      }
      for (const [, option] of text.matchAll(/(?<=`|`[^`\n]* )--([a-z][a-z-]*)/g))
        if (!all.has(option!) && !NO_OPTIONS.includes(option!)) wrong.push(`${path}: --${option}`);
      for (const [spoken, script] of text.matchAll(/npm run ([a-z:-]+)/g))
        if (!(script! in scripts)) wrong.push(`${path}: ${spoken}`);
    }
    expect(wrong).toEqual([]);
  });
});
