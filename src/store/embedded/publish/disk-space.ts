/** The space on the disk, looked for ahead of writing: a full disk ends a process that writes through a memory map (SIGBUS). */
import { statfs } from "node:fs/promises";
import { StoreSpaceError } from "../../errors.js";

/** Room that must be left: more than is written between two looks, with what a commit needs for itself. */
export const RESERVE = 32 * 2 ** 20;

/** Throws `StoreSpaceError` when the disk of a directory has no room for so many bytes besides the reserve. */
export async function ensureDiskSpace(directory: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize < RESERVE + bytes) throw new StoreSpaceError(directory);
}

/** Run some writing. Throws `StoreSpaceError` in place of what the system throws when the disk is full. */
export async function withFullDiskError<T>(directory: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === "ENOSPC" || code === "EDQUOT" ? new StoreSpaceError(directory, { cause: error }) : error;
  }
}
