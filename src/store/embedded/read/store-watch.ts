/** The watch over a store that is open: whether it was removed, or another lies in its place. */
import { stat } from "node:fs/promises";
import { RECORDS } from "../format/folders.js";

/** How often it is looked, in milliseconds. */
const INTERVAL = 1_000;

/** The identity of a file among others of its name: a load changes a file, only a replacement changes this. */
async function identityOf(directory: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(`${directory}/${RECORDS}`, { bigint: true });
    return `${dev} ${ino}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

export interface StoreWatch {
  /** Aborted once the store that was there at the beginning is not there any more. */
  readonly replaced: AbortSignal;
  close(): void;
}

/** Begin before the store is opened, so that no replacement falls between. */
export async function watchFolder(directory: string): Promise<StoreWatch> {
  const identity = await identityOf(directory);
  const replaced = new AbortController();
  const timer = setInterval(async () => {
    // A file that cannot be looked at for a moment is not another one.
    const found = await identityOf(directory).catch(() => identity);
    if (found !== identity) replaced.abort();
  }, INTERVAL);
  timer.unref();
  return { replaced: replaced.signal, close: () => clearInterval(timer) };
}
