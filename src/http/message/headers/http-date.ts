/** A reader of HTTP dates in all three forms (RFC 9110, section 5.6.7); `toUTCString` writes the first. */

/** `Sun, 06 Nov 1994 08:49:37 GMT` */
const IMF_FIXDATE = /^[A-Z][a-z]{2}, (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/;
/** `Sunday, 06-Nov-94 08:49:37 GMT` */
const RFC_850 = /^[A-Z][a-z]{5,8}, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/;
/** `Sun Nov  6 08:49:37 1994` */
const ASCTIME = /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/;

/** The time of an HTTP date in milliseconds since 1970, if it is valid. A year of two digits is at most 50 years after `now`. */
export function parseHttpDate(text: string, now: number = Date.now()): number | undefined {
  return timeOf(IMF_FIXDATE.exec(text) ?? RFC_850.exec(text) ?? ASCTIME.exec(text), now);
}

/** The same for a date that must be in the first form, an rfc1123-date (RFC 7089, 2.1.1.1). */
export function parseFixdate(text: string): number | undefined {
  return timeOf(IMF_FIXDATE.exec(text), 0);
}

function timeOf(found: RegExpExecArray | null, now: number): number | undefined {
  const parts = found?.groups;
  if (parts === undefined) return undefined;
  const { day, month, year, time } = parts as { day: string; month: string; year: string; time: string };
  const whole = year.length === 2 ? fullYear(Number(year), new Date(now).getUTCFullYear()) : year;
  const date = Date.parse(`${day} ${month} ${whole} ${time} GMT`);
  // `Date.parse` reads a day that the month lacks as a day of the next month.
  return new Date(date).getUTCDate() === Number(day) ? date : undefined;
}

function fullYear(twoDigits: number, thisYear: number): number {
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}
