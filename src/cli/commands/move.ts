/** `vitrine move`: lets the IRIs of merged or renamed records lead to others. */
import { text } from "node:stream/consumers";
import { counted } from "../../base/counted.js";
import { resolveIri } from "../../rdf/resolve.js";
import type { WritableStore } from "../../store/writable-store.js";
import { type AskedMove, finalTargets, movesIn } from "../loading/moves.js";
import { openWhenFree } from "../loading/remote-load-guard.js";
import type { Command, Terminal } from "../main/command.js";
import { ExitStatus } from "../main/exit-status.js";
import { baseUrlOf, namedText } from "../settings/common.js";
import { KEEP, keepingOf } from "../settings/keep.js";
import { type Options, UsageError } from "../settings/options.js";

export const moveCommand: Command = {
  name: "move",
  operands: "FILE... | -",
  summary: "redirects the IRIs of merged or renamed records (301), all or none",
  notes: [
    "Each line has an old and a new IRI. The old record is deleted, and its IRI redirects to the new one, which must have a",
    "record. Chains are shortened, circles refused. References in other records stay. A load that brings the old IRI again ends the move.",
  ],
  examples: ["move merged.csv", "move - < merged.csv"],
  options: [KEEP],
  changesStore: true,
  async run(options, terminal) {
    if (options.positionals.length === 0)
      throw new UsageError("move needs files of old and new IRIs, or - for standard input");
    await using store = await openWhenFree(options.required("store"), false, terminal);
    const moves = await givenMoves(options, store, terminal);
    const { deleted, sequence } = await publishMoves(store, moves, options, terminal);
    if (options.isSet("json")) terminal.stdout.write(`${JSON.stringify({ moved: deleted, sequence })}\n`);
    const before = new Set(moves.map(({ from }) => from)).size - deleted;
    terminal.stderr.write(`${counted(deleted, "record")} moved${before > 0 ? `, ${before} moved before` : ""}\n`);
    return ExitStatus.done;
  },
};

/** Make moves in one step. Throws `UsageError` where any of them cannot be made. */
export async function publishMoves(
  store: WritableStore,
  moves: readonly AskedMove[],
  options: Options,
  { interrupted }: Terminal,
) {
  const targets = await finalTargets(store, moves);
  const stage = await store.stage(keepingOf(options));
  for (const [from, to] of targets) await stage.delete(from, to);
  return stage.publish(interrupted);
}

async function givenMoves(options: Options, store: WritableStore, { stdin }: Terminal): Promise<readonly AskedMove[]> {
  const base = baseUrlOf(options) ?? (await store.stats()).baseUrl ?? undefined;
  const resolve = (given: string): string => (base === undefined ? given : resolveIri(base, given));
  const moves: AskedMove[] = [];
  for (const file of options.positionals) {
    const list = file === "-" ? await text(stdin) : await namedText(file);
    moves.push(...movesIn(file, list, resolve));
  }
  return moves;
}
