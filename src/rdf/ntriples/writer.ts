/** The writer of record graphs and terms as N-Triples and N-Quads, in the canonical form (RDF 1.1 N-Triples, section 4). */
import type { RecordGraph } from "../record-graph.js";
import { type Term, XSD } from "../terms.js";

/** The only four escapes of the canonical form; every other character stands for itself. */
const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r" };
const ESCAPED = /["\\\n\r]/;
const ALL_ESCAPED = new RegExp(ESCAPED, "g");

/**
 * A term as N-Triples writes it: `<iri>`, `_:label`, `"text"`, `"text"@en`, `"4"^^<datatype>`.
 * @example
 * import { iri, literal } from "#rdf/terms";
 * formatTerm(iri("http://a.example/x")); // => "<http://a.example/x>"
 * formatTerm(literal("Delft", undefined, "nl")); // => '"Delft"@nl'
 */
export function formatTerm(term: Term): string {
  if (term.termType === "NamedNode") return `<${term.value}>`;
  if (term.termType === "BlankNode") return `_:${term.value}`;
  const quoted = `"${escaped(term.value)}"`;
  if (term.language !== "") return `${quoted}@${term.language}`;
  return term.datatype === XSD.string ? quoted : `${quoted}^^<${term.datatype}>`;
}

/** Few literals hold what is escaped, and to look is cheaper than to replace. */
function escaped(text: string): string {
  return ESCAPED.test(text) ? text.replace(ALL_ESCAPED, (character) => ESCAPES[character]!) : text;
}

/** A triple as a line of N-Triples, with its newline. */
export function tripleLine(subject: Term, predicate: Term, object: Term): string {
  return `${formatTerm(subject)} ${formatTerm(predicate)} ${formatTerm(object)} .\n`;
}

/**
 * A record as N-Triples, a triple a line in source order; blank nodes are `_:b0`, `_:b1` ... in order of appearance; `labels` begins others.
 * @example
 * import { RecordGraphBuilder } from "#rdf/record-graph";
 * const graph = new RecordGraphBuilder("http://a.example/x");
 * graph.add(graph.iri("http://a.example/x"), graph.iri("http://a.example/p"), graph.literal("1"));
 * writeNTriples(graph.build()); // => '<http://a.example/x> <http://a.example/p> "1" .\n'
 */
export function writeNTriples(graph: RecordGraph, labels = "b"): string {
  return writeLines(graph, ".\n", labels);
}

/**
 * A record as N-Quads, in the named graph of its IRI; otherwise as `writeNTriples`. Where several records share a file,
 * each needs blank node labels of its own, which `labels` begins.
 * @example
 * import { RecordGraphBuilder } from "#rdf/record-graph";
 * const graph = new RecordGraphBuilder("urn:x");
 * graph.add(graph.iri("urn:x"), graph.iri("urn:p"), graph.blank("a"));
 * writeNQuads(graph.build()); // => "<urn:x> <urn:p> _:b0 <urn:x> .\n"
 */
export function writeNQuads(graph: RecordGraph, labels = "b"): string {
  return writeLines(graph, `<${graph.iri}> .\n`, labels);
}

function writeLines({ terms, triples }: RecordGraph, end: string, labels: string): string {
  const written = new Array<string | undefined>(terms.length);
  let blanks = 0;
  const textOf = (number: number): string => {
    const known = written[number];
    if (known !== undefined) return known;
    const term = terms[number]!;
    const text = term.termType === "BlankNode" ? `_:${labels}${blanks++} ` : `${formatTerm(term)} `;
    written[number] = inOnePiece(text);
    return text;
  };
  const lineEnd = inOnePiece(end);
  let lines = "";
  for (let at = 0; at < triples.length; at += 3) {
    lines += textOf(triples[at]!) + textOf(triples[at + 1]!) + textOf(triples[at + 2]!) + lineEnd;
  }
  return lines;
}

/** V8 joins texts when one of their characters is asked for. One that is used often is so joined once, not at each use. */
function inOnePiece(text: string): string {
  text.charCodeAt(0);
  return text;
}

/** The first line of a complete file of quads: by it and the last line one that was cut off is known. */
export const EXPORT_BEGINS = "# Vitrine export: whole when its last line says how many records it has\n";

const ENDS = "# Vitrine export ends: records ";

/** The last line. */
export function exportEnds(records: number): string {
  return `${ENDS}${records}\n`;
}

/** The last line at the end of a text. */
export const EXPORT_ENDED = new RegExp(`(?:^|\\n)${ENDS}\\d+\\s*$`);
