/** A record's triples as an engine holds them: blank nodes as IRIs of their own (RDF 1.1 Concepts, 3.5), so that each triple can be named to be taken out again. */
import { entryOf } from "../../base/entries.js";
import { BLANK, blankPrefix, canonicalTime } from "../../engine/canonical.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import type { RecordGraph } from "../../rdf/record-graph.js";
import { iri, literal, RDF, type Term, XSD_NAMESPACE } from "../../rdf/terms.js";

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
