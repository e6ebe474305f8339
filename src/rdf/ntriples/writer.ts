/** The writer of record graphs and terms as canonical N-Triples and N-Quads (RDF 1.1 N-Triples, section 4). */
import type { RecordGraph } from "../record-graph.js";
import { type Term, XSD } from "../terms.js";

/** The four escapes of the canonical form; every other character is written as it is. */
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
  // Few literals need escapes, and testing is cheaper than replacing.
  const needsEscapes = ESCAPED.test(term.value);
  const quoted = `"${needsEscapes ? term.value.replace(ALL_ESCAPED, (each) => ESCAPES[each]!) : term.value}"`;
  if (term.language !== "") return `${quoted}@${term.language}`;
  return term.datatype === XSD.string ? quoted : `${quoted}^^<${term.datatype}>`;
}

/** A triple as a line of N-Triples, with its newline. */
export function tripleLine(subject: Term, predicate: Term, object: Term): string {
  return `${formatTerm(subject)} ${formatTerm(predicate)} ${formatTerm(object)} .\n`;
}

/**
 * A record as N-Triples, in source order. Blank nodes are `_:b0`, `_:b1` ... in order of appearance; `labels` replaces the `b`.
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
 * A record as N-Quads, in the named graph of its IRI; otherwise as `writeNTriples`. When several records share a file,
 * each needs its own `labels`.
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
    written[number] = flattened(text);
    return text;
  };
  const lineEnd = flattened(end);
  let lines = "";
  for (let at = 0; at < triples.length; at += 3)
    lines += textOf(triples[at]!) + textOf(triples[at + 1]!) + textOf(triples[at + 2]!) + lineEnd;
  return lines;
}

/** Flatten a concatenated string once, since it is used often: V8 does so when one of its characters is read. */
function flattened(text: string): string {
  text.charCodeAt(0);
  return text;
}

/** The first line of a complete export of quads. Without a matching last line, the file was truncated. */
export const EXPORT_BEGINS = "# Vitrine export: whole when its last line says how many records it has\n";

/** The last line of a complete export. Dumps, which have checksums, do not count quads. */
export function exportEnds(records: number, quads?: number): string {
  return `# Vitrine export ends: records ${records}${quads === undefined ? "" : `, quads ${quads}`}\n`;
}

/** Matches the last lines of the exports in a text; their group is the number of quads. */
export const EXPORT_END = /^# Vitrine export ends: records \d+(?:, quads (\d+))?\s*\n/gm;
