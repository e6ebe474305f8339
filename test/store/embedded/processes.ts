/** Starts `loader-process.ts` in processes of their own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface Loader {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Resolves to the next line that it says, `undefined` once it has ended. */
  line(): Promise<string | undefined>;
  /** Kill it, so that it can clean up nothing, and wait until it is gone. */
  kill(): Promise<void>;
}

/** Start a process that does some work (`loader-process.ts`) in a store directory, by another command where `wrapper` names one. */
export function startLoader(work: string, directory: string, wrapper: readonly string[] = []): Loader {
  const script = "test/store/embedded/loader-process.ts";
  const [command, ...args] = [...wrapper, process.execPath, "--import", "tsx", script, work, directory];
  const process_ = spawn(command!, args, {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: process_.stdout })[Symbol.asyncIterator]();
  return {
    process: process_,
    pid: process_.pid!,
    line: async () => (await lines.next()).value as string | undefined,
    async kill() {
      if (process_.exitCode !== null || process_.signalCode !== null) return;
      process_.kill("SIGKILL");
      await once(process_, "exit");
    },
  };
}
