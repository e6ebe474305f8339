/** Runs the command as it is built, in processes of their own, which tests signal, suspend and leave unread. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { processFile } from "../../src/base/living-process.js";
import { PROGRAM } from "../../src/cli/main/command.js";
import { listenTo } from "./words.js";

export interface Built {
  readonly process: ChildProcess;
  readonly pid: number;
  stderr(): string;
  /** Resolves when something was written that this matches. Rejects when the process ends before. */
  told(message: RegExp): Promise<RegExpExecArray>;
  /** Resolves to the status once all that it said was heard, or to the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Start `vitrine` as it is built, by another command where `wrapper` names one. */
export function start(args: readonly string[], wrapper: readonly string[] = []): Built {
  const [command, ...rest] = [...wrapper, process.execPath, PROGRAM, ...args];
  const child = spawn(command!, rest, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { VITRINE_LOG_FORMAT: "text", ...process.env },
  });
  child.stdout.resume();
  const exit = once(child, "exit") as Promise<[code: number | null, signal: NodeJS.Signals | null]>;
  const heard = listenTo(child.stderr);
  return {
    process: child,
    pid: child.pid!,
    stderr: heard.text,
    ended: exit.then(async ([code, signal]) => {
      // What a killed one has started may keep its words open.
      if (signal !== null) return signal;
      await heard.ended;
      return code!;
    }),
    told: heard.told,
  };
}

/** Start `vitrine serve` and wait until it listens. */
export async function startServing(args: readonly string[], wrapper: readonly string[] = []) {
  const built = start(["serve", "--port", "0", ...args], wrapper);
  return { ...built, url: await urlOf(built) };
}

/** Where a service listens, once it does. */
export async function urlOf(built: Built): Promise<string> {
  return (await built.told(/listening on (http:\S+)\//))[1]!;
}

/** The processes that a process started; none if it has ended, or ends meanwhile. */
export function childrenOf(pid: number): number[] {
  const lists = threadsOf(pid).map((thread) => processFile(`${pid}/task/${thread}/children`));
  return lists.join(" ").split(" ").filter(Boolean).map(Number);
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** The processes among those that a process started in whose command line this is. One that is being started has that of its parent. */
export function childrenBy(pid: number, part: string): number[] {
  return childrenOf(pid).filter((child) => processFile(`${child}/cmdline`).includes(part));
}

/** The index processes among those that a process started. */
export const indexesOf = (pid: number): number[] => childrenBy(pid, "index-process");

/** Processor time that processes have used, in ticks of the clock. */
export function timeUsed(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + Number(statOf(pid)[11] ?? 0), 0);
}

/** Whether a process runs. A zombie does not, unless threads of it still end: its sockets are open until the last has. */
export function isRunning(pid: number): boolean {
  const stat = statOf(pid);
  return stat[0] === "Z" ? Number(stat[17]) > 1 : !["X", undefined].includes(stat[0]);
}

/** What the kernel says of a process, from its state on: the name before that may hold spaces. Empty when it is gone. */
function statOf(pid: number): readonly string[] {
  const stat = processFile(`${pid}/stat`);
  return stat === "" ? [] : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** How often, and for how long, a condition is looked at for which there is no event, in milliseconds. `vitest.config.ts` gives almost the time of a test. */
const INTERVAL = 20;
const PATIENCE = Number(process.env.TEST_PATIENCE ?? 50_000);

/** Resolves once the condition holds. Rejects when it does not for long. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const begun = performance.now(); !(await condition()); await sleep(INTERVAL)) {
    if (performance.now() - begun > PATIENCE) throw new Error(`never in ${PATIENCE / 1_000} s: ${condition}`);
  }
}

/** The status of an address, 0 while nobody listens. */
export async function statusOf(url: string): Promise<number> {
  try {
    const answer = await fetch(url, { headers: { connection: "close" } });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}
