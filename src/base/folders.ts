/** The making of folders that people name. */
import { existsSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Make a folder, and those that it lies in, where there is none. Rejects with what the file system says: Node's own `mkdir` tries for ever
 * where a file system lets nobody make one and says that there is none (`/proc`).
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && !existsSync(dirname(path))) {
      await makeFolder(dirname(path));
      await makeFolder(path);
    } else if ((await stat(path).catch(() => undefined))?.isDirectory() !== true) throw error;
  }
}
