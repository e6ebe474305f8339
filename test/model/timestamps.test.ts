/** Dates as they circulate, read as instants. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LITERAL_FORMS } from "../../src/model/rules/shapes.js";
import { dayAndMonthOf, exchanged, timestampFault, timestampOf } from "../../src/model/timestamps.js";
import { runsOf } from "../extent.js";

const FORM = new RegExp(LITERAL_FORMS.timestamp.pattern!);

describe("a date", () => {
  it.each([
    ["1889", "1889-01-01T00:00:00Z", "1889-12-31T23:59:59Z"],
    ["999", "0999-01-01T00:00:00Z", "0999-12-31T23:59:59Z"],
    ["-500", "-0500-01-01T00:00:00Z", "-0500-12-31T23:59:59Z"],
    ["-12000", "-12000-01-01T00:00:00Z", "-12000-12-31T23:59:59Z"],
    ["+12000", "12000-01-01T00:00:00Z", "12000-12-31T23:59:59Z"],
    ["1900-02", "1900-02-01T00:00:00Z", "1900-02-28T23:59:59Z"],
    ["2000-2", "2000-02-01T00:00:00Z", "2000-02-29T23:59:59Z"],
    ["1889-6-9", "1889-06-09T00:00:00Z", "1889-06-09T23:59:59Z"],
    [" 1889-06-09 ", "1889-06-09T00:00:00Z", "1889-06-09T23:59:59Z"],
    ["1889-06-09T10:30:00", "1889-06-09T10:30:00Z", "1889-06-09T10:30:00Z"],
    ["1889-06-09 10:30", "1889-06-09T10:30:00Z", "1889-06-09T10:30:00Z"],
    ["1889-06-09T10:30:15.250Z", "1889-06-09T10:30:15Z", "1889-06-09T10:30:15Z"],
    ["1889-01-01T00:30:00+01:00", "1888-12-31T23:30:00Z", "1888-12-31T23:30:00Z"],
    ["1900-02-28T23:30:00-0100", "1900-03-01T00:30:00Z", "1900-03-01T00:30:00Z"],
    ["-0001-12-31T23:30:00-01:00", "0000-01-01T00:30:00Z", "0000-01-01T00:30:00Z"],
    ["1889-06-09T24:00:00Z", "1889-06-09T24:00:00Z", "1889-06-09T24:00:00Z"],
  ])("%s is from %s to %s", (text, first, last) => {
    expect([timestampOf(text, "first"), timestampOf(text, "last")]).toEqual([first, last]);
    expect(first).toMatch(FORM);
    expect(last).toMatch(FORM);
  });

  it.each([
    "",
    "circa 1889",
    "1889?",
    "19th century",
    "1889-13",
    "1889-02-30",
    "1889-18-10",
    "1889-06-09T25:00:00Z",
    "1889T10:00:00Z",
    "09-06-1889",
    "1889-06-09T10:30:00+99:00",
  ])("%j is left alone", (text) => expect(timestampOf(text, "first")).toBeUndefined());

  it.each([
    ["1939-18-10", "swapped"],
    ["1939-10-18", "in order"],
    ["1939-05-06", "ambiguous"],
    ["1939-05-05", "in order"],
    ["1939-31-02", "neither"],
    ["1939", "in order"],
    ["1939-05", "in order"],
    ["May 1939", "in order"],
  ])("%s has day and month %s", (text, reading) => expect(dayAndMonthOf(text)).toBe(reading));

  it.each([
    ["1937-13-11T00:00:00Z", "there is no month 13: day and month swapped? Then write 1937-11-13T00:00:00Z"],
    ["1937-13-41", "there is no month 13"],
    ["1937-00-01", "there is no month 0"],
    ["1889-02-29T00:00:00Z", "February 1889 has 28 days"],
    ["1889-06-31", "June 1889 has 30 days"],
    ["1889-06-00", "June 1889 has 30 days"],
    ["1695", "write 1695-01-01T00:00:00Z"],
    ["1889-06", "write 1889-06-01T00:00:00Z"],
    ["1889-06-09T10:30:15.250Z", "write 1889-06-09T10:30:15Z"],
    ["1889-01-01T00:30:00+01:00", "write 1888-12-31T23:30:00Z"],
    ["1889-06-09T25:00:00Z", "there is no time 25:00:00"],
    ["12.03.1889", "write 1889-03-12T00:00:00Z"],
    ["12/03/1889", "write 1889-03-12T00:00:00Z or 1889-12-03T00:00:00Z, as it is meant"],
    ["12/31/1889", "write 1889-12-31T00:00:00Z"],
    ["31-12-1889", "write 1889-12-31T00:00:00Z"],
    ["41.13.1889", "there is no such day"],
    ["circa 1889", undefined],
    ["1889-06-09T10:30:15Z", undefined],
  ])("%s has this fault: %s", (text, fault) => expect(timestampFault(text, "first")).toBe(fault));

  it("that is advised is a timestamp", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."0123456789-.:/TZ+") }), (text) => {
        const fault = timestampFault(text, "last") ?? "";
        for (const advised of fault.match(/\S+Z/g) ?? []) expect(advised).toMatch(FORM);
      }),
      runsOf(2_000),
    );
  });

  it("with day and month exchanged keeps its year and its time", () => {
    expect(exchanged("-0939-18-10T01:02:03Z")).toBe("-0939-10-18T01:02:03Z");
  });

  it("becomes what stays as it is", () => {
    const texts = fc.tuple(
      fc.integer({ min: -99_999, max: 99_999 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 31 }),
      fc.integer({ min: -840, max: 840 }),
    );
    fc.assert(
      fc.property(texts, fc.constantFrom("first" as const, "last" as const), ([year, month, day, offset], instant) => {
        const zone = `${offset < 0 ? "-" : "+"}${String(Math.floor(Math.abs(offset) / 60)).padStart(2, "0")}:${String(Math.abs(offset) % 60).padStart(2, "0")}`;
        const once = timestampOf(`${year}-${month}-${day}T12:00:00${zone}`, instant);
        if (once === undefined) return;
        expect(once).toMatch(FORM);
        expect(timestampOf(once, instant)).toBe(once);
        if (year >= 0 && year <= 9999) {
          const date = new Date(Date.UTC(2000, month - 1, day, 12, -offset));
          date.setUTCFullYear(date.getUTCFullYear() - 2000 + year);
          if (Date.UTC(2000, 1, 29) > 0 && month !== 2 && month !== 3)
            expect(new Date(once).getUTCDate()).toBe(date.getUTCDate());
        }
      }),
      runsOf(2_000),
    );
  });
});
