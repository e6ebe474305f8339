/** Testing whether a process is alive when only its id is known. */

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
