/** Time-spans in words: "1642", "between 1820 and 1823", "9 March 1820" (specification, 2.15: TimeSpan). */
import { remembering } from "../../base/bounded-map.js";
import { daysIn, isoYear } from "../../model/timestamps.js";
import type { ResourceDescription } from "./description.js";
import { type Era, fill, type Words } from "./words/words.js";

/** ISO 8601 as records write it: also bare years and months, times without a zone, and years of any length and sign. */
const NOTATION =
  /^([+-]?\d{4,})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?)?)?(?:Z|[+-]\d\d:\d\d)?$/;

/** Reads a date; `null` if it is none. Dates are remembered: a collection has few, and each page reads its dates several times. */
const parse = remembering(4_096, (text: string) => {
  const found = NOTATION.exec(text.trim());
  if (found === null) return null;
  const [year = 0, month, day] = found.slice(1, 4).map((digits) => (digits === undefined ? undefined : Number(digits)));
  if (month !== undefined && (month < 1 || month > 12)) return null;
  if (day !== undefined && (day < 1 || day > daysIn(year, month!))) return null;
  const [hours, minutes, seconds = "00", zone = "Z"] = found.slice(4);
  const time = hours && `${hours}:${minutes}${seconds === "00" ? "" : `:${seconds}`}`;
  return { year, month, day, time, zone: zone === "Z" ? undefined : zone };
});

/** A point in time, as precise as its notation. The year is astronomical, so 0 is 1 BC; the time is `hh:mm`, or `hh:mm:ss` if there are seconds. */
type Instant = NonNullable<ReturnType<typeof parse>>;

/** The precisions of a date, the coarsest first. */
const Unit = { year: 0, month: 1, day: 2, time: 3 } as const;

/** The precision of a beginning. Midnight is not a time in itself: it is the beginning of a day, and perhaps of a month or a year. */
function unitOfBegin({ month, day, time }: Instant): number {
  if (time !== undefined && time !== "00:00") return Unit.time;
  if (month === undefined || ((day ?? 1) === 1 && month === 1)) return Unit.year;
  return (day ?? 1) === 1 ? Unit.month : Unit.day;
}

/** The precision of an end. Midnight, the last minute of a day, or a day without a time, is the end of the day, and perhaps of a month or a year. */
function unitOfEnd(end: Instant): number {
  const { year, month, day, time } = end;
  if (time !== undefined && !/^(?:00:00$|23:59|24:00$)/.test(time)) return Unit.time;
  if (month === undefined) return Unit.year;
  if (day === undefined) return month === 12 ? Unit.year : Unit.month;
  // Sources that know only the year write its end as midnight of 1 January: `1642-01-01T00:00:00`.
  if (month === 1 && day === 1 && time === "00:00") return Unit.year;
  if (day !== daysIn(year, month)) return Unit.day;
  return month === 12 ? Unit.year : Unit.month;
}

function instantInWords(instant: Instant, unit: number, words: Words, era?: Era): string {
  const { year, month, day, time, zone } = instant;
  const inYears = words.year(year, era);
  if (unit === Unit.year || month === undefined) return inYears;
  if (unit === Unit.month || day === undefined) return words.dates.month(month, inYears);
  const inDays = words.dates.day(day, month, inYears);
  return unit === Unit.day || time === undefined ? inDays : `${inDays}, ${time} ${zone ?? "UTC"}`;
}

/** The two ends of a time-span in words; they are the same if the span is one year, month or day. */
function spanInWords(begin: Instant, end: Instant, unit: number, words: Words): readonly [begin: string, end: string] {
  const first = instantInWords(begin, unit, words);
  const last = instantInWords(end, unit, words);
  if (first === last) return [first, last];
  if (begin.year <= 0 && end.year > 0) return [first, instantInWords(end, unit, words, "always")];
  if (begin.year !== end.year) return [instantInWords(begin, unit, words, end.year <= 0 ? "never" : "before"), last];
  const { day, month = 1 } = begin;
  if (unit === Unit.month) return [words.dates.monthOfYear(month), last];
  if (unit !== Unit.day || day === undefined) return [first, last];
  return [begin.month === end.month ? words.dates.dayOfMonth(day) : words.dates.dayOfYear(day, month), last];
}

/** The bounds of a time-span as written: the earliest and the latest possible beginning, the earliest and the latest possible end. */
export function boundsOf(description: ResourceDescription, timeSpan: number) {
  return {
    earliest: description.text(timeSpan, "begin_of_the_begin"),
    latestBegin: description.text(timeSpan, "end_of_the_begin"),
    earliestEnd: description.text(timeSpan, "begin_of_the_end"),
    latest: description.text(timeSpan, "end_of_the_end"),
  };
}

type Bounds = Partial<ReturnType<typeof boundsOf>>;

/** A time-span in words. Bounds that are not dates are repeated as written. `undefined` without bounds. */
export function timeInWords({ earliest, latest }: Bounds, words: Words): string | undefined {
  const { later, earlier, between } = words.file.date;
  if (latest === undefined) return earliest && fill(later, { date: momentInWords(earliest, false, words) });
  if (earliest === undefined) return fill(earlier, { date: momentInWords(latest, true, words) });
  const [begin, end] = [parse(earliest), parse(latest)];
  const unit = begin && end ? Math.max(unitOfBegin(begin), unitOfEnd(end)) : Unit.year;
  const [first, last] = begin && end ? spanInWords(begin, end, unit, words) : [earliest, latest];
  const areDays = unit >= Unit.day && begin?.day !== undefined && end?.day !== undefined;
  // What is in brackets is for days: `entre [le ]{begin} et [le ]{end}`.
  const template = between.replace(/\[(.*?)\]/g, areDays ? "$1" : "");
  return first === last ? first : fill(template, { begin: first, end: last });
}

/** A point in time in words. @param isEnd whether it is the end of a time-span rather than its beginning */
export function momentInWords(written: string, isEnd: boolean, words: Words): string {
  const instant = parse(written);
  if (instant === null) return written;
  return instantInWords(instant, isEnd ? unitOfEnd(instant) : unitOfBegin(instant), words);
}

/** One date for a time-span that has a beginning: `1642-05` for May 1642, `1820-03` for two days in March 1820, the day for two times of it, `1600` for 1600 to 1650 (SCHEMA-AP-NDE: never an interval). */
export function dateOfSpan({ earliest, latest }: Bounds): string | undefined {
  const begin = parse(earliest ?? "");
  if (begin === null) return undefined;
  const end = parse(latest ?? "") ?? begin;
  const unit = Math.max(unitOfBegin(begin), unitOfEnd(end));
  const first = isoDate(begin, unit);
  if (first === isoDate(end, unit) && (unit !== Unit.time || begin.zone === end.zone)) return first;
  const isOneMonth = begin.year === end.year && begin.month === end.month;
  return isoDate(begin, isOneMonth && unit !== Unit.year ? Unit.month : Unit.year);
}

/** The first and the last date of a time-span, if it has them: `1600` and `1650`. Several whole months are given in days: `1820-03-01` and `1820-05-31`. */
export function endsOfSpan({ earliest, latest, latestBegin, earliestEnd }: Bounds) {
  const [begin, end] = [parse(earliest ?? ""), parse(latest ?? "")];
  const shared = Math.max(begin ? unitOfBegin(begin) : Unit.year, end ? unitOfEnd(end) : Unit.year);
  const isOneMonth = begin?.year === end?.year && begin?.month === end?.month;
  const unit = shared === Unit.month && !isOneMonth ? Unit.day : shared;
  return {
    begin: latestBegin === undefined ? isoDate(begin, unit) : dateOfSpan({ earliest, latest: latestBegin }),
    end: earliestEnd === undefined ? isoDate(end, unit) : dateOfSpan({ earliest: earliestEnd, latest }),
  };
}

function isoDate(instant: Instant | null, unit: number): string | undefined {
  if (instant === null) return undefined;
  const { year, month, day } = instant;
  const inYears = isoYear(year);
  if (unit === Unit.year || month === undefined) return inYears;
  const inMonths = `${inYears}-${String(month).padStart(2, "0")}`;
  return unit === Unit.month || day === undefined ? inMonths : `${inMonths}-${String(day).padStart(2, "0")}`;
}

/** A number for sorting time-spans by their beginning, or by their end if they have none; those without a date come last. */
export function timeOrder({ earliest, latest }: Bounds): number {
  const { year, month = 1, day = 1 } = parse(earliest ?? latest ?? "") ?? { year: Number.POSITIVE_INFINITY };
  return year * 372 + month * 31 + day;
}
