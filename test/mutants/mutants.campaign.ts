/**
 * Mutants: small changes of the code, each of which some unit test of its room has to notice (Stryker). All of a room take
 * hours: a run makes those of one function in four or sixteen, drawn by the seed, or of as many such parts as TIMES says; the
 * short form makes none. What nobody notices is in `coverage/mutants/ROOM.json`.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { IS_SHORT, timesOf, unobserved } from "../extent.js";
import { seedOf } from "../random.js";

/** The rooms, by their place under src and test, with the percentage of mutants that is noticed at least, and of how many functions one is drawn. */
const ROOMS: readonly (readonly [room: string, noticed: number, parts: number])[] = [
  ["http/message/headers", 90, 4],
  ["rdf", 90, 16],
  ["jsonld", 90, 16],
  ["validate", 90, 16],
  ["model", 90, 16],
];
const FOLDER = "coverage/mutants";

/** Where Stryker copies the checkout to. */
const SANDBOX = `${FOLDER}/sandbox`;

/** A report of Stryker, as far as it is read here. */
interface Report {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly mutants: readonly {
          readonly status: string;
          readonly mutatorName: string;
          readonly replacement?: string;
          readonly location: { readonly start: { readonly line: number } };
        }[];
      }
    >
  >;
}

it.skipIf(IS_SHORT).each(ROOMS)("%s: at least %i in a hundred mutants are noticed", async (room, noticed, parts) => {
  const file = `${FOLDER}/${room.replaceAll("/", "-")}.json`;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}/stryker.json`, JSON.stringify(settingsOf(room, file)));
  giveShared();
  const drawn = { PARTS: `${parts}`, RUN_PARTS: `${timesOf(1, 0)}`, FIRST_PART: `${seedOf(room) % parts}` };
  await promisify(execFile)("npx", ["stryker", "run", `${FOLDER}/stryker.json`], {
    env: { ...unobserved(process.env), ...drawn, ROOM: room },
    maxBuffer: 2 ** 28,
  });
  const { files } = JSON.parse(readFileSync(file, "utf8")) as Report;
  const mutants = Object.entries(files).flatMap(([path, each]) => each.mutants.map((mutant) => ({ path, ...mutant })));
  const judged = mutants.filter(({ status }) => ["Killed", "Timeout", "Survived", "NoCoverage"].includes(status));
  const left = judged.filter(({ status }) => status === "Survived" || status === "NoCoverage");
  const share = 100 * (1 - left.length / judged.length);
  console.log(`${room}: ${judged.length} mutants, ${share.toFixed(1)} % noticed`);
  for (const { path, location, mutatorName, replacement = "" } of left)
    console.log(`  ${path}:${location.start.line} ${mutatorName} ${replacement.slice(0, 80).replaceAll("\n", " ")}`);
  expect(judged.length).toBeGreaterThan(20);
  expect(share).toBeGreaterThanOrEqual(noticed);
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
    vitest: { configFile: "test/mutants/vitest.config.ts" },
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
