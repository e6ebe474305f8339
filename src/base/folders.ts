/** Creating the folders that users name. */
import { existsSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** Create a folder and its parents. Node's recursive `mkdir` never returns where a file system refuses with ENOENT, as `/proc` does. */
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
