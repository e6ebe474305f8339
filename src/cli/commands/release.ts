/** `vitrine release`: publishes held records, or lists them. */
import { counted } from "../../base/counted.js";
import { openStore } from "../../store/open.js";
import { allHeld, givenIris, irisThere } from "../loading/iri-lists.js";
import { openToChange } from "../loading/remote-load-guard.js";
import type { CommandDefinition, Terminal } from "../main/command.js";
import { argument, type Options, UsageError } from "../settings/options.js";

export const releaseCommand: CommandDefinition = {
  operands: "[IRI... | -]",
  summary: "publishes held records, all or none, or lists them",
  notes: [
    "A released record stays public: no rule of --hold withdraws it, unless the rule names it, or it was deleted since. Public records are",
    "skipped. If the store never had an IRI, nothing is published, and the status is 2.",
  ],
  examples: ["release object/1 object/2", "release - < ready.txt", "release --source acquisitions", "release --list"],
  options: [
    argument("source NAME...", "all held records of this feed"),
    argument("all", "all held records"),
    argument("list", "list held records, with --source only those of that feed, and publish nothing"),
    argument("wait", "if a load runs, wait for its end"),
  ],
  changesStore: (options) => !options.isSet("list"),
  async run(options, terminal) {
    const given = await givenIris(options, terminal);
    const sources = options.all("source");
    const isMany = options.isSet("all") || sources.length > 0;
    if (options.isSet("list")) return await list(options, sources, terminal);
    const ways = [given.length > 0, sources.length > 0, options.isSet("all")].filter(Boolean);
    if (ways.length !== 1)
      throw new UsageError("release needs IRIs of records, - for a list on standard input, --source NAME or --all");
    const { stdout, stderr, interrupted } = terminal;
    await using store = await openToChange(options, terminal);
    const { held } = store;
    await using stage = await store.stage();
    const stateOf = async (iri: string) => {
      if (held.find(iri) !== undefined) return "there";
      return (await store.find(iri)) === undefined ? "unknown" : "gone";
    };
    const refusal = "nothing was released: the store holds no record";
    if (isMany) for await (const { iri } of allHeld(held, sources)) await stage.release!(iri);
    else for (const iri of await irisThere(given, options, store, stateOf, refusal)) await stage.release!(iri);
    const { created, triples, sequence } = await stage.publish(interrupted);
    if (options.isSet("json")) stdout.json({ released: created, triples, sequence });
    const before = isMany ? 0 : given.length - created;
    stderr.line(`${counted(created, "record")} released${before > 0 ? `, ${before} released before` : ""}`);
  },
};

async function list(options: Options, sources: readonly string[], { stdout }: Terminal): Promise<undefined> {
  await using store = await openStore({ directory: options.required("store") });
  for await (const each of allHeld(store.held, sources)) {
    const { iri, label, source } = each;
    const since = new Date(each.since).toISOString();
    if (options.isSet("json")) stdout.json({ ...each, since });
    else stdout.write(`${[iri, since, source ?? "-", JSON.stringify(label)].join("  ")}\n`);
  }
}
