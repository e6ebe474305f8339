import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { documentsOf, findJsonProblem, type InputDocument } from "../../../src/load/read/json-documents.js";
import { cutJson } from "../../../src/load/read/json-texts.js";
import type { Json } from "../../../src/rdf/record-graph.js";
import { SyntaxProblem } from "../../../src/rdf/syntax-problem.js";
import { reference } from "../../jsonld/reference.js";
import { forAll, forAllAsync, runsOf } from "../../properties.js";

/** Bytes in chunks of these lengths, the last one repeated. */
async function* chunks(bytes: Uint8Array, lengths: readonly number[]): AsyncIterable<Uint8Array> {
  let at = 0;
  for (let index = 0; at < bytes.length; index++) {
    const length = lengths[Math.min(index, lengths.length - 1)]!;
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

async function read(format: string, bytes: AsyncIterable<Uint8Array>): Promise<InputDocument[]> {
  const all: InputDocument[] = [];
  const source = { name: `x.${format}`, format, size: undefined, bytesRead: 0, open: () => bytes };
  for await (const texts of cutJson(source)) {
    // Each piece has its own buffer, so that it goes to a thread without being copied.
    expect(texts.bytes.buffer.byteLength).toBe(texts.bytes.length);
    all.push(...documentsOf(texts).map(({ source, line, document }) => ({ source, line, document })));
  }
  return all;
}

const lines = (text: string | Buffer, lengths: readonly number[] = [65_536]) =>
  read("jsonl", chunks(Buffer.from(text), lengths));

const file = (text: string | Buffer) => read("json", chunks(Buffer.from(text), [7, 65_536]));

it("take nothing from a key named __proto__, be there a context around them or not", async () => {
  const inner = '{"id":"a","__proto__":{"type":"Person"}}';
  for (const text of [inner, `{"@context":"c","@graph":[${inner}]}`]) {
    const [{ document } = {}] = await file(text);
    expect((document as { type?: unknown }).type).toBeUndefined();
    expect(Object.keys(document as object)).toContain("__proto__");
  }
});

describe("JSON lines", () => {
  it("are the same documents however the bytes are cut into chunks", async () => {
    await forAllAsync(
      [
        fc.array(fc.oneof(fc.jsonValue().filter(isOne), fc.constant("é 眺望 \u{1f3a8}")), { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        fc.constantFrom("\n", "\r\n", "\n\n"),
        fc.boolean(),
      ],
      runsOf(2_000),
      async (values, lengths, end, endsOpen) => {
        // Integers too large for a double become value objects, which another test checks.
        fc.pre(!/\d{16}/.test(JSON.stringify(values)));
        const text = values.map((value) => JSON.stringify(value)).join(end) + (endsOpen ? "" : end);
        const read = await lines(text, lengths);
        expect(read.map(({ document }) => document)).toEqual(JSON.parse(JSON.stringify(values)));
      },
    );
  });

  it("have their line numbers, with empty lines counted", async () => {
    expect((await lines('{"a":1}\n\n  \n{"b":2}')).map(({ line }) => line)).toEqual([1, 4]);
  });

  it("may begin with a byte order mark", async () => {
    expect(await lines('\ufeff{"a":1}\n')).toEqual([{ source: "x.jsonl", document: { a: 1 }, line: 1 }]);
  });

  it.each<[string, string | Buffer, string]>([
    ["an extra comma", '{"a":1}\n{"a":1,}\n', 'x.jsonl:2:8: the JSON is malformed: expected a key, found "}"'],
    [
      "an end in the middle",
      '{"a":',
      "x.jsonl:1:6: the JSON is malformed: expected a value, found the end of the text",
    ],
    ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0x22, 0x0a]), "x.jsonl:1: the text is not valid UTF-8"],
  ])("with %s are refused with the place", async (_name, text, message) => {
    await expect(lines(text)).rejects.toThrow(SyntaxProblem);
    await expect(lines(text)).rejects.toThrow(message);
  });

  it("longer than 64 MiB are refused before they fill the memory", async () => {
    async function* endless(): AsyncIterable<Uint8Array> {
      const chunk = Buffer.alloc(2 ** 20, "a");
      for (let count = 0; count < 100; count++) yield chunk;
      throw new Error("read on");
    }
    await expect(read("jsonl", endless())).rejects.toThrow("x.jsonl:1: the line is longer than 64 MiB");
  });
});

describe("a JSON file", () => {
  it("without any JSON is refused, and one with an empty array has no documents", async () => {
    for (const text of ["", " \n", "\ufeff"]) await expect(file(text)).rejects.toThrow("x.json:1: the file is empty");
    expect(await file("[]")).toEqual([]);
  });

  it.each<[string, unknown, unknown[]]>([
    ["a document", { id: "a" }, [{ id: "a" }]],
    ["an array", [{ id: "a" }, { id: "b" }], [{ id: "a" }, { id: "b" }]],
    ["a @graph without context", { "@graph": [{ id: "a" }] }, [{ id: "a" }]],
    [
      "a @graph under a context",
      { "@context": "urn:c", "@graph": [{ id: "a" }, { "@context": "urn:d", id: "b" }] },
      [
        { "@context": "urn:c", id: "a" },
        { "@context": ["urn:c", "urn:d"], id: "b" },
      ],
    ],
    [
      "a context that is repeated within",
      { "@context": ["urn:c"], "@graph": [{ "@context": "urn:c", id: "a" }] },
      [{ "@context": "urn:c", id: "a" }],
    ],
    ["a @graph of one", { "@context": "urn:c", "@graph": { id: "a" } }, [{ "@context": "urn:c", id: "a" }]],
  ])("may hold %s", async (_name, value, documents) => {
    expect((await file(JSON.stringify(value))).map(({ document }) => document)).toEqual(documents);
  });

  it("states in its documents what it states as a whole, whatever contexts they have", async () => {
    const whole = {
      "@context": [{ name: "urn:name" }, { kind: { "@id": "urn:kind", "@type": "@id" } }],
      "@graph": [
        { "@id": "urn:a", name: "A", kind: "urn:k" },
        { "@context": { note: "urn:note" }, "@id": "urn:b", name: "B", note: "N" },
        { "@context": [null, { name: "urn:other" }], "@id": "urn:c", name: "C" },
        { "@context": null, "@id": "urn:d", "urn:name": "D" },
        { "@graph": [{ "@context": { name: "urn:last" }, "@id": "urn:e", name: "E", kind: "urn:k" }] },
      ],
    };
    const stated = async (document: unknown) =>
      (await reference.toRDF(document as Json, {})).map(({ subject, predicate, object }) =>
        [subject, predicate, object].map(({ value }) => value).join(" "),
      );
    const documents = (await file(JSON.stringify(whole))).map(({ document }) => document);
    expect(documents).toHaveLength(5);
    const parts = await Promise.all(documents.map(stated));
    // Graphs are not compared: to jsonld.js, the one within the other is a graph of its own.
    expect(parts.flat().sort()).toEqual((await stated(whole)).sort());
  });

  it("is one document if it has more than a @graph and a context", async () => {
    const named = { id: "g", "@graph": [{ id: "a" }] };
    expect((await file(JSON.stringify(named))).map(({ document }) => document)).toEqual([named]);
  });

  it("gives the same documents when cut as when parsed whole, each with its line", async () => {
    const space = fc.constantFrom("", " ", "\n", "\r\n\t");
    const documents = fc.array(fc.tuple(space, fc.dictionary(fc.string(), fc.jsonValue()), space), { maxLength: 6 });
    const around = fc.constantFrom<[string, string]>(
      ["[", "]"],
      ['{"@graph": [', "]}"],
      ['\ufeff{"@context":{"x":"]}"},"@graph":[', "\n] }\n"],
      ['{"@graph":[', '],"@context":["\\"",{}]}'],
    );
    await forAllAsync([documents, around], runsOf(2_000), async (all, [before, after]) => {
      fc.pre(!all.some(([, document]) => "@graph" in document || "@context" in document));
      const texts = all.map(([left, document, right]) => `${left}${JSON.stringify(document)}${right}`);
      fc.pre(!/\d{16}/.test(texts.join()));
      const text = before + texts.join(",") + after;
      const { "@context": context } = JSON.parse(text.replace("\ufeff", "")) as { "@context"?: unknown };
      const expected = all.map(([left], at) => {
        const document = JSON.parse(texts[at]!) as object;
        const lead = before + texts.slice(0, at).join(",") + left;
        return {
          source: "x.json",
          line: lead.split("\n").length,
          document: context === undefined ? document : { "@context": context, ...document },
        };
      });
      expect(await file(text)).toEqual(expected);
    });
  });

  it.each([
    ["an unquoted value", '{\n  "é": 1,\n  "b": oops\n}', "3:8", 'expected a value, found "o"'],
    ["a second element", '[{"é": 1}, {"b":\n oops}]', "2:2", 'expected a value, found "o"'],
    ["a later place in the line", '[{"é": 1}, {"b": oops}]', "1:18", 'expected a value, found "o"'],
    ["between elements", '[{"a": 1}\n {"b": 1}]', "2:2", 'expected , or ], found "{"'],
    ["an extra comma", '[{"a": 1},\n]', "2:1", 'expected a value, found "]"'],
    ["brackets that do not match", '[{"a": [1}, 2], 3]', "1:10", 'expected , or ], found "}"'],
    [
      "a document over several lines",
      "{",
      "1:2",
      "expected a key or }, found the end of the text. If these are JSON lines, write a whole document on each: jq -c . FILE > NEW",
    ],
    ["no end", '[{"a": 1}', "1:10", "expected , or ], found the end of the text"],
    ["more after the end", '[{"a": 1}] x', "1:12", 'expected the end, found "x"'],
    ["more after very many lines", `{"a":1,${"\n".repeat(500_000)}"b":2} x`, "500001:8", 'expected the end, found "x"'],
    ["after the graph", '{"@graph": [{"a": 1}] "@context": {}}', "1:23", 'expected , or }, found "\\""'],
    ["an open string", '[{"a": 1}, "x', "1:12", 'expected a value, found "\\""'],
  ])("is refused with the line and column of malformed JSON: %s", async (_name, text, place, problem) => {
    await expect(file(text)).rejects.toThrow(
      new RegExp(`^x\\.json:${place}: the JSON is malformed: ${escaped(problem)}$`),
    );
  });
});

const escaped = (text: string) => text.replace(/[\\|[\]{}()?*.+^$]/g, "\\$&");

/** Whether a value on a line is one document: a line may hold several, and a context alone is none. */
function isOne(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return !(Array.isArray(value) || "@graph" in value || "@context" in value);
}

describe("the place of a problem", () => {
  const long = JSON.stringify(`${"x".repeat(16_000_000)}\\"`);

  it("is found after a text of any length", () => {
    expect(findJsonProblem(`[${long}, oops]`)).toEqual({ offset: long.length + 3, expected: "a value" });
  });

  it("is found in every text that JSON.parse refuses, and never after the end of the text", () => {
    const piece = fc.constantFrom(
      ..."{}[]:,",
      " ",
      "\n",
      '"a"',
      '"\\u00e9"',
      '"\\x"',
      '"a',
      "1",
      "-",
      "01",
      "1.5e3",
      "true",
      "nul",
      "é",
    );
    forAll([fc.array(piece, { maxLength: 12 })], runsOf(3_000), (pieces) => {
      const text = pieces.join("");
      let valid = true;
      try {
        JSON.parse(text);
      } catch {
        valid = false;
      }
      const { offset, expected } = findJsonProblem(text);
      if (valid) expect([offset, expected]).toEqual([text.length, "the end"]);
      else expect(offset === text.length && expected === "the end").toBe(false);
      expect(offset).toBeLessThanOrEqual(text.length);
    });
  });
});
