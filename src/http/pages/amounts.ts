/** Numbers, units and currencies as people write them. */
import { grouped } from "../../base/counted.js";
import { type Html, html, text } from "./markup.js";

/** From this on, digits are grouped. */
const GROUPED_FROM = 10_000;

/** Symbols of units that records name by words. */
const SYMBOLS: Readonly<Record<string, string>> = {
  byte: "B",
  bytes: "B",
  centimeter: "cm",
  centimeters: "cm",
  centimetre: "cm",
  centimetres: "cm",
  cm: "cm",
  feet: "ft",
  foot: "ft",
  gram: "g",
  grams: "g",
  inch: "in",
  inches: "in",
  kilogram: "kg",
  kilograms: "kg",
  kilometer: "km",
  kilometre: "km",
  meter: "m",
  meters: "m",
  metre: "m",
  metres: "m",
  millimeter: "mm",
  millimeters: "mm",
  millimetre: "mm",
  millimetres: "mm",
  percent: "%",
  pixel: "px",
  pixels: "px",
  pounds: "lb",
};

/** The symbol of a unit by its label, or the label where there is none. */
export function unitSymbol(label: string): string {
  return SYMBOLS[label.toLowerCase()] ?? label;
}

/** Whether a literal is a number as XML Schema writes them. */
export function isWrittenNumber(written: string): boolean {
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:E[+-]?\d+)?$/i.test(written);
}

/** A number as people write it: without an exponent, digits in groups. Where that differs, what is written is the element's value. */
export function number(written: string): Html {
  if (!isWrittenNumber(written)) return text(written);
  const plain = /E/i.test(written) ? String(Number(written)) : written;
  const isLarge = /^-?\d+$/.test(plain) && Math.abs(Number(plain)) >= GROUPED_FROM;
  const shown = isLarge ? grouped(plain) : plain;
  return shown === written ? text(written) : html`<data value="${text(written)}">${text(shown)}</data>`;
}
