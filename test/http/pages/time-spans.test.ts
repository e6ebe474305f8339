/** Time spans in words, and as one machine-readable date. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dateOfSpan, endsOfSpan, timeInWords, timeOrder } from "../../../src/http/pages/time-spans.js";
import { wordsOfLanguages } from "../../../src/http/pages/words/languages.js";
import { ENGLISH_WORDS } from "../../../src/http/pages/words/words.js";
import { forAll, runsOf } from "../../properties.js";

describe("a time span", () => {
  it.each([
    ["1642-01-01T00:00:00Z", "1642-12-31T23:59:59Z", "1642", "1642"],
    ["1889-01-01T00:00:00Z", "1889-12-31T24:00:00Z", "1889", "1889"],
    ["1820-03-09T00:00:00Z", "1820-03-10T24:00:00Z", "between 9 and 10 March 1820", "1820-03"],
    ["1820-01-01T00:00:00Z", "1823-12-31T23:59:59Z", "between 1820 and 1823", "1820"],
    ["1820-03-09T00:00:00Z", "1820-03-09T23:59:59Z", "9 March 1820", "1820-03-09"],
    ["1642-05-01T00:00:00Z", "1642-05-31T23:59:59Z", "May 1642", "1642-05"],
    ["1961-01-01T00:00:00Z", "1961-01-01T00:00:00Z", "1961", "1961"],
    ["-0195-01-01T00:00:00Z", "-0195-12-31T23:59:59Z", "196 BC", "-0195"],
    ["-0331-01-01T00:00:00Z", "-0029-12-31T23:59:59Z", "between 332 and 30 BC", "-0331"],
    ["-0331-01-01T00:00:00Z", "0014-12-31T23:59:59Z", "between 332 BC and AD 14", "-0331"],
    [
      "1820-03-09T10:00:00Z",
      "1820-03-09T11:30:00Z",
      "between 9 March 1820, 10:00 UTC and 9 March 1820, 11:30 UTC",
      "1820-03-09",
    ],
    ["1642-05", "1642-07", "between May and July 1642", "1642"],
    ["1642-05-03", "1642-07-02", "between 3 May and 2 July 1642", "1642"],
    ["1642-05-03", "1642-05-09", "between 3 and 9 May 1642", "1642-05"],
    ["1642", undefined, "1642 or later", "1642"],
    [undefined, "1642-05-31T23:59:59Z", "May 1642 or earlier", undefined],
    ["about 1700", "1710", "between about 1700 and 1710", undefined],
    ["1945-02-30", "1945-02-30", "1945-02-30", undefined],
    [undefined, undefined, undefined, undefined],
  ])("from %s to %s is %s", (earliest, latest, words, date) => {
    expect(timeInWords({ earliest, latest }, ENGLISH_WORDS)).toBe(words);
    expect(dateOfSpan({ earliest, latest })).toBe(date);
  });

  it.each([
    ["fr", "1914-07-28", "1918-11-11", "entre le 28 juillet 1914 et le 11 novembre 1918"],
    ["fr", "1820-03-01", "1820-03-12", "entre le 1er et le 12 mars 1820"],
    ["fr", "1820-03-01", "1820-03-01", "1er mars 1820"],
    ["fr", "1820-03", "1820-05", "entre mars et mai 1820"],
    ["fr", "vers 1700", "1710", "entre vers 1700 et 1710"],
    ["de", "1914-07-28", "1918-11-11", "zwischen dem 28. Juli 1914 und dem 11. November 1918"],
    ["de", "1642-05-03", "1642-05-09", "zwischen dem 3. und dem 9. Mai 1642"],
    ["de", "1820", "1823", "zwischen 1820 und 1823"],
    ["nl", "1914-07-28", "1918-11-11", "tussen 28 juli 1914 en 11 november 1918"],
  ])("in %s, from %s to %s, is %s", (language, earliest, latest, words) => {
    expect(timeInWords({ earliest, latest }, wordsOfLanguages([language])[0]!)).toBe(words);
  });

  it.each([
    [["2023-02-10T00:00:00Z", "2023-06-04T23:59:59Z"], "2023-02-10", "2023-06-04"],
    [["2023-02-01T00:00:00Z", "2023-06-30T23:59:59Z"], "2023-02-01", "2023-06-30"],
    [["2023-02-01T00:00:00Z", "2023-02-28T23:59:59Z"], "2023-02", "2023-02"],
    [["1939-09-01T00:00:00Z", "1945-05-08T23:59:59Z"], "1939-09-01", "1945-05-08"],
    [["1600-01-01T00:00:00Z", "1650-12-31T23:59:59Z"], "1600", "1650"],
    [["1642", undefined], "1642", undefined],
    [[undefined, "1650-05-03"], undefined, "1650-05-03"],
    [
      ["2023-01-01T00:00:00Z", "2023-12-31T23:59:59Z", "2023-01-01T23:59:59Z", "2023-12-31T00:00:00Z"],
      "2023-01-01",
      "2023-12-31",
    ],
    [
      ["2023-02-10T09:00:00Z", "2023-02-12T18:00:00Z", "2023-02-10T10:00:00Z", "2023-02-12T17:00:00Z"],
      "2023-02-10",
      "2023-02-12",
    ],
    [["-0195", "0014"], "-0195", "0014"],
    [["about 1700", "1710"], undefined, "1710"],
  ])("from %j begins on %s and ends on %s", ([earliest, latest, latestBegin, earliestEnd], begin, end) => {
    expect(endsOfSpan({ earliest, latest, latestBegin, earliestEnd })).toEqual({ begin, end });
  });

  it("has words that no other span of days has", () => {
    const day = fc.date({ min: new Date("0001-01-02"), max: new Date("2100-12-30"), noInvalidDate: true });
    const span = fc.tuple(day, day).map((days) => {
      const [from, to] = days.map((each) => each.toISOString().slice(0, 10)).sort();
      return { earliest: `${from}T00:00:00Z`, latest: `${to}T23:59:59Z` };
    });
    forAll([span, span], runsOf(100), (one, other) => {
      const isSame = one.earliest === other.earliest && one.latest === other.latest;
      expect(timeInWords(one, ENGLISH_WORDS) === timeInWords(other, ENGLISH_WORDS)).toBe(isSame);
    });
  });

  it("is sorted by time, undated spans last", () => {
    const ordered = [{ earliest: "-0195" }, { earliest: "1642-05" }, { earliest: "1642-06-01" }, {}].map(timeOrder);
    expect([...ordered].sort((left, right) => left - right)).toEqual(ordered);
  });

  it("has words whatever its dates are", () => {
    forAll([fc.string(), fc.string()], runsOf(100), (earliest, latest) => {
      expect(typeof timeInWords({ earliest, latest }, ENGLISH_WORDS)).toBe("string");
    });
  });
});
