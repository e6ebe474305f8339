/** A record's triples as an engine stores them: blank nodes are replaced by IRIs (RDF 1.1 Concepts, 3.5), so that each triple can be named when it is removed. */
import { hash } from "node:crypto";
import { entryOf } from "../../base/entries.js";
import { BLANK, canonicalTime } from "../../engine/canonical.js";
import type { EngineGraphs } from "../../engine/engine-access.js";
import { EngineError } from "../../engine/engine-client.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import type { RecordGraph } from "../../rdf/record-graph.js";
import { iri, literal, NUMBER_DATATYPES, RDF, type Term, XSD, XSD_NAMESPACE } from "../../rdf/terms.js";
import { escapeCharacter } from "../../rdf/turtle/terms.js";
import { type EngineWriter, MERGED_GRAPH } from "./engine-writer.js";

export type EngineTriple = Readonly<ReturnType<typeof engineTriple>>;

/** A record's triples by their lines of N-Triples. Blank nodes are numbered in order of appearance. */
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
  const numbers = graph.triples;
  for (let at = 0; at < numbers.length; at += 3) {
    const triple = engineTriple(termOf(numbers[at]!), termOf(numbers[at + 1]!), termOf(numbers[at + 2]!));
    triples.set(triple.line, triple);
  }
  return triples;
}

/** The prefix of the IRIs for a record's blank nodes, derived from the record's IRI so that every store gives the same. */
function blankPrefix(record: string): string {
  return `${BLANK}${hash("sha256", record).slice(0, 32)}-`;
}

/** Control characters below U+0020 are escaped: Virtuoso loses what is before one, up to the next escape in the text. IRIs may have others, which its updates do not take as escapes. */
const CONTROL = /[^\P{Cc}\u007F-\u009F]/gu;

/** A triple of terms as an engine stores them, and as a line of N-Triples without the newline. */
function engineTriple(subject: Term, predicate: Term, object: Term) {
  const terms = [subject, predicate, object].map(formatTerm).join(" ");
  return { subject, predicate, object, line: `${terms.replace(CONTROL, escapeCharacter)} .` };
}

/** Whether a triple belongs to one record only, because it has one of the record's blank nodes. */
export function isOwn({ subject, object }: EngineTriple): boolean {
  return subject.value.startsWith(BLANK) || (object.termType === "NamedNode" && object.value.startsWith(BLANK));
}

/** A form of a term on which all engines agree: numbers and Virtuoso's booleans by value, times by instant, also a lone year or day, and language tags in lower case. */
export function agreedTerm(term: Term): string {
  if (term.termType !== "Literal") return formatTerm(term);
  if (term.language !== "") return formatTerm(literal(term.value, RDF.langString, term.language.toLowerCase()));
  const { datatype, value } = term;
  if (datatype === XSD.boolean) return `number ${value === "true" || value === "1" ? 1 : 0}`;
  if (NUMBER_DATATYPES.has(datatype)) return Number.isNaN(Number(value)) ? formatTerm(term) : `number ${Number(value)}`;
  if (datatype === XSD.dateTime) return `time ${completed(instant(value))}`;
  const isOfDay = datatype === XSD.date || datatype.startsWith(`${XSD_NAMESPACE}g`);
  return isOfDay ? `time ${instant(value)}` : formatTerm(term);
}

/** A date or time in its one spelling. Virtuoso writes 1 BC as the year -0001, as in XML Schema 1.0; here it is 0000, as in XML Schema 1.1. */
function instant(value: string): string {
  return canonicalTime(value).replace(/^-0001(?!\d)/, "0000");
}

/** The first instant of a year, month or day that has the datatype `xsd:dateTime`. */
function completed(value: string): string {
  const [, year, rest = ""] = /^(-?\d{4,})((?:-\d\d){0,2})$/.exec(value) ?? [];
  return year === undefined ? value : `${year}${rest}${"-01-01".slice(rest.length)}T00:00:00`;
}

/** A form of a triple on which all engines agree, for comparison. */
export function agreedTriple({ subject, predicate, object }: EngineTriple): string {
  return `${formatTerm(subject)} ${formatTerm(predicate)} ${agreedTerm(object)}`;
}

const KEYS_AT_ONCE = 200;

/** For each way of storing records: the variable by which triples are grouped (subject or record graph), and the pattern that matches all of them. */
export const HELD_FORMS = {
  merged: { key: "?s", pattern: `GRAPH <${MERGED_GRAPH}> { ?s ?p ?o }` },
  records: { key: "?g", pattern: "GRAPH ?g { ?s ?p ?o }" },
} as const satisfies Record<EngineGraphs, object>;

/** The error for a result that may be cut off, because it has as many rows as the engine returns at most. */
export function cut(): EngineError {
  return new EngineError("the engine cuts off results: raise its limit of rows (Virtuoso: ResultSetMaxRows)");
}

/** All triples in an engine of some subjects or records, each with its subject or record. If a result is cut off, it is requested again in halves. */
export async function* heldOf(
  writer: EngineWriter,
  graphs: EngineGraphs,
  keys: readonly string[],
  atOnce = KEYS_AT_ONCE,
): AsyncIterable<{ readonly key: string; readonly triple: EngineTriple }> {
  const { key, pattern } = HELD_FORMS[graphs];
  for (let at = 0; at < keys.length; at += atOnce) {
    const some = keys.slice(at, at + atOnce);
    const values = some.map((each) => formatTerm(iri(each))).join(" ");
    const { rows, isCut } = await writer.select(`SELECT * { VALUES ${key} { ${values} } ${pattern} }`);
    if (isCut && some.length === 1) throw cut();
    if (isCut) yield* heldOf(writer, graphs, some, Math.ceil(some.length / 2));
    else for (const { g, s, p, o } of rows) yield { key: (g ?? s)!.value, triple: engineTriple(s!, p!, o!) };
  }
}

/** The triples of records in the merged graph: those of the entities and their blank nodes, and those about the IRIs that they name. */
export async function heldOfRecords(writer: EngineWriter, records: readonly string[]): Promise<EngineTriple[]> {
  const own = new Set([...records, ...records.map(blankPrefix)]);
  const isOurs = ({ value }: Term): boolean => own.has(value) || own.has(value.slice(0, PREFIX));
  const isOthers = (term: Term): boolean =>
    term.termType === "NamedNode" && term.value.startsWith(BLANK) && !isOurs(term);
  const found: EngineTriple[] = [];
  const requested = new Set(records);
  for (let subjects = records; subjects.length > 0; ) {
    const next = new Set<string>();
    for await (const { triple } of heldOf(writer, "merged", subjects)) {
      const { subject, object } = triple;
      if (isOthers(subject) || isOthers(object)) continue;
      found.push(triple);
      const leadsOn = object.termType === "NamedNode" && (isOurs(subject) || isOurs(object));
      if (leadsOn && !requested.has(object.value)) next.add(object.value);
    }
    for (const each of next) requested.add(each);
    subjects = [...next];
  }
  return found;
}

const PREFIX = blankPrefix("").length;
