/** The reader of what an engine holds: of some subjects or records, and of records whose earlier versions nobody else knows. */
import { BLANK, blankPrefix } from "../../engine/canonical.js";
import type { EngineAccess, Solution } from "../../engine/engine-access.js";
import { EngineError } from "../../engine/errors.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import { iri, type Term } from "../../rdf/terms.js";
import { type EngineTriple, lineOf } from "./engine-lines.js";
import { type EngineGraphs, MERGED_GRAPH } from "./engine-writer.js";

/** Subjects or records that are asked for at once. */
const ASKED = 200;

/** The forms in which an engine's triples are told apart: the subject in the merged graph, or the record's graph; and where they all are. */
export const HELD_FORMS = {
  merged: { key: "?s", pattern: `GRAPH <${MERGED_GRAPH}> { ?s ?p ?o }` },
  records: { key: "?g", pattern: "GRAPH ?g { ?s ?p ?o }" },
} as const satisfies Record<EngineGraphs, object>;

/** The engine gave no more rows than it gives of anything. */
export function cut(): EngineError {
  return new EngineError("the engine cuts off results: let it give more rows (Virtuoso: ResultSetMaxRows)");
}

/** All that an engine holds of some subjects or records; in halves, where it does not give all at once. */
export async function* heldOf(
  access: EngineAccess,
  graphs: EngineGraphs,
  keys: readonly string[],
  signal?: AbortSignal,
  atOnce = ASKED,
): AsyncIterable<Solution> {
  const { key, pattern } = HELD_FORMS[graphs];
  for (let at = 0; at < keys.length; at += atOnce) {
    const some = keys.slice(at, at + atOnce);
    const values = some.map((each) => formatTerm(iri(each))).join(" ");
    const { rows, isCut } = await access.select(`SELECT * { VALUES ${key} { ${values} } ${pattern} }`, signal);
    if (isCut && some.length === 1) throw cut();
    if (isCut) yield* heldOf(access, graphs, some, signal, Math.ceil(some.length / 2));
    else yield* rows;
  }
}

/** The triples of records in the merged graph: all that their blank nodes lead to, and what is said of the IRIs that they name. */
export async function heldOfRecords(
  access: EngineAccess,
  records: readonly string[],
  signal?: AbortSignal,
): Promise<EngineTriple[]> {
  const own = new Set([...records, ...records.map(blankPrefix)]);
  const isOurs = ({ value }: Term): boolean => own.has(value) || own.has(value.slice(0, PREFIX));
  const isOthers = (term: Term): boolean =>
    term.termType === "NamedNode" && term.value.startsWith(BLANK) && !isOurs(term);
  const found: EngineTriple[] = [];
  const asked = new Set(records);
  for (let subjects = records; subjects.length > 0; ) {
    const next = new Set<string>();
    for await (const { s, p, o } of heldOf(access, "merged", subjects, signal)) {
      const [subject, predicate, object] = [s!, p!, o!];
      if (isOthers(subject) || isOthers(object)) continue;
      found.push({ subject, predicate, object, line: lineOf(subject, predicate, object) });
      const leadsOn = object.termType === "NamedNode" && (isOurs(subject) || isOurs(object));
      if (leadsOn && !asked.has(object.value)) next.add(object.value);
    }
    for (const each of next) asked.add(each);
    subjects = [...next];
  }
  return found;
}

const PREFIX = blankPrefix("").length;
