/** A check of a store in this process; `vitrine check` uses a separate process, as damage may end it. */
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

/** Only the problems that a check finds. */
export async function problemsIn(directory: string): Promise<readonly string[]> {
  return (await checked(directory)).problems;
}
