/** The process of the command: how it starts, what happens to uncaught errors, and how it ends. */
import { on } from "node:events";
import type { LoadConditions } from "../../http/loads/loads.js";
import { ExitStatus, explanationOf } from "./exit-status.js";
import { main } from "./main.js";
import { SERVICE_CHANNEL, visible, WHOLE_INPUT } from "./terminal.js";

/** The milliseconds that an ending process waits for its messages to be read. */
const LAST_WORDS = 1_000;

/** Run the command line of this process until it is done or `interrupted` aborts, then exit with its status, even if something is still open. */
export async function runProcess(interrupted: AbortSignal): Promise<never> {
  process.on("uncaughtException", (error) => {
    process.stderr.write(visible(`vitrine: ${explanationOf(error, ExitStatus.failed)}\n`));
    process.exit(ExitStatus.failed);
  });
  const { stdin, stdout, stderr, env: environment } = process;
  const isForService = environment[SERVICE_CHANNEL] !== undefined && process.send !== undefined;
  const channel = isForService && { channel: await serviceChannel() };
  const status = await main(process.argv.slice(2), { stdin, stdout, stderr, environment, interrupted, ...channel });
  const written = new Promise<void>((resolve) => stderr.write("", () => resolve()));
  await Promise.race([written, new Promise((resolve) => setTimeout(resolve, LAST_WORDS))]);
  process.exit(status);
}

/** The messages of the service that started this process: first the conditions, then whether the standard input is whole, unless the service disconnects. */
async function serviceChannel() {
  // Both messages may arrive before anything listens, so one listener receives both.
  const messages = on(process, "message") as AsyncIterator<[unknown]>;
  const isWhole = new Promise<boolean>((resolve) => process.once("disconnect", () => resolve(false)));
  const [conditions] = (await messages.next()).value as [LoadConditions];
  const confirmed = messages.next().then(({ value: [message] }) => {
    // An open channel would keep the process alive.
    process.disconnect?.();
    return message === WHOLE_INPUT;
  });
  return { conditions, isWhole: () => Promise.race([confirmed, isWhole]) };
}
