/** The reader of Turtle and TriG: statements, and the places of errors. */
import { describe, expect, it } from "vitest";
import { ByteLog } from "../../../src/rdf/byte-log.js";
import { formatTerm } from "../../../src/rdf/ntriples/writer.js";
import { SyntaxProblem } from "../../../src/rdf/syntax-problem.js";
import { TurtleReader } from "../../../src/rdf/turtle/reader.js";

type Options = Partial<ConstructorParameters<typeof TurtleReader>[0]> & { size?: number };

/** The statements as N-Quads lines with their line numbers, read in chunks of `size` bytes. */
function read(text: string | Uint8Array, options: Options = {}): string[] {
  const statements: string[] = [];
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  const { size = bytes.length } = options;
  const reader = new TurtleReader({ source: "test.ttl", format: "turtle", ...options }, (statement) => {
    const terms = [statement.subject(), statement.predicate(), statement.object()];
    const graph = statement.graph();
    if (graph !== undefined) terms.push(graph);
    statements.push(`${statement.line}: ${terms.map(formatTerm).join(" ")}`);
  });
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  reader.end();
  return statements;
}

describe("TurtleReader", () => {
  it("reads Turtle, each triple with the line of its statement", () => {
    const text = `@prefix a: <http://a/> .
PREFIX b: <http://b/>

a:s
  a a:C ;
  b:p "x"@en, """long
text""", 1.50, true, _:l0 .

[ b:q ( 1e0 ) ] .
`;
    expect(read(text)).toEqual([
      "4: <http://a/s> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://a/C>",
      '4: <http://a/s> <http://b/p> "x"@en',
      '4: <http://a/s> <http://b/p> "long\\ntext"',
      '4: <http://a/s> <http://b/p> "1.50"^^<http://www.w3.org/2001/XMLSchema#decimal>',
      '4: <http://a/s> <http://b/p> "true"^^<http://www.w3.org/2001/XMLSchema#boolean>',
      "4: <http://a/s> <http://b/p> _:ll0",
      '9: _:b1 <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> "1e0"^^<http://www.w3.org/2001/XMLSchema#double>',
      "9: _:b1 <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> <http://www.w3.org/1999/02/22-rdf-syntax-ns#nil>",
      "9: _:b0 <http://b/q> _:b1",
    ]);
  });

  it("reads TriG's graphs", () => {
    const text =
      '<http://g> {\n  <http://s> <http://p> "1" .\n  <http://s> <http://p> "2"\n}\nGRAPH _:g { <http://s> <http://p> "3" }\n<http://s> <http://p> "4" .\n{ <http://s> <http://p> "5" }';
    expect(read(text, { format: "trig" })).toEqual([
      '2: <http://s> <http://p> "1" <http://g>',
      '3: <http://s> <http://p> "2" <http://g>',
      '5: <http://s> <http://p> "3" _:lg',
      '6: <http://s> <http://p> "4"',
      '7: <http://s> <http://p> "5"',
    ]);
  });

  it("resolves relative IRIs against the given base, or against the text's own", () => {
    expect(read("<s> <p> <../o> .", { baseIri: "http://x/y/z" })).toEqual([
      "1: <http://x/y/s> <http://x/y/p> <http://x/o>",
    ]);
    expect(read("@base <http://z/> . @prefix a: <a#> . <s> a:p <> .")).toEqual([
      "1: <http://z/s> <http://z/a#p> <http://z/>",
    ]);
  });

  it("skips a byte order mark", () => {
    expect(read("\uFEFF<http://s> <http://p> 1 .")).toHaveLength(1);
  });

  it("passes on an error of the sink", () => {
    const stop = new Error("enough");
    const reader = new TurtleReader({ source: "-", format: "turtle" }, () => {
      throw stop;
    });
    expect(() => reader.push(Buffer.from("<http://s> <http://p> 1 .\n"))).toThrow(stop);
  });

  it("reads the same in chunks of any size", () => {
    const text =
      '@prefix é: <http://é/> .\r\né:s é:p """名\n😀""", "x"@en-GB, 1.5 ; # comment\r é:q [ é:r <http://o> ] .\n';
    const whole = read(text);
    expect(whole).toHaveLength(5);
    for (let size = 1; size < 40; size++) expect(read(text, { size })).toEqual(whole);
  });
});

it("a statement is appended to a log as a line of N-Triples", () => {
  const log = new ByteLog();
  const reader = new TurtleReader({ source: "-", format: "turtle" }, (statement) => {
    log.clear();
    statement.appendTriple(log);
  });
  reader.push(Buffer.from("@prefix e: <http://é/> . e:s e:p 1, 'x' .\n"));
  expect(log.bytes.toString()).toBe('<http://é/s> <http://é/p> "x" .\n');
});

describe("the reader refuses", () => {
  it.each<[what: string, text: string, problem: string, options?: Options]>([
    ["a relative IRI", "\n <s> <http://p> 1 .", "2:2: the IRI <s> is relative: give --base-url to resolve it"],
    ["a relative base", "@base <b> .", "1:7: the IRI <b> is relative: give --base-url to resolve it"],
    [
      "a space in an IRI",
      "<http://s> <http://a b> 1 .",
      '1:12: an IRI that is not closed, or with a character that no IRI may contain, found "<http://a"',
    ],
    [
      "an escaped space in an IRI",
      "<http://a/\\u0020> <http://p> 1 .",
      '1:1: an IRI that is not closed, or with a character that no IRI may contain, found "<http://a/\\\\u0020>"',
    ],
    ["an unknown prefix", "<http://s> x:p 1 .", '1:12: undefined prefix "x:"'],
    [
      "an unknown escape",
      '<http://s> <http://p> "\\x" .',
      '1:23: a string that is not closed, or with an escape sequence that does not exist, found "\\"\\\\x\\""',
    ],
    [
      "half of a surrogate pair",
      '<http://s> <http://p> "\\uD800" .',
      '1:23: a string that is not closed, or with an escape sequence that does not exist, found "\\"\\\\uD800\\""',
    ],
    [
      "a missing object",
      "<http://s> <http://p> .",
      '1:23: expected an IRI, a prefixed name or a blank node, found "."',
    ],
    [
      "a missing full stop",
      "<http://s> <http://p> 1\n<http://s> <http://p> 1 .",
      '2:1: expected ".", ";" or "," after the object, found "http://s"',
    ],
    [
      "the end of the input in a statement",
      "<http://s> <http://p> 1",
      '1:24: expected ".", ";" or "," after the object, found the end of the input',
    ],
    [
      "the end of the input in a string",
      '<http://s> <http://p> "1',
      '1:23: a string that is not closed, or with an escape sequence that does not exist, found "\\"1"',
    ],
    ["a literal subject", '"s" <http://p> 1 .', "1:1: unexpected literal"],
    ["an invalid token", '<http://s> <http://p> "é" , $x .', '1:29: expected a term or punctuation, found "$x"'],
    [
      "an invalid token after a long string",
      '<http://s> <http://p> """\n\n""" , $x .',
      '3:7: expected a term or punctuation, found "$x"',
    ],
    [
      "a graph in Turtle",
      "{ <http://s> <http://p> 1 }",
      '1:1: expected no graph in Turtle (--format trig reads TriG, --format jsonld JSON), found "{"',
    ],
    ["an unclosed graph", "<http://g> { <http://s> <http://p> 1 .", "1:39: unclosed graph", { format: "trig" }],
    [
      "a slash in a prefixed name",
      "@prefix : <http://a/> .\n:object/1 :p 1 .",
      '2:1: expected a term or punctuation, found ":object/1": write the slash of a prefixed name as \\/, or the whole IRI between < and >',
    ],
    [
      "an underscore in a language",
      '<http://s> <http://p> "x"@de_DE .',
      '1:29: expected a term or punctuation, found "_DE": write language tags with hyphens',
    ],
    ["N3's implication", "<http://s> => <http://o> .", '1:12: expected a term or punctuation, found "=>"'],
    ["N3's variables", "?s <http://p> 1 .", '1:1: expected a term or punctuation, found "?s"'],
    [
      "N3's formulas",
      "<http://s> <http://p> { } .",
      '1:23: expected no graph in Turtle (--format trig reads TriG, --format jsonld JSON), found "{"',
    ],
    [
      "a triple term",
      "<http://s> <http://p> <<( <http://s> <http://p> 1 )>> .",
      "1:23: a triple term is RDF 1.2; the records are RDF 1.1",
    ],
    [
      "a reified triple",
      "<< <http://s> <http://p> 1 >> <http://p> 1 .",
      "1:1: a reified triple is RDF 1.2; the records are RDF 1.1",
    ],
    [
      "an annotation",
      "<http://s> <http://p> 1 {| <http://q> 2 |} .",
      "1:25: an annotation is RDF 1.2; the records are RDF 1.1",
    ],
    [
      "a base direction",
      '<http://s> <http://p> "x"@en--rtl .',
      "1:29: a base direction is RDF 1.2; the records are RDF 1.1",
    ],
    ["a version", 'VERSION "1.2"\n<http://s> <http://p> 1 .', "1:1: a version is RDF 1.2; the records are RDF 1.1"],
  ])("%s", (_, text, problem, options = {}) => {
    const [, line, column, told] = /^(\d+):(\d+): (.*)$/.exec(problem)!;
    const position = { line: Number(line), column: Number(column) };
    expect(() => read(text, options)).toThrow(new SyntaxProblem("test.ttl", position, told!));
  });

  it("an invalid token, with its column even after the end of a chunk", () => {
    const lines = '<http://s> <http://p> "x" .\n'.repeat(100);
    expect(() => read(`${lines}<http://s> <http://p> $x .\n`, { size: 7 })).toThrow("test.ttl:101:23: ");
  });

  it("text that is not UTF-8, with its line", () => {
    const bytes = Buffer.concat([Buffer.from('<http://s> <http://p>\n  "'), Buffer.from([0xff]), Buffer.from('" .\n')]);
    expect(() => read(bytes)).toThrow("test.ttl:2: the line is not valid UTF-8");
  });

  it("an unterminated string, in bounded memory", () => {
    const reader = new TurtleReader({ source: "test.ttl", format: "turtle" }, () => {});
    reader.push(Buffer.from('<http://s> <http://p>\n """'));
    const line = Buffer.from(`${"x".repeat(1024 * 1024)}\n`);
    let pushed = 0;
    expect(() => {
      for (; pushed < 100; pushed++) reader.push(line);
    }).toThrow(/^test\.ttl:1: text of more than 64 MiB without the end of a token/);
    expect(pushed).toBeLessThan(70);
  });
});
