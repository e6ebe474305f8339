/** `vitrine delete`: deletes records; each leaves a tombstone. */
import type { WritableStore } from "../../store/writable-store.js";
import { givenIris, irisThere } from "../loading/iri-lists.js";
import { checkRecord, onlySource, openToChange } from "../loading/remote-load-guard.js";
import type { Command, Terminal } from "../main/command.js";
import { iriArgument } from "../settings/common.js";
import { KEEP, keepingOf } from "../settings/load-options.js";
import { argument, type Options, UsageError } from "../settings/options.js";
import { publishMoves } from "./move.js";

export const deleteCommand: Command = {
  name: "delete",
  operands: "IRI... | -",
  summary: "deletes records, all or none; each leaves a tombstone",
  notes: [
    "A relative IRI is resolved against --base-url, or the base URL that the store was loaded with. Deleted records",
    "are skipped. If the store never had an IRI, nothing is deleted, and the status is 2.",
  ],
  examples: ["delete place/paris", "delete place/parijs --moved-to place/paris", "delete - < gone.txt"],
  options: [
    argument("wait", "if a load runs, wait for its end"),
    argument("moved-to IRI", "redirect their IRIs to this record (301), for example after a merge"),
    KEEP,
  ],
  changesStore: true,
  async run(options, terminal) {
    const { stdout, stderr, interrupted } = terminal;
    const given = await givenIris(options, terminal);
    if (given.length === 0) throw new UsageError("delete needs the IRIs of records, and the list has none");
    await using store = await openToChange(options, terminal);
    if (options.text("moved-to") !== undefined) return await moveAll(given, options, store, terminal);
    const stateOf = async (iri: string) => {
      if ((await store.find(iri)) !== undefined || store.held.find(iri) !== undefined) return "there";
      return (await store.tombstone(iri)) === undefined ? "unknown" : "gone";
    };
    const iris = await irisThere(given, options, store, stateOf, "nothing was deleted: the store has no record");
    await checkRecord(terminal, store);
    const stage = await store.stage(keepingOf(options));
    for (const iri of iris) await stage.delete(iri);
    const guard = onlySource(terminal.channel?.conditions.onlySource);
    const { deleted, sequence } = await stage.publish(interrupted, guard);
    if (options.isSet("json")) stdout.write(`${JSON.stringify({ deleted, sequence })}\n`);
    const before = given.length - iris.length;
    stderr.write(`${deleted} deleted${before > 0 ? `, ${before} deleted before` : ""}\n`);
  },
};

async function moveAll(
  given: readonly string[],
  options: Options,
  store: WritableStore,
  terminal: Terminal,
): Promise<undefined> {
  const to = await iriArgument(options.required("moved-to"), options, store);
  const iris = await Promise.all(given.map((each) => iriArgument(each, options, store)));
  const moves = iris.map((from) => ({ from, to, place: "--moved-to" }));
  const { deleted, sequence } = await publishMoves(store, moves, options, terminal);
  if (options.isSet("json")) terminal.stdout.write(`${JSON.stringify({ deleted, sequence })}\n`);
  terminal.stderr.write(`${deleted} moved to <${to}>\n`);
}
