/** Forms of blank nodes, dates and times that every engine keeps unchanged. */

/** The prefix of the IRIs that stand for blank nodes in engines filled by Vitrine (RDF 1.1 Concepts, 3.5). */
export const BLANK = "urn:vitrine:blank:";

/** A date or time with at least four digits in the year, no zero fraction of seconds, and `Z` for UTC (XML Schema 1.1 Datatypes, 3.3.7). */
export function canonicalTime(value: string): string {
  const [, sign, year, rest] = /^(-?)0*(\d+)(.*)$/.exec(value) ?? [];
  if (year === undefined) return value;
  return `${sign}${year.padStart(4, "0")}${rest!.replace(/(:\d\d)\.0+(?=\D|$)/, "$1").replace(/\+00:00$/, "Z")}`;
}
