import { describe, expect, it } from "vitest";
import { NodeNumbers } from "../../../src/load/divide/node-numbers.js";
import { IS_WHOLE } from "../../extent.js";

describe("node numbers", () => {
  it("count the texts in order of appearance, and stay the same", () => {
    const numbers = new NodeNumbers();
    const texts = Array.from({ length: IS_WHOLE ? 200_000 : 20_000 }, (_, at) => [
      `https://museum.example/object/${at}`,
      `_:0:b${at}`,
    ]).flat();
    expect(texts.every((text, at) => numbers.of(text) === at)).toBe(true);
    expect(texts.every((text, at) => numbers.of(text) === at)).toBe(true);
    expect(numbers.size).toBe(texts.length);
    expect([numbers.of(""), numbers.of("\0"), numbers.of("\0\0")]).toEqual(
      [0, 1, 2].map((more) => texts.length + more),
    );
  });
});
