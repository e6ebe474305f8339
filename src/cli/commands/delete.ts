/** `vitrine delete` and `vitrine move`: delete records, each of which leaves a tombstone, and redirect the IRIs of merged or renamed ones. */
import { text } from "node:stream/consumers";
import { counted } from "../../base/counted.js";
import { resolveIri } from "../../rdf/resolve.js";
import { iriProblem } from "../../rdf/terms.js";
import type { Store } from "../../store/store.js";
import type { WritableStore } from "../../store/writable-store.js";
import { givenIris, irisThere } from "../loading/iri-lists.js";
import { checkRecord, onlySource, openToChange } from "../loading/remote-load-guard.js";
import type { CommandDefinition, Terminal } from "../main/command.js";
import { baseUrlFor, iriArgument, namedText, spelledAs } from "../settings/common.js";
import { argument, type Options, UsageError } from "../settings/options.js";
import { KEEP, keepingOf } from "../settings/record-options.js";

export const deleteCommand: CommandDefinition = {
  operands: "IRI... | -",
  summary: "deletes records, all or none; each leaves a tombstone",
  notes: [
    "A relative IRI is resolved against --base-url, or the base URL that the store was loaded with. Deleted records",
    "are skipped. If the store never had an IRI, nothing is deleted, and the status is 2. An empty load deletes all records",
    "of a source: vitrine load /dev/null --format jsonl --source NAME --sync --max-delete 100%",
  ],
  examples: ["delete place/paris", "delete place/parijs --moved-to place/paris", "delete - < gone.txt"],
  options: [
    argument("wait", "if a load runs, wait for its end"),
    argument("moved-to IRI", "redirect their IRIs to this record (301), for example after a merge"),
    KEEP,
  ],
  changesStore: () => true,
  async run(options, terminal) {
    const { stdout, stderr, interrupted } = terminal;
    const given = await givenIris(options, terminal);
    if (given.length === 0) throw new UsageError("delete needs the IRIs of records, and the list has none");
    await using store = await openToChange(options, terminal);
    if (options.text("moved-to") !== undefined) return void (await moveAll(given, options, store, terminal));
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
    if (options.isSet("json")) stdout.json({ deleted, sequence });
    const before = given.length - iris.length;
    stderr.line(`${deleted} deleted${before > 0 ? `, ${before} deleted before` : ""}`);
  },
};

async function moveAll(given: readonly string[], options: Options, store: WritableStore, terminal: Terminal) {
  const to = await iriArgument(options.required("moved-to"), options, store);
  const iris = await Promise.all(given.map((each) => iriArgument(each, options, store)));
  const moves = iris.map((from) => ({ from, to, place: "--moved-to" }));
  const { deleted, sequence } = await publishMoves(store, moves, options, terminal);
  if (options.isSet("json")) terminal.stdout.json({ deleted, sequence });
  terminal.stderr.line(`${deleted} moved to <${to}>`);
}

export const moveCommand: CommandDefinition = {
  operands: "FILE... | -",
  summary: "redirects the IRIs of merged or renamed records (301), all or none",
  notes: [
    "Each line has an old and a new IRI. The old record is deleted, and its IRI redirects to the new one, which must have a",
    "record. Chains are shortened, circles refused. References in other records stay. A load that brings the old IRI again ends the move.",
  ],
  examples: ["move merged.csv", "move - < merged.csv"],
  options: [KEEP],
  changesStore: () => true,
  async run(options, terminal) {
    await using store = await openToChange(options, terminal);
    const moves = await givenMoves(options, store, terminal);
    const { deleted, sequence } = await publishMoves(store, moves, options, terminal);
    if (options.isSet("json")) terminal.stdout.json({ moved: deleted, sequence });
    const before = new Set(moves.map(({ from }) => from)).size - deleted;
    terminal.stderr.line(`${counted(deleted, "record")} moved${before > 0 ? `, ${before} moved before` : ""}`);
  },
};

/** Publish moves in one step. Throws `UsageError` if any of them is impossible. */
async function publishMoves(store: WritableStore, moves: readonly MoveRequest[], options: Options, terminal: Terminal) {
  const targets = await finalTargets(store, moves);
  const stage = await store.stage(keepingOf(options));
  for (const [from, to] of targets) await stage.delete(from, to);
  return stage.publish(terminal.interrupted);
}

async function givenMoves(options: Options, store: WritableStore, { stdin }: Terminal) {
  const base = await baseUrlFor(options, store);
  const resolve = (given: string): string => (base === undefined ? given : resolveIri(base, given));
  const moves: MoveRequest[] = [];
  for (const file of options.positionals) {
    const listed = movesIn(file, await (file === "-" ? text(stdin) : namedText(file)), resolve);
    for (const { from, to, place } of listed)
      moves.push({ from: await spelledAs(from, store), to: await spelledAs(to, store), place });
  }
  return moves;
}

/** A request to move one IRI to another, with the place where it was made, as `file:line` or an option. */
interface MoveRequest {
  readonly from: string;
  readonly to: string;
  readonly place: string;
}

const MAX_NAMED = 10;

/** The moves in a list: two IRIs on a line, with or without brackets or quotes; `#` begins a comment. Throws `UsageError`. @param resolve makes IRIs absolute */
function movesIn(name: string, text: string, resolve: (given: string) => string): readonly MoveRequest[] {
  return text.split(/\r?\n/).flatMap((line, at) => {
    if (/^\s*(?:#|$)/.test(line)) return [];
    const place = `${name}:${at + 1}`;
    const columns = line.match(/"[^"]*"|<[^>]*>|[^\s,;]+/g) ?? [];
    const [from, to, more] = columns.map((column) => resolve(/^["<](.*)[">]$/.exec(column)?.[1] ?? column));
    if (from === undefined || to === undefined || more !== undefined)
      throw new UsageError(
        `${place}: write the old IRI and the new one, with a space between them; an IRI with commas in quotation marks`,
      );
    for (const iri of [from, to]) {
      const problem = iriProblem(iri);
      if (problem !== undefined) throw new UsageError(`${place}: an IRI ${problem}: ${iri}`);
    }
    return { from, to, place };
  });
}

/** The record to which each IRI finally leads: if `a` moves to `b` and `b` to `c`, both lead to `c`. Throws `UsageError` naming the impossible moves. */
async function finalTargets(store: Store, moves: readonly MoveRequest[]): Promise<ReadonlyMap<string, string>> {
  const asked = new Map<string, MoveRequest>();
  const problems: string[] = [];
  for (const move of moves) {
    const other = asked.get(move.from);
    if (other !== undefined && other.to !== move.to)
      problems.push(`${move.place}: ${other.place} moves <${move.from}> elsewhere`);
    asked.set(move.from, move);
  }
  const targets = new Map<string, string>();
  for (const move of asked.values()) {
    const isKnown = (await store.find(move.from)) !== undefined || (await store.tombstone(move.from)) !== undefined;
    const end = isKnown ? await endOf(store, asked, move) : { problem: whyUnknown(store, move.from) };
    if (end.problem !== undefined) problems.push(`${move.place}: ${end.problem}`);
    else targets.set(move.from, end.iri);
  }
  if (problems.length === 0) return targets;
  const more = problems.length > MAX_NAMED ? [`... and ${problems.length - MAX_NAMED} more`] : [];
  throw new UsageError(["nothing was moved:", ...problems.slice(0, MAX_NAMED), ...more].join("\n"));
}

function whyUnknown({ held }: Store, iri: string): string {
  if (held?.find(iri) === undefined) return `the store never had a record <${iri}>`;
  return `the record <${iri}> is held and was never public, so its IRI needs no move: vitrine delete removes it`;
}

/** Where an IRI finally leads, by the requested moves and those made before. The moves on the way then lead there at once, so that no chain is walked again. */
async function endOf(store: Store, asked: Map<string, MoveRequest>, { from, to }: MoveRequest) {
  const passed = new Set([from]);
  let at = to;
  for (;;) {
    if (passed.has(at)) return { problem: `<${from}> would lead in a circle: ${[...passed, at].join(" -> ")}` };
    passed.add(at);
    const next = asked.get(at)?.to;
    if (next === undefined && (await store.find(at)) !== undefined) {
      for (const each of passed) if (asked.has(each)) asked.set(each, { ...asked.get(each)!, to: at });
      return { iri: at };
    }
    const target = next ?? (await store.tombstone(at))?.target;
    if (target === undefined) return { problem: `<${from}> would lead to <${at}>, which has no record` };
    at = target;
  }
}
