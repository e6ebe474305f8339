/** A record's triples in a canonical order, whichever engine returned them and in whatever order. */
import { hash } from "node:crypto";
import { byCodeUnits, entryOf, groupBy } from "../../base/entries.js";
import { BLANK, canonicalTime } from "../../engine/canonical.js";
import { QUOTED } from "../../rdf/characters.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import { type RecordGraph, RecordGraphBuilder } from "../../rdf/record-graph.js";
import { canonicalDecimal, literal, RDF, type Term, XSD } from "../../rdf/terms.js";

export type TermTriple = readonly [Term, Term, Term];

/** The maximum number of rounds in which blank nodes are distinguished by their neighbours. Each round looks one node further. */
const MAX_ROUNDS = 50;
const TEXT = new RegExp(QUOTED, "s");

/** The graph of a record: subjects as they are reached from the entity, values by text, blank nodes by content. Numbers, years and language tags get one form, since engines differ. */
export function canonicalGraph(record: string, given: readonly TermTriple[]): RecordGraph {
  const triples = given.map(([s, p, o]): TermTriple => [s, p, canonicalLiteral(o)]);
  const keys = keysOf(triples);
  const keyOf = (term: Term): string => keys.get(nodeKey(term)) ?? formatTerm(term);
  const bySubject = groupBy(triples, ([subject]) => nodeKey(subject));
  for (const own of bySubject.values())
    own.sort(([, p, o], [, q, r]) => byCodeUnits(p.value, q.value) || byCodeUnits(keyOf(o), keyOf(r)));
  const builder = new RecordGraphBuilder(record);
  const number = (term: Term): number => (isBlank(term) ? builder.blank(nodeKey(term)) : builder.term(term));
  // Nodes that cannot be reached from the entity come last.
  const others = [...bySubject.keys()].sort((a, b) => byCodeUnits(keys.get(a) ?? a, keys.get(b) ?? b));
  for (const root of [`<${record}>`, ...others]) {
    const waiting = [root];
    for (let subject = waiting.pop(); subject !== undefined; subject = waiting.pop()) {
      const own = bySubject.get(subject);
      if (own === undefined) continue;
      bySubject.delete(subject);
      for (const [s, p, o] of own) builder.add(number(s), builder.term(p), number(o));
      for (const [, , o] of own.toReversed()) waiting.push(nodeKey(o));
    }
  }
  return builder.build();
}

function isBlank({ termType, value }: Term): boolean {
  return termType === "BlankNode" || (termType === "NamedNode" && value.startsWith(BLANK));
}

function nodeKey(term: Term): string {
  return isBlank(term) ? `_:${term.value}` : formatTerm(term);
}

/** A sort key for each blank node, made from the triples it is in, without blank node labels. */
function keysOf(triples: readonly TermTriple[]): Map<string, string> {
  const edges = new Map<string, { readonly own: string; readonly other: string | undefined }[]>();
  const addEdge = (node: Term, way: string, other: Term): void => {
    if (!isBlank(node)) return;
    const own = `${way} ${isBlank(other) ? "" : formatTerm(other)}`;
    entryOf(edges, nodeKey(node), () => []).push({ own, other: isBlank(other) ? nodeKey(other) : undefined });
  };
  for (const [s, p, o] of triples) {
    addEdge(s, `> ${p.value}`, o);
    addEdge(o, `< ${p.value}`, s);
  }
  let keys = new Map([...edges.keys()].map((node) => [node, ""]));
  let distinct = 1;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = new Map<string, string>();
    for (const [node, nodeEdges] of edges) {
      const texts = nodeEdges.map(({ own, other }) => `${own}${other === undefined ? "" : keys.get(other)}`);
      next.set(node, hash("sha256", texts.sort().join("\n")));
    }
    keys = next;
    const found = new Set(keys.values()).size;
    if (found === distinct && round > 0) break;
    distinct = found;
  }
  // Literals come first in the keys, so that the order makes sense to people.
  for (const [node, nodeEdges] of edges) {
    const own = nodeEdges.map((each) => each.own).filter((text) => text.startsWith(">"));
    const text = own.flatMap((each) => TEXT.exec(each) ?? []).sort()[0] ?? "";
    keys.set(node, `_:${text} ${keys.get(node)}`);
  }
  return keys;
}

function canonicalLiteral(term: Term): Term {
  if (term.termType !== "Literal") return term;
  const { value, datatype, language } = term;
  if (language !== "") return literal(value, RDF.langString, language.toLowerCase());
  const canonical = CANONICAL.get(datatype);
  return canonical === undefined ? term : literal(canonical(value), datatype);
}

/** The canonical forms of values, by datatype. */
const CANONICAL = new Map<string, (value: string) => string>([
  [XSD.integer, (value) => value.replace(/^\+/, "").replace(/^(-?)0+(?=\d)/, "$1")],
  [XSD.decimal, canonicalDecimal],
  [XSD.double, canonicalDouble],
  [XSD.float, canonicalDouble],
  [XSD.boolean, (value) => (value === "1" ? "true" : value === "0" ? "false" : value)],
  [XSD.dateTime, canonicalTime],
  [XSD.date, canonicalTime],
  [XSD.gYear, canonicalTime],
  [XSD.gYearMonth, canonicalTime],
]);

function canonicalDouble(value: string): string {
  const number = Number(value);
  if (!Number.isFinite(number)) return value;
  const [mantissa, exponent] = number.toExponential().split("e");
  return `${mantissa!.includes(".") ? mantissa : `${mantissa}.0`}E${Number(exponent)}`;
}
