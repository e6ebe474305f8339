/** Starts the process that checks a store, and hears what it says until it ends or falls silent. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { compiled } from "../../../../base/compiled.js";
import { StoreError } from "../../../errors.js";
import type { CheckListener } from "./check.js";
import type { CheckMessage } from "./check-process.js";

const PROCESS_FILE = fileURLToPath(compiled(import.meta.url, "./check-process.js"));

/** A damaged store can lead the one who reads it in circles. In milliseconds. */
const MAX_SILENCE = 60_000;

/** Check the store in a directory. Throws `StoreError` for one that is missing or of another format, and an `AbortError` after `signal`. */
export async function superviseCheck(directory: string, listener: CheckListener, signal: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, [PROCESS_FILE, directory], {
    stdio: ["ignore", "pipe", "ignore"],
    signal,
    killSignal: "SIGKILL",
  });
  const ended = once(child, "close");
  // When the signal aborts, that is told below, once all that the process said was heard.
  ended.catch(() => {});
  let isDone = false;
  let isDamaged = false;
  const silence = setTimeout(() => child.kill("SIGKILL"), MAX_SILENCE);
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      silence.refresh();
      const message = JSON.parse(line) as CheckMessage;
      if ("refused" in message) throw new StoreError(message.refused);
      if ("system" in message) throw Object.assign(new Error(message.system.message), message.system);
      if ("problem" in message) {
        isDamaged = true;
        listener.onProblem(message.problem);
      }
      if ("records" in message) listener.onRecords(message.records);
      if ("done" in message) isDone = true;
    }
  } finally {
    // Without this a check that is refused would end a minute later.
    clearTimeout(silence);
    child.kill("SIGKILL");
  }
  const [, killedBy] = await ended;
  if (!isDone && !isDamaged) {
    listener.onProblem(`reading it ends the process that does${killedBy === null ? "" : ` (${killedBy})`}`);
  }
}
