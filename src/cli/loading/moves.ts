/** Merged and moved identifiers: what a list of them says, and whether they can be moved so. */
import { iriProblem } from "../../rdf/terms.js";
import type { Store } from "../../store/store.js";
import { UsageError } from "../settings/options.js";

/** That one IRI is to lead to another, and where that was said, as `file:line` or in words. */
export interface AskedMove {
  readonly from: string;
  readonly to: string;
  readonly place: string;
}

/** So many of the moves that cannot be made are named. */
const MAX_NAMED = 10;

/**
 * The moves in a list: the old and the new IRI on a line, with white space, a comma or a semicolon between them, with or without angle
 * brackets; empty lines and those that begin with `#` say nothing. Throws `UsageError`.
 * @param resolve makes an IRI of what is written, which may be relative
 */
export function movesIn(name: string, text: string, resolve: (given: string) => string): readonly AskedMove[] {
  const moves: AskedMove[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const place = `${name}:${at + 1}`;
    const columns = line.trim().split(/\s*[\s,;]\s*/);
    if (columns.length !== 2)
      throw new UsageError(`${place}: write the old IRI and the new one, with a space between them`);
    const [from, to] = columns.map((column) => resolve(/^<(.*)>$/.exec(column)?.[1] ?? column)) as [string, string];
    const problem = iriProblem(from) ?? iriProblem(to);
    if (problem !== undefined) throw new UsageError(`${place}: an IRI ${problem}`);
    moves.push({ from, to, place });
  }
  return moves;
}

/**
 * Where each IRI will lead in the end, once all moves are made: to a record, never through another move. Throws `UsageError`, which names
 * every move that cannot be made: of an IRI that the store never had, to one without a record, twice, or in a circle.
 */
export async function finalTargets(store: Store, moves: readonly AskedMove[]): Promise<ReadonlyMap<string, string>> {
  const asked = new Map<string, AskedMove>();
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
    const end = isKnown ? await endOf(store, asked, move) : { problem: `the store never had a record <${move.from}>` };
    if ("problem" in end) problems.push(`${move.place}: ${end.problem}`);
    else targets.set(move.from, end.iri);
  }
  if (problems.length === 0) return targets;
  const more = problems.length > MAX_NAMED ? [`... and ${problems.length - MAX_NAMED} more`] : [];
  throw new UsageError(["nothing was moved:", ...problems.slice(0, MAX_NAMED), ...more].join("\n"));
}

/** Where an IRI leads by the moves that are asked for and those that were made before. */
async function endOf(
  store: Store,
  asked: ReadonlyMap<string, AskedMove>,
  { from, to }: AskedMove,
): Promise<{ readonly iri: string } | { readonly problem: string }> {
  const passed = new Set([from]);
  let at = to;
  for (;;) {
    if (passed.has(at)) return { problem: `<${from}> would lead in a circle: ${[...passed, at].join(" -> ")}` };
    passed.add(at);
    const next = asked.get(at)?.to;
    if (next === undefined && (await store.find(at)) !== undefined) return { iri: at };
    const target = next ?? (await store.tombstone(at))?.target;
    if (target === undefined) return { problem: `<${from}> would lead to <${at}>, which has no record` };
    at = target;
  }
}
