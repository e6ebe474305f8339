/** The dates of exports, in digits or in words, as the first and last instants that they may mean. */
import { report } from "./parts.mjs";

/** What says that years are before Christ. */
const BC = String.raw`b\.?\s?c\.?(?:\s?e\.?)?|v\.?\s?chr\.?|av\.?\s?j\.?-?\s?c\.?`;
const NUMBER = String.raw`(\d{1,2})(?:st|nd|rd|th|e|de|ste|er|re|ème|\.)`;
/** Numbers of parts in words, by number; 0 is the last. */
const ORDINALS = [
  /^(?:last|laatste|letztes?|dernier|dernière)$/,
  /^(?:first|eerste|erstes?|premier|première)$/,
  /^(?:second|tweede|zweites?|seconde|deuxième)$/,
  /^(?:third|derde|drittes|troisième)$/,
  /^(?:fourth|vierde|viertes|quatrième)$/,
];
const QUARTER = /^(?:quarter|kwart|viertel|quart)$/;
const PART = String.raw`(?:(?:${NUMBER}|(\p{L}+))\s+(quarter|kwart|viertel|quart|half|helft|hälfte|moitié)\s+(?:of\s+the\s+|of\s+|van\s+de\s+|des\s+|du\s+)?)?`;
const CENTURY = new RegExp(
  String.raw`^${PART}${NUMBER}\s*(?:century|cent\.|c\.|eeuw|jahrhunderts?|jh\.?|siècle)$`,
  "u",
);
const BEFORE = /^(?:before|voor|vóór|vor|avant)\s+(\d{1,4})$/;
const AFTER = /^(?:after|na|nach|après)\s+(\d{1,4})$/;
const YEARS = /^(\d{3,4})(?:\s*[-–]\s*(\d{3,4}))?$/;
const DECADE = /^(?:(\d\d[1-9]0)s|jaren\s+(\d\d[1-9]0))$/;

/** A year as timestamps count it: with a year 0, which is 1 BC. So 500 BC, in exports -500, is -499. */
function astronomical(year) {
  return year < 0 ? year + 1 : year;
}

/**
 * The first and last year of a date in words, as timestamps count; none where the words leave a choice, such as `c. 1634`.
 * The 19th century is 1801 to 1900.
 */
function yearsIn(date) {
  const [, words, era] = new RegExp(`^(.*?)(?:\\s*(${BC}))?$`, "su").exec(date.trim().toLowerCase());
  const yearOf = (digits) => astronomical((era ? -1 : 1) * digits);
  const [, before] = BEFORE.exec(words) ?? [];
  if (before) return [undefined, yearOf(before) - 1];
  const [, after] = AFTER.exec(words) ?? [];
  if (after) return [yearOf(after) + 1, undefined];
  const [, from, to = from] = YEARS.exec(words) ?? [];
  if (from) return yearOf(from) <= yearOf(to) ? [yearOf(from), yearOf(to)] : [];
  const [, decade, jaren] = DECADE.exec(words) ?? [];
  if (decade ?? jaren) return era ? [] : [Number(decade ?? jaren), Number(decade ?? jaren) + 9];
  return yearsOfCentury(CENTURY.exec(words), era);
}

function yearsOfCentury(match, era) {
  if (match === null) return [];
  const [, digits, ordinal, part, century] = match;
  const first = era ? astronomical(-100 * century) : 100 * (century - 1) + 1;
  const parts = part === undefined ? 1 : QUARTER.test(part) ? 4 : 2;
  const named = ordinal === undefined ? Number(digits ?? 1) : ORDINALS.findIndex((each) => each.test(ordinal));
  const number = named === 0 && ordinal !== undefined ? parts : named;
  if (century < 1 || century > 21 || number < 1 || number > parts) return [];
  return [first + ((number - 1) * 100) / parts, first + (number * 100) / parts - 1];
}

/** The instant at which a date in digits begins, or ends, with its year; `undefined` for no date, or for 0. Words are a problem. */
function instantOf(id, text = "", isEnd = false) {
  if (text === "" || Number(text) === 0) return undefined;
  const [, digits, month = isEnd ? 12 : 1, day] = /^(-?\d{1,4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(text) ?? [];
  const year = astronomical(Number(digits));
  const days = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  const instant = { year, month: Number(month), day: Number(day ?? (isEnd ? days : 1)) };
  if (digits === undefined || month < 1 || month > 12 || instant.day < 1 || instant.day > days)
    report(
      `${id}: ${text} is no year: write one in digits, such as 1634, a day such as 1634-05-12, or -500 for 500 BC`,
    );
  return instant;
}

function timestamp({ year, month, day }, time) {
  const [yyyy, mm, dd] = [Math.abs(year), month, day].map((number, at) =>
    String(number).padStart(at === 0 ? 4 : 2, "0"),
  );
  return `${year < 0 ? "-" : ""}${yyyy}-${mm}-${dd}T${time}Z`;
}

/**
 * The first and last instants of a date: those of its years or days, such as `1634`, `1634-05-12` or `-500` for 500 BC, or else those of
 * its words. `undefined` where nothing says one. @param id the record
 */
export function instants(id, words, from, to) {
  let [begin, end] = [instantOf(id, from), instantOf(id, to, true)];
  if (!begin && !end) {
    const [first, last] = yearsIn(words ?? "");
    if (first !== undefined) begin = { year: first, month: 1, day: 1 };
    if (last !== undefined) end = { year: last, month: 12, day: 31 };
  }
  const inDays = ({ year, month, day }) => (year * 100 + month) * 100 + day;
  if (begin && end && inDays(begin) > inDays(end)) report(`${id}: the date ends (${to}) before it begins (${from})`);
  return { begin: begin && timestamp(begin, "00:00:00"), end: end && timestamp(end, "23:59:59") };
}

/** A date: its words as a name, and its first and last instants. Nothing without any of these. */
export function timeSpan(id, words, from, to) {
  const { begin, end } = instants(id, words, from, to);
  if (!words && !begin && !end) return {};
  return {
    timespan: {
      type: "TimeSpan",
      ...(words ? { identified_by: [{ type: "Name", content: words }] } : {}),
      ...(begin ? { begin_of_the_begin: begin } : {}),
      ...(end ? { end_of_the_end: end } : {}),
    },
  };
}
