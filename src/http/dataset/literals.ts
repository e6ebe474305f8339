/** Literals of the description of the dataset. */
import { literal, type Term, XSD } from "../../rdf/terms.js";

/** What `make` makes of a value, where there is one. */
export function given<Value>(value: Value | null | undefined, make: (value: Value) => Term): Term | undefined {
  return value === undefined || value === null ? undefined : make(value);
}

/** Text in a language. */
export function words(text: string, language: string): Term {
  return literal(text, undefined, language);
}

/** A date as exact as it is written. */
export function date(written: string): Term {
  const { length } = written.replace(/^[+-]?\d+/, "");
  return literal(written, length === 0 ? XSD.gYear : length === 3 ? XSD.gYearMonth : XSD.date);
}

/** A time, from milliseconds since 1970. */
export function dateTime(time: number): Term {
  return literal(new Date(time).toISOString(), XSD.dateTime);
}
