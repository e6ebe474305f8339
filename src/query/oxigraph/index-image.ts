/** The index image: the memory of a filled index as a file. Reading it takes a fraction of the time of filling. */
import { createHash, type Hash } from "node:crypto";
import { type FileHandle, open, rename, rm, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { grouped } from "../../base/counted.js";
import { jsonIn } from "../../base/json.js";
import { NamedError } from "../../base/named-error.js";
import type { IndexStanding } from "./index-messages.js";
import { type WasmState, type WasmTable, wasmDigest } from "./wasm-instance.js";

/** The parts of a merged store that are outside the WebAssembly memory. */
export interface IndexParts {
  /** The address of Oxigraph's store in the memory. */
  readonly address: number;
  /** The table of `TripleCounts`, and the number of its slots in use. */
  readonly counts: Uint32Array;
  readonly used: number;
  readonly live: number;
  readonly dead: number;
}

export interface ImageSubject extends Pick<IndexStanding, "sequence" | "leftOut" | "missing"> {
  readonly withGraphs: boolean;
  /** Distinguishes the store from others with the same sequence number (`changeMark`). */
  readonly mark: string;
}

export class ImageRefusedError extends NamedError {
  constructor(
    message: string,
    /** Whether part of the image is in the memory already; then the process cannot be used any more. */
    readonly isTouched: boolean,
  ) {
    super(message);
  }
}

interface Header {
  readonly subject: ImageSubject;
  readonly parts: Omit<IndexParts, "counts">;
  readonly wasm: string;
  readonly memoryBytes: number;
  readonly countsBytes: number;
  readonly references: readonly (string | number)[];
}

/** The beginning of the file, which identifies the file format. */
const MAGIC = Buffer.from("Vitrine index image 2\n");
/** `MAGIC` is followed by the length of the header, the header as JSON, the memory, the counts, and the SHA-256 of all that. */
const LENGTH_BYTES = 4;
const CHECKSUM_BYTES = 32;
const MAX_HEADER = 2 ** 26;
const PIECE = 8 * 2 ** 20;
const WASM_PAGE = 65_536;
/** Free disk space that must remain beside an image, in bytes. */
const MIN_FREE = 512 * 2 ** 20;
/** A partial file that was not modified for this many milliseconds is abandoned. */
const ABANDONED_AFTER = 60_000;

/** The values in the table of references besides strings. In an image, each is written as its index here. */
const CONSTANTS: readonly unknown[] = [undefined, null, true, false];

/** The table of references as it is written; `undefined` if it has values that cannot be written. */
function entriesOf(references: WasmTable): (string | number)[] | undefined {
  const entries: (string | number)[] = [];
  for (let at = 0; at < references.length; at++) {
    const value: unknown = references.get(at);
    const constant = CONSTANTS.indexOf(value);
    if (constant === -1 && typeof value !== "string") return undefined;
    entries.push(constant === -1 ? (value as string) : constant);
  }
  return entries;
}

/** Write an image, which replaces the last one when it is complete. Returns whether it was written. Meanwhile, no function of the WebAssembly instance may run: if one must, `isAbandoned` returns true from then on. Throws errors of the file system, after the partial file is removed. */
export async function writeImage(
  path: string,
  { memory, references }: WasmState,
  { counts, ...parts }: IndexParts,
  subject: ImageSubject,
  isAbandoned: () => boolean,
): Promise<boolean> {
  const entries = entriesOf(references);
  if (entries === undefined) return false;
  const bytes = new Uint8Array(memory.buffer);
  const header: Header = {
    subject,
    parts,
    wasm: wasmDigest(),
    memoryBytes: bytes.length,
    countsBytes: counts.byteLength,
    references: entries,
  };
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(json.length);
  const head = Buffer.concat([MAGIC, length, json]);
  await checkRoom(path, head.length + bytes.length + counts.byteLength);
  const part = `${path}.part`;
  const file = await begun(part);
  if (file === undefined) return false;
  let isWhole = false;
  try {
    const hash = createHash("sha256");
    for (const block of [head, bytes, new Uint8Array(counts.buffer, counts.byteOffset, counts.byteLength)])
      if (!(await written(file, block, hash, isAbandoned))) return false;
    await file.writeFile(hash.digest());
    await file.sync();
    isWhole = true;
  } finally {
    await file.close();
    if (!isWhole) await rm(part, { force: true });
  }
  await rename(part, path);
  return true;
}

async function checkRoom(path: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(path));
  if (bavail * bsize >= bytes + MIN_FREE) return;
  throw new Error(`the disk needs ${grouped(Math.ceil((bytes + MIN_FREE) / 2 ** 20))} MiB of free space`);
}

/** Create the partial file, or return `undefined` if another process is writing it. */
async function begun(part: string): Promise<FileHandle | undefined> {
  const last = await stat(part).catch(() => undefined);
  if (last !== undefined && Date.now() - last.mtimeMs < ABANDONED_AFTER) return undefined;
  await rm(part, { force: true });
  return open(part, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EEXIST") return undefined;
    throw error;
  });
}

async function written(file: FileHandle, block: Uint8Array, hash: Hash, isAbandoned: () => boolean): Promise<boolean> {
  for (let at = 0; at < block.length; at += PIECE) {
    const piece = block.subarray(at, at + PIECE);
    const writing = file.writeFile(piece);
    // Hash the piece on this core while the system writes it on another.
    hash.update(piece);
    await writing;
    if (isAbandoned()) return false;
  }
  return !isAbandoned();
}

export type ReadImage = NonNullable<Awaited<ReturnType<typeof readImage>>>;

/** Read an image into the memory of an unused instance; `undefined` if there is none. Throws `ImageRefusedError` if it is damaged, of another version or refused by `check`. */
export async function readImage(
  path: string,
  state: WasmState,
  check: (subject: ImageSubject, bytes: number) => Promise<void>,
  progress: (share: number) => void,
) {
  await using file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new ImageRefusedError(error.message, false);
  });
  if (file === undefined) return undefined;
  const { header, head } = await headerOf(file);
  const { subject, parts, wasm, memoryBytes, countsBytes, references } = header;
  await check(subject, memoryBytes + countsBytes);
  if (wasm !== wasmDigest()) throw new ImageRefusedError("it is of another version of Oxigraph", false);
  const { size } = await file.stat();
  if (size !== head.length + memoryBytes + countsBytes + CHECKSUM_BYTES)
    throw new ImageRefusedError("it is incomplete", false);
  const hash = createHash("sha256").update(head);
  const { memory } = state;
  if (memory.buffer.byteLength > memoryBytes) throw new ImageRefusedError("the memory is in use", false);
  memory.grow((memoryBytes - memory.buffer.byteLength) / WASM_PAGE);
  const done = (bytes: number): void => progress(bytes / size);
  await readInto(new Uint8Array(memory.buffer), file, head.length, hash, done);
  const counts = new Uint8Array(countsBytes);
  await readInto(counts, file, head.length + memoryBytes, hash, done);
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  await file.read(checksum, 0, CHECKSUM_BYTES, head.length + memoryBytes + countsBytes);
  if (!hash.digest().equals(checksum)) throw new ImageRefusedError("its checksum is wrong", true);
  const table = state.references;
  if (references.length > table.length) table.grow(references.length - table.length);
  for (const [at, entry] of references.entries()) table.set(at, typeof entry === "number" ? CONSTANTS[entry] : entry);
  return { subject, parts: { ...parts, counts: new Uint32Array(counts.buffer) } satisfies IndexParts };
}

async function headerOf(file: FileHandle): Promise<{ header: Header; head: Buffer }> {
  const start = Buffer.alloc(MAGIC.length + LENGTH_BYTES);
  await file.read(start, 0, start.length, 0);
  const length = start.readUInt32LE(MAGIC.length);
  if (!start.subarray(0, MAGIC.length).equals(MAGIC) || length > MAX_HEADER)
    throw new ImageRefusedError("it is not an image of this version", false);
  const json = Buffer.alloc(length);
  await file.read(json, 0, length, start.length);
  const header = jsonIn<Header>(json);
  if (header === undefined) throw new ImageRefusedError("its header is damaged", false);
  return { header, head: Buffer.concat([start, json]) };
}

async function readInto(bytes: Uint8Array, file: FileHandle, start: number, hash: Hash, done: (bytes: number) => void) {
  let read: Uint8Array | undefined;
  for (let at = 0; at < bytes.length || read !== undefined; at += PIECE) {
    const piece = bytes.subarray(at, at + PIECE);
    const reading = piece.length === 0 ? undefined : readWhole(file, piece, start + at);
    // Hash the previous piece while the system reads the next one.
    if (read !== undefined) hash.update(read);
    await reading;
    read = reading && piece;
    done(start + at);
  }
}

async function readWhole(file: FileHandle, piece: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < piece.length; ) {
    const { bytesRead } = await file.read(piece, at, piece.length - at, position + at);
    if (bytesRead === 0) throw new ImageRefusedError("it is incomplete", true);
    at += bytesRead;
  }
}
