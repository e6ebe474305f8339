/** Runs what pages have for the shell, and their programs, as they stand there, in the order of the pages. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.js";
import { Machine } from "./machine.js";
import { pathOf, SAMPLE_URL, type Step, stepsOf } from "./pages.js";
import { NOT_RUN, rowOf } from "./rows.js";
import { Sample } from "./sample.js";
import { makeScene } from "./scene.js";

/** Its examples stand alone; the steps of other pages follow one another. */
const REFERENCE = "run/cli.md";

const HAS_PYTHON = spawnSync("python3", ["--version"]).status === 0;
const isRun = ({ text }: Step): boolean => !NOT_RUN.some(([beginning]) => text.startsWith(beginning));

async function works(machine: Machine, step: Step): Promise<void> {
  const row = rowOf(step);
  if (row === undefined) throw new Error("say in test/docs/rows.ts what comes of it");
  const { given, status = 0, says = /^/, makes = [], after, finds, look } = row;
  if (given !== undefined) expect((await machine.run(given)).status).toBe(0);
  const outcome = await machine.run(step.text, look, step.language);
  expect([outcome.status, outcome.stdout + outcome.stderr]).toEqual([status, expect.stringMatching(says)]);
  if (step.prints !== "") expect(outcome.stdout).toBe(step.prints);
  for (const path of makes) expect(path).toSatisfy(holdsSomething);
  await finds?.();
  if (after === undefined) return;
  const told = await machine.run(after[0]);
  expect([told.status, told.stdout + told.stderr]).toEqual([0, expect.stringMatching(after[1])]);
}

/** Whether something is there and whole: a store, a file that is not empty, a page to its end. */
function holdsSomething(path: string): boolean {
  if (!existsSync(path)) return false;
  if (statSync(path).isDirectory()) return existsSync(join(path, "records.mdb"));
  return path.endsWith(".html") ? readFileSync(path, "utf8").includes("</html>") : statSync(path).size > 0;
}

/** Run all steps of these pages; the sample that some ask ends with them. */
export function runPages(named: readonly string[]): void {
  const sample = new Sample(
    named.some((page) => stepsOf(page).some(({ text }) => text.includes(`${SAMPLE_URL}/sparql`))),
  );
  const scene = temporaryFolder();
  beforeAll(async () => {
    const root = process.cwd();
    process.chdir(scene);
    using _ = { [Symbol.dispose]: () => process.chdir(root) };
    await makeScene();
  });
  afterAll(async () => {
    await sample.stop();
  });

  describe.each(named.filter((page) => stepsOf(page).some(isRun)).map((page) => [pathOf(page), page] as const))(
    "%s",
    (_, page) => {
      let machine: Machine | undefined;
      const leave = async (): Promise<void> => {
        await machine?.close();
        machine = undefined;
      };
      afterEach(async () => {
        if (page === REFERENCE && machine?.isChanged === true) await leave();
      });
      afterAll(leave);

      it.for(stepsOf(page).filter(isRun))("$line: $text", async (step, { skip }) => {
        skip(step.language === "python" && !HAS_PYTHON, "there is no Python");
        machine ??= new Machine(scene, page, sample);
        await works(machine, step);
      });
    },
  );

  describe("npm start", () => {
    it("ends when it is told to", async () => {
      await sample.url();
      expect(await sample.stop()).toMatch(/^closing/m);
    });
  });
}
