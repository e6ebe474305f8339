/** Process ids: whether a process is alive, how much memory it has, and the namespace in which its id is valid. */
import { readFileSync, readlinkSync } from "node:fs";

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

/** A file of `/proc`; empty if its process or thread has ended, or the system has none. */
export function processFile(name: string): string {
  try {
    return readFileSync(`/proc/${name}`, "latin1");
  } catch {
    return "";
  }
}

/** The resident memory of a process, in bytes; 0 if it is unknown. */
export function residentMemory(pid: number | string): number {
  const [, kib = 0] = /^VmRSS:\s+(\d+) kB$/m.exec(processFile(`${pid}/status`)) ?? [];
  return Number(kib) * 1_024;
}

/** The namespace in which this process's id is valid, such as `pid:[4026531836]`; the empty string if the system has none. */
export function processNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}
