/** Turtle and TriG reading: what is read, what is refused and where, and fuzzing against Oxigraph's own parser. */
import fc from "fast-check";
import { parse } from "oxigraph";
import { describe, expect, it } from "vitest";
import { formatTerm } from "../../src/rdf/ntriples-writer.js";
import { type Position, SyntaxProblem } from "../../src/rdf/syntax-problem.js";
import { iri, type Term } from "../../src/rdf/terms.js";
import { readTurtle, type TurtleReaderOptions } from "../../src/rdf/turtle-reader.js";
import { canonical, plainQuads } from "../canonical.js";
import { ENTITY, graphOf, type RdfJsTerm, termOf } from "./record-graphs.js";

type Options = Partial<TurtleReaderOptions> & { size?: number };

/** The statements as N-Quads lines with their line numbers, read in chunks of `size` bytes. */
async function read(text: string | Uint8Array, options: Options = {}): Promise<string[]> {
  const statements: string[] = [];
  await readTurtle(chunksOf(text, options.size), { source: "test.ttl", format: "turtle", ...options }, (statement) => {
    const terms = [statement.subject(), statement.predicate(), statement.object()];
    const graph = statement.graph();
    if (graph !== undefined) terms.push(graph);
    statements.push(`${statement.line}: ${terms.map(formatTerm).join(" ")}`);
  });
  return statements;
}

function* chunksOf(text: string | Uint8Array, size = Number.POSITIVE_INFINITY): Generator<Uint8Array> {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe("readTurtle", () => {
  it("reads Turtle, each triple with the line of its statement", async () => {
    const text = `@prefix a: <http://a/> .
PREFIX b: <http://b/>

a:s
  a a:C ;
  b:p "x"@en, """long
text""", 1.50, true, _:l0 .

[ b:q ( 1e0 ) ] .
`;
    expect(await read(text)).toEqual([
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

  it("reads TriG's graphs", async () => {
    const text =
      '<http://g> {\n  <http://s> <http://p> "1" .\n  <http://s> <http://p> "2"\n}\nGRAPH _:g { <http://s> <http://p> "3" }\n<http://s> <http://p> "4" .\n{ <http://s> <http://p> "5" }';
    expect(await read(text, { format: "trig" })).toEqual([
      '2: <http://s> <http://p> "1" <http://g>',
      '3: <http://s> <http://p> "2" <http://g>',
      '5: <http://s> <http://p> "3" _:lg',
      '6: <http://s> <http://p> "4"',
      '7: <http://s> <http://p> "5"',
    ]);
  });

  it("resolves relative IRIs against the base that is given, or against the text's own", async () => {
    expect(await read("<s> <p> <../o> .", { baseIri: "http://x/y/z" })).toEqual([
      "1: <http://x/y/s> <http://x/y/p> <http://x/o>",
    ]);
    expect(await read("@base <http://z/> . @prefix a: <a#> . <s> a:p <> .")).toEqual([
      "1: <http://z/s> <http://z/a#p> <http://z/>",
    ]);
  });

  it("leaves a byte order mark out", async () => {
    expect(await read("\uFEFF<http://s> <http://p> 1 .")).toHaveLength(1);
  });

  it("passes on what the sink throws, and what the chunks throw", async () => {
    const stop = new Error("enough");
    const options = { source: "-", format: "turtle" } as const;
    const reading = readTurtle([Buffer.from("<http://s> <http://p> 1 .\n")], options, () => {
      throw stop;
    });
    await expect(reading).rejects.toBe(stop);
    const broken = (async function* () {
      yield Buffer.from("<http://s> ");
      throw stop;
    })();
    await expect(readTurtle(broken, options, () => {})).rejects.toBe(stop);
  });

  it("reads the same in chunks of any size", async () => {
    const text =
      '@prefix é: <http://é/> .\r\né:s é:p """名\n😀""", "x"@en-GB, 1.5 ; # comment\r é:q [ é:r <http://o> ] .\n';
    const whole = await read(text);
    expect(whole).toHaveLength(5);
    for (let size = 1; size < 40; size++) expect(await read(text, { size })).toEqual(whole);
  });
});

describe("what is refused", () => {
  it.each<[what: string, text: string, line: number, column: number | undefined, problem: string, options?: Options]>([
    [
      "a relative IRI",
      "\n <s> <http://p> 1 .",
      2,
      2,
      "the IRI <s> is relative: give --base-url, which it is to be resolved against",
    ],
    [
      "a relative base",
      "@base <b> .",
      1,
      7,
      "the IRI <b> is relative: give --base-url, which it is to be resolved against",
    ],
    [
      "a space in an IRI",
      "<http://s> <http://a b> 1 .",
      1,
      12,
      'an IRI that is not closed, or with a character that no IRI may contain, found "<http://a"',
    ],
    [
      "an escaped space in an IRI",
      "<http://a/\\u0020> <http://p> 1 .",
      1,
      1,
      'an IRI that is not closed, or with a character that no IRI may contain, found "<http://a/\\\\u0020>"',
    ],
    ["an unknown prefix", "<http://s> x:p 1 .", 1, 12, 'undefined prefix "x:"'],
    [
      "an unknown escape",
      '<http://s> <http://p> "\\x" .',
      1,
      23,
      'a string that is not closed, or with an escape sequence that does not exist, found "\\"\\\\x\\""',
    ],
    [
      "half of a surrogate pair",
      '<http://s> <http://p> "\\uD800" .',
      1,
      23,
      'a string that is not closed, or with an escape sequence that does not exist, found "\\"\\\\uD800\\""',
    ],
    [
      "a missing object",
      "<http://s> <http://p> .",
      1,
      23,
      'expected an IRI, a prefixed name or a blank node, found "."',
    ],
    [
      "a missing full stop",
      "<http://s> <http://p> 1\n<http://s> <http://p> 1 .",
      2,
      1,
      'expected ".", ";" or "," after the object, found "http://s"',
    ],
    [
      "the input's end in a statement",
      "<http://s> <http://p> 1",
      1,
      24,
      'expected ".", ";" or "," after the object, found the end of the input',
    ],
    [
      "the input's end in a string",
      '<http://s> <http://p> "1',
      1,
      23,
      'a string that is not closed, or with an escape sequence that does not exist, found "\\"1"',
    ],
    ["a literal subject", '"s" <http://p> 1 .', 1, 1, "unexpected literal"],
    ["what is no token", '<http://s> <http://p> "é" , $x .', 1, 29, 'expected a term or punctuation, found "$x"'],
    [
      "what is no token after a long string",
      '<http://s> <http://p> """\n\n""" , $x .',
      3,
      7,
      'expected a term or punctuation, found "$x"',
    ],
    ["a graph in Turtle", "{ <http://s> <http://p> 1 }", 1, 1, "unexpected graph"],
    ["an open graph", "<http://g> { <http://s> <http://p> 1 .", 1, 39, "unclosed graph", { format: "trig" }],
    ["N3's implication", "<http://s> => <http://o> .", 1, 12, 'expected a term or punctuation, found "=>"'],
    ["N3's variables", "?s <http://p> 1 .", 1, 1, 'expected a term or punctuation, found "?s"'],
    ["N3's formulas", "<http://s> <http://p> { } .", 1, 23, "unexpected graph"],
    [
      "a triple term",
      "<http://s> <http://p> <<( <http://s> <http://p> 1 )>> .",
      1,
      23,
      "a triple term is RDF 1.2; the records are RDF 1.1",
    ],
    [
      "a reified triple",
      "<< <http://s> <http://p> 1 >> <http://p> 1 .",
      1,
      1,
      "a reified triple is RDF 1.2; the records are RDF 1.1",
    ],
    [
      "an annotation",
      "<http://s> <http://p> 1 {| <http://q> 2 |} .",
      1,
      25,
      "an annotation is RDF 1.2; the records are RDF 1.1",
    ],
    [
      "a base direction",
      '<http://s> <http://p> "x"@en--rtl .',
      1,
      29,
      "a base direction is RDF 1.2; the records are RDF 1.1",
    ],
    ["a version", 'VERSION "1.2"\n<http://s> <http://p> 1 .', 1, 1, "a version is RDF 1.2; the records are RDF 1.1"],
  ])("%s", async (_, text, line, column, problem, options = {}) => {
    const error = await read(text, options).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(SyntaxProblem);
    expect(error).toMatchObject({ source: "test.ttl", position: { line, column }, problem });
  });

  it("finds the column of what is no token also behind a chunk's end", async () => {
    const lines = '<http://s> <http://p> "x" .\n'.repeat(100);
    await expect(read(`${lines}<http://s> <http://p> $x .\n`, { size: 7 })).rejects.toThrow("test.ttl:101:23: ");
  });

  it("text that is not UTF-8, with its line", async () => {
    const bytes = Buffer.concat([Buffer.from('<http://s> <http://p>\n  "'), Buffer.from([0xff]), Buffer.from('" .\n')]);
    await expect(read(bytes)).rejects.toThrow("test.ttl:2: the line is not valid UTF-8");
  });

  it("a string without end, in bounded memory", async () => {
    let pushed = 0;
    function* endless() {
      yield Buffer.from('<http://s> <http://p>\n """');
      for (const line = Buffer.from(`${"x".repeat(1024 * 1024)}\n`); ; pushed++) yield line;
    }
    const reading = readTurtle(endless(), { source: "test.ttl", format: "turtle" }, () => {});
    await expect(reading).rejects.toThrow(/^test\.ttl:1: text of more than 64 MiB without end/);
    expect(pushed).toBeLessThan(70);
  });
});

const SEEDS = [
  '@prefix a: <http://a/> .\na:s a a:C ; a:p "x"@en, """y\n"z\\\\""", 1, -1.5, .5e3, true .\n',
  "PREFIX : <http://a#>\nBASE <http://b/>\n<s> :p [ :q ( 1 'two' ( ) ) ; :r _:b.1 ], [] . # comment\n",
  "<http://a/s> <http://a/p> '''a'b''', \"\\u00e9\\U0001F600\\t\"^^<http://a/d>, <http://a/\\u00e9> .\r\n",
  "@prefix p.q: <http://a/> . p.q:a.b p.q:%41\\~\\- p.q:0:1 ;; p.q:x p.q: ; .\n",
];
const TRIG_SEEDS = [
  '@prefix a: <http://a/> . a:g { a:s a:p a:o . a:s a:p "x" } GRAPH _:g { [] a:p ( ) . } { a:s a:p 1 . } a:s a:p 2 .\n',
];

const CHARACTERS = [..."<>\"'\\@^_:.,;-#{}[]()|`+=~ \t\n\ra0e1tué·×\u00A0名😀%$&*!/?"];
const FRAGMENTS = [
  "_:",
  "^^",
  '"""',
  "'''",
  "@en",
  "true",
  "a:",
  " .",
  "1.",
  "1.5",
  "e5",
  "\\u00",
  "@prefix",
  "PREFIX",
  "BASE",
  "GRAPH",
  "[]",
  "()",
];

const edits = fc.array(
  fc.tuple(fc.constantFrom(0, 1, 1, 3), fc.nat(10_000), fc.constantFrom("", ...CHARACTERS, ...FRAGMENTS)),
  { minLength: 1, maxLength: 3 },
);

/** Replace so many characters at a place by a text. */
function mutate(seed: string, changes: readonly (readonly [number, number, string])[]): string {
  const characters = [...seed];
  for (const [removed, place, text] of changes) characters.splice(place % (characters.length + 1), removed, text);
  return characters.join("");
}

/** The canonical graph, or the error; graph names become part of the subject's description. */
async function outcome(
  make: () => Promise<Iterable<readonly [Term, Term, Term, Term | undefined]>>,
): Promise<string | Error> {
  try {
    const quads = [...(await make())];
    const named = quads.map(
      ([s, p, o, g]) => [s, iri(`${p.value}#${g?.termType === "BlankNode" ? "_:" : g?.value}`), o] as const,
    );
    return await canonical(plainQuads(graphOf(ENTITY, named)));
  } catch (error) {
    return error as Error;
  }
}

describe("fuzzing against Oxigraph", () => {
  const baseIri = "http://base/x/";

  const ours = (text: string, format: "turtle" | "trig") =>
    outcome(async () => {
      const quads: [Term, Term, Term, Term | undefined][] = [];
      await readTurtle([Buffer.from(text)], { source: "fuzz", format, baseIri }, (statement) => {
        quads.push([statement.subject(), statement.predicate(), statement.object(), statement.graph()]);
      });
      return quads;
    });

  const oxigraphs = (text: string, format: "turtle" | "trig", lenient = false) =>
    outcome(async () => {
      const media = format === "turtle" ? "text/turtle" : "application/trig";
      return parse(text, { format: media, base_iri: baseIri, lenient }).map(
        ({ subject, predicate, object, graph }) =>
          [
            termOf(subject as RdfJsTerm),
            termOf(predicate),
            termOf(object as RdfJsTerm),
            graph.termType === "DefaultGraph" ? undefined : termOf(graph as RdfJsTerm),
          ] as const,
      );
    });

  /** A base whose path has dot segments: ours removes them (RFC 3986, 5.2.4), Oxigraph keeps them. */
  const DOTTED_BASE = /<[^<>]*[:/]\.{1,2}\//;

  /** Where the two may differ, and why; `undefined` where they may not. */
  const justification = async (
    text: string,
    format: "turtle" | "trig",
    mine: string | Error,
    theirs: string | Error,
  ): Promise<string | undefined> => {
    if (theirs instanceof Error) {
      // As in N-Quads, IRIs and language tags are not held to all of RFC 3987 and BCP 47. Of a prefixed name's IRI
      // Oxigraph checks that even when it is lenient.
      if (/^Parser error .* builds IRI .* that is invalid/.test(theirs.message)) return "RFC 3987";
      if (!/IRI|scheme|subtag|language|Invalid (host|character|port)/i.test(theirs.message)) return undefined;
      const lenient = await oxigraphs(text, format, true);
      const isRefused = lenient instanceof Error && !/ builds IRI .* that is invalid/.test(lenient.message);
      return isRefused ? undefined : "RFC 3987 or BCP 47";
    }
    if (!(mine instanceof SyntaxProblem)) return undefined;
    if (text.includes("~") || /<<|{\||--(ltr|rtl)|version/i.test(text)) return "RDF 1.2";
    // What n3 does not know of the grammar; all of it is refused, none misread: two dots in a blank node's label, a dot
    // before a character beyond U+FFFF, and words with nothing between them, such as "1true" or "a+1".
    if (/_:\S*\.[.\u{10000}-\u{EFFFF}]/u.test(text)) return "labels with dots";
    return (await spacedVersions(text, mine.position, format)).includes(theirs) ? "words without space" : undefined;
  };

  /** What we read when a space is put somewhere into the word at a position. */
  const spacedVersions = async (text: string, { line, column = 1 }: Position, format: "turtle" | "trig") => {
    const before = text
      .split(/(?<=\r\n|\r(?!\n)|\n)/)
      .slice(0, line - 1)
      .join("").length;
    const start = before + [...text.slice(before)].slice(0, column - 1).join("").length;
    const [word = ""] = /^\S*/.exec(text.slice(start)) ?? [];
    const spaced = Array.from(word, (_, index) => `${text.slice(0, start + index)} ${text.slice(start + index)}`);
    return Promise.all(spaced.map((version) => ours(version, format)));
  };

  const agree = async (text: string, format: "turtle" | "trig"): Promise<void> => {
    const mine = await ours(text, format);
    const theirs = await oxigraphs(text, format);
    const details = `${JSON.stringify(text)}\nours: ${mine}\nOxigraph's: ${theirs}`;
    if (mine instanceof Error) expect(mine, details).toBeInstanceOf(SyntaxProblem);
    if (mine instanceof Error !== theirs instanceof Error) {
      expect(await justification(text, format, mine, theirs), details).toBeDefined();
    } else if (typeof mine === "string" && !DOTTED_BASE.test(text)) {
      expect(mine, details).toBe(theirs);
    }
  };

  it.each([...SEEDS, ...TRIG_SEEDS])("reads %j", async (seed) => {
    await agree(seed, "trig");
  });

  it("agrees on mutated Turtle", async () => {
    const cases = fc.tuple(fc.constantFrom(...SEEDS), edits);
    await fc.assert(
      fc.asyncProperty(cases, ([seed, changes]) => agree(mutate(seed, changes), "turtle")),
      { numRuns: 5_000 },
    );
  });

  it("agrees on mutated TriG", async () => {
    const cases = fc.tuple(fc.constantFrom(...SEEDS, ...TRIG_SEEDS), edits);
    await fc.assert(
      fc.asyncProperty(cases, ([seed, changes]) => agree(mutate(seed, changes), "trig")),
      { numRuns: 5_000 },
    );
  });
});
