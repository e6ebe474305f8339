/**
 * Has unit and process tests make their folders in memory, where there is room: LMDB waits for the disk at each commit, which is most of the
 * time of a small load. Campaigns use the disk.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

const MEMORY = "/dev/shm";
/** A container often has a few megabytes there. */
const ROOM = 4 * 2 ** 30;

export default function setup(): (() => void) | undefined {
  if (process.env.TMPDIR !== undefined || !isFit()) return undefined;
  const folder = mkdtempSync(join(MEMORY, "vitrine-tests-"));
  // As the usual folder has it: some tests are somebody else's.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  return () => {
    delete process.env.TMPDIR;
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Whether it is there, has room, and lets programs be run in it. */
function isFit(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    const mounted = new RegExp(`^\\S+ ${MEMORY} \\S+ (\\S+)`, "m").exec(readFileSync("/proc/mounts", "utf8"));
    return bavail * bsize >= ROOM && mounted !== null && !mounted[1]!.split(",").includes("noexec");
  } catch {
    return false;
  }
}
