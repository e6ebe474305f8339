/** Writing a file whole or not at all: beside its place, synchronized, and then renamed. */
import { createWriteStream, existsSync } from "node:fs";
import { realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Writable } from "node:stream";
import { synchronized } from "../base/replace-file.js";
import { UsageError } from "./options.js";

/**
 * Give a file new content. Until all of it is on disk the file is what it was, and stays so when `write` rejects. What is no file,
 * such as a pipe, is written to as it is. `write` ends the stream.
 */
export async function writeWhole(file: string, write: (stream: Writable) => Promise<void>): Promise<void> {
  const before = await stat(file).catch(() => undefined);
  if (before !== undefined && !before.isFile()) {
    await write(createWriteStream(file));
    return;
  }
  const place = before === undefined ? file : await realpath(file);
  if (!existsSync(dirname(place)))
    throw new UsageError(`${file} cannot be written: there is no folder ${dirname(place)}`);
  const beside = `${place}.${process.pid}.part`;
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
