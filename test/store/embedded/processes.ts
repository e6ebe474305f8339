/** Processes that load, and write lines that say how far they are. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { bundled } from "../../bundled.js";

export interface Loader {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Resolves to the next line that it writes, or `undefined` once it has ended. */
  line(): Promise<string | undefined>;
  /** Kills it, so that it cannot clean up, and waits until it has ended. */
  kill(): Promise<void>;
}

/** Start a process that publishes editions in a store directory (`loader-process.ts`). */
export function startLoader(directory: string): Loader {
  const program = bundled("loader", 'import "./test/store/embedded/loader-process.ts";');
  return listenTo([process.execPath, program, directory]);
}

/** Start a process that takes the lock of a store directory (`publish/lock-process.js`), through the command `wrapper` if given. */
export function startLocker(work: string, directory: string, wrapper: readonly string[] = []): Loader {
  return listenTo([...wrapper, process.execPath, locker(), work, directory]);
}

/** The program that takes the lock, bundled. */
export const locker = (): string => bundled("locker", 'import "./test/store/embedded/publish/lock-process.js";');

function listenTo([command, ...args]: readonly string[]): Loader {
  const child = spawn(command!, args, { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    process: child,
    pid: child.pid!,
    line: async () => (await lines.next()).value as string | undefined,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}
