/** Dumps on a schedule: `serve` has them written by a process of its own, with low priority. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { dumpsIn } from "../harvest/dumps/manifest.js";
import { PROGRAM } from "./command.js";
import { COMMON_OPTIONS } from "./common.js";
import { DUMPING_OPTIONS, dumpsOf } from "./dump.js";
import type { Options } from "./options.js";

/** How much others go before it: half of the scale that the system has. */
const NICENESS = 10;
/** After a dump that failed it is tried again no later than this, in milliseconds. */
const MAX_PAUSE = 600_000;

/** Write a dump whenever the newest is older than the interval, in milliseconds, until the signal aborts. Never rejects. */
export async function dumpOnSchedule(
  options: Options,
  interval: number,
  interrupted: AbortSignal,
  tell: (message: string) => void,
): Promise<void> {
  while (!interrupted.aborted) {
    const [newest] = await dumpsIn(dumpsOf(options));
    const due = newest === undefined ? 0 : Date.parse(newest.made) + interval - Date.now();
    if (due > 0) {
      await sleep(due, undefined, { signal: interrupted, ref: false }).catch(() => {});
      continue;
    }
    const problem = await dumpApart(options, interrupted);
    if (interrupted.aborted) return;
    tell(problem === undefined ? "a dump was written" : `no dump could be written: ${problem}`);
    if (problem === undefined) continue;
    await sleep(Math.min(interval, MAX_PAUSE), undefined, { signal: interrupted, ref: false }).catch(() => {});
  }
}

/** Resolves to what went wrong. */
async function dumpApart(options: Options, interrupted: AbortSignal): Promise<string | undefined> {
  const child = spawn(process.execPath, [PROGRAM, "dump", ...argumentsOf(options)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const end = (): void => void child.kill("SIGTERM");
  interrupted.addEventListener("abort", end, { once: true });
  let told = "";
  child.stderr.on("data", (chunk: Buffer) => {
    told = (told + chunk.toString()).slice(-1_000);
  });
  try {
    if (child.pid !== undefined) setPriority(child.pid, NICENESS);
    const [status] = (await once(child, "exit")) as [number | null];
    return status === 0 || status === 1 ? undefined : told.trim() || `status ${status}`;
  } catch (error) {
    return (error as Error).message;
  } finally {
    interrupted.removeEventListener("abort", end);
  }
}

/** The same settings on a command line. */
function argumentsOf(options: Options): string[] {
  return [...DUMPING_OPTIONS, ...COMMON_OPTIONS].flatMap(({ name, value }) => {
    if (value === undefined || name === "base-url" || name === "config") return [];
    const texts = options.text(name) === undefined ? options.all(name) : [options.text(name)!];
    return texts.flatMap((text) => [`--${name}=${text}`]);
  });
}
