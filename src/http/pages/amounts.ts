/** Numbers, units and currencies as people write them. */
import { type Html, html, text } from "./markup.js";
import type { Words } from "./words/words.js";

/** From this on, digits are grouped. */
const GROUPED_FROM = 10_000;

/** Symbols of units, with the words by which records name them. */
const WORDS: Readonly<Record<string, string>> = {
  B: "byte bytes",
  cm: "centimeter centimeters centimetre centimetres cm",
  ft: "feet foot",
  g: "gram grams",
  in: "inch inches",
  kg: "kilogram kilograms",
  km: "kilometer kilometre",
  m: "meter meters metre metres",
  mm: "millimeter millimeters millimetre millimetres",
  "%": "percent",
  px: "pixel pixels",
  lb: "pounds",
};
const SYMBOLS: ReadonlyMap<string, string> = new Map(
  Object.entries(WORDS).flatMap(([symbol, words]) => words.split(" ").map((word) => [word, symbol] as const)),
);

/** The symbol of a unit by its label, or the label where there is none. */
export function unitSymbol(label: string): string {
  return SYMBOLS.get(label.toLowerCase()) ?? label;
}

/** Whether a literal is a number as XML Schema writes them. */
export function isWrittenNumber(written: string): boolean {
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:E[+-]?\d+)?$/i.test(written);
}

/** A number as people write it: without an exponent, digits in groups. Where that differs, what is written is the element's value. */
export function number(written: string, words: Words): Html {
  if (!isWrittenNumber(written)) return text(written);
  const plain = /E/i.test(written) ? String(Number(written)) : written;
  const isLarge = /^-?\d+$/.test(plain) && Math.abs(Number(plain)) >= GROUPED_FROM;
  const shown = words.decimal(plain, isLarge);
  return shown === written ? text(written) : html`<data value="${text(written)}">${text(shown)}</data>`;
}
