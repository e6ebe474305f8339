/** A check of a store in this process; `vitrine check` uses a separate process, as damage may end it. */
import { checkEmbedded } from "../../src/store/embedded/maintenance/check/check.js";

export interface Checked {
  readonly records: number;
  readonly problems: readonly string[];
}

export async function checked(directory: string): Promise<Checked> {
  const problems: string[] = [];
  let records = 0;
  try {
    for await (const found of checkEmbedded(directory)) {
      if (found.problem !== undefined) problems.push(found.problem);
      else records = found.records;
    }
  } catch (error) {
    problems.push((error as Error).message);
  }
  return { records, problems };
}

/** Only the problems that a check finds. */
export async function problemsIn(directory: string): Promise<readonly string[]> {
  return (await checked(directory)).problems;
}
