/** Lexical forms, compared with the library that the reference engine uses for other datatypes. */

import fc from "fast-check";
import { DataFactory } from "n3";
import { validateTerm } from "rdf-validate-datatype";
import { describe, expect, it } from "vitest";
import { LITERAL_FORMS } from "../../src/model/rules/shapes.js";
import { PREFIXES } from "../../src/model/vocabulary/vocabulary.js";
import { isLexical } from "../../src/validate/lexical-forms.js";
import { forAll, runsOf } from "../properties.js";

const { literal, namedNode } = DataFactory;

const sign = fc.constantFrom("", "-", "+", "--", "+-");
const digits = fc.stringMatching(/^\d{0,20}$/);
const bound = fc
  .tuple(fc.constantFrom(0n, 2n ** 7n, 2n ** 15n, 2n ** 31n, 2n ** 63n), fc.integer({ min: -2, max: 2 }), fc.boolean())
  .map(([power, more, isNegative]) => String((isNegative ? -power : power) + BigInt(more)));
const numeral = fc
  .tuple(sign, digits, fc.constantFrom("", ".", ","), digits, fc.constantFrom("", "e", "E", "e-", "E+"), digits)
  .map((parts) => parts.join(""));
const two = fc.oneof(fc.stringMatching(/^\d{2}$/), fc.constantFrom("1", "00", "24", "60", "x1"));
const time = fc
  .tuple(
    fc.constantFrom("", "-", "+"),
    fc.stringMatching(/^\d{1,6}$/),
    two,
    two,
    fc.constantFrom("T", " "),
    two,
    two,
    two,
  )
  .map(
    ([minus, year, month, day, t, hour, minute, second]) =>
      `${minus}${year}-${month}-${day}${t}${hour}:${minute}:${second}`,
  );
const stamp = fc
  .tuple(time, fc.constantFrom("", ".5", ".", ".123456"), fc.constantFrom("", "Z", "z", "+01:00", "-1:00", "UTC"))
  .map((parts) => parts.join(""));
const others = fc.constantFrom("", "INF", "-INF", "+INF", "NaN", "nan", " 1", "1 ", "1\n", "\n1", "٣", "0x1", "true");

const KNOWN_DATATYPES = [
  ...["string", "integer", "decimal", "double", "float", "long", "int", "short", "byte"],
  ...["nonNegativeInteger", "positiveInteger", "dateTime"],
].map((name) => PREFIXES.xsd + name);

describe("lexical forms", () => {
  it("are known for every datatype that a rule names", () => {
    for (const { datatypes } of Object.values(LITERAL_FORMS))
      for (const datatype of datatypes) expect(KNOWN_DATATYPES).toContain(datatype);
  });

  it("are unknown for other datatypes", () => expect(isLexical({ value: "x", datatype: "urn:d" })).toBe(undefined));

  it("are checked in time linear in their length", () => {
    const value = `${"1".repeat(300_000)}x`;
    expect(KNOWN_DATATYPES.filter((datatype) => isLexical({ value, datatype }))).toEqual([`${PREFIXES.xsd}string`]);
  });

  it.each<[datatype: string, valid: readonly string[], invalid: readonly string[]]>([
    ["int", ["-2147483648", "2147483647", "+0"], ["-2147483649", "2147483648"]],
    ["decimal", ["-1.5", "+.5"], ["--5", "+-5", "1e3"]],
    ["double", ["INF", "+INF", "-INF", "NaN"], ["inf", "--1e3"]],
    [
      "dateTime",
      ["2000-02-29T24:00:00Z", "-0400-01-01T00:00:00+14:00"],
      ["2001-02-29T00:00:00Z", "2001-01-01T25:00:00"],
    ],
    ["date", ["2000-02-29", "1889-12-31-05:00"], ["1889-02-30", "1889-13-01", "1889-1-1"]],
    ["gMonthDay", ["--05-31"], ["05-31", "--05-32"]],
    ["gDay", ["---31"], ["31", "---32"]],
  ])("of xsd:%s are right where the library is wrong", (name, valid, invalid) => {
    const validity = (value: string) => isLexical({ value, datatype: PREFIXES.xsd + name });
    expect([valid.map(validity), invalid.map(validity)]).toEqual([valid.map(() => true), invalid.map(() => false)]);
  });

  it.each(KNOWN_DATATYPES)("are otherwise the same as in the library: %s", (datatype) => {
    forAll([fc.oneof(numeral, bound, digits, stamp, others, fc.string())], runsOf(2_000), (value) => {
      const [ours, library] = [isLexical({ value, datatype }), validateTerm(literal(value, namedNode(datatype)))];
      const isMended = ours
        ? /^(?:-2147483648|\+INF)$/.test(value)
        : /^(?:2147483648$|[+-][+-])/.test(value) || datatype === `${PREFIXES.xsd}dateTime`;
      if (!isMended) expect(ours).toBe(library);
    });
  });
});
