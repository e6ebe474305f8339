/** The growing buffer of JSON: texts that are longer than the free room, and texts with anything that JSON escapes. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { JsonBytes, readyBytes } from "../../src/jsonld/json-bytes.js";
import { forAll, runsOf } from "../properties.js";

const LENGTHS = [1, 21_845, 21_846, 65_535, 70_000];

it.each(["x", "€", "\u0001", '"'])("the buffer grows with texts of %j, and can be cleared", (character) => {
  const bytes = new JsonBytes();
  let expected = "";
  for (const length of LENGTHS) {
    const text = character.repeat(length);
    const utf8 = Buffer.from(text);
    bytes.string(utf8, 0, utf8.length);
    bytes.json(JSON.stringify(text));
    bytes.raw(readyBytes(text));
    expected += `${JSON.stringify(text)}${JSON.stringify(text)}${text}`;
    expect(bytes.text() === expected, `${length} characters`).toBe(true);
  }
  bytes.clear();
  bytes.json("{}");
  expect(bytes.text()).toBe("{}");
});

it.each(["byte", "raw", "json"] as const)("the buffer grows with %s alone", (way) => {
  const bytes = new JsonBytes();
  const text = "x".repeat(70_000);
  if (way === "json") bytes.json(text);
  else if (way === "raw") bytes.raw(readyBytes(text));
  else for (const byte of Buffer.from(text)) bytes.byte(byte);
  expect(bytes.text() === text).toBe(true);
});

const characters = fc.constantFrom(...'"\\ !a[]', "\u0000", "\u001f", "\u007f", "\u0080", "é", "€", "𝄞");

it("writes texts as JSON.stringify does, wherever their bytes begin", () => {
  const text = fc.string({ unit: characters, maxLength: 20 });
  forAll([text, text, text], runsOf(2_000), (before, written, after) => {
    const bytes = new JsonBytes();
    const all = Buffer.from(before + written + after);
    const start = Buffer.byteLength(before);
    bytes.raw(readyBytes(before));
    bytes.string(all, start, start + Buffer.byteLength(written));
    expect(bytes.text()).toBe(before + JSON.stringify(written));
  });
});
