/** Dates and times in the one form that all engines can be brought to. */

/** Years have four digits at least, seconds no fraction of nothing, and UTC one name (XML Schema 1.1 Datatypes, 3.3.7). */
export function canonicalTime(value: string): string {
  const [, sign, year, rest] = /^(-?)0*(\d+)(.*)$/.exec(value) ?? [];
  if (year === undefined) return value;
  return `${sign}${year.padStart(4, "0")}${rest!.replace(/(:\d\d)\.0+(?=\D|$)/, "$1").replace(/\+00:00$/, "Z")}`;
}
