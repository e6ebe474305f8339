/** The making of folders that people name. */
import { existsSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** Make a folder, and those that it lies in. Node's own recursive `mkdir` tries for ever where a file system allows none and answers ENOENT (`/proc`). */
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
