/** The files of a store's folder: their names, and checks before LMDB uses them, since an invalid file or a full disk would kill the process by a signal. */
import { existsSync } from "node:fs";
import { type FileHandle, link, open, rm, statfs, writeFile } from "node:fs/promises";
import { StoreSpaceError } from "../../errors.js";

/** The LMDB environment; LMDB keeps its own lock file beside it. */
export const RECORDS = "records.mdb";

/** A folder of sockets, one for each process that loads or is about to. */
export const LOCK = "lock";

/** A folder of files that are not yet part of the store. The holder of the loader's lock may clear it. */
export const STAGING = "staging";

/** Offsets in the first two pages of the file, which are meta pages, little-endian. Each begins with a page header (number, transaction, flags). */
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
/** The version of the data format in lmdb-js 3. */
const VERSION = 2;

/** Why a file must not be opened, or `undefined` if it may be. `missing` includes an empty file. lmdb-js 3.5 would crash on a file that is invalid or cut short. */
export async function lmdbFileProblem(file: string): Promise<"missing" | string | undefined> {
  await using handle = await open(file, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (handle === undefined || (await handle.stat()).size === 0) return "missing";
  const first = await metaAt(handle, 0);
  if (first === undefined) return `${file} is not an LMDB file`;
  if ((first.readUInt32LE(AT.version) & 0xffff) !== VERSION) return `${file} was written by another version of LMDB`;
  const pageSize = first.readUInt32LE(AT.pageSize);
  if (pageSize < 512 || (pageSize & (pageSize - 1)) !== 0) return `${file} is not an LMDB file`;
  const metas = [first, (await metaAt(handle, pageSize)) ?? first];
  const [latest] = metas.sort((a, b) => Number(b.readBigUInt64LE(AT.transaction) - a.readBigUInt64LE(AT.transaction)));
  // Read the size last: a publication extends the file before it writes the meta page, so the size never seems too small.
  const { size } = await handle.stat();
  const needed = (Number(latest!.readBigUInt64LE(AT.lastPage)) + 1) * pageSize;
  return size < needed ? `${file} is cut short, ${size} bytes of at least ${needed}` : undefined;
}

/** The size of LMDB's lock file, its table of readers, in bytes: for 500 processes, more than the 256 workers of a service and those beside it. */
const LOCK_BYTES = 32_768;

/** Create LMDB's lock file with its space allocated. LMDB would create it empty and write it through a memory map, which kills the process (SIGBUS) on a full disk. */
export async function makeLockFile(file: string): Promise<void> {
  const lock = `${file}-lock`;
  if (existsSync(lock)) return;
  const partial = `${lock}.${process.pid}.part`;
  try {
    await writeFile(partial, Buffer.alloc(LOCK_BYTES), { mode: 0o664 });
    // `link` is atomic, and does not replace a lock file that another process has created meanwhile.
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

/** The free disk space that must remain, in bytes: more than is written between two checks and for a commit. */
export const RESERVE = 32 * 2 ** 20;

/** Check that the disk of a directory has room for `bytes` besides the reserve. Throws `StoreSpaceError` if not. Writing through a memory map to a full disk causes SIGBUS. */
export async function ensureDiskSpace(directory: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize < RESERVE + bytes) throw new StoreSpaceError(directory);
}

/** Run `write`. If the disk is full, throws `StoreSpaceError` in place of the system's error. */
export async function withFullDiskError<T>(directory: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === "ENOSPC" || code === "EDQUOT" ? new StoreSpaceError(directory, { cause: error }) : error;
  }
}
