/** Dates in the forms that circulate, read as timestamps. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LITERAL_FORMS } from "../../src/model/rules/shapes.js";
import { dayAndMonthOf, exchanged, timestampFault, timestampOf } from "../../src/model/timestamps.js";
import { forAll, runsOf } from "../properties.js";

const FORM = new RegExp(LITERAL_FORMS.timestamp.pattern!);

describe("a date", () => {
  it.each([
    ["1889", "1889-01-01T00:00:00Z", "1889-12-31T23:59:59Z"],
    ["999", "0999-01-01T00:00:00Z", "0999-12-31T23:59:59Z"],
    ["-500", "-0500-01-01T00:00:00Z", "-0500-12-31T23:59:59Z"],
    ["-12000", "-12000-01-01T00:00:00Z", "-12000-12-31T23:59:59Z"],
    ["+12000", "12000-01-01T00:00:00Z", "12000-12-31T23:59:59Z"],
    ["+89", "0089-01-01T00:00:00Z", "0089-12-31T23:59:59Z"],
    ["0089", "0089-01-01T00:00:00Z", "0089-12-31T23:59:59Z"],
    ["18890512", "1889-05-12T00:00:00Z", "1889-05-12T23:59:59Z"],
    ["12000-05-12T01:02:03Z", "12000-05-12T01:02:03Z", "12000-05-12T01:02:03Z"],
    ["1900-02", "1900-02-01T00:00:00Z", "1900-02-28T23:59:59Z"],
    ["2000-2", "2000-02-01T00:00:00Z", "2000-02-29T23:59:59Z"],
    ["1904-2", "1904-02-01T00:00:00Z", "1904-02-29T23:59:59Z"],
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
    "89",
    "12-05-20",
    "05-06-07",
    "12000",
    "12000-05",
    "18891305",
    "18890230",
    "946684800",
    "1889-06-09T10:30:00+99:00",
  ])("%j is not read", (text) => expect(timestampOf(text, "first")).toBeUndefined());

  it.each([
    ["1939-18-10", "swapped"],
    ["1939-10-18", "in order"],
    ["1939-05-06", "ambiguous"],
    ["1939-05-05", "in order"],
    ["1939-31-02", "neither"],
    ["1939-00-05", "neither"],
    ["1939-12-12", "in order"],
    ["1939-12-11", "ambiguous"],
    ["1939-12-13", "in order"],
    ["1939-11-31", "neither"],
    ["1939", "in order"],
    ["1939-05", "in order"],
    ["May 1939", "in order"],
  ])("%s has day and month %s", (text, reading) => expect(dayAndMonthOf(text)).toBe(reading));

  it.each([
    ["1937-13-11T00:00:00Z", "there is no month 13: day and month swapped? Then write 1937-11-13T00:00:00Z"],
    ["1937-13-41", "there is no month 13"],
    ["1937-14", "there is no month 14"],
    ["1937-13-13", "there is no month 13"],
    ["1889-12-32", "December 1889 has 31 days"],
    ["1889-12", "write 1889-12-01T00:00:00Z"],
    ["1889-06-09T25:00", "there is no time 25:00:00"],
    ["1889-06-09Tnoon", undefined],
    [" 12.03.1889 ", "write 1889-03-12T00:00:00Z"],
    ["05/05/1889", "write 1889-05-05T00:00:00Z"],
    ["12.31.1889", "write 1889-12-31T00:00:00Z"],
    ["1-2-0900", "write 0900-02-01T00:00:00Z or 0900-01-02T00:00:00Z, whichever is meant"],
    ["1937-00-01", "there is no month 0"],
    ["1889-02-29T00:00:00Z", "February 1889 has 28 days"],
    ["1889-06-31", "June 1889 has 30 days"],
    ["1889-06-00", "there is no day 0"],
    ["1695", "write 1695-01-01T00:00:00Z"],
    ["1889-06", "write 1889-06-01T00:00:00Z"],
    ["1889-06-09T10:30:15.250Z", "write 1889-06-09T10:30:15Z"],
    ["1889-01-01T00:30:00+01:00", "write 1888-12-31T23:30:00Z"],
    ["1889-06-09T25:00:00Z", "there is no time 25:00:00"],
    ["12.03.1889", "write 1889-03-12T00:00:00Z"],
    ["12/03/1889", "write 1889-03-12T00:00:00Z or 1889-12-03T00:00:00Z, whichever is meant"],
    ["12/31/1889", "write 1889-12-31T00:00:00Z"],
    ["31-12-1889", "write 1889-12-31T00:00:00Z"],
    ["41.13.1889", "there is no such day"],
    ["1-2-0090", "write 0090-02-01T00:00:00Z or 0090-01-02T00:00:00Z, whichever is meant"],
    ["18890512", "write 1889-05-12T00:00:00Z"],
    ["18891305", undefined],
    ["946684800", undefined],
    ["12-05-20", undefined],
    ["31/12/18890", undefined],
    ["circa 1889", undefined],
    ["1889-06-09T10:30:15Z", undefined],
  ])("%s gets the advice: %s", (text, fault) => expect(timestampFault(text, "first")).toBe(fault));

  it("suggested as a correction is a timestamp", () => {
    forAll([fc.string({ unit: fc.constantFrom(..."0123456789-.:/TZ+") })], runsOf(2_000), (text) => {
      const fault = timestampFault(text, "last") ?? "";
      for (const advised of fault.match(/\S+Z/g) ?? []) expect(advised).toMatch(FORM);
    });
  });

  it("with day and month exchanged keeps its year and time", () => {
    expect(exchanged(" -0939-18-10T01:02:03Z")).toBe("-0939-10-18T01:02:03Z");
    expect(exchanged("circa 1939-18-10")).toBe("circa 1939-18-10");
  });

  it("and time in any zone is the right instant by the calendar", () => {
    const pad = (number: number, length = 2): string => String(number).padStart(length, "0");
    const isLeap = (year: number): boolean => new Date(Date.UTC(2000 + (year % 400), 1, 29)).getUTCDate() === 29;
    const lengthOf = (year: number, month: number): number =>
      month === 2 ? (isLeap(year) ? 29 : 28) : new Date(Date.UTC(2001, month, 0)).getUTCDate();
    const dates = fc.record({
      year: fc.integer({ min: -99_999, max: 99_999 }),
      month: fc.nat(13),
      day: fc.oneof(fc.nat(32), fc.constantFrom(28, 29, 30, 31)),
      time: fc.tuple(fc.nat(25), fc.constantFrom(0, 1, 58, 59, 60), fc.constantFrom(undefined, 0, 30, 59, 60)),
      zone: fc.option(fc.tuple(fc.constantFrom(-1, 1), fc.nat(15), fc.constantFrom(0, 30, 59, 60)), { nil: undefined }),
      form: fc.constantFrom("", ":", "short"),
      mark: fc.constantFrom("T", " "),
    });
    forAll(
      [dates],
      runsOf(10_000, 500),
      ({ year, month, day, time: [hours, minutes, seconds = 0], zone, form, mark }) => {
        const [sign, zoneHours, zoneMinutes] = zone ?? [1, 0, 0];
        const shift = form === "short" ? 0 : zoneMinutes;
        const ending = `${sign < 0 ? "-" : "+"}${pad(zoneHours)}${form === "short" ? "" : form + pad(zoneMinutes)}`;
        // Only a sign allows years of fewer than three or more than four digits.
        const plus = year > 9_999 || (year >= 0 && year < 100) ? "+" : "";
        const text = `${plus}${year}-${month}-${day}${mark}${pad(hours)}:${pad(minutes)}:${pad(seconds)}${zone === undefined ? "" : ending}`;
        const isDate = month >= 1 && month <= 12 && day >= 1 && day <= lengthOf(year, month);
        const isTime = (hours < 24 || (hours === 24 && minutes === 0 && seconds === 0)) && minutes < 60 && seconds < 60;
        const isZone = zoneHours <= 14 && shift < 60;
        let expected: string | undefined;
        if (isDate && isTime && isZone) {
          // A year that `Date` can express: the calendar repeats every 400 years.
          const cycles = Math.floor(year / 400) * 400 - 2000;
          const offset = sign * (zoneHours * 60 + shift);
          const date = new Date(Date.UTC(year - cycles, month - 1, day, hours, minutes - offset, seconds));
          const there = date.getUTCFullYear() + cycles;
          expected = `${there < 0 ? "-" : ""}${pad(Math.abs(there), 4)}${date.toISOString().slice(4, 19)}Z`;
          // The end of a day, written as 24:00, stays as it is.
          if (hours === 24 && offset === 0)
            expected = `${year < 0 ? "-" : ""}${pad(Math.abs(year), 4)}-${pad(month)}-${pad(day)}T24:00:00Z`;
        }
        expect([timestampOf(text, "first"), timestampOf(text, "last")]).toEqual([expected, expected]);
        if (expected === undefined) return;
        expect(expected).toMatch(FORM);
        expect(timestampOf(expected, "last")).toBe(expected);
        expect(timestampFault(text, "first")).toBe(expected === text ? undefined : `write ${expected}`);
      },
    );
  });
});
