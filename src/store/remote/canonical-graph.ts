/** A record's triples in an order of their own, the same whichever engine gave them and in whatever order. */
import { createHash } from "node:crypto";
import { entryOf } from "../../base/entries.js";
import { BLANK, canonicalTime } from "../../engine/canonical.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import { type RecordGraph, RecordGraphBuilder } from "../../rdf/record-graph.js";
import { canonicalDecimal, literal, RDF, type Term, XSD_NAMESPACE } from "../../rdf/terms.js";

export type TermTriple = readonly [Term, Term, Term];

/** Rounds in which blank nodes are distinguished by what surrounds them: as many as there are between two that differ. */
const MAX_ROUNDS = 50;

/**
 * The graph of a record from an engine's triples. Subjects come in the order in which they are reached from the entity, the values of a
 * property in that of their texts; blank nodes in that of what they say. Literals that engines write otherwise are written in
 * one way: numbers by value, years with four digits, language tags in lower case.
 */
export function canonicalGraph(record: string, given: readonly TermTriple[]): RecordGraph {
  const triples = given.map(([s, p, o]): TermTriple => [s, p, canonicalLiteral(o)]);
  const keys = keysOf(triples);
  const keyOf = (term: Term): string => keys.get(nodeKey(term)) ?? formatTerm(term);
  const bySubject = new Map<string, TermTriple[]>();
  for (const triple of triples) entryOf(bySubject, nodeKey(triple[0]), () => []).push(triple);
  for (const those of bySubject.values()) {
    those.sort(([, p, o], [, q, r]) => inOrder(p.value, q.value) || inOrder(keyOf(o), keyOf(r)));
  }
  const builder = new RecordGraphBuilder(record);
  const number = (term: Term): number => (isBlank(term) ? builder.blank(nodeKey(term)) : builder.term(term));
  const write = (root: string): void => {
    const waiting = [root];
    for (let subject = waiting.pop(); subject !== undefined; subject = waiting.pop()) {
      const those = bySubject.get(subject);
      if (those === undefined) continue;
      bySubject.delete(subject);
      for (const [s, p, o] of those) builder.add(number(s), builder.term(p), number(o));
      waiting.push(...those.map(([, , o]) => nodeKey(o)).reverse());
    }
  };
  write(`<${record}>`);
  // Nodes that no way from the entity leads to come last.
  const rest = [...bySubject.keys()].sort((a, b) => inOrder(keys.get(a) ?? a, keys.get(b) ?? b));
  for (const subject of rest) write(subject);
  return builder.build();
}

function isBlank({ termType, value }: Term): boolean {
  return termType === "BlankNode" || (termType === "NamedNode" && value.startsWith(BLANK));
}

function nodeKey(term: Term): string {
  return isBlank(term) ? `_:${term.value}` : formatTerm(term);
}

/** Keys of blank nodes by what they say and what is said of them, without their labels. */
function keysOf(triples: readonly TermTriple[]): Map<string, string> {
  const around = new Map<string, { readonly own: string; readonly other: string | undefined }[]>();
  const say = (node: string, own: string, other: string | undefined): void => {
    entryOf(around, node, () => []).push({ own, other });
  };
  for (const [s, p, o] of triples) {
    if (isBlank(s))
      say(nodeKey(s), `> ${p.value} ${isBlank(o) ? "" : formatTerm(o)}`, isBlank(o) ? nodeKey(o) : undefined);
    if (isBlank(o))
      say(nodeKey(o), `< ${p.value} ${isBlank(s) ? "" : formatTerm(s)}`, isBlank(s) ? nodeKey(s) : undefined);
  }
  let keys = new Map([...around.keys()].map((node) => [node, ""]));
  let kinds = 1;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = new Map<string, string>();
    for (const [node, said] of around) {
      const texts = said.map(({ own, other }) => `${own}${other === undefined ? "" : keys.get(other)}`);
      next.set(node, createHash("sha256").update(texts.sort().join("\n")).digest("hex"));
    }
    keys = next;
    const told = new Set(keys.values()).size;
    if (told === kinds && round > 0) break;
    kinds = told;
  }
  // Literals, which people read, decide first, so that the order can be understood.
  for (const [node, said] of around) {
    const own = said.map((each) => each.own).filter((text) => text.startsWith(">"));
    const text = own.flatMap((each) => /"(?:[^"\\]|\\.)*"/.exec(each) ?? []).sort()[0] ?? "";
    keys.set(node, `_:${text} ${keys.get(node)}`);
  }
  return keys;
}

/** A literal in the one form that all engines can be brought to. */
function canonicalLiteral(term: Term): Term {
  if (term.termType !== "Literal") return term;
  const { value, datatype, language } = term;
  if (language !== "") return literal(value, RDF.langString, language.toLowerCase());
  if (!datatype.startsWith(XSD_NAMESPACE)) return term;
  switch (datatype.slice(XSD_NAMESPACE.length)) {
    case "integer":
      return literal(value.replace(/^\+/, "").replace(/^(-?)0+(?=\d)/, "$1"), datatype);
    case "decimal":
      return literal(canonicalDecimal(value), datatype);
    case "double":
    case "float":
      return literal(canonicalDouble(value), datatype);
    case "boolean":
      return literal(value === "1" ? "true" : value === "0" ? "false" : value, datatype);
    case "dateTime":
    case "date":
    case "gYear":
    case "gYearMonth":
      return literal(canonicalTime(value), datatype);
    default:
      return term;
  }
}

function canonicalDouble(value: string): string {
  const number = Number(value);
  if (Number.isNaN(number) || !Number.isFinite(number)) return value;
  const [mantissa, exponent] = number.toExponential().split("e");
  return `${mantissa!.includes(".") ? mantissa : `${mantissa}.0`}E${Number(exponent)}`;
}

function inOrder(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
