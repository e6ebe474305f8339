/**
 * A setup that makes unit and process tests create their folders in memory, if there is room: LMDB waits for the disk at each commit,
 * which takes most of the time of a small load. Campaigns use the disk.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

const MEMORY = "/dev/shm";
/** The space that is needed; containers often have only a few megabytes. */
const ROOM = 4 * 2 ** 30;

export default function setup(): (() => void) | undefined {
  if (process.env.TMPDIR !== undefined || !isFit()) return undefined;
  const folder = mkdtempSync(join(MEMORY, "vitrine-tests-"));
  // The same permissions as the usual folder: some tests run as another user.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  return () => {
    delete process.env.TMPDIR;
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Whether the folder in memory exists, has room, and allows programs to run from it. */
function isFit(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    const mounted = new RegExp(`^\\S+ ${MEMORY} \\S+ (\\S+)`, "m").exec(readFileSync("/proc/mounts", "utf8"));
    return bavail * bsize >= ROOM && mounted !== null && !mounted[1]!.split(",").includes("noexec");
  } catch {
    return false;
  }
}
