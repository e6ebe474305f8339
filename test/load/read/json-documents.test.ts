import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type InputDocument, readJsonFile, readJsonLines } from "../../../src/load/read/json-documents.js";
import { findJsonProblem } from "../../../src/load/read/json-problem.js";
import { SyntaxProblem } from "../../../src/rdf/syntax-problem.js";

/** Bytes in chunks of these lengths, the last one repeated. */
async function* chunks(bytes: Uint8Array, lengths: readonly number[]): AsyncIterable<Uint8Array> {
  let at = 0;
  for (let index = 0; at < bytes.length; index++) {
    const length = lengths[Math.min(index, lengths.length - 1)]!;
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

async function lines(text: string | Buffer, lengths: readonly number[] = [65_536]): Promise<InputDocument[]> {
  const all: InputDocument[] = [];
  for await (const batch of readJsonLines(chunks(Buffer.from(text), lengths), "x.jsonl")) all.push(...batch);
  return all;
}

const file = (text: string | Buffer) => readJsonFile(chunks(Buffer.from(text), [7]), "x.json");

describe("JSON lines", () => {
  it("are the same documents however the bytes come", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.jsonValue(), fc.constant("é 眺望 \u{1f3a8}")), { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        fc.constantFrom("\n", "\r\n", "\n\n"),
        fc.boolean(),
        async (values, lengths, end, endsOpen) => {
          // Integers that a double does not hold become value objects, which is another test's matter.
          fc.pre(!/\d{16}/.test(JSON.stringify(values)));
          const text = values.map((value) => JSON.stringify(value)).join(end) + (endsOpen ? "" : end);
          const read = await lines(text, lengths);
          expect(read.map(({ document }) => document)).toEqual(JSON.parse(JSON.stringify(values)));
        },
      ),
    );
  });

  it("know their lines, empty ones counted", async () => {
    expect((await lines('{"a":1}\n\n  \n{"b":2}')).map(({ line }) => line)).toEqual([1, 4]);
  });

  it("may begin with a byte order mark", async () => {
    expect(await lines('\ufeff{"a":1}\n')).toEqual([{ document: { a: 1 }, line: 1 }]);
  });

  it.each<[string, string | Buffer, string]>([
    ["a comma too many", '{"a":1}\n{"a":1,}\n', 'x.jsonl:2:8: the JSON is malformed: expected a key, found "}"'],
    [
      "an end in the middle",
      '{"a":',
      "x.jsonl:1:6: the JSON is malformed: expected a value, found the end of the text",
    ],
    ["bytes that are no UTF-8", Buffer.from([0x22, 0xff, 0x22, 0x0a]), "x.jsonl:1: the text is not valid UTF-8"],
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
    const reading = async (): Promise<void> => {
      for await (const _batch of readJsonLines(endless(), "x.jsonl"));
    };
    await expect(reading()).rejects.toThrow("x.jsonl:1: the line is longer than 64 MiB");
  });
});

describe("a JSON file", () => {
  it.each<[string, unknown, unknown[]]>([
    ["a document", { id: "a" }, [{ id: "a" }]],
    ["an array", [{ id: "a" }, { id: "b" }], [{ id: "a" }, { id: "b" }]],
    ["a @graph without context", { "@graph": [{ id: "a" }] }, [{ id: "a" }]],
    [
      "a @graph under a context",
      { "@context": "urn:c", "@graph": [{ id: "a" }, { "@context": "urn:d", id: "b" }] },
      [
        { "@context": "urn:c", id: "a" },
        { "@context": "urn:d", id: "b" },
      ],
    ],
    ["a @graph of one", { "@context": "urn:c", "@graph": { id: "a" } }, [{ "@context": "urn:c", id: "a" }]],
  ])("may hold %s", async (_name, value, documents) => {
    expect((await file(JSON.stringify(value))).map(({ document }) => document)).toEqual(documents);
  });

  it("says line and column of what is malformed", async () => {
    await expect(file('{\n  "é": 1,\n  "b": oops\n}')).rejects.toThrow(
      'x.json:3:8: the JSON is malformed: expected a value, found "o"',
    );
  });
});

describe("the place of a problem", () => {
  it("is found in every text that JSON.parse refuses, and never behind where it gave up", () => {
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
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
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
      }),
      { numRuns: 3_000 },
    );
  });
});
