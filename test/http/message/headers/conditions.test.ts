/** Conditional requests: each clause of RFC 9110, 13, and the dates of 5.6.7. */
import type { IncomingHttpHeaders } from "node:http";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  entityTag,
  evaluateConditions,
  hashOfTag,
  isConditional,
  rangeCounts,
} from "../../../../src/http/message/headers/conditions.js";
import { parseFixdate, parseHttpDate } from "../../../../src/http/message/headers/http-date.js";
import { ANY_CODE_POINT } from "../../../generated-texts.js";
import { forAll, runsOf } from "../../../properties.js";

const TAG = '"abc.jsonld-1"';
const MODIFIED = Date.UTC(2024, 1, 29, 12, 0, 0, 750);
const SAME = "Thu, 29 Feb 2024 12:00:00 GMT";
const EARLIER = "Thu, 29 Feb 2024 11:59:59 GMT";
const LATER = "Thu, 29 Feb 2024 12:00:01 GMT";

const OUTCOMES: readonly (readonly [clause: string, headers: IncomingHttpHeaders, outcome: string])[] = [
  ["no conditions", {}, "proceed"],
  ["13.1.2 the same tag", { "if-none-match": TAG }, "not modified"],
  ["13.1.2 another tag", { "if-none-match": '"other"' }, "proceed"],
  ["13.1.2 a list with it", { "if-none-match": `"other", ${TAG}, "x"` }, "not modified"],
  ["13.1.2 a list without spaces", { "if-none-match": `"other",${TAG}` }, "not modified"],
  ["13.1.2 a list without it", { "if-none-match": '"other", "x"' }, "proceed"],
  ["13.1.2 any", { "if-none-match": "*" }, "not modified"],
  ["13.1.2 any, with white space", { "if-none-match": " * " }, "not modified"],
  ["8.8.3.2 weak comparison", { "if-none-match": `W/${TAG}` }, "not modified"],
  ["8.8.3.2 weak comparison in a list", { "if-none-match": `W/"other", W/${TAG}` }, "not modified"],
  ["8.8.3 tags are case-sensitive", { "if-none-match": TAG.toUpperCase() }, "proceed"],
  ["8.8.3 a comma inside a tag", { "if-none-match": `"a,b", "c" , ${TAG}` }, "not modified"],
  ["8.8.3 a tag needs quotation marks", { "if-none-match": TAG.slice(1, -1) }, "proceed"],
  ["13.1.3 the same second", { "if-modified-since": SAME }, "not modified"],
  ["13.1.3 later", { "if-modified-since": LATER }, "not modified"],
  ["13.1.3 earlier", { "if-modified-since": EARLIER }, "proceed"],
  ["13.1.3 an invalid date is ignored", { "if-modified-since": "2024-02-29" }, "proceed"],
  ["13.1.3 If-None-Match goes first", { "if-none-match": '"other"', "if-modified-since": LATER }, "proceed"],
  ["13.1.3 If-None-Match goes first, matching", { "if-none-match": TAG, "if-modified-since": EARLIER }, "not modified"],
  ["13.1.1 the same tag", { "if-match": TAG }, "proceed"],
  ["13.1.1 any", { "if-match": "*" }, "proceed"],
  ["13.1.1 another tag", { "if-match": '"other"' }, "failed"],
  ["13.1.1 strong comparison", { "if-match": `W/${TAG}` }, "failed"],
  ["13.1.4 unmodified since", { "if-unmodified-since": SAME }, "proceed"],
  ["13.1.4 modified since", { "if-unmodified-since": EARLIER }, "failed"],
  ["13.1.4 an invalid date is ignored", { "if-unmodified-since": "yesterday" }, "proceed"],
  ["13.1.4 If-Match goes first", { "if-match": TAG, "if-unmodified-since": EARLIER }, "proceed"],
  ["13.2.2 If-Match, then If-None-Match", { "if-match": TAG, "if-none-match": TAG }, "not modified"],
  ["13.2.2 If-Match failed", { "if-match": '"other"', "if-none-match": TAG }, "failed"],
];

describe("conditions", () => {
  it("are present when any conditional header is there", () => {
    expect(isConditional({})).toBe(false);
    for (const name of ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since"])
      expect(isConditional({ [name]: "" }), name).toBe(true);
  });

  it("on dates are met when no date is known", () => {
    for (const name of ["if-modified-since", "if-unmodified-since"])
      expect(evaluateConditions({ [name]: EARLIER }, TAG, undefined)).toBe("proceed");
  });

  it.each([
    ["without If-Range", undefined, true],
    ["the same tag", TAG, true],
    ["another tag", '"other"', false],
    ["a weak tag", `W/${TAG}`, false],
    ["the same second", SAME, true],
    ["a later date, which proves nothing", LATER, false],
    ["an earlier date", EARLIER, false],
    ["not a date", "yesterday", false],
  ])("13.1.5: If-Range decides whether a range is used: %s", (_name, ifRange, counts) => {
    expect(rangeCounts({ "if-range": ifRange }, TAG, MODIFIED)).toBe(counts);
  });

  it("14.1.1: a range that ends before it begins is ignored, with those beside it", () => {
    const counts = (range: string): boolean => rangeCounts({ range }, TAG, MODIFIED);
    expect(["bytes=2-5", "bytes=2-2", "bytes=2-", "bytes=-5,9-10"].filter((range) => !counts(range))).toEqual([]);
    expect(["bytes=5-2", "bytes=0-1,10-9"].filter(counts)).toEqual([]);
  });

  it("14.1.1: ranges take time linear in the length of their numbers", () => {
    expect(rangeCounts({ range: `bytes=${"1".repeat(300_000)}` }, TAG, MODIFIED)).toBe(true);
  });

  it.each(OUTCOMES)("%s", (_clause, headers, outcome) => {
    expect(evaluateConditions(headers, TAG, MODIFIED)).toBe(outcome);
  });

  it("accept any header value", () => {
    forAll([fc.string({ unit: ANY_CODE_POINT })], runsOf(2_000), (text) => {
      for (const name of ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since"] as const) {
        expect(["proceed", "not modified", "failed"]).toContain(evaluateConditions({ [name]: text }, TAG, MODIFIED));
      }
    });
  });
});

describe("entity tags", () => {
  const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });

  it("are strong and well-formed", () => {
    forAll([hash], runsOf(2_000), (bytes) => {
      expect(entityTag(bytes, "ttl-x")).toMatch(/^"[\x21\x23-\x7e]+"$/);
    });
  });

  it("differ by hash and by variant, and by nothing else", () => {
    forAll([hash, hash], runsOf(2_000), (one, other) => {
      const alike = Buffer.compare(one.subarray(0, 16), other.subarray(0, 16)) === 0;
      expect(entityTag(one, "ttl") === entityTag(other, "ttl")).toBe(alike);
      expect(entityTag(one, "ttl")).not.toBe(entityTag(one, "nt"));
      expect(entityTag(Uint8Array.from(one), "ttl")).toBe(entityTag(one, "ttl"));
    });
  });

  it("are made from a hash that is a view into a larger buffer", () => {
    const page = Uint8Array.from({ length: 100 }, (_, index) => index);
    expect(entityTag(page.subarray(40, 72), "ttl")).toBe(entityTag(page.slice(40, 72), "ttl"));
  });
});

describe("HTTP dates (5.6.7)", () => {
  const now = Date.UTC(2026, 0, 1);

  it("are read in all three forms", () => {
    const time = Date.UTC(1994, 10, 6, 8, 49, 37);
    expect(parseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT", now)).toBe(time);
    expect(parseHttpDate("Sunday, 06-Nov-94 08:49:37 GMT", now)).toBe(time);
    expect(parseHttpDate("Sun Nov  6 08:49:37 1994", now)).toBe(time);
  });

  it("with two-digit years lie at most 50 years ahead", () => {
    expect(parseHttpDate("Tuesday, 01-Jan-76 00:00:00 GMT", now)).toBe(Date.UTC(2076, 0, 1));
    expect(parseHttpDate("Tuesday, 01-Jan-77 00:00:00 GMT", now)).toBe(Date.UTC(1977, 0, 1));
  });

  it.each([
    "",
    "0",
    "Sun, 06 Nov 1994",
    "Sun, 06 Nov 1994 08:49:37 CET",
    "Sun, 06 Nov 1994 25:49:37 GMT",
    "Sun, 31 Feb 1994 08:49:37 GMT",
    "Sun, 06 Foo 1994 08:49:37 GMT",
    "1994-11-06T08:49:37Z",
  ])("do not include %j", (text) => {
    expect(parseHttpDate(text, now)).toBeUndefined();
  });

  it("survive a round trip, to the second", () => {
    forAll([fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) })], runsOf(2_000), (time) => {
      expect(parseHttpDate(new Date(time).toUTCString())).toBe(Math.floor(time / 1_000) * 1_000);
    });
  });
});

describe("a date that is allowed only the first form (RFC 7089, 2.1.1.1)", () => {
  it("is read in that form and in no other", () => {
    expect(parseFixdate(SAME)).toBe(Math.floor(MODIFIED / 1_000) * 1_000);
    expect(parseFixdate("Thursday, 29-Feb-24 12:00:00 GMT")).toBeUndefined();
    expect(parseFixdate("Thu Feb 29 12:00:00 2024")).toBeUndefined();
  });
});

describe("the record's part of a tag", () => {
  it("may contain quotation marks and `W/`", () => {
    expect(hashOfTag('"aW/b"')).toBe("aW/b");
    expect(hashOfTag('"a"b')).toBe('a"b');
  });

  it.each(['"abc.jsonld-1"', 'W/"abc.ttl"', ' "abc" ', "abc.x", "abc"])("in %s is its hash", (tag) => {
    expect(hashOfTag(tag)).toBe("abc");
  });
});
