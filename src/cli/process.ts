/** The life of the command's process: what it starts from, what becomes of errors that nobody caught, and how it ends. */
import type { Writable } from "node:stream";
import { ExitStatus, toldOf } from "./exit-status.js";
import { main } from "./main.js";
import { CONFIRMED } from "./sent.js";
import { visible } from "./terminal.js";

/** How long an ending process waits for whoever reads its words, in milliseconds. */
const LAST_WORDS = 1_000;

/**
 * Run the command line of this process and end it with the status of DESIGN.md's contract. `interrupted` is aborted by the signals that ask
 * for an end. Nothing that is still open holds the process up.
 */
export async function runProcess(interrupted: AbortSignal): Promise<never> {
  process.on("uncaughtException", (error) => {
    process.stderr.write(visible(`vitrine: ${toldOf(error, ExitStatus.failed)}\n`));
    process.exit(ExitStatus.failed);
  });
  const { stdin, stdout, stderr, env: environment } = process;
  const told = process.send === undefined ? {} : { isWhole: confirmation };
  const status = await main(process.argv.slice(2), { stdin, stdout, stderr, environment, interrupted, ...told });
  await Promise.race([written(stderr), new Promise((resolve) => setTimeout(resolve, LAST_WORDS))]);
  process.exit(status);
}

/** Whether whoever started this process says that its standard input is whole, before that one goes. */
async function confirmation(): Promise<boolean> {
  const isWhole = await new Promise<boolean>((resolve) => {
    process.once("message", (message) => resolve(message === CONFIRMED));
    process.once("disconnect", () => resolve(false));
  });
  // The channel would hold the process up.
  if (isWhole) process.disconnect?.();
  return isWhole;
}

/** Resolves when all that was written has left. */
function written(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) resolve();
    else stream.write("", () => resolve());
  });
}
