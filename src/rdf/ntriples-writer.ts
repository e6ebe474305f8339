/** Writes record graphs and terms as N-Triples and N-Quads, in the canonical form (RDF 1.1 N-Triples, section 4). */
import type { RecordGraph } from "./record-graph.js";
import { type Term, XSD } from "./terms.js";

/** The only four escapes of the canonical form; every other character stands for itself. */
const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r" };

/** A term as N-Triples writes it: `<iri>`, `_:label`, `"text"`, `"text"@en`, `"4"^^<datatype>`. */
export function formatTerm(term: Term): string {
  if (term.termType === "NamedNode") return `<${term.value}>`;
  if (term.termType === "BlankNode") return `_:${term.value}`;
  const quoted = `"${term.value.replace(/["\\\n\r]/g, (character) => ESCAPES[character]!)}"`;
  if (term.language !== "") return `${quoted}@${term.language}`;
  return term.datatype === XSD.string ? quoted : `${quoted}^^<${term.datatype}>`;
}

/** A triple as a line of N-Triples, with its newline. */
export function tripleLine(subject: Term, predicate: Term, object: Term): string {
  return `${formatTerm(subject)} ${formatTerm(predicate)} ${formatTerm(object)} .\n`;
}

/** A record as N-Triples, a triple a line in source order; blank nodes are `_:b0`, `_:b1` ... in order of appearance; `labels` begins others. */
export function writeNTriples(graph: RecordGraph, labels = "b"): string {
  return writeLines(graph, " .\n", labels);
}

/**
 * A record as N-Quads, in the named graph of its IRI; otherwise as `writeNTriples`. Where several records share a file,
 * each needs blank node labels of its own, which `labels` begins.
 */
export function writeNQuads(graph: RecordGraph, labels = "b"): string {
  return writeLines(graph, ` <${graph.iri}> .\n`, labels);
}

function writeLines({ terms, triples }: RecordGraph, lineEnd: string, labels: string): string {
  const formatted = new Array<string>(terms.length);
  let blanks = 0;
  const format = (number: number): string => {
    let text = formatted[number];
    if (text === undefined) {
      const term = terms[number]!;
      text = term.termType === "BlankNode" ? `_:${labels}${blanks++}` : formatTerm(term);
      formatted[number] = text;
    }
    return text;
  };
  let lines = "";
  for (let at = 0; at < triples.length; at += 3) {
    lines += `${format(triples[at]!)} ${format(triples[at + 1]!)} ${format(triples[at + 2]!)}${lineEnd}`;
  }
  return lines;
}
