/** `vitrine check`: looks through a store that may be damaged, from a process of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { compiled } from "../compiled.js";
import type { CheckMessage } from "../store/embedded/check/check-process.js";
import { StoreError } from "../store/errors.js";
import type { Command } from "./command.js";
import { ExitStatus } from "./exit-status.js";

const CHECK_PROCESS = compiled(import.meta.url, "../store/embedded/check/check-process.js");

/** Problems that are listed; a damaged page alone may give hundreds. */
const MOST_PROBLEMS = 1000;
/** A damaged store can lead the one who reads it in circles. */
const LONGEST_SILENCE = 60_000;

export const checkCommand: Command = {
  name: "check",
  operands: "",
  summary: "looks through the whole store for damage: hashes of records, tables that contradict each other",
  options: [],
  async run(options, { stdout, stderr, interrupted }) {
    const directory = options.required("store");
    const { problems, records, count } = await check(directory, interrupted);
    if (options.isSet("json")) stdout.write(`${JSON.stringify({ records, problems })}\n`);
    else for (const problem of problems) stdout.write(`${problem}\n`);
    if (count > problems.length) stderr.write(`... and ${count - problems.length} more problems\n`);
    stderr.write(
      count === 0
        ? `${records.toLocaleString("en")} records, no problems\n`
        : `the store in ${directory} is damaged: restore it from a copy, or load anew into another folder\n`,
    );
    return count === 0 ? ExitStatus.done : ExitStatus.someInvalid;
  },
};

interface Findings {
  readonly records: number;
  /** The first of the problems, and how many there are. */
  readonly problems: readonly string[];
  readonly count: number;
}

/** Throws `StoreError` for a store that is missing or of another format. */
async function check(directory: string, signal: AbortSignal): Promise<Findings> {
  const child = spawn(process.execPath, [fileURLToPath(CHECK_PROCESS), directory], {
    stdio: ["ignore", "pipe", "ignore"],
    signal,
    killSignal: "SIGKILL",
  });
  const ended = once(child, "close");
  const problems: string[] = [];
  let [records, count, isDone] = [0, 0, false];
  const add = (problem: string): void => {
    if (++count <= MOST_PROBLEMS) problems.push(problem);
  };
  const silence = setTimeout(() => child.kill("SIGKILL"), LONGEST_SILENCE);
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      silence.refresh();
      const message = JSON.parse(line) as CheckMessage;
      if ("refused" in message) throw new StoreError(message.refused);
      if ("problem" in message) add(message.problem);
      if ("records" in message) records = message.records;
      if ("done" in message) isDone = true;
    }
  } finally {
    clearTimeout(silence);
    child.kill("SIGKILL");
  }
  const [, killedBy] = await ended;
  if (!isDone && count === 0) add(`reading it ends the process that does${killedBy === null ? "" : ` (${killedBy})`}`);
  return { records, problems, count };
}
