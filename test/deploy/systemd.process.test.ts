/** deploy/vitrine.service allows every system call that a service with an index makes; where strace and systemd are installed. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { childrenOf, start } from "../cli/built.js";
import { run } from "../cli/run.js";
import { temporaryFolder } from "../temporary-folder.js";

const HAS_BOTH = ["strace", "systemd-analyze"].every((command) => spawnSync(command, ["--version"]).status === 0);
if (!HAS_BOTH) console.warn("strace or systemd is not installed: deploy/vitrine.service is not tested");

/** The system calls of a name in the unit: one, or a group of systemd's. */
function callsOf(name: string): string[] {
  if (!name.startsWith("@")) return [name];
  const lines = execFileSync("systemd-analyze", ["syscall-filter", name], { encoding: "utf8" }).split("\n");
  const names = lines.slice(1).map((line) => line.trim());
  return names.filter((line) => line !== "" && !line.startsWith("#")).flatMap(callsOf);
}

/** What the unit's lines allow, one after the other. */
function allowed(): ReadonlySet<string> {
  const calls = new Set(callsOf("@default"));
  for (const [, not, names] of readFileSync("deploy/vitrine.service", "utf8").matchAll(
    /^SystemCallFilter=(~?)(.*)$/gm,
  )) {
    for (const call of names!.split(" ").flatMap(callsOf)) not === "~" ? calls.delete(call) : calls.add(call);
  }
  return calls;
}

it.skipIf(!HAS_BOTH)("allows what a service does from its start to its end", async () => {
  const folder = temporaryFolder(onTestFinished);
  const [store, trace] = [join(folder, "store"), join(folder, "trace")];
  await run(["load", "data/records/place", "--store", store, "--base-url", "http://localhost:3000"]);
  const traced = start(["serve", "--store", store, "--port", "0"], ["strace", "-f", "-qq", "-o", trace]);
  await traced.told(/the index for SPARQL is ready/);
  for (const pid of childrenOf(traced.pid)) process.kill(pid, "SIGTERM");
  await traced.ended;
  const made = new Set([...readFileSync(trace, "latin1").matchAll(/^\d+ +(\w+)\(/gm)].map(([, call]) => call!));
  expect(made.size).toBeGreaterThan(30);
  // SQLite gives its log the owner of its file where root runs it; the unit's user is another.
  const may = new Set([...allowed(), "fchown"]);
  expect([...made].filter((call) => !may.has(call))).toEqual([]);
});
