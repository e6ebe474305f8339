/** `vitrine check`: looks through a store that may be damaged, from a process of its own. */

import { counted } from "../../base/counted.js";
import { rebuildSearch, searchProblems } from "../../search/open.js";
import { checkStore, repairStore } from "../../store/open.js";
import type { Command } from "../main/command.js";
import { ExitStatus } from "../main/exit-status.js";
import { argument } from "../settings/options.js";

/** Problems that are listed; a damaged page alone may give hundreds. */
const MAX_PROBLEMS = 1000;

export const checkCommand: Command = {
  name: "check",
  operands: "",
  summary: "checks the whole store for damage: hashes of records, tables that contradict each other",
  examples: ["check --store /srv/vitrine/store", "check --repair --store /srv/vitrine/store"],
  options: [
    argument("repair", "first rebuild what is derived from the records, and upgrade a store of an older format"),
  ],
  async run(options, { stdout, stderr, interrupted }) {
    const directory = options.required("store");
    if (options.isSet("repair")) {
      await repairStore({ directory }, interrupted);
      await rebuildSearch({ directory }, interrupted);
    }
    const { problems, records, count } = await check(directory, interrupted);
    if (options.isSet("json")) stdout.write(`${JSON.stringify({ records, problems })}\n`);
    else for (const problem of problems) stdout.write(`${problem}\n`);
    if (count > problems.length) stderr.write(`... and ${count - problems.length} more problems\n`);
    stderr.write(
      count === 0
        ? `${counted(records, "record")}, no problems\n`
        : `the store in ${directory} is damaged: ${options.isSet("repair") ? "" : "check --repair rebuilds what is derived from the records; otherwise "}restore it from a backup, or load into another folder\n`,
    );
    return count === 0 ? ExitStatus.done : ExitStatus.someInvalid;
  },
};

interface Findings {
  readonly records: number;
  /** The first of the problems, and how many there are. */
  readonly problems: readonly string[];
  readonly count: number;
}

/** Throws `StoreError` for a store that is missing or of another format. */
async function check(directory: string, signal: AbortSignal): Promise<Findings> {
  const problems: string[] = [];
  let [records, count] = [0, 0];
  const listener = {
    onProblem: (problem: string): void => {
      if (++count <= MAX_PROBLEMS) problems.push(problem);
    },
    onRecords: (seen: number): void => {
      records = seen;
    },
  };
  await checkStore({ directory }, listener, signal);
  // The records are read for it in this process, which damaged ones could end.
  if (count === 0) for (const problem of await searchProblems({ directory })) listener.onProblem(problem);
  return { records, problems, count };
}
