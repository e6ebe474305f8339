/** The lines of a text that arrives in pieces. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { linesFrom } from "../../src/base/lines.js";
import { forAllAsync, runsOf } from "../properties.js";

async function* cut(bytes: Buffer, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const CHARACTERS = fc.constantFrom("a", "ü", "𝄞", "\u2028", "\u2029", "\u0085", "\r", "\n");

it("gives the lines that line feeds end, wherever their bytes are cut", async () => {
  await forAllAsync(
    [fc.string({ unit: CHARACTERS }), fc.integer({ min: 1, max: 9 })],
    runsOf(1_000),
    async (text, size) => {
      const lines: string[] = [];
      for await (const line of linesFrom(cut(Buffer.from(text), size))) lines.push(line);
      expect(lines).toEqual(
        text
          .replace(/\n$/, "")
          .split("\n")
          .slice(text === "" ? 1 : 0),
      );
    },
  );
});
