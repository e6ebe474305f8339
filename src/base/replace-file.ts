/** Gives small files new content: readers see the whole of the old one or of the new one, whatever ends the process. */
import { chmodSync, renameSync, writeFileSync } from "node:fs";
import { open, rename, writeFile } from "node:fs/promises";

/** Replace a file by way of one beside it; only one process may do so at a time. Throws what the file system throws. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const partial = `${path}.partial`;
  await writeFile(partial, text, { flush: true });
  await rename(partial, path);
}

/** The same at once. @param mode who may read it, where that is not everybody who may read files of this process */
export function replaceFileNow(path: string, text: string, mode?: number): void {
  const partial = `${path}.partial`;
  writeFileSync(partial, text, mode === undefined ? {} : { mode });
  // One that was left there keeps its own.
  if (mode !== undefined) chmodSync(partial, mode);
  renameSync(partial, path);
}

/** Have what was written to a file, or which files a folder has, outlive a loss of power. */
export async function synchronized(path: string): Promise<void> {
  const handle = await open(path, "r");
  await handle.sync().finally(() => handle.close());
}
