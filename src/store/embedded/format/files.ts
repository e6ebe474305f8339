/** The files of a store's folder: their names, the room for them (a full disk ends a process that writes through a memory map, by SIGBUS), and the check of an LMDB file before LMDB opens it: lmdb-js 3.5 ends the process by a signal on one that is none, or is cut short. */
import { existsSync } from "node:fs";
import { type FileHandle, link, open, rm, statfs, writeFile } from "node:fs/promises";
import { StoreSpaceError } from "../../errors.js";

/** The LMDB environment; LMDB keeps its own lock file beside it. */
export const RECORDS = "records.mdb";

/** A folder of sockets, one of each process that loads or is about to. */
export const LOCK = "lock";

/** A folder of what is not yet part of the store; the holder of the loader's lock may clear it. */
export const STAGING = "staging";

/** A page's header (number, transaction, flags) precedes the facts that the first two pages hold, little-endian. */
const HEADER = 24;
const AT = {
  magic: HEADER,
  version: HEADER + 4,
  pageSize: HEADER + 24,
  lastPage: HEADER + 120,
  transaction: HEADER + 128,
};
const META = HEADER + 136;
const MAGIC = 0xbeefc0de;
/** The version of the data's form in lmdb-js 3. */
const VERSION = 2;

/** Why a file is not to be opened, or `undefined` when it may be; `missing` also for one without any content. */
export async function lmdbFileProblem(file: string): Promise<"missing" | string | undefined> {
  await using handle = await open(file, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (handle === undefined) return "missing";
  if ((await handle.stat()).size === 0) return "missing";
  const first = await metaAt(handle, 0);
  if (first === undefined) return `${file} is no LMDB file`;
  if ((first.readUInt32LE(AT.version) & 0xffff) !== VERSION) return `${file} was written by another version of LMDB`;
  const pageSize = first.readUInt32LE(AT.pageSize);
  if (pageSize < 512 || (pageSize & (pageSize - 1)) !== 0) return `${file} is no LMDB file`;
  const metas = [first, (await metaAt(handle, pageSize)) ?? first];
  const [latest] = metas.sort((a, b) => transactionOf(b) - transactionOf(a));
  // Read last: whoever publishes meanwhile makes the file longer before it says so.
  const { size } = await handle.stat();
  const needed = (Number(latest!.readBigUInt64LE(AT.lastPage)) + 1) * pageSize;
  return size < needed ? `${file} is cut short, ${size} bytes of at least ${needed}` : undefined;
}

/** Bytes of the lock file of LMDB, which tells readers apart: more than it asks for itself. */
const LOCK_BYTES = 16_384;

/** Have LMDB's lock file lie on the disk. LMDB's own is empty and written through a memory map, which ends the process (SIGBUS) on a full disk. */
export async function makeLockFile(file: string): Promise<void> {
  const lock = `${file}-lock`;
  if (existsSync(lock)) return;
  const partial = `${lock}.${process.pid}.part`;
  try {
    await writeFile(partial, Buffer.alloc(LOCK_BYTES), { mode: 0o664 });
    // Whole or not at all, and never in place of one that another process has made meanwhile.
    await link(partial, lock);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOSPC" || code === "EDQUOT") throw Object.assign(error as Error, { path: lock });
  } finally {
    await rm(partial, { force: true }).catch(() => {});
  }
}

async function metaAt(handle: FileHandle, position: number): Promise<Buffer | undefined> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(META), 0, META, position);
  return bytesRead === META && buffer.readUInt32LE(AT.magic) === MAGIC ? buffer : undefined;
}

function transactionOf(meta: Buffer): number {
  return Number(meta.readBigUInt64LE(AT.transaction));
}

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
