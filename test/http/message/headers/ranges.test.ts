/** Ranges of bytes: every form of them, and the states under which they count. */
import { describe, expect, it } from "vitest";
import { rangeOf } from "../../../../src/http/message/headers/ranges.js";

const MODIFIED = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const DATE = "Fri, 02 Jan 2026 03:04:05 GMT";

describe("Range", () => {
  it.each([
    ["bytes=0-9", [0, 10]],
    ["bytes=0-", [0, 100]],
    ["bytes=99-", [99, 100]],
    ["bytes=90-1000", [90, 100]],
    ["bytes=-10", [90, 100]],
    ["bytes=-1000", [0, 100]],
    ["Bytes= 5-5 ", [5, 6]],
  ])("%s is a part", (range, [start, end]) => {
    expect(rangeOf({ range }, 100, undefined, undefined)).toEqual({ start, end });
  });

  it.each(["bytes=100-", "bytes=100-200", "bytes=-0", `bytes=${"9".repeat(400)}-`])("%s cannot be met", (range) => {
    expect(rangeOf({ range }, 100, undefined, undefined)).toBe("unsatisfiable");
  });

  it.each([undefined, "", "bytes=", "bytes=-", "bytes=5-4", "bytes=a-b", "lines=0-1", "bytes=0-1,5-6", "0-1"])(
    "%s asks for the whole",
    (range) => expect(rangeOf({ range }, 100, undefined, undefined)).toBeUndefined(),
  );

  it("has nothing to give of an empty body", () => {
    for (const range of ["bytes=0-", "bytes=-1"])
      expect(rangeOf({ range }, 0, undefined, undefined)).toBe("unsatisfiable");
  });
});

describe("If-Range", () => {
  const partBy = (ifRange: string): unknown =>
    rangeOf({ range: "bytes=0-9", "if-range": ifRange }, 100, '"tag"', MODIFIED);

  it("lets the range count for the very tag, and for the very date", () => {
    for (const same of ['"tag"', DATE]) expect(partBy(same)).toEqual({ start: 0, end: 10 });
  });

  it.each(['W/"tag"', '"other"', "*", "Tue, 01 Jan 2030 00:00:00 GMT", "Fri, 02 Jan 2026 03:04:04 GMT", "2030-01-01"])(
    "asks for the whole otherwise: %s",
    (other) => expect(partBy(other)).toBeUndefined(),
  );
});
