/** Terms: their names, and the texts that are IRIs and decimals. */
import { expect, it } from "vitest";
import {
  blank,
  canonicalDecimal,
  hasScheme,
  integer,
  iri,
  iriProblem,
  literal,
  nodeName,
  primaryTag,
  RDF,
  XSD,
} from "../../src/rdf/terms.js";

it.each([
  ...[
    ["+007.50", "7.5"],
    ["-.5", "-0.5"],
    [".55", "0.55"],
    ["0", "0.0"],
    ["-0.00", "0.0"],
    ["10", "10.0"],
    ["-100.", "-100.0"],
    ["00.010", "0.01"],
  ],
  ...["", ".", "1e5", "1.2.3", "x1", "1x", "1 ", "+-1"].map((none) => [none, none]),
])("the canonical form of the decimal %j is %j", (decimal, canonical) => {
  expect(canonicalDecimal(decimal!)).toBe(canonical);
});

it("the canonical form of a decimal takes time linear in its length", () => {
  const long = `1.${"0".repeat(300_000)}1`;
  expect(canonicalDecimal(`${long}0`)).toBe(long);
});

it.each<[text: string, problem: string | undefined]>([
  ["urn:x", undefined],
  ["a+b-c.1:#é", undefined],
  ["", "is empty"],
  ...['"', "<", ">", "{", "}", "|", "\\", "^", "`", " ", "\0"].map((character): [string, string] => [
    `http://a.example/${character}x`,
    `has the character ${JSON.stringify(character)}, which no IRI may contain${character === " " ? ": write %20 for a space" : ""}`,
  ]),
  ["urn:x y\n", 'has the character " ", which no IRI may contain: remove the white space around it'],
  ["urn:x#y#z", "has two #, and an IRI may have only one"],
  ...["object/1", "1:x", "/a:b", ":x", "é:x"].map((relative): [string, string] => [
    relative,
    "is not absolute: it has no scheme such as https:",
  ]),
])("%j has this problem as an IRI: %s", (text, problem) => {
  expect(iriProblem(text)).toBe(problem);
  if (problem === undefined || problem.startsWith("is not absolute"))
    expect(hasScheme(text)).toBe(problem === undefined);
});

it("terms have names and numbers as in documents", () => {
  expect([blank("b"), iri("urn:b")].map(nodeName)).toEqual(["_:b", "urn:b"]);
  expect(["de-AT", "EN", "zh-Hant-TW"].map(primaryTag)).toEqual(["de", "en", "zh"]);
  expect(literal("x", XSD.string, "en").datatype).toBe(RDF.langString);
  expect(integer(-5)).toEqual(literal("-5", XSD.integer));
});
