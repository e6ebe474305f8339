/** The supervisor of the child processes that check, rebuild and rescue a store. It reads their messages until they end or fall silent. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { counted } from "../../../../base/counted.js";
import { linesFrom } from "../../../../base/lines.js";
import { builtModule } from "../../../../base/package-files.js";
import { StoreError } from "../../../errors.js";
import type { CheckMessage } from "./check-process.js";

const PROCESS_FILE = fileURLToPath(builtModule("store/embedded/maintenance/check/check-process.js"));

/** Milliseconds without a message after which a process is killed, since a damaged store can make it loop for ever. */
const MAX_SILENCE = 60_000;

/** Check a store. Resolves to the number of records, the first 1,000 problems, the number of problems, and whether a repair may help. Throws `StoreError`, and an `AbortError` after `signal`. */
export async function superviseCheck(directory: string, signal: AbortSignal) {
  const problems: string[] = [];
  let [records, count, mayRepair] = [0, 0, true];
  const ending = await supervise(["check", directory], signal, (message) => {
    if ("records" in message) records = message.records;
    if ("problem" in message && ++count <= 1000) problems.push(message.problem);
    if ("isAll" in message) mayRepair = false;
  });
  if (ending !== undefined && count === 0) count = problems.push(ending);
  return { records, problems, count, mayRepair };
}

/** Rebuild all that is derived from the records. If that fails, writes the readable records beside the store and throws a `StoreError` that names their file. Throws an `AbortError` after `signal`. */
export async function superviseRebuild(directory: string, signal: AbortSignal): Promise<void> {
  let problem: string | undefined;
  const note = (message: CheckMessage): void => {
    if ("problem" in message) problem ??= message.problem.split("\n", 1)[0];
  };
  const ending = await supervise(["rebuild", directory], signal, note, false);
  if (ending === undefined) return;
  const rescued = await rescue(directory, signal);
  const [left, what] =
    rescued === undefined
      ? ["no record can be read", ""]
      : [`${counted(rescued.records, "record")} can be read and were written to ${rescued.file}`, "that file "];
  throw new StoreError(
    `the store in ${directory} cannot be repaired (${problem ?? ending}); ${left}: ` +
      `restore it from a backup, or load ${what}into another folder`,
  );
}

/** Write the readable records into a file beside the store. Resolves to `undefined` if there are none. */
async function rescue(directory: string, signal: AbortSignal) {
  const file = `${resolve(directory)}-rescued.nq`;
  let [records, written, reading] = [0, 0, 0];
  const run = async (from: readonly string[]): Promise<boolean> => {
    [written, reading] = [0, 0];
    const ending = await supervise(["rescue", directory, file, ...from], signal, (message) => {
      if ("reading" in message) ({ reading, written } = message);
    });
    records += written;
    return ending === undefined;
  };
  await rm(file, { force: true });
  let isWhole = await run([]);
  if (!isWhole) {
    await rm(file, { force: true });
    records = 0;
    isWhole = await run(["1"]);
  }
  // Skip a record that crashes the process that reads it.
  while (!isWhole && reading > 0) isWhole = await run([String(reading + 1)]);
  return records === 0 ? undefined : { file, records };
}

/** Run the process. Resolves to how it ended if its work was not done. Throws its error if the store cannot be opened. */
async function supervise(
  args: readonly string[],
  signal: AbortSignal,
  onMessage: (message: CheckMessage) => void,
  limitsSilence = true,
): Promise<string | undefined> {
  const child = spawn(process.execPath, [PROCESS_FILE, ...args], {
    stdio: ["ignore", "pipe", "ignore"],
    signal,
    killSignal: "SIGKILL",
  });
  const ended = once(child, "close");
  // An abort is reported below, after all messages of the process have been read.
  ended.catch(() => {});
  let isDone = false;
  const silence = limitsSilence ? setTimeout(() => child.kill("SIGKILL"), MAX_SILENCE) : undefined;
  try {
    for await (const line of linesFrom(child.stdout)) {
      silence?.refresh();
      const message = JSON.parse(line) as CheckMessage;
      if ("refused" in message) throw new StoreError(message.refused);
      if ("system" in message) throw Object.assign(new Error(message.system.message), message.system);
      if ("done" in message) isDone = true;
      onMessage(message);
    }
  } finally {
    // Otherwise the timer would keep this process alive for a minute after a refused check.
    clearTimeout(silence);
    child.kill("SIGKILL");
  }
  const [, killedBy] = await ended;
  if (isDone) return undefined;
  return `reading it ends the process that reads it${killedBy === null ? "" : ` (${killedBy})`}`;
}
