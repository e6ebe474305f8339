/** Content codings: the one that a header asks for (RFC 9110, 12.5.3), and bodies that decode to what was encoded. */
import { brotliDecompressSync, constants, gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CODINGS,
  codingFor,
  encode,
  encodePieces,
  MAX_ELEMENTS,
} from "../../../../src/http/message/headers/content-coding.js";
import { forAllAsync, runsOf } from "../../../properties.js";

const DECODE = { br: brotliDecompressSync, gzip: gunzipSync } as const;
const DECODE_PART = {
  br: (part: Buffer) => brotliDecompressSync(part, { finishFlush: constants.BROTLI_OPERATION_FLUSH }),
  gzip: (part: Buffer) => gunzipSync(part, { finishFlush: constants.Z_SYNC_FLUSH }),
} as const;

describe("Accept-Encoding", () => {
  it.each([
    ["gzip", "gzip"],
    ["br", "br"],
    ["GZIP", "gzip"],
    ["x-gzip", "gzip"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, br;q=0.9", "gzip"],
    ["gzip;q=0.2,br;q=0.2", "br"],
    ["br ; q = 0.1 , gzip ; q = 0.3", "gzip"],
    ["identity;q=0.5, gzip;q=0.5", "gzip"],
    ["identity;q=0.6, gzip;q=0.5", undefined],
    ["identity, gzip;q=0.5", undefined],
    ["gzip;q=0", undefined],
    ["x-gzip, gzip;q=0", undefined],
    ["br;q=0, gzip", "gzip"],
    ["x-br, agzip", undefined],
    ["deflate", undefined],
    ["identity", undefined],
    ["*", undefined],
    ["identity;q=0, *", "br"],
    ["identity;q=0, *;q=0.5, br;q=0", "gzip"],
    ["identity;q=0, *;q=0", undefined],
    ["identity;q=0", undefined],
    ["", undefined],
  ])("%j asks for %s", (header, coding) => expect(codingFor(header)).toBe(coding));

  it("asks for the plain body when it is absent", () => expect(codingFor(undefined)).toBeUndefined());

  it("is read up to a maximum number of elements", () => {
    const behind = (elements: number): string => [...new Array<string>(elements).fill("a"), "gzip"].join();
    expect(codingFor(behind(MAX_ELEMENTS - 1))).toBe("gzip");
    expect(codingFor(behind(MAX_ELEMENTS))).toBeUndefined();
  });
});

describe.each(CODINGS)("a body in %s", (coding) => {
  it("decodes to the original, given as text, as bytes or in pieces", async () => {
    await forAllAsync([fc.array(fc.string({ unit: "grapheme" }), { maxLength: 20 })], runsOf(500), async (pieces) => {
      const text = pieces.join("");
      for (const body of [text, Buffer.from(text)])
        expect(DECODE[coding](await encode(body, coding)).toString()).toBe(text);
      const encoded: Buffer[] = [];
      async function* given(): AsyncGenerator<string> {
        yield* pieces;
      }
      for await (const piece of encodePieces(given(), coding)) encoded.push(Buffer.from(piece));
      expect(DECODE[coding](Buffer.concat(encoded)).toString()).toBe(text);
    });
  });

  it("reaches the reader while the next piece is still to come", async () => {
    let reach!: () => void;
    const reached = new Promise<void>((resolve) => {
      reach = resolve;
    });
    async function* slow(): AsyncGenerator<string> {
      yield "first";
      await reached;
      yield " and last";
    }
    let encoded = Buffer.alloc(0);
    for await (const piece of encodePieces(slow(), coding)) {
      encoded = Buffer.concat([encoded, Buffer.from(piece)]);
      if (DECODE_PART[coding](encoded).toString() === "first") reach();
    }
    expect(DECODE[coding](encoded).toString()).toBe("first and last");
  });

  it("is encoded at once when it is small, and off the event loop when it is large", async () => {
    expect(encode("x".repeat(16_384), coding)).toBeInstanceOf(Buffer);
    const large = encode("é".repeat(16_384), coding);
    expect(large).toBeInstanceOf(Promise);
    expect(DECODE[coding](await large).toString()).toBe("é".repeat(16_384));
  });

  it("is shorter than a repetitive text", async () => {
    expect((await encode("Girl with a Pearl Earring ".repeat(100), coding)).length).toBeLessThan(200);
  });

  it("fails when one of its pieces fails", async () => {
    async function* failing(): AsyncGenerator<string> {
      yield "x";
      throw new Error("the record is damaged");
    }
    const read = async (): Promise<void> => {
      for await (const _ of encodePieces(failing(), coding));
    };
    await expect(read).rejects.toThrow("the record is damaged");
  });
});
