/** The byte log, compared with a plain array. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { ByteLog } from "../../src/rdf/byte-log.js";
import { ANY_CODE_POINT } from "../generated-texts.js";
import { forAll, runsOf } from "../properties.js";

const text = fc.string({ unit: ANY_CODE_POINT, maxLength: 40 });
const operation = fc.oneof(
  text.map((text) => ({ text })),
  fc.tuple(text, fc.nat(9), fc.nat(60)).map((copied) => ({ copied })),
  fc.integer({ min: 0, max: 2 ** 32 - 1 }).map((number) => ({ number })),
  fc.tuple(fc.nat(), fc.integer({ min: 0, max: 2 ** 32 - 1 })).map((changed) => ({ changed })),
  { weight: 1, arbitrary: fc.constant({}) },
);

function littleEndian(number: number): number[] {
  return [number & 255, (number >>> 8) & 255, (number >>> 16) & 255, number >>> 24];
}

it("the log has all appended bytes in order, whatever its initial size", () => {
  forAll(
    [fc.array(operation, { maxLength: 40 }), fc.constantFrom(1, 16, undefined)],
    runsOf(2_000),
    (operations, room) => {
      const log = new ByteLog(room);
      let bytes: number[] = [];
      for (const { text, copied, number, changed } of operations as readonly Partial<{
        text: string;
        copied: [string, number, number];
        number: number;
        changed: [number, number];
      }>[]) {
        if (text !== undefined) {
          log.text(text);
          bytes.push(...Buffer.from(text));
        } else if (copied !== undefined) {
          const source = Buffer.from(copied[0]);
          const end = Math.min(copied[2], source.length);
          const start = Math.min(copied[1], end);
          log.copy(source, start, end);
          bytes.push(...source.subarray(start, end));
        } else if (number !== undefined) {
          expect(log.uint32(number)).toBe(bytes.length);
          bytes.push(...littleEndian(number));
        } else if (changed === undefined) {
          log.clear();
          bytes = [];
        } else if (bytes.length >= 4) {
          const at = changed[0] % (bytes.length - 3);
          log.setUint32(at, changed[1]);
          bytes.splice(at, 4, ...littleEndian(changed[1]));
        }
        expect(log.length).toBe(bytes.length);
        expect([...log.bytes]).toEqual(bytes);
      }
    },
  );
});
