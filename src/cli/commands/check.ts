/** `vitrine check`: checks a store that may be damaged, in separate processes. */
import { counted } from "../../base/counted.js";
import { rebuildSearch, searchProblems } from "../../search/open.js";
import { SearchIndexError } from "../../search/search-index.js";
import { StoreError } from "../../store/errors.js";
import { checkStore, repairStore } from "../../store/open.js";
import type { CommandDefinition } from "../main/command.js";
import { ExitStatus } from "../main/exit-status.js";
import { argument } from "../settings/options.js";

export const checkCommand: CommandDefinition = {
  summary: "checks the whole store for damage: hashes of records, tables that contradict each other",
  examples: ["check --store /srv/vitrine/store", "check --repair --store /srv/vitrine/store"],
  options: [argument("repair", "first rebuild what is derived from records, and upgrade a store of an older format")],
  changesStore: (options) => options.isSet("repair"),
  async run(options, { stdout, stderr, interrupted }) {
    const directory = options.required("store");
    if (options.isSet("repair")) {
      await repairStore({ directory }, interrupted);
      await indexWork("the records are repaired", rebuildSearch({ directory }, interrupted));
    }
    const { records, count, mayRepair, problems: found } = await checkStore({ directory }, interrupted);
    // The search index is checked against the records in this process, which damaged records could crash.
    const sound = `${counted(records, "record")}, no problems`;
    const problems = count === 0 ? await indexWork(sound, searchProblems({ directory })) : found;
    if (options.isSet("json")) stdout.json({ records, problems });
    else for (const problem of problems) stdout.write(`${problem}\n`);
    if (count > problems.length) stderr.line(`... and ${count - problems.length} more problems`);
    const isRepairable = mayRepair && !options.isSet("repair");
    const hint = isRepairable ? "check --repair rebuilds what is derived from the records; otherwise " : "";
    if (problems.length > 0) {
      stderr.line(`the store in ${directory} is damaged: ${hint}restore it from a backup, or load into another folder`);
      return ExitStatus.someInvalid;
    }
    stderr.line(sound);
  },
};

/** Work on the search index. If the index cannot be opened or written to, the error says first what is known of the records. */
async function indexWork<T>(known: string, work: Promise<T>): Promise<T> {
  return await work.catch((error: Error) => {
    throw error instanceof SearchIndexError ? new StoreError(`${known}; but ${error.message}`) : error;
  });
}
