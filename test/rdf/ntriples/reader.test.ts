/** The reader of N-Quads and N-Triples: the grammar case by case, places of errors, chunks, limits. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_LINE_BYTES } from "../../../src/rdf/ntriples/line-blocks.js";
import { LineReader } from "../../../src/rdf/ntriples/reader.js";
import { formatTerm } from "../../../src/rdf/ntriples/writer.js";
import { SyntaxProblem } from "../../../src/rdf/syntax-problem.js";
import { IS_WHOLE } from "../../extent.js";
import { forAll, runsOf } from "../../properties.js";

/** The statements as canonical N-Quads lines with their line numbers, from text or bytes in chunks of `size`. */
function read(input: string | Uint8Array, { graphs = true, size = Number.POSITIVE_INFINITY } = {}): string[] {
  const bytes = typeof input === "string" ? Buffer.from(input) : input;
  const statements: string[] = [];
  const reader = new LineReader({ source: "test.nq", graphs }, (statement) => {
    const terms = [statement.subject(), statement.predicate(), statement.object()];
    const graph = statement.graph();
    if (graph !== undefined) terms.push(graph);
    statements.push(`${statement.line}: ${terms.map(formatTerm).join(" ")}`);
  });
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  reader.end();
  return statements;
}

function problemOf(input: string | Uint8Array, options = {}): SyntaxProblem {
  try {
    read(input, options);
  } catch (error) {
    if (error instanceof SyntaxProblem) return error;
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(input)}`);
}

const S = "<http://a/s>";
const P = "<http://a/p>";
const SP = `${S} ${P}`;

describe("the grammar allows", () => {
  it.each<[what: string, text: string, statements: string[]]>([
    ["a triple", `${SP} <http://a/o> .`, [`1: ${SP} <http://a/o>`]],
    ["a quad", `${SP} <http://a/o> <http://a/g> .\n`, [`1: ${SP} <http://a/o> <http://a/g>`]],
    ["blank nodes as subject, object and graph", `_:s ${P} _:o _:g .`, [`1: _:s ${P} _:o _:g`]],
    ["no white space where none is needed", `${S}${P}<http://a/o>.`, [`1: ${SP} <http://a/o>`]],
    ["tabs and spaces", `\t ${S}\t${P}  <http://a/o>\t.  \t`, [`1: ${SP} <http://a/o>`]],
    ["an empty input", "", []],
    ["blank lines and comments", `\n  \n# one\n\t# two\n${SP} "o" . # three`, [`5: ${SP} "o"`]],
    ["a comment right after the full stop", `${SP} "o" .#x`, [`1: ${SP} "o"`]],
    ["a comment without a line end", "# only", []],
    ["CR LF", `${SP} "1" .\r\n${SP} "2" .\r\n`, [`1: ${SP} "1"`, `2: ${SP} "2"`]],
    ["CR alone", `${SP} "1" .\r\r${SP} "2" .\r`, [`1: ${SP} "1"`, `3: ${SP} "2"`]],
    ["a byte order mark", `\uFEFF${SP} "1" .`, [`1: ${SP} "1"`]],
    ["labels with digits, dots, dashes", `_:0 ${P} _:a.b-c..d_ .`, [`1: _:0 ${P} _:a.b-c..d_`]],
    ["a full stop right after a label", `_:a ${P} _:b.`, [`1: _:a ${P} _:b`]],
    ["labels beyond ASCII", `_:é·‿𐀀 ${P} _:名前ก .`, [`1: _:é·‿𐀀 ${P} _:名前ก`]],
    ["an IRI beyond ASCII", `${SP} <http://a/é/名前/😀> .`, [`1: ${SP} <http://a/é/名前/😀>`]],
    ["escapes in IRIs", `${SP} <http://a/\\u00e9\\U0001F600> .`, [`1: ${SP} <http://a/é😀>`]],
    ["a scheme of one letter", `${SP} <x:> .`, [`1: ${SP} <x:>`]],
    ["urn: and tag:", `<urn:x:1> ${P} <tag:a@b.org,2020:x> .`, [`1: <urn:x:1> ${P} <tag:a@b.org,2020:x>`]],
    ["the empty literal", `${SP} "" .`, [`1: ${SP} ""`]],
    [
      "every escape in a literal",
      `${SP} "\\t\\b\\n\\r\\f\\"\\'\\\\\\u0041\\U0001F600" .`,
      [`1: ${SP} "\t\b\\n\\r\f\\"'\\\\A😀"`],
    ],
    ["the ends of Unicode", `${SP} "\\uD7FF\\uE000\\U0010FFFF\\u00aF" .`, [`1: ${SP} "\uD7FF\uE000\u{10FFFF}¯"`]],
    ["control characters in a literal", `${SP} "a\u0000\t\u0001\u007F" .`, [`1: ${SP} "a\u0000\t\u0001\u007F"`]],
    ["a literal beyond ASCII", `${SP} "名前 é 😀" .`, [`1: ${SP} "名前 é 😀"`]],
    ["language tags", `${SP} "a"@en .\n${SP} "a"@de-AT-1996 .`, [`1: ${SP} "a"@en`, `2: ${SP} "a"@de-AT-1996`]],
    ["datatypes", `${SP} "1"^^<http://a/d> .`, [`1: ${SP} "1"^^<http://a/d>`]],
    [
      "white space around ^^ and before @",
      `${SP} "1" ^^ <http://a/d> .\n${SP} "1" @en .`,
      [`1: ${SP} "1"^^<http://a/d>`, `2: ${SP} "1"@en`],
    ],
    ["xsd:string written out", `${SP} "1"^^<http://www.w3.org/2001/XMLSchema#string> .`, [`1: ${SP} "1"`]],
    ["the same escaped and plain", `${SP} "\\u0041" .\n${SP} "A" .`, [`1: ${SP} "A"`, `2: ${SP} "A"`]],
  ])("%s", (_, text, statements) => {
    expect(read(text)).toEqual(statements);
  });

  it("terms that take turns in the slots of the cache", () => {
    const objects = Array.from(
      { length: 16_000 },
      (_, index) => [`<http://a/${index}>`, `_:b${index}`, `"${index}"`][index % 3]!,
    );
    const lines = [...objects, ...objects].map((object) => `${SP} ${object} .`);
    expect(read(lines.join("\n"))).toEqual(lines.map((line, index) => `${index + 1}: ${line.slice(0, -2)}`));
  });
});

describe("the grammar does not allow", () => {
  it.each<[what: string, text: string, problem: string]>([
    ["a relative IRI", `<s> ${P} "o" .`, '1:1: the IRI "s" is not absolute: it has no scheme such as https:'],
    [
      "a scheme that begins with a digit",
      `${SP} <1x:y> .`,
      '1:27: the IRI "1x:y" is not absolute: it has no scheme such as https:',
    ],
    [
      "an IRI cut off by a carriage return",
      `${SP} <http://a/o\r`,
      '1:38: expected ">" at the end of the IRI, found the end of the line',
    ],
    [
      "a blank node without a colon",
      `_a ${P} "o" .`,
      '1:1: expected "_:" at the beginning of a blank node, found "_a"',
    ],
    [
      "a label that begins with a character allowed only later",
      `_:·a ${P} "o" .`,
      '1:3: expected the blank node\'s label, which begins with a letter, a digit or _, found "·a"',
    ],
    ["an empty IRI", `${SP} <> .`, '1:27: the IRI "" is empty'],
    ["a space in an IRI", `${SP} <http://a/o o> .`, '1:38: an IRI may not contain " "'],
    [
      "an escaped space in an IRI",
      `${SP} <http://a/\\u0020> .`,
      '1:27: the IRI "http://a/ " has the character " ", which no IRI may contain: remove the white space around it',
    ],
    ["a brace in an IRI", `${SP} <http://a/{o}> .`, '1:37: an IRI may not contain "{"'],
    ["an escape of strings in an IRI", `${SP} <http://a/\\n> .`, '1:37: expected an escape sequence, found "\\\\n>"'],
    ["an unterminated IRI", `${SP} <http://a/o .`, '1:38: an IRI may not contain " "'],
    [
      "an IRI cut off by the end of the line",
      `${SP} <http://a/o\n`,
      '1:38: expected ">" at the end of the IRI, found the end of the line',
    ],
    [
      "a literal subject",
      `"s" ${P} "o" .`,
      '1:1: expected the subject: an IRI such as <https://...> or a blank node such as _:b0, found "\\"s\\""',
    ],
    ["a blank predicate", `${S} _:p "o" .`, '1:14: expected the predicate: an IRI such as <https://...>, found "_:p"'],
    [
      "a missing object",
      `${SP} .`,
      '1:27: expected the object: an IRI such as <https://...>, a blank node such as _:b0 or a literal such as "...", found "."',
    ],
    ["a literal graph", `${SP} "o" "g" .`, '1:31: expected the graph\'s IRI or "." after the object, found "\\"g\\""'],
    ["five terms", `${SP} "o" <http://a/g> <http://a/h> .`, '1:44: expected "." after the graph, found "<http://a/h>"'],
    [
      "no full stop",
      `${SP} "o"`,
      '1:30: expected the graph\'s IRI or "." after the object, found the end of the input',
    ],
    [
      "no full stop, then a line",
      `${SP} "o"\n${SP} "o" .`,
      '1:30: expected the graph\'s IRI or "." after the object, found the end of the line',
    ],
    [
      "two statements on a line",
      `${SP} "o" . ${SP} "o" .`,
      '1:33: expected the end of the line after ".", found "<http://a/s>"',
    ],
    [
      "a statement over two lines",
      `${S}\n${P} "o" .`,
      "1:13: expected the predicate: an IRI such as <https://...>, found the end of the line",
    ],
    [
      "a literal cut off by the end of the line",
      `${SP} "o\no" .`,
      "1:29: expected a quotation mark at the end of the literal, found the end of the line",
    ],
    [
      "a literal cut off by the end of the input",
      `${SP} "o`,
      "1:29: expected a quotation mark at the end of the literal, found the end of the input",
    ],
    ["an unknown escape", `${SP} "\\x" .`, '1:28: expected an escape sequence, found "\\\\x\\""'],
    [
      "a short \\u",
      `${SP} "\\u12" .`,
      '1:28: expected four hexadecimal digits after \\u or eight after \\U, found "\\\\u12\\""',
    ],
    [
      "half of a surrogate pair",
      `${SP} "\\uD83D\\uDE00" .`,
      "1:28: an escape that means no Unicode character (half of a surrogate pair, or beyond U+10FFFF)",
    ],
    [
      "an escape beyond Unicode",
      `${SP} "\\U00110000" .`,
      "1:28: an escape that means no Unicode character (half of a surrogate pair, or beyond U+10FFFF)",
    ],
    ...["\\uD800", "\\uDFFF"].map((half): [string, string, string] => [
      `the escape ${half}`,
      `${SP} "${half}" .`,
      "1:28: an escape that means no Unicode character (half of a surrogate pair, or beyond U+10FFFF)",
    ]),
    ...[..."/:@G`g"].map((digit): [string, string, string] => [
      `the digit ${digit}`,
      `${SP} "\\u00${digit}0" .`,
      `1:28: expected four hexadecimal digits after \\u or eight after \\U, found ${JSON.stringify(`\\u00${digit}0"`)}`,
    ]),
    ["an empty language tag", `${SP} "o"@ .`, '1:31: expected a language tag such as en or de-AT, found " "'],
    ["a digit in a language", `${SP} "o"@e1 .`, '1:32: expected the graph\'s IRI or "." after the object, found "1"'],
    [
      "an underscore in a language",
      `${SP} "o"@de_DE .`,
      '1:31: expected a language tag such as en or de-AT, found "de_DE": write hyphens',
    ],
    [
      "an open subtag",
      `${SP} "o"@en- .`,
      '1:34: expected letters or digits after the "-" of a language tag, found " "',
    ],
    ["a base direction (RDF 1.2)", `${SP} "o"@en--ltr .`, "1:30: a base direction is RDF 1.2; the records are RDF 1.1"],
    [
      "a single circumflex",
      `${SP} "o"^<http://a/d> .`,
      '1:30: expected "^^" before the datatype, found "^<http://a/d>"',
    ],
    ["a blank datatype", `${SP} "o"^^_:d .`, '1:32: expected the datatype: an IRI such as <https://...>, found "_:d"'],
    [
      "an empty label",
      `_: ${P} "o" .`,
      '1:3: expected the blank node\'s label, which begins with a letter, a digit or _, found " "',
    ],
    [
      "a label that begins with a dash",
      `_:-a ${P} "o" .`,
      '1:3: expected the blank node\'s label, which begins with a letter, a digit or _, found "-a"',
    ],
    ["a colon in a label", `_:a:b ${P} "o" .`, '1:4: expected the predicate: an IRI such as <https://...>, found ":b"'],
    [
      "a single quotation mark",
      `${SP} 'o' .`,
      '1:27: expected the object: an IRI such as <https://...>, a blank node such as _:b0 or a literal such as "...", found "\'o\'"',
    ],
    [
      "a bare number",
      `${SP} 1 .`,
      '1:27: expected the object: an IRI such as <https://...>, a blank node such as _:b0 or a literal such as "...", found "1"',
    ],
    ["a prefixed name", `${S} a:b "o" .`, '1:14: expected the predicate: an IRI such as <https://...>, found "a:b"'],
    [
      "a directive",
      `@prefix a: <http://a/> .`,
      '1:1: expected the subject: an IRI such as <https://...> or a blank node such as _:b0, found "@prefix"',
    ],
    ["a triple term (RDF 1.2)", `${SP} <<( ${SP} "o" )>> .`, "1:27: a triple term is RDF 1.2; the records are RDF 1.1"],
    ["a version (RDF 1.2)", 'VERSION "1.2"', "1:1: a version is RDF 1.2; the records are RDF 1.1"],
    [
      "other white space",
      `${S}\u00A0${P} "o" .`,
      "1:13: expected the predicate: an IRI such as <https://...>, found U+00A0",
    ],
    [
      "a byte order mark that is not the first character",
      `\n\uFEFF${SP} "o" .`,
      `2:1: expected the subject: an IRI such as <https://...> or a blank node such as _:b0, found U+FEFF`,
    ],
    [
      "anything after an object, whose column counts characters",
      `${S} ${P} "é名😀" x`,
      '1:33: expected the graph\'s IRI or "." after the object, found "x"',
    ],
    [
      "a bare word, whose line counts CR LF once",
      `\r\n\r\n${SP} x .`,
      '3:27: expected the object: an IRI such as <https://...>, a blank node such as _:b0 or a literal such as "...", found "x"',
    ],
  ])("%s", (_, text, problem) => {
    const error = problemOf(text);
    expect(error.message).toBe(`test.nq:${problem}`);
    const { position, problem: told } = error;
    expect(`${position.line}:${position.column}: ${told}`).toBe(problem);
  });

  it.each([
    ["<http://a/g>", ": N-Triples has no graphs, N-Quads has"],
    ["_:g", ": N-Triples has no graphs, N-Quads has"],
    ["x", ""],
  ])("%s as a graph in N-Triples", (graph, advice) => {
    const { message } = problemOf(`${SP} "o" ${graph} .`, { graphs: false });
    expect(message).toBe(`test.nq:1:31: expected "." after the object, found "${graph}"${advice}`);
  });
});

describe("the reader", () => {
  const broken = Buffer.concat([Buffer.from(`${SP} "1" .\n${SP} "`), Buffer.from([0xc3, 0x28]), Buffer.from(`" .\n`)]);

  it("refuses bytes that are not UTF-8, with the line", () => {
    expect(problemOf(broken).message).toBe("test.nq:2: the line is not valid UTF-8");
    expect(problemOf(Buffer.from([0xff])).message).toBe("test.nq:1: the line is not valid UTF-8");
    expect(problemOf(Buffer.from([0x23, 0xed, 0xa0, 0x80])).message).toBe("test.nq:1: the line is not valid UTF-8");
  });

  it("reports the first of two errors", () => {
    expect(problemOf(Buffer.concat([Buffer.from("x\n"), broken])).position.line).toBe(1);
  });

  it("hands on the statements before the error", () => {
    const lines: number[] = [];
    const reader = new LineReader({ source: "test.nq", graphs: true }, (statement) => lines.push(statement.line));
    expect(() => reader.push(broken)).toThrow(SyntaxProblem);
    expect(lines).toEqual([1]);
  });

  it("reads the same in chunks of any size", () => {
    const lines = fc.array(
      fc.constantFrom(
        `${SP} "é名😀" .`,
        `_:a ${P} _:b.c .`,
        "# comment",
        "",
        `${SP} "\\u00e9"@en <http://a/g> . # x`,
        `${SP} <http://a/é> .`,
      ),
    );
    const ends = fc.constantFrom("\n", "\r\n", "\r");
    forAll([lines, ends, fc.boolean(), fc.integer({ min: 1, max: 40 })], runsOf(2_000), (texts, end, mark, size) => {
      const text = (mark ? "\uFEFF" : "") + texts.join(end);
      expect(read(text, { size })).toEqual(read(text));
    });
  });

  it("refuses a line over the limit without buffering more of it", () => {
    const reader = new LineReader({ source: "test.nq", graphs: true }, () => {});
    reader.push(Buffer.from(`${SP} "1" .\n`));
    const piece = Buffer.alloc(1024 * 1024, "x");
    let pushed = 0;
    expect(() => {
      for (; pushed < 100; pushed++) reader.push(piece);
    }).toThrow("test.nq:2: the line is longer than 64 MiB, the limit");
    expect(pushed).toBe(MAX_LINE_BYTES / piece.length);
    expect(() => read(Buffer.alloc(MAX_LINE_BYTES + 1, "#"))).toThrow("longer than 64 MiB");
  });

  it.each(IS_WHOLE ? [2, 60] : [2])("reads a literal of %d MB", (megabytes) => {
    const value = "é".repeat(megabytes * 500_000);
    let length = 0;
    const reader = new LineReader({ source: "test.nq", graphs: true }, (statement) => {
      length = statement.object().value.length;
    });
    reader.push(Buffer.from(`${SP} "${value}" .`));
    reader.end();
    expect(length).toBe(value.length);
  });
});

describe("an error of the sink", () => {
  it("ends the reading and is passed on", () => {
    const stop = new Error("enough");
    const reader = new LineReader({ source: "-", graphs: false }, () => {
      throw stop;
    });
    expect(() => reader.push(Buffer.from(`${SP} "1" .\n`))).toThrow(stop);
  });
});
