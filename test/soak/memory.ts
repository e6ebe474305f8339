/** The memory of processes over time. */
import { processFile } from "../../src/base/living-process.js";
import { childrenOf } from "../cli/built.js";

/** Private memory of a process and those that it started, in KiB. */
export function privateMemory(pid: number): number {
  // One that has just ended has none.
  const [, own = 0] = /RssAnon:\s*(\d+)/.exec(processFile(`${pid}/status`)) ?? [];
  return childrenOf(pid).reduce((sum, child) => sum + privateMemory(child), Number(own));
}

/** Whether memory stays where it is: the last third of the measurements is at most a tenth, and 20 MiB, above the second. */
export function isFlat(memory: readonly number[]): boolean {
  const third = Math.floor(memory.length / 3);
  const most = (from: number, to: number): number => Math.max(...memory.slice(from, to));
  return most(2 * third, memory.length) <= most(third, 2 * third) * 1.1 + 20 * 1_024;
}
