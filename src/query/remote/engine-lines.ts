/** A record's triples as an engine holds them: blank nodes as IRIs of their own (RDF 1.1 Concepts, 3.5), so that each triple can be named to be taken out again. */
import { entryOf } from "../../base/entries.js";
import { BLANK, blankPrefix, canonicalTime } from "../../engine/canonical.js";
import type { EngineAccess, Solution } from "../../engine/engine-access.js";
import { EngineError } from "../../engine/engine-client.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import type { RecordGraph } from "../../rdf/record-graph.js";
import { iri, literal, RDF, type Term, XSD_NAMESPACE } from "../../rdf/terms.js";
import { type EngineGraphs, MERGED_GRAPH } from "./engine-writer.js";

export interface EngineTriple {
  readonly subject: Term;
  readonly predicate: Term;
  readonly object: Term;
  /** As N-Triples, without the newline. */
  readonly line: string;
}

/** A record's triples, by their lines; blank nodes are numbered in order of appearance. */
export function engineTriples(graph: RecordGraph): Map<string, EngineTriple> {
  const prefix = blankPrefix(graph.iri);
  const terms = new Map<number, Term>();
  let blanks = 0;
  const termOf = (number: number): Term =>
    entryOf(terms, number, () => {
      const given = graph.terms[number]!;
      return given.termType === "BlankNode" ? iri(`${prefix}${blanks++}`) : given;
    });
  const triples = new Map<string, EngineTriple>();
  for (let at = 0; at < graph.triples.length; at += 3) {
    const subject = termOf(graph.triples[at]!);
    const predicate = termOf(graph.triples[at + 1]!);
    const object = termOf(graph.triples[at + 2]!);
    const line = lineOf(subject, predicate, object);
    triples.set(line, { subject, predicate, object, line });
  }
  return triples;
}

/** A triple as N-Triples, without the newline. */
export function lineOf(...terms: readonly [Term, Term, Term]): string {
  return `${terms.map(formatTerm).join(" ")} .`;
}

/** Whether a triple belongs to one record alone: it has a blank node of it. */
export function isOwn({ subject, object }: EngineTriple): boolean {
  return subject.value.startsWith(BLANK) || (object.termType === "NamedNode" && object.value.startsWith(BLANK));
}

const NUMERIC = /^(?:integer|decimal|double|float|long|int|short|byte|(?:non|un)\w+|positiveInteger|negativeInteger)$/;

/**
 * A term as engines agree on it. Known differences are put aside: numbers by value, booleans that become 1 and 0 (Virtuoso), dates and times by
 * instant, also where they are but a year or a day (Virtuoso), years with or without leading zeros, language tags in lower case.
 */
export function agreedTerm(term: Term): string {
  if (term.termType !== "Literal") return formatTerm(term);
  if (term.language !== "") return formatTerm(literal(term.value, RDF.langString, term.language.toLowerCase()));
  if (!term.datatype.startsWith(XSD_NAMESPACE)) return formatTerm(term);
  const name = term.datatype.slice(XSD_NAMESPACE.length);
  if (name === "boolean") return `number ${term.value === "true" || term.value === "1" ? 1 : 0}`;
  if (NUMERIC.test(name)) {
    const value = Number(term.value);
    return Number.isNaN(value) ? formatTerm(term) : `number ${value}`;
  }
  if (name === "dateTime") return `time ${completed(canonicalTime(term.value))}`;
  if (name === "date" || name.startsWith("g")) return `time ${canonicalTime(term.value)}`;
  return formatTerm(term);
}

/** A year, a month or a day under a datatype that wants a time, as its first instant. */
function completed(value: string): string {
  const [, year, rest = ""] = /^(-?\d{4,})((?:-\d\d){0,2})$/.exec(value) ?? [];
  return year === undefined ? value : `${year}${rest}${"-01-01".slice(rest.length)}T00:00:00`;
}

/** The form of a triple for comparison. */
export function agreedTriple({
  subject,
  predicate,
  object,
}: Pick<EngineTriple, "subject" | "predicate" | "object">): string {
  return `${formatTerm(subject)} ${formatTerm(predicate)} ${agreedTerm(object)}`;
}

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
