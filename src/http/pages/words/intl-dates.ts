/** Dates as a language writes them (`Intl.DateTimeFormat`), with years of any length and sign. */
import { remembering } from "../../../base/bounded-map.js";

/** Days and months, by number; years as they are to be written. */
export interface Dates {
  /** `9 March 1820`. */
  readonly day: (day: number, month: number, year: string) => string;
  /** `March 1820`. */
  readonly month: (month: number, year: string) => string;
  /** `9 March`, `9` and `March`, for the first of two dates that share the rest. */
  readonly dayOfYear: (day: number, month: number) => string;
  readonly dayOfMonth: (day: number) => string;
  readonly monthOfYear: (month: number) => string;
}

type Pieces = readonly Intl.DateTimeFormatPart[];

const DAY = { day: "numeric", month: "long" } as const;
const MONTH = { month: "long" } as const;
const YEAR = { year: "numeric" } as const;

/** How a language writes dates. What the language gives is asked for once a month and form: it takes some microseconds. */
export function datesOf(locale: string): Dates {
  const pieces = (options: Intl.DateTimeFormatOptions): ((month: number) => Pieces) => {
    const tag = `${locale}-u-ca-gregory-nu-latn`;
    let format: Intl.DateTimeFormat | undefined;
    // The half of them that was asked for lately is sure to stay.
    return remembering(24, (month: number) => {
      format ??= new Intl.DateTimeFormat(tag, { ...options, timeZone: "UTC" });
      return format.formatToParts(Date.UTC(2003, month - 1, 2));
    });
  };
  const filled = (parts: Pieces, day: number | undefined, year: string | undefined): string => {
    const given: Partial<Record<string, string | undefined>> = { day: day === undefined ? day : String(day), year };
    return parts.map(({ type, value }) => given[type] ?? value).join("");
  };
  const [ofDay, ofMonth, ofDayAlone, ofMonthAlone] = [{ ...DAY, ...YEAR }, { ...MONTH, ...YEAR }, DAY, MONTH].map(
    pieces,
  );
  return {
    day: (day, month, year) => filled(ofDay!(month), day, year),
    month: (month, year) => filled(ofMonth!(month), undefined, year),
    dayOfYear: (day, month) => filled(ofDayAlone!(month), day, undefined),
    dayOfMonth: (day) => {
      const parts = ofDayAlone!(1);
      const at = parts.findIndex(({ type }) => type === "day");
      // `9.` of `9. März`.
      return day + (/^\S*/.exec(parts[at + 1]?.value ?? "")?.[0] ?? "");
    },
    monthOfYear: (month) => filled(ofMonthAlone!(month), undefined, undefined),
  };
}
