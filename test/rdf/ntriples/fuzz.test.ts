/** Differential fuzzing: mutated N-Quads are accepted, refused and understood as by Oxigraph's own parser. */
import fc from "fast-check";
import { type Term as OxigraphTerm, parse, type Quad } from "oxigraph";
import { describe, expect, it } from "vitest";
import { LineReader } from "../../../src/rdf/ntriples/reader.js";
import { formatTerm } from "../../../src/rdf/ntriples/writer.js";
import { SyntaxProblem } from "../../../src/rdf/syntax-problem.js";
import type { Term } from "../../../src/rdf/terms.js";
import { shareOf } from "../../extent.js";
import { forAll, runsOf } from "../../properties.js";

const SEEDS = [
  "<http://a/s> <http://a/p> <http://a/o> .\n",
  "<http://a/s> <http://a/p> <http://a/o#x?y> <http://a/g> .\r\n",
  "_:b0 <http://a/p> _:b.1-2 _:g . # comment\n",
  '_:é <urn:p:1> "l\\"i\\\\t\\u00e9\\U0001F600"@en-GB .\n',
  '<http://a/\\u00e9> <http://a/p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> <http://a/g>.\n',
  '# only a comment\n\n\t<http://a/s>\t<http://a/p>\t"名前 😀" .',
  '<mailto:a@b> <http://a/p> "" .\n_:x <http://a/p> "two"@de .\n',
];

/** Characters that the grammar gives a meaning, and some others. */
const CHARACTERS = [..."<>\"'\\@^_:.-#{}[]|`+ \t\n\r\0\u0001%/auUtnbfr019AFDdxé·×\u00A0\u2028\uFEFF\uFFFD名😀"];
const FRAGMENTS = [
  "_:",
  "^^",
  '"@',
  "\\u00",
  "\\U0000",
  "\\uD800",
  " .",
  ".\n",
  "<http://a/x>",
  '"x"',
  "--ltr",
  "<<(",
  ")>>",
];

type Mutation = readonly [kind: "insert" | "delete" | "replace" | "repeat" | "cut", place: number, text: string];

const mutation: fc.Arbitrary<Mutation> = fc.tuple(
  fc.constantFrom("insert", "delete", "replace", "repeat", "cut"),
  fc.nat(10_000),
  fc.constantFrom(...CHARACTERS, ...FRAGMENTS),
);

function mutate(text: string, mutations: readonly Mutation[]): string {
  let characters = [...text];
  for (const [kind, place, inserted] of mutations) {
    const at = place % (characters.length + 1);
    if (kind === "insert") characters.splice(at, 0, inserted);
    else if (kind === "delete") characters.splice(at, 1);
    else if (kind === "replace") characters.splice(at, 1, inserted);
    else if (kind === "repeat") characters.splice(at, 0, ...characters.slice(at, at + 12));
    else characters = characters.slice(0, at);
  }
  return characters.join("");
}

/** The statements, or the problem. Language tags are compared in lower case, as Oxigraph gives them. */
function ours(input: Uint8Array): string[] | SyntaxProblem {
  const statements: string[] = [];
  const format = (term: Term) => formatTerm({ ...term, language: term.language.toLowerCase() });
  try {
    const reader = new LineReader({ source: "fuzz", graphs: true }, (statement) => {
      const terms = [statement.subject(), statement.predicate(), statement.object()].map(format);
      const graph = statement.graph();
      statements.push([...terms, graph === undefined ? "" : format(graph)].join(" "));
    });
    reader.push(input);
    reader.end();
    return statements;
  } catch (error) {
    if (error instanceof SyntaxProblem) return error;
    throw error;
  }
}

function oxigraphs(input: Uint8Array, lenient = false): string[] | Error {
  try {
    const quads: Quad[] = parse(input, { format: "application/n-quads", lenient });
    return quads.map((quad) => [quad.subject, quad.predicate, quad.object, quad.graph].map(formatOxigraph).join(" "));
  } catch (error) {
    return error as Error;
  }
}

function formatOxigraph(term: OxigraphTerm): string {
  if (term.termType === "NamedNode" || term.termType === "BlankNode") {
    return formatTerm({ termType: term.termType, value: term.value, datatype: "", language: "" });
  }
  if (term.termType !== "Literal") return "";
  return formatTerm({ termType: "Literal", value: term.value, datatype: term.datatype.value, language: term.language });
}

/** The reason why the two may differ, or `undefined` if they must agree. */
function justification(text: string, mine: string[] | SyntaxProblem, theirs: string[] | Error): string | undefined {
  if (mine instanceof SyntaxProblem) {
    // Triple terms and base directions are RDF 1.2, which Oxigraph reads; the specification's records are RDF 1.1.
    if (text.includes("<<(") || text.includes("--ltr")) return "RDF 1.2";
    return undefined;
  }
  // RFC 3987 and BCP 47 have rules beyond the productions IRIREF and LANGTAG of N-Triples: percent encoding, square brackets,
  // ports, private use characters, subtags of at most eight characters. Real records break these, and nothing here depends on them.
  // Oxigraph's option `lenient` omits exactly these checks.
  if (theirs instanceof Error && /IRI|subtag|language|Invalid (host|character|port)/i.test(theirs.message)) {
    return oxigraphs(Buffer.from(text), true) instanceof Error ? undefined : "RFC 3987 or BCP 47";
  }
  return undefined;
}

function agree(text: string): void {
  const input = Buffer.from(text);
  const mine = ours(input);
  // A byte order mark is not in the grammar, but files begin with one: our reader skips it.
  const theirs = oxigraphs(Buffer.from(text.replace(/^\uFEFF/, "")));
  if (mine instanceof SyntaxProblem !== theirs instanceof Error) {
    expect(
      justification(text, mine, theirs),
      `${JSON.stringify(text)}: ours ${mine}, Oxigraph's ${theirs}`,
    ).toBeDefined();
  } else if (!(mine instanceof SyntaxProblem)) {
    expect(mine).toEqual(theirs);
  }
}

describe("fuzzing against Oxigraph", () => {
  it.each(SEEDS)("reads the seed %j", (seed) => {
    expect(ours(Buffer.from(seed))).toEqual(oxigraphs(Buffer.from(seed)));
    expect(ours(Buffer.from(seed))).not.toHaveLength(0);
  });

  it("agrees on mutated lines", () => {
    const cases = fc.tuple(fc.constantFrom(...SEEDS), fc.array(mutation, { minLength: 1, maxLength: 4 }));
    forAll([cases], runsOf(5_000), ([seed, mutations]) => agree(mutate(seed, mutations)));
  });

  it("agrees when any single character is deleted or replaced", () => {
    const mutated = SEEDS.flatMap((seed) =>
      [...[...seed].keys()].flatMap((place) => [
        mutate(seed, [["delete", place, ""]]),
        ...CHARACTERS.map((character) => mutate(seed, [["replace", place, character]])),
      ]),
    );
    for (const text of shareOf(mutated, 40)) agree(text);
  });

  it("agrees on bytes in terms that are not UTF-8", () => {
    const bytes = fc.tuple(fc.constantFrom(...SEEDS), fc.nat(200), fc.integer({ min: 0x80, max: 0xff }));
    forAll([bytes], runsOf(2_000), ([seed, place, byte]) => {
      const input = Buffer.from(seed);
      input[place % input.length] = byte;
      // Oxigraph does not check comments.
      if (input.includes("#")) return;
      expect(ours(input) instanceof SyntaxProblem).toBe(oxigraphs(input) instanceof Error);
    });
  });
});
