/** The commands of docs/first-day.md, one after another, on records as they circulate: the messy corpus, or a few like it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_MODEL } from "../src/model/settings.js";

const MESSY = "../shared/corpus/messy.jsonl";
const BIN = resolve("bin/vitrine.js");

const COMMANDS = [...readFileSync("docs/first-day.md", "utf8").matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block]) =>
  block!.trim().split("\n"),
);
const SERVE = COMMANDS.filter((command) => command.startsWith("vitrine serve"));

/** Records like those of the corpus, for where it is absent. */
function messyRecords(): string {
  const record = (number: number): object => ({
    "@context": DEFAULT_MODEL.contextUri,
    id: `https://clevelandart.org/art/1919.${number}`,
    type: "ManMadeObject",
    label: "Cavalry Sword",
    produced_by: [
      { type: "Production", carried_out_by: [{ type: "Actor", _label: "Grifo" }] },
      { timespan: { type: "TimeSpan", begin_of_the_begin: "1939-18-10", end_of_the_end: "1940" } },
    ],
  });
  const hopeless = { ...record(99), weather: "rain" };
  return [55, 56, 57, 58]
    .map((number) => JSON.stringify(record(number)))
    .concat(JSON.stringify(hopeless))
    .join("\n");
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-first-day-"));
  if (existsSync(MESSY)) copyFileSync(MESSY, join(folder, "export.jsonl"));
  else writeFileSync(join(folder, "export.jsonl"), messyRecords());
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(command: string): Promise<{ status: number; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [BIN, ...command.split(" ").slice(1)], { cwd: folder });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [status] = (await once(child, "close")) as [number];
  return { status, stdout, stderr };
}

function summary(report: string): { records: number; valid: number; mended?: number } {
  return JSON.parse(readFileSync(join(folder, report), "utf8")).summary;
}

describe("the first day", () => {
  it("goes from an export to a collection with the page's commands", async () => {
    const commands = COMMANDS.filter((command) => !SERVE.includes(command));
    expect(commands.length).toBeGreaterThan(10);
    for (const command of commands) {
      const { status, stderr } = await run(command);
      expect([command, status, stderr]).toEqual([command, expect.toSatisfy((each: number) => each <= 1), stderr]);
    }
    expect(summary("first.json").valid).toBe(0);
    const { records, valid } = summary("mended.json");
    expect(valid / records).toBeGreaterThanOrEqual(0.75);
    const { stdout } = await run("vitrine stats --store museum --json");
    expect(JSON.parse(stdout)).toMatchObject({ records: valid, invalid: 0 });
    for (const page of ["first.html", "mended.html", "dry-run.html", "load.html"]) {
      expect(readFileSync(join(folder, page), "utf8")).toContain("</html>");
    }
  });

  it("ends with a service that publishes them", async () => {
    expect(SERVE).toHaveLength(1);
    const args = SERVE[0]!.replace("3000", "0").split(" ").slice(1);
    const child = spawn(process.execPath, [BIN, ...args], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    try {
      const port = await new Promise<string>((found, failed) => {
        let told = "";
        child.stderr.on("data", (chunk: Buffer) => {
          told += chunk.toString();
          const [, listening] = /listening on http:\/\/[^:]+:(\d+)/.exec(told) ?? [];
          if (listening !== undefined) found(listening);
        });
        child.once("exit", () => failed(new Error(told)));
      });
      const iri = "https://clevelandart.org/art/1919.55";
      const response = await fetch(`http://127.0.0.1:${port}/entity?uri=${encodeURIComponent(iri)}`);
      expect(await response.json()).toMatchObject({ id: iri, type: "HumanMadeObject" });
    } finally {
      child.removeAllListeners("exit");
      child.kill();
      await once(child, "exit");
    }
  });
});
