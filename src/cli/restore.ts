/** `load --restore`: makes of an empty store the one that a dump was written of. */
import { join } from "node:path";
import { counted } from "../base/counted.js";
import { dumpsIn, manifestOf } from "../harvest/dumps/manifest.js";
import { DumpError, graphsOf, ledgerOf } from "../harvest/dumps/read.js";
import { openForLoading } from "../store/open.js";
import type { Terminal } from "./command.js";
import { ExitStatus } from "./exit-status.js";
import { type Options, UsageError } from "./options.js";

/** Restore the dump in a folder, or the newest of those in it. Throws `UsageError`, `StoreError`, `SyntaxProblem`. */
export async function restoreDump(options: Options, { stdout, stderr, interrupted }: Terminal): Promise<ExitStatus> {
  const { folder, manifest } = await dumpIn(options.positionals);
  const started = performance.now();
  const store = await openForLoading({ directory: options.required("store") });
  try {
    const stats = await store.restore(ledgerOf(folder, manifest), graphsOf(folder, manifest), interrupted);
    if (options.isSet("json"))
      stdout.write(`${JSON.stringify({ restored: stats.records, sequence: stats.sequence })}\n`);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    stderr.write(
      `${counted(stats.records, "record")} restored as of change ${stats.sequence} in ${seconds} s, with times, change log and deletions\n`,
    );
    return ExitStatus.done;
  } catch (error) {
    throw error instanceof DumpError ? new UsageError(error.message) : error;
  } finally {
    await store.close();
  }
}

/** Throws `UsageError`. */
async function dumpIn(given: readonly string[]) {
  const [folder, ...rest] = given;
  if (folder === undefined || rest.length > 0)
    throw new UsageError("--restore takes one folder: that of a dump, or of all dumps");
  const manifest = await manifestOf(folder);
  if (manifest !== undefined) return { folder, manifest };
  const [newest] = await dumpsIn(folder);
  if (newest === undefined) throw new UsageError(`there is no dump in ${folder}`);
  return { folder: join(folder, newest.folder), manifest: newest };
}
