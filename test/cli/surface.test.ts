/** The surface of the command line: how many settings and arguments there are, so that each new one is a decision. */
import { describe, expect, it } from "vitest";
import { allCommands } from "../../src/cli/main/commands.js";
import { COMMON_OPTIONS } from "../../src/cli/settings/common.js";
import { isFlag } from "../../src/cli/settings/options.js";

const COMMANDS = await allCommands();
const ALL = COMMANDS.flatMap(({ options }) => [...options, ...COMMON_OPTIONS]);
const namesOf = (kind: string): readonly string[] =>
  [...new Set(ALL.filter((option) => option.kind === kind).map(({ name }) => name))].sort();

/** What acts, confirms, or names inputs and outputs. */
const ACTING = ["all", "sync", "dry-run", "repair", "afresh", "mend", "keep", "wait", "output", "report", "to"];

describe("settings and arguments", () => {
  it("are so many, and no more", () => {
    const [settings, args, fileSettings] = ["setting", "argument", "file setting"].map(namesOf);
    console.log(`${settings!.length} settings: ${settings!.join(" ")}`);
    console.log(`${args!.length} arguments: ${args!.join(" ")}`);
    console.log(`${fileSettings!.length} settings of the file alone: ${fileSettings!.join(" ")}`);
    expect(settings!.length + args!.length).toBeLessThanOrEqual(75);
    expect(COMMANDS.find(({ name }) => name === "serve")!.options.filter(isFlag).length).toBeLessThanOrEqual(35);
  });

  it("are of one kind each, whichever command has them", () => {
    const kinds = new Map<string, Set<string>>();
    for (const { name, kind } of ALL) kinds.set(name, (kinds.get(name) ?? new Set()).add(kind));
    expect([...kinds].filter(([, each]) => each.size > 1)).toEqual([]);
  });

  it("act by the command line alone", () => {
    const args = namesOf("argument");
    for (const name of ACTING) expect(args).toContain(name);
  });
});
