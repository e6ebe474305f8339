import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NameTable } from "../../src/rdf/encoded-graph.js";
import { forAll, runsOf } from "../properties.js";

describe("a table of names", () => {
  it("gives each name a number of its own, wherever its bytes are", () => {
    forAll([fc.array(fc.string({ unit: "grapheme", maxLength: 20 }), { maxLength: 200 })], runsOf(1_000), (texts) => {
      const table = new NameTable();
      const numbers = new Map<string, number>();
      for (const text of [...texts, ...texts]) {
        const bytes = Buffer.from(`<${text}>`);
        const number = table.numberOf(bytes, 1, bytes.length - 1);
        expect(numbers.get(text) ?? number).toBe(number);
        expect(table.text(number)).toBe(text);
        numbers.set(text, number);
      }
      expect(new Set(numbers.values()).size).toBe(numbers.size);
    });
  });

  it("has no number for names of more than 256 bytes, or after the first 4,096", () => {
    const near = new NameTable();
    const alike = ["a", "b", ""].map((first) => near.numberOf(Buffer.from(`${first}123456789`)));
    expect(alike).toEqual([0, 1, 2]);
    expect(near.numberOf(Buffer.from("x".repeat(356)), 100)).toBe(3);
    const table = new NameTable();
    expect(table.numberOf(Buffer.from("x".repeat(257)))).toBe(-1);
    const numbers = Array.from({ length: 5_000 }, (_, at) => table.numberOf(Buffer.from(`https://a.example/${at}`)));
    expect(numbers.slice(0, 4_096)).toEqual(Array.from({ length: 4_096 }, (_, at) => at));
    expect(new Set(numbers.slice(4_096))).toEqual(new Set([-1]));
    expect([17, 4_095].map((at) => table.numberOf(Buffer.from(`https://a.example/${at}`)))).toEqual([17, 4_095]);
    expect(table.text(4_095)).toBe("https://a.example/4095");
  });
});
