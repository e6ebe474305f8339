/** Processes of which only the id is known: whether they are alive, and where the id has a meaning. */
import { readlinkSync } from "node:fs";

/** Whether a process with this id is alive, whichever user it belongs to. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is alive and belongs to another user.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** The namespace of this process, in which process ids have a meaning; the empty string if the system has none. */
export function processNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}
