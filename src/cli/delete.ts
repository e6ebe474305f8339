/** `vitrine delete`: deletes records; each leaves a tombstone. */
import { iriProblem } from "../rdf/terms.js";
import { openForLoading } from "../store/open.js";
import type { Command } from "./command.js";
import { ExitStatus } from "./exit-status.js";
import { UsageError } from "./options.js";

export const deleteCommand: Command = {
  name: "delete",
  operands: "IRI...",
  summary: "deletes records; each leaves a tombstone",
  options: [],
  async run(options, { stdout, stderr }) {
    const iris = options.positionals;
    if (iris.length === 0) throw new UsageError("delete what? Give the IRIs of records");
    for (const iri of iris) {
      const problem = iriProblem(iri);
      if (problem !== undefined) throw new UsageError(`${JSON.stringify(iri)} ${problem}`);
    }
    const store = await openForLoading({ directory: options.required("store") });
    try {
      const missing: string[] = [];
      for (const iri of iris) if ((await store.find(iri)) === undefined) missing.push(iri);
      if (missing.length > 0) {
        throw new UsageError(
          `nothing was deleted: the store has no record ${missing.map((iri) => `<${iri}>`).join(", ")}`,
        );
      }
      const stage = await store.stage();
      for (const iri of iris) await stage.delete(iri);
      const { deleted, sequence } = await stage.publish();
      if (options.isSet("json")) stdout.write(`${JSON.stringify({ deleted, sequence })}\n`);
      stderr.write(`${deleted} deleted\n`);
      return ExitStatus.done;
    } finally {
      await store.close();
    }
  },
};
