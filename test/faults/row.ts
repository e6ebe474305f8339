/** What the faults have in common: what came of a row, and the built command. */
import { execFile } from "node:child_process";

/** What came of a fault that was made several times. */
export interface Row {
  readonly runs: number;
  /** How often what happened. */
  readonly seen: ReadonlyMap<string, number>;
  /** What should not have happened. */
  readonly failures: readonly string[];
}

export interface Ran {
  /** A status, or the signal that ended it. */
  readonly status: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Run the built command to its end, by another where `wrapper` names one. */
export function vitrine(args: readonly string[], wrapper: readonly string[] = []): Promise<Ran> {
  const [command, ...rest] = [...wrapper, process.execPath, "bin/vitrine.js", ...args];
  return new Promise((resolve) => {
    execFile(command!, rest, { maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : (error.code ?? error.signal ?? "?"), stdout, stderr });
    });
  });
}
