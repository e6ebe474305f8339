/** Process ids: whether a process is alive, and the namespace in which its id is valid. */
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

/** The namespace in which this process's id is valid, such as `pid:[4026531836]`; the empty string if the system has none. */
export function processNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}
