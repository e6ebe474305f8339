/** `vitrine rebase`: changes the base URL of a store's IRIs, such as from a test host to the public one. */
import { counted } from "../../base/counted.js";
import { type RecordGraph, RecordGraphBuilder } from "../../rdf/record-graph.js";
import { iri } from "../../rdf/terms.js";
import type { LocalStore } from "../../store/open.js";
import type { Stage } from "../../store/writable-store.js";
import { allHeld } from "../loading/iri-lists.js";
import { openToChange } from "../loading/remote-load-guard.js";
import type { CommandDefinition } from "../main/command.js";
import { httpBase } from "../settings/common.js";
import { argument, UsageError } from "../settings/options.js";
import { KEEP, keepingOf } from "../settings/record-options.js";

export const rebaseCommand: CommandDefinition = {
  operands: "OLD NEW",
  summary: "changes the base URL of all IRIs from OLD to NEW: records, references and embedded nodes, all or none",
  notes: [
    "The old IRIs lead to the new ones (/entity?uri= redirects; if --base-url also names OLD, its addresses answer). Sources, order and contexts stay. Change OLD yourself in settings, and in files to load.",
    "It stops if a record would take the IRI of another.",
  ],
  examples: ["rebase http://localhost:3000/ https://data.museum.org/"],
  options: [argument("dry-run", "report what would change, and change nothing"), KEEP],
  changesStore: (options) => !options.isSet("dry-run"),
  async run(options, terminal) {
    const { stdout, stderr, interrupted } = terminal;
    const [from, to] = options.positionals;
    const [old, base] = [httpBase("OLD", from!), httpBase("NEW", to!)];
    if (old === base) throw new UsageError(`OLD and NEW are both ${base}`);
    await using store = await openToChange(options, terminal);
    const { baseUrl } = await store.stats();
    await using stage = await store.stage({ ...(baseUrl === old ? { baseUrl: base } : {}), ...keepingOf(options) });
    const changes = await stageMoves(store, stage, (value) => moved(value, old, base), interrupted);
    if (baseUrl !== old && changes.moved + changes.changed === 0) {
      const actual = baseUrl === null ? "" : `; the store's base URL is ${baseUrl}`;
      throw new UsageError(`nothing was changed: no IRI in the store begins with ${old}${actual}`);
    }
    if (!options.isSet("dry-run")) await stage.publish(interrupted);
    if (options.isSet("json")) stdout.json(changes);
    const others = changes.changed === 0 ? "" : `, ${counted(changes.changed, "other record")} changed`;
    const done = options.isSet("dry-run") ? "would be moved" : "moved";
    stderr.line(`${counted(changes.moved, "record")} ${done} to ${base}${others}`);
  },
};

/** An IRI moved to the new base URL if it is under the old one, otherwise unchanged. The base URL itself may lack its final slash. */
function moved(value: string, old: string, base: string): string {
  if (value.startsWith(old)) return base + value.slice(old.length);
  return `${value}/` === old ? base.slice(0, -1) : value;
}

/** Stage all records that change. Resolves to the number of records that get another IRI, and of published ones that only refer to such IRIs. */
async function stageMoves(store: LocalStore, stage: Stage, move: (iri: string) => string, interrupted: AbortSignal) {
  const changes = { moved: 0, changed: 0 };
  for await (const { graph, meta, isHeld } of allRecords(store)) {
    interrupted.throwIfAborted();
    const target = move(graph.iri);
    const rebased = rebasedGraph(graph, target, move);
    if (rebased === undefined) continue;
    const { endpoint, label, valid } = meta;
    const hold = isHeld ? ({ hold: "name" } as const) : {};
    await stage.put({ graph: rebased, endpoint, label, valid, ...hold, takesOver: graph.iri });
    if (target === graph.iri) {
      if (!isHeld) changes.changed++;
      continue;
    }
    const taken = (await store.find(target)) ?? store.held.find(target);
    // If OLD is under NEW, or NEW under OLD, the record with that IRI might itself move away; that is not checked.
    if (taken !== undefined)
      throw new UsageError(`nothing was changed: <${graph.iri}> would take the IRI of the record <${target}>`);
    // The old IRI of a held record does not redirect, since nobody may know of it.
    await stage.delete(graph.iri, isHeld ? undefined : target);
    changes.moved++;
  }
  return changes;
}

/** All records, then the held ones, which stay held under their new IRIs. */
async function* allRecords(store: LocalStore) {
  for await (const record of store.lists.records()) yield { ...record, isHeld: false };
  for await (const { iri } of allHeld(store.held)) yield { ...store.held.find(iri)!.record(), isHeld: true };
}

/** The record with all its IRIs moved, or `undefined` when none changes. Terms that become equal are merged. */
function rebasedGraph(graph: RecordGraph, target: string, move: (iri: string) => string): RecordGraph | undefined {
  const terms = graph.terms.map((term) => {
    const value = term.termType === "NamedNode" ? move(term.value) : term.value;
    return value === term.value ? term : iri(value);
  });
  if (target === graph.iri && terms.every((term, at) => term === graph.terms[at])) return undefined;
  const builder = new RecordGraphBuilder(target, graph.context);
  const numbers = terms.map((term) => builder.term(term));
  const { triples } = graph;
  for (let at = 0; at < triples.length; at += 3)
    builder.add(numbers[triples[at]!]!, numbers[triples[at + 1]!]!, numbers[triples[at + 2]!]!);
  return builder.build();
}
