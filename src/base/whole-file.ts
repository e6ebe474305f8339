/** Whole files: readers see all of the old content or all of the new, whatever ends the process. */
import { chmodSync, createWriteStream, renameSync, writeFileSync } from "node:fs";
import { copyFile, open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** The ending of a file that takes another's place when it is whole. */
const PARTIAL = ".partial";

/** Give a file new content, on disk. It stays as it was when `write`, which ends the stream, rejects. What is no file, such as a pipe, is written to directly. */
export async function writeWhole(file: string, write: (stream: Writable) => Promise<void>): Promise<void> {
  const before = await stat(file).catch(() => undefined);
  if (before !== undefined && !before.isFile()) {
    await write(createWriteStream(file));
    return;
  }
  const place = before === undefined ? file : await realpath(file);
  const beside = `${place}.${process.pid}.part`;
  // One of a process that had this number before may be left there.
  await rm(beside, { force: true });
  try {
    await write(createWriteStream(beside, { flags: "wx", ...(before && { mode: before.mode }) }));
    await synchronized(beside);
    await rename(beside, place);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  await synchronized(dirname(place));
}

/** The same for a text. */
export async function replaceFile(file: string, text: string): Promise<void> {
  await writeWhole(file, (stream) => pipeline(Readable.from([text]), stream));
}

/** The same by a copy of another file. It may not be on disk yet. */
export async function replaceByCopy(path: string, source: string): Promise<void> {
  const partial = `${path}${PARTIAL}`;
  await copyFile(source, partial);
  await rename(partial, path);
}

/** The same at once, for a file that no other process replaces. It may not be on disk yet. @param mode who may read it */
export function replaceFileNow(path: string, content: string | Uint8Array, mode?: number): void {
  const partial = `${path}${PARTIAL}`;
  writeFileSync(partial, content, mode === undefined ? {} : { mode });
  // One that was left there keeps its own.
  if (mode !== undefined) chmodSync(partial, mode);
  renameSync(partial, path);
}

/** Make the content of a file, or the list of a folder, outlive a loss of power. */
export async function synchronized(path: string): Promise<void> {
  const handle = await open(path, "r");
  await handle.sync().finally(() => handle.close());
}
