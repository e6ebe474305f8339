/** The folders that users name: creating them, and whether one is in another. */
import { existsSync, realpathSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

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

/** Whether a path is a folder or in it, also by symbolic links. Neither needs to exist. */
export function isWithin(path: string, folder: string): boolean {
  return `${realPath(path)}/`.startsWith(`${realPath(folder)}/`.replace("//", "/"));
}

/** A path without symbolic links, as far as it exists. */
export function realPath(path: string): string {
  const whole = resolve(path);
  return existsSync(whole) ? realpathSync(whole) : join(realPath(dirname(whole)), basename(whole));
}
