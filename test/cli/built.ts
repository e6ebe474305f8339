/** Runs the command as it is built, in processes of their own, which tests signal, suspend and leave unread. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { PROGRAM } from "../../src/cli/command.js";

/** A process namespace of its own, as a container has it. */
export const NAMESPACE: readonly string[] = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];
/** Whether the machine lets a test make one. */
export const HAS_NAMESPACES = spawnSync(NAMESPACE[0]!, [...NAMESPACE.slice(1), "true"]).status === 0;

/** Somebody else on the same machine. */
export const OTHER_USER: readonly string[] = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
/** Whether a test may be that one, and whether the program may be read then. */
export const HAS_OTHER_USER =
  spawnSync(OTHER_USER[0]!, [...OTHER_USER.slice(1), process.execPath, PROGRAM, "--version"]).status === 0;

export interface Built {
  readonly process: ChildProcess;
  readonly pid: number;
  stderr(): string;
  /** Resolves when something was written that this matches. Rejects when the process ends before. */
  told(message: RegExp): Promise<RegExpExecArray>;
  /** Resolves to the status, or the signal that ended it. */
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
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  return {
    process: child,
    pid: child.pid!,
    stderr: () => stderr,
    ended,
    async told(message) {
      for (;;) {
        const match = message.exec(stderr);
        if (match !== null) return match;
        if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${stderr}`);
        await sleep(10);
      }
    },
  };
}

/** Start `vitrine serve` and wait until it listens. */
export async function startServing(args: readonly string[], wrapper: readonly string[] = []) {
  const built = start(["serve", "--port", "0", ...args], wrapper);
  const [, url] = await built.told(/listening on (http:\S+)\//);
  return { ...built, url: url! };
}

/** The processes that a process started. */
export function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}

/** Processor time that processes have used, in ticks of the clock. */
export function timeUsed(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + Number(statOf(pid)[11] ?? 0), 0);
}

/** Whether a process runs; one that nobody has buried yet does not. */
export function isRunning(pid: number): boolean {
  return !["Z", "X", undefined].includes(statOf(pid)[0]);
}

/** What the kernel says of a process, from its state on: the name before that may hold spaces. Empty when it is gone. */
function statOf(pid: number): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

/** Resolves once the condition holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(20);
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
