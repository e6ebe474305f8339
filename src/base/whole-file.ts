/** Atomic replacement of files: readers see all of the old content or all of the new, however the process ends. */
import {
  chmodSync,
  closeSync,
  createWriteStream,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { copyFile, open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { RefusalError, thrownMessage } from "./named-error.js";

/** The suffix of a file that replaces another once it is complete. */
export const PARTIAL = ".partial";

/** Replace the content of a file, durably. `write` must end the stream; if it rejects, the file is unchanged. A path that is not a regular file, such as a pipe, is written to directly. */
export async function writeWhole(file: string, write: (stream: Writable) => Promise<void>): Promise<void> {
  const before = await stat(file).catch(() => undefined);
  if (before !== undefined && !before.isFile()) return write(createWriteStream(file));
  const place = before === undefined ? file : await realpath(file);
  const beside = `${place}.${process.pid}.part`;
  // An earlier process with the same id may have left its file behind.
  await rm(beside, { force: true });
  try {
    await write(createWriteStream(beside, { flags: "wx", ...(before && { mode: before.mode }) }));
    await synchronized(beside);
    await rename(beside, place);
  } catch (error) {
    await rm(beside, { force: true });
    throw withPath(error, file);
  }
  await synchronized(dirname(place));
}

/** Replace the content of a file by a text, durably. */
export async function replaceFile(file: string, text: string): Promise<void> {
  await writeWhole(file, (stream) => pipeline(Readable.from([text]), stream));
}

/** Replace a file by a copy of another. The copy is not synchronized to disk. */
export async function replaceByCopy(path: string, source: string): Promise<void> {
  const partial = `${path}${PARTIAL}`;
  await copyFile(source, partial);
  await rename(partial, path);
}

/** Replace a file synchronously; no other process may replace it at the same time. The content is not synchronized to disk. @param mode who may read it */
export function replaceFileNow(path: string, content: string | Uint8Array, mode?: number): void {
  const partial = `${path}${PARTIAL}`;
  try {
    writeFileSync(partial, content, mode === undefined ? {} : { mode });
    // A partial file that an earlier process left behind keeps its mode.
    if (mode !== undefined) chmodSync(partial, mode);
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw withPath(error, path);
  }
}

/** The number of characters that are collected before they are written. */
const CHUNK = 1 << 16;

/** A file that is written piece by piece, synchronously, and gets its name only when it is complete. Links stay. A path that is not a regular file, such as a pipe, is written to directly. */
export class GrowingFile {
  /** Where links lead. */
  readonly #name: string;
  readonly #place: string;
  readonly #file: number;
  #text = "";

  /** Throws `RefusalError` if the file cannot be written. */
  constructor(private readonly path: string) {
    const before = statSync(path, { throwIfNoEntry: false });
    this.#name = before?.isFile() ? realpathSync(path) : path;
    this.#place = (before?.isFile() ?? true) ? `${this.#name}${PARTIAL}` : path;
    try {
      this.#file = openSync(this.#place, "w", before?.mode);
    } catch (error) {
      throw new RefusalError(`${path}: cannot be written: ${thrownMessage(error)}`);
    }
  }

  write(text: string): void {
    this.#text += text;
    if (this.#text.length >= CHUNK) this.#flush();
  }

  /** Complete the file. */
  end(): void {
    this.#flush();
    if (this.#place !== this.#name) renameSync(this.#place, this.#name);
    closeSync(this.#file);
  }

  /** Remove the incomplete file. */
  abandon(): void {
    closeSync(this.#file);
    if (this.#place !== this.#name) rmSync(this.#place, { force: true });
  }

  #flush(): void {
    try {
      writeFileSync(this.#file, this.#text);
    } catch (error) {
      throw withPath(error, this.path);
    }
    this.#text = "";
  }
}

/** Give an error of writing the path of its file or folder, which Node leaves out. Returns the error. */
export function withPath(error: unknown, path: string): unknown {
  return (error as NodeJS.ErrnoException).syscall === "write" ? Object.assign(error as Error, { path }) : error;
}

/** Flush the content of a file, or the entries of a folder, to disk, so that it survives a loss of power. */
export async function synchronized(path: string): Promise<void> {
  const handle = await open(path, "r");
  await handle.sync().finally(() => handle.close());
}
