/** A disk that is soon full: a file system in memory of a few megabytes, if the machine lets tests mount one. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SmallDisk {
  readonly path: string;
  remove(): void;
}

/** Mount a disk of this many mebibytes; `undefined` if that is not allowed. */
export function smallDisk(mebibytes: number): SmallDisk | undefined {
  const path = mkdtempSync(join(tmpdir(), "vitrine-disk-"));
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "vitrine-test", path]);
  if (status !== 0) {
    remove();
    return undefined;
  }
  return {
    path,
    remove() {
      // Lazily, as SQLite's binding closes a file only when its statements are garbage-collected.
      spawnSync("umount", ["--lazy", path]);
      remove();
    },
  };
}

/** Whether tests can mount disks. */
export const HAS_SMALL_DISKS = ((): boolean => {
  const disk = smallDisk(1);
  disk?.remove();
  return disk !== undefined;
})();
