/** The loader's lock: one process at a time writes to a store, and a killed one leaves no lock behind that holds. */
import { mkdir, open, readFile, unlink } from "node:fs/promises";
import { StoreLockedError } from "./errors.js";

const NAME = "load.lock";

/**
 * Take the lock of a store directory. Resolves to the function that releases it. Throws `StoreLockedError` while a
 * living process holds it.
 */
export async function acquireLock(directory: string): Promise<() => Promise<void>> {
  await mkdir(directory, { recursive: true });
  const file = `${directory}/${NAME}`;
  for (;;) {
    try {
      const handle = await open(file, "wx");
      await handle.writeFile(`${process.pid} ${await startOf(process.pid)}\n`);
      await handle.close();
      return () => unlink(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = await livingHolder(file);
    if (holder !== undefined) throw new StoreLockedError(directory, holder);
    await unlink(file).catch(() => undefined);
  }
}

/** The process that holds a lock file, or `undefined` when it is gone. */
async function livingHolder(file: string): Promise<number | undefined> {
  const text = await readFile(file, "utf8").catch(() => "");
  const [number = "", start] = text.trim().split(" ");
  const pid = Number.parseInt(number, 10);
  // A file without content is being written at this moment, or was left by a crash between two system calls.
  if (!Number.isInteger(pid)) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return undefined;
  }
  return (await startOf(pid)) === start ? pid : undefined;
}

/** When a process began, in clock ticks, so that a later process of the same number is not taken for it. */
async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  // The command name stands in parentheses and may hold spaces; the start time is the 20th field after it.
  return stat === undefined ? "unknown" : stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]!;
}
