/** The loader's lock: one process at a time writes to a store, and a killed one leaves no lock behind that holds. */
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { isAlive } from "../../../is-alive.js";
import { StoreLockedError } from "../../errors.js";
import { STAGING } from "../format/folders.js";

const NAME = "load.lock";

/** The lock of a store directory, held by this process. */
export interface LoaderLock {
  /** Whether nobody has removed it or taken it over. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/** Locks that this process has asked for; each wants a name of its own. */
let asked = 0;

/**
 * Take the lock of a store directory, and make the directory where there is none. Throws `StoreLockedError` while a living
 * process holds it.
 */
export async function acquireLock(directory: string): Promise<LoaderLock> {
  const staging = `${directory}/${STAGING}`;
  const file = `${directory}/${NAME}`;
  const candidate = `${staging}/lock-${process.pid}-${asked++}`;
  const identity = `${process.pid} ${await startOf(process.pid)}\n`;
  for (;;) {
    await mkdir(staging, { recursive: true });
    await writeFile(candidate, identity);
    try {
      // A hard link gives the lock its name and its content in one step: nobody ever reads a lock that is half written.
      if (await linkUnlessThere(candidate, file)) return heldLock(file, identity);
      const text = await textOf(file);
      if (text === undefined) continue;
      const holder = await livingHolder(text);
      if (holder !== undefined) throw new StoreLockedError(directory, holder);
      await removeStale(file, text, candidate);
    } finally {
      await removeFile(candidate);
    }
  }
}

function heldLock(file: string, identity: string): LoaderLock {
  const isHeld = async (): Promise<boolean> => (await textOf(file)) === identity;
  return {
    isHeld,
    async release() {
      if (await isHeld()) await removeFile(file);
    },
  };
}

/** Give a file a second name; false when that name is taken, or when the file was cleared away meanwhile. */
async function linkUnlessThere(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || code === "ENOENT") return false;
    throw error;
  }
}

/**
 * Remove the lock of a process that is gone. Whoever does so holds a second lock meanwhile: of two that found the stale
 * one, the later must not remove what the earlier has put in its place.
 */
async function removeStale(file: string, stale: string, candidate: string): Promise<void> {
  const guard = `${file}.stale`;
  if (await linkUnlessThere(candidate, guard)) {
    if ((await textOf(file)) === stale) await removeFile(file);
    await removeFile(guard);
    return;
  }
  const text = await textOf(guard);
  if (text !== undefined && (await livingHolder(text)) === undefined) await removeFile(guard);
}

/** The process that holds a lock of this content, or `undefined` when it is gone. */
async function livingHolder(text: string): Promise<number | undefined> {
  const [number = "", start = ""] = text.trim().split(" ");
  const pid = Number.parseInt(number, 10);
  if (!(pid > 0) || !isAlive(pid)) return undefined;
  const now = await startOf(pid);
  // Where nothing tells when a process began, a living one of that number is taken for the holder.
  if (now === UNKNOWN || start === UNKNOWN) return isAlive(pid) ? pid : undefined;
  return now === start ? pid : undefined;
}

const UNKNOWN = "unknown";
const ENDED = "ended";

/**
 * When a process began, so that a later one of the same number is not taken for it: clock ticks since the machine's start,
 * and which start that was. `UNKNOWN` where there is no /proc, or it hides the process.
 */
async function startOf(pid: number): Promise<string> {
  const stat = await textOf(`/proc/${pid}/stat`);
  if (stat === undefined) return UNKNOWN;
  // The command's name stands in parentheses and may hold spaces; the state follows it, the start is 19 fields further on.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // A killed process stays as a zombie until its parent asks for it.
  if (fields[0] === "Z" || fields[0] === "X") return ENDED;
  const boot = await textOf("/proc/sys/kernel/random/boot_id");
  return `${fields[19]}@${boot?.trim()}`;
}

async function removeFile(file: string): Promise<void> {
  await rm(file, { force: true });
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ESRCH: the process ended while its file in /proc was read.
    if (code === "ENOENT" || code === "ESRCH") return undefined;
    throw error;
  }
}
