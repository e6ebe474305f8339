/** Dates as people write them, read as their first or last instant in the specification's form (2.15). The last instant of `1889` is `1889-12-31T23:59:59Z`. */

/** Which instant of a year, month or day is wanted. */
export type Instant = "first" | "last";

/** The timestamps of a TimeSpan. */
export const TIMESTAMPS = ["begin_of_the_begin", "begin_of_the_end", "end_of_the_begin", "end_of_the_end"] as const;

/** The instant that a property takes of a shorter date: `end_of_the_end` takes the last of `1889`. */
export function instantFor(property: string): Instant {
  return property.startsWith("begin") ? "first" : "last";
}

/** Without a sign a year has three or four digits, or more in a timestamp: `89`, `12-05-20` and `946684800` may mean several things. */
const DATE = /^([+-]\d{1,9}|\d{3,4}|\d{5,9}(?=-\d\d-\d\dT))(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?:[T ](\S+))?$/;
/** The basic form of a day (ISO 8601, 5.2.2). */
const BASIC = /^(\d{4})(\d{2})(\d{2})$/;
const TIME = /^(\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/** The parts of a date as written; months and days may be out of range. `time` is what follows `T` or a space. */
function partsOf(text: string) {
  const extended = text.trim().replace(BASIC, (whole, year: string, month: string, day: string) => {
    return isDay(Number(year), Number(month), Number(day)) ? `${year}-${month}-${day}` : whole;
  });
  const [, year, month, day, time] = DATE.exec(extended) ?? [];
  if (year === undefined || (time !== undefined && day === undefined)) return undefined;
  return {
    year: Number(year),
    month: month === undefined ? undefined : Number(month),
    day: day === undefined ? undefined : Number(day),
    time,
  };
}

/** The instant that a date stands for, or `undefined` for a text that is not a date or is ambiguous. */
export function timestampOf(text: string, instant: Instant): string | undefined {
  const parts = partsOf(text);
  if (parts === undefined) return undefined;
  const isLast = instant === "last";
  const { year, time } = parts;
  const month = parts.month ?? (isLast ? 12 : 1);
  const day = parts.day ?? (isLast ? daysIn(year, month) : 1);
  if (!isDay(year, month, day)) return undefined;
  if (time === undefined) return written(year, month, day, isLast ? "23:59:59" : "00:00:00");
  return atTime(year, month, day, time);
}

function atTime(year: number, month: number, day: number, text: string): string | undefined {
  const [, hours, minutes, seconds = "00", zone = "Z"] = TIME.exec(text) ?? [];
  if (hours === undefined || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  if (Number(hours) > 23 && `${hours}:${minutes}:${seconds}` !== "24:00:00") return undefined;
  const offset = offsetOf(zone);
  if (offset === undefined) return undefined;
  const inDay = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) - offset * 60;
  if (offset === 0) return written(year, month, day, `${hours}:${minutes}:${seconds}`);
  return instantOf(year, month, day, inDay);
}

const MONTHS = "January February March April May June July August September October November December".split(" ");

/** Day, month and year, or month, day and year. */
const WITH_YEAR_LAST = /^(\d{1,2})([./-])(\d{1,2})\2(-?\d{3,4})$/;

/** The fault of a text that should be a timestamp, and its correction. `undefined` for a correct timestamp, and for a text that is not a date. */
export function timestampFault(text: string, instant: Instant): string | undefined {
  const [, first, mark, second, last] = WITH_YEAR_LAST.exec(text.trim()) ?? [];
  if (last !== undefined) return yearLastFault(last, Number(first), Number(second), mark === ".", instant);
  const parts = partsOf(text);
  if (parts === undefined) return undefined;
  const { year, month, day, time } = parts;
  if (month !== undefined && (month < 1 || month > 12)) {
    const swapped = timestampOf(exchanged(text), instant);
    const hint = swapped === undefined ? "" : `: day and month swapped? Then write ${swapped}`;
    return `there is no month ${month}${hint}`;
  }
  if (month !== undefined && day !== undefined && !isDay(year, month, day))
    return day < 1 ? "there is no day 0" : `${MONTHS[month - 1]} ${year} has ${daysIn(year, month)} days`;
  const right = timestampOf(text, instant);
  if (right !== undefined) return right === text ? undefined : `write ${right}`;
  const [, hours, minutes, seconds = "00"] = TIME.exec(time ?? "") ?? [];
  return hours === undefined ? undefined : `there is no time ${hours}:${minutes}:${seconds}`;
}

/** Advice for a date with the year at the end. With dots the day comes first; with other marks either may. */
function yearLastFault(year: string, first: number, second: number, isDayFirst: boolean, instant: Instant): string {
  const as = (month: number, day: number): string | undefined => timestampOf(`${year}-${month}-${day}`, instant);
  const [dayFirst, monthFirst] = [as(second, first), isDayFirst ? undefined : as(first, second)];
  if (dayFirst !== undefined && monthFirst !== undefined && dayFirst !== monthFirst)
    return `write ${dayFirst} or ${monthFirst}, whichever is meant`;
  const right = dayFirst ?? monthFirst ?? as(first, second);
  return right === undefined ? "there is no such day" : `write ${right}`;
}

/** The offset of a time zone, in minutes east of Greenwich. */
function offsetOf(zone: string): number | undefined {
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(":", ""));
  if (hours > 14 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}

/** The order of a date's day and month, judged by their numbers. It is `in order` if it has no day or is valid only as written, `swapped` if it is valid only with the day before the month, and `ambiguous` if both readings are valid and differ. */
export function dayAndMonthOf(text: string): "in order" | "swapped" | "ambiguous" | "neither" {
  const { year = 0, month, day } = partsOf(text) ?? {};
  if (month === undefined || day === undefined) return "in order";
  const isRight = isDay(year, month, day);
  const isSwapped = isDay(year, day, month);
  if (isRight) return isSwapped && month !== day ? "ambiguous" : "in order";
  return isSwapped ? "swapped" : "neither";
}

/** The same date with day and month exchanged. */
export function exchanged(text: string): string {
  return text.trim().replace(/^([+-]?\d+)-(\d{1,2})-(\d{1,2})/, "$1-$3-$2");
}

function isDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

/** The number of days in a month, by the proleptic Gregorian calendar. */
export function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** The instant `seconds` after the beginning of a day. `Date` ends in the year 275760, so years are reduced modulo 400, the calendar's cycle. */
function instantOf(year: number, month: number, day: number, seconds: number): string {
  const cycles = 400 * Math.floor(year / 400) - 2000;
  const date = new Date(Date.UTC(year - cycles, month - 1, day, 0, 0, seconds));
  const time = date.toISOString().slice(11, 19);
  return written(date.getUTCFullYear() + cycles, date.getUTCMonth() + 1, date.getUTCDate(), time);
}

/** The year of a date and the rest. Reading a longer year would take more than linear time. */
const OF_ANY_YEAR = /^(-?\d{4,100})((?:-\d\d){0,2}(?:T[\d:.]+)?)(Z|[+-]\d\d:\d\d)?$/;
const MILLISECONDS_OF_400_YEARS = 146_097n * 86_400_000n;

/** The instant of a date of any year, with or without a time, to compare it with others: milliseconds since 1970. `NaN` if there is no such day or time, and `undefined` for a text that is no date. */
export function millisecondsOf(text: string): bigint | number | undefined {
  const [, year, rest, zone = "Z"] = OF_ANY_YEAR.exec(text) ?? [];
  if (year === undefined) return undefined;
  // A `Date` has no years such as -0500, so the year is reduced to one with the same calendar.
  const cycles = BigInt(year) / 400n - 5n;
  const time = Date.parse(`${BigInt(year) - 400n * cycles}${rest}${rest!.includes("T") ? zone : ""}`);
  return Number.isNaN(time) ? time : BigInt(time) + cycles * MILLISECONDS_OF_400_YEARS;
}

function written(year: number, month: number, day: number, time: string): string {
  return `${isoYear(year)}-${padded(month, 2)}-${padded(day, 2)}T${time}Z`;
}

/** A year as dates write it: `0079`, or `-0043` for 44 BC. */
export function isoYear(year: number): string {
  return `${year < 0 ? "-" : ""}${padded(Math.abs(year), 4)}`;
}

function padded(number: number, length: number): string {
  return String(number).padStart(length, "0");
}
