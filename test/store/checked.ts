/** What a check finds in a sound or spoilt store, in this process; `vitrine check` has a process of its own for what may be damaged. */
import { checkEmbedded } from "../../src/store/embedded/maintenance/check/check.js";

export interface Checked {
  readonly records: number;
  readonly problems: readonly string[];
}

export async function checked(directory: string): Promise<Checked> {
  const problems: string[] = [];
  let records = 0;
  const listener = {
    onProblem: (problem: string): void => void problems.push(problem),
    onRecords: (seen: number): void => {
      records = seen;
    },
  };
  await checkEmbedded(directory, listener).catch((error: Error) => problems.push(error.message));
  return { records, problems };
}

/** The problems alone. */
export async function problemsIn(directory: string): Promise<readonly string[]> {
  return (await checked(directory)).problems;
}
