/** The forms of terms that all engines keep: of blank nodes, and of dates and times. */
import { createHash } from "node:crypto";

/** The beginning of the IRIs that stand for blank nodes in engines that were filled from here (RDF 1.1 Concepts, 3.5). */
export const BLANK = "urn:vitrine:blank:";

/** The beginning of the IRIs of a record's blank nodes, made of its IRI, so that they are the same in every store that has it. */
export function blankPrefix(record: string): string {
  return `${BLANK}${createHash("sha256").update(record).digest("hex").slice(0, 32)}-`;
}

/** Years have four digits at least, seconds no fraction of nothing, and UTC one name (XML Schema 1.1 Datatypes, 3.3.7). */
export function canonicalTime(value: string): string {
  const [, sign, year, rest] = /^(-?)0*(\d+)(.*)$/.exec(value) ?? [];
  if (year === undefined) return value;
  return `${sign}${year.padStart(4, "0")}${rest!.replace(/(:\d\d)\.0+(?=\D|$)/, "$1").replace(/\+00:00$/, "Z")}`;
}
