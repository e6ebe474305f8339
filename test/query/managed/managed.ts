/** Engines that a service runs itself, for tests: they are opened, asked, and compared with the records. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EngineAccess } from "../../../src/engine/engine-access.js";
import { ManagedEngine } from "../../../src/query/managed/managed-engine.js";
import { VIRTUOSO } from "../../../src/query/managed/virtuoso.js";
import { type ComparisonResult, compareEngine } from "../../../src/query/remote/engine-comparison.js";
import type { TestStore } from "../records.js";

/** A Virtuoso for a store; it looks for changes often. */
export function managed(
  { store, directory }: Pick<TestStore, "store" | "directory">,
  more: Partial<ConstructorParameters<typeof ManagedEngine>[0]> = {},
): ManagedEngine {
  return new ManagedEngine({
    engine: "virtuoso",
    directory,
    store,
    queryMemory: 2 ** 28,
    timeout: 20_000,
    interval: 50,
    pause: 50,
    report: () => {},
    ...more,
  });
}

/** Resolves when an engine is in step with its store. */
export async function inStep(engine: ManagedEngine, { store }: Pick<TestStore, "store">): Promise<void> {
  const { sequence } = await store.stats();
  while (engine.state.state !== "ready" || engine.state.sequence !== sequence) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The addresses of the engine that runs for a store. */
export function addressesOf({ directory }: Pick<TestStore, "directory">): ReturnType<typeof VIRTUOSO.addresses> {
  return VIRTUOSO.addresses(JSON.parse(readFileSync(join(directory, "engine/virtuoso/made.json"), "utf8")));
}

/** The differences between the records and the engine that runs for them. */
export async function compared(there: Pick<TestStore, "store" | "directory">): Promise<ComparisonResult> {
  const { store } = there;
  using access = new EngineAccess(addressesOf(there), 60_000);
  return await compareEngine({ store, access, graphs: "merged", isRepaired: false });
}

/** The ids of the processes that work in a folder. */
export function processesIn(folder: string): number[] {
  const lines = execFileSync("ps", ["-eo", "pid=,stat=,args="], { encoding: "utf8" }).split("\n");
  const own = lines.filter((line) => line.includes(`${folder}/`) && /virtuoso-t|isql-vt/.test(line));
  return own.flatMap((line) => (/^\s*\d+ Z/.test(line) ? [] : [Number(line.trim().split(" ")[0])]));
}

/** The addresses on which a process listens. */
export function listening(pid: number): string[] {
  const lines = execFileSync("ss", ["-ltnpH"], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => (line.includes(`pid=${pid},`) ? [line.trim().split(/\s+/)[3]!] : []));
}
