/** Differential fuzzing: mutated Turtle and TriG are accepted, refused and understood as by Oxigraph's own parser. */
import fc from "fast-check";
import { parse } from "oxigraph";
import { describe, expect, it } from "vitest";
import { type InputPlace, SyntaxProblem } from "../../../src/rdf/syntax-problem.js";
import { iri, type Term } from "../../../src/rdf/terms.js";
import { TurtleReader } from "../../../src/rdf/turtle/reader.js";
import { canonical, plainQuads } from "../../canonical.js";
import { forAllAsync, runsOf } from "../../properties.js";
import { ENTITY, graphOf, type RdfJsTerm, termOf } from "../record-graphs.js";

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

/** Replace a number of characters at a place by a text. */
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
      const reader = new TurtleReader({ source: "fuzz", format, baseIri }, (statement) => {
        quads.push([statement.subject(), statement.predicate(), statement.object(), statement.graph()]);
      });
      reader.push(Buffer.from(text));
      reader.end();
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

  /** The reason why the two may differ, or `undefined` if they must agree. */
  const justification = async (
    text: string,
    format: "turtle" | "trig",
    mine: string | Error,
    theirs: string | Error,
  ): Promise<string | undefined> => {
    if (theirs instanceof Error) {
      // As in N-Quads, IRIs and language tags need not follow all of RFC 3987 and BCP 47. For the IRI of a prefixed name,
      // Oxigraph checks them even when it is lenient.
      if (/^Parser error .* builds IRI .* that is invalid/.test(theirs.message)) return "RFC 3987";
      if (!/IRI|scheme|subtag|language|Invalid (host|character|port)/i.test(theirs.message)) return undefined;
      const lenient = await oxigraphs(text, format, true);
      const isRefused = lenient instanceof Error && !/ builds IRI .* that is invalid/.test(lenient.message);
      return isRefused ? undefined : "RFC 3987 or BCP 47";
    }
    if (!(mine instanceof SyntaxProblem)) return undefined;
    if (text.includes("~") || /<<|{\||--(ltr|rtl)|version/i.test(text)) return "RDF 1.2";
    // Parts of the grammar that n3 does not know, which it refuses and never misreads: two dots in a blank node's label, a dot
    // before a character beyond U+FFFF, and words with nothing between them, such as "1true" or "a+1".
    if (/_:\S*\.[.\u{10000}-\u{EFFFF}]/u.test(text)) return "labels with dots";
    return (await spacedVersions(text, mine.position, format)).includes(theirs) ? "words without space" : undefined;
  };

  /** What our reader gives for each version of the text with a space in the word at a position. */
  const spacedVersions = async (text: string, { line, column = 1 }: InputPlace, format: "turtle" | "trig") => {
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
    await forAllAsync([cases], runsOf(5_000), ([seed, changes]) => agree(mutate(seed, changes), "turtle"));
  });

  it("agrees on mutated TriG", async () => {
    const cases = fc.tuple(fc.constantFrom(...SEEDS, ...TRIG_SEEDS), edits);
    await forAllAsync([cases], runsOf(5_000), ([seed, changes]) => agree(mutate(seed, changes), "trig"));
  });
});
