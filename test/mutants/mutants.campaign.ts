/**
 * Mutants: small changes of the code, each of which some unit test of its room has to notice (Stryker). All of a room take
 * hours: a run makes those of one function in four to forty-eight, drawn by the seed, or of as many such parts as TIMES says; the
 * short form makes none. What nobody notices is in `coverage/mutants/ROOM.json`. What nobody can notice is listed in
 * `equivalent.diff`, and does not count.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { IS_SHORT, timesOf, unobserved } from "../extent.js";
import { installed } from "../packages.js";
import { seedOf } from "../random.js";
import { changeOf, EQUIVALENT, isEquivalent, type Mutant } from "./equivalent.js";

/** The rooms, by their place under src and test, with the percentage of mutants that is noticed at least, and of how many functions one is drawn. */
const ROOMS: readonly (readonly [room: string, noticed: number, parts: number])[] = [
  ["http/message/headers", 90, 4],
  ["rdf", 90, 48],
  ["jsonld", 90, 48],
  ["validate", 90, 48],
  ["model", 90, 16],
];
const FOLDER = "coverage/mutants";

/** What Stryker says of a mutant that tests ran with; another one does not compile, or was not drawn. */
const UNNOTICED: ReadonlySet<string> = new Set(["Survived", "NoCoverage"]);
const JUDGED: ReadonlySet<string> = new Set(["Killed", "Timeout", ...UNNOTICED]);

/** Where Stryker copies the checkout to. */
const SANDBOX = `${FOLDER}/sandbox`;

/** A report of Stryker, as far as it is read here. */
interface Report {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>;
}

it.skipIf(IS_SHORT).for(ROOMS)("%s: at least %i in a hundred mutants are noticed", async (row, { skip }) => {
  const [room, least, parts] = row;
  const stryker = (await installed("stryker")) ?? skip();
  const file = `${FOLDER}/${room.replaceAll("/", "-")}.json`;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}/stryker.json`, JSON.stringify(settingsOf(room, file)));
  giveShared();
  const run = timesOf(1, 0);
  const drawn = { PARTS: `${parts}`, RUN_PARTS: `${run}`, FIRST_PART: `${seedOf(room) % parts}` };
  const program = join(stryker, "@stryker-mutator/core/bin/stryker.js");
  await promisify(execFile)(process.execPath, [program, "run", `${FOLDER}/stryker.json`], {
    env: { ...unobserved(process.env), ...drawn, ROOM: room },
    maxBuffer: 2 ** 28,
  });
  const { files } = JSON.parse(readFileSync(file, "utf8")) as Report;
  const mutants = Object.entries(files).flatMap(([path, { source, mutants }]) =>
    mutants.map((mutant) => ({
      status: mutant.status,
      name: `${path}:${mutant.location.start.line} ${mutant.mutatorName}: ${changeOf(source, mutant).mutant.slice(0, 120)}`,
      isEquivalent: isEquivalent(path, source, mutant),
    })),
  );
  const judged = mutants.filter((each) => JUDGED.has(each.status) && !each.isEquivalent);
  const left = judged.filter(({ status }) => UNNOTICED.has(status));
  const share = 100 * (1 - left.length / judged.length);
  const equivalent = mutants.filter((each) => UNNOTICED.has(each.status) && each.isEquivalent);
  console.log(`${room}: ${judged.length} mutants, ${share.toFixed(1)} % noticed, ${equivalent.length} equivalent`);
  for (const { name } of left) console.log(`  ${name}`);
  const noticed = mutants.filter((each) => each.status === "Killed" && each.isEquivalent);
  expect(noticed.map(({ name }) => name)).toEqual([]);
  if (run >= parts) expect(notMade(room, files)).toEqual([]);
  expect(judged.length).toBeGreaterThan(20);
  expect(share).toBeGreaterThanOrEqual(least);
});

/** Mutants that are listed, and that a run of all did not make. */
function notMade(room: string, files: Report["files"]): readonly object[] {
  return EQUIVALENT.filter(({ file, line, mutant }) => {
    const { source = "", mutants = [] } = files[`src/${file}`] ?? {};
    const isMade = mutants
      .map((each) => changeOf(source, each))
      .some((each) => each.line === line && each.mutant === mutant);
    return file.startsWith(`${room}/`) && !isMade;
  });
}

it("every line of which mutants are listed as equivalent is in its file", () => {
  const stale = EQUIVALENT.filter(({ file, line }) => {
    const path = `src/${file}`;
    return (
      !existsSync(path) ||
      !readFileSync(path, "utf8")
        .split("\n")
        .some((each) => each.trim() === line)
    );
  });
  expect(stale).toEqual([]);
});

/** The copies find what lies beside the checkout, as their tests expect it. */
function giveShared(): void {
  const shared = resolve("../shared");
  mkdirSync(SANDBOX, { recursive: true });
  rmSync(`${SANDBOX}/shared`, { force: true });
  if (existsSync(shared)) symlinkSync(shared, `${SANDBOX}/shared`);
}

function settingsOf(room: string, file: string): object {
  return {
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner", "./test/mutants/drawn.js"],
    ignorers: ["drawn"],
    // It knows from the first run which tests run a mutant, and need not ask anew for each which files import its file.
    vitest: { configFile: "test/mutants/vitest.config.ts", related: false },
    mutate: [`src/${room}/**/*.ts`],
    reporters: ["json"],
    jsonReporter: { fileName: file },
    ignorePatterns: ["/biome.json", "/store", "/demo", "/coverage", "/bench", "/deploy"],
    tempDirName: SANDBOX,
    coverageAnalysis: "perTest",
    // What runs once, when a module is read, would want a run of all tests for each mutant.
    ignoreStatic: true,
    timeoutMS: 20_000,
    // TypeScript 7 has no interface by which Stryker could read a configuration; it needs none.
    tsconfigFile: "none.json",
  };
}
