/** Numbers, units and currencies as people write them. */
import { type Node, take } from "./description.js";
import { aside, type Html, html, join, NOTHING, text } from "./markup.js";
import type { Renderer } from "./renderer.js";
import type { Words } from "./words/words.js";

const GROUPED_FROM = 10_000;

/** The symbols of units, with the words that records use for them. */
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

/** The symbol of a unit, or its label if there is none. */
export function unitSymbol(label: string): string {
  return SYMBOLS.get(label.toLowerCase()) ?? label;
}

/** Whether a literal is a number in the syntax of XML Schema. */
export function isWrittenNumber(written: string): boolean {
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:E[+-]?\d+)?$/i.test(written);
}

/** The digits of a number as written, but without an exponent: `1.2E4` becomes `12000`. `undefined` for what is no number. */
export function digitsOf(written: string): string | undefined {
  if (!isWrittenNumber(written)) return undefined;
  const number = Number(written);
  return /E/i.test(written) && Number.isFinite(number) ? String(number) : written;
}

/** A number as people write it: `1.2E4` becomes `12,000`. If the number is written differently in the record, a `data` element keeps that form. */
export function number(written: string, words: Words): Html {
  const plain = digitsOf(written);
  if (plain === undefined) return text(written);
  const isLarge = /^-?\d+$/.test(plain) && Math.abs(Number(plain)) >= GROUPED_FROM;
  const shown = words.decimal(plain, isLarge);
  return shown === written ? text(written) : html`<data value="${text(written)}">${text(shown)}</data>`;
}

/** Shows a dimension or an amount of money: "Height: 44.5 cm". */
export function amount(renderer: Renderer, node: Node): Html {
  const shown = (term: string): Html[] => take(node, term).map((value) => renderer.value(term, value));
  const kinds = shown("classified_as");
  const before = kinds.length === 0 ? NOTHING : html`${join(kinds, ", ")}: `;
  const sum = sumOf(renderer, node);
  if (sum !== undefined) return html`${before}${sum}`;
  const [values, lower, upper] = ["value", "lower_value_limit", "upper_value_limit"].map((term) =>
    take(node, term).map((value) => {
      const { termType, value: written } = renderer.description.terms[value]!;
      return termType === "Literal" ? number(written, renderer.words) : renderer.value("value", value);
    }),
  ) as [Html[], Html[], Html[]];
  const limits = lower.length + upper.length === 0 ? [] : [html`${join(lower)}–${join(upper)}`];
  const quantity = values.length === 0 ? join(limits) : html`${join(values, " / ")}${aside(limits)}`;
  const units = take(node, "unit").map((unit) => renderer.link(unit, unitSymbol(renderer.label(unit))));
  const measured = join([quantity, ...units, ...shown("currency")].filter(Boolean), " ");
  const labels = take(node, "_label").map((label) => renderer.link(label));
  renderer.below(node);
  return measured === NOTHING ? join([...kinds, ...labels], ", ") : html`${before}${measured}${aside(labels)}`;
}

/** An amount of money in the record's own words if they say the number, linked to the currency: "30 cents" for 0.3 guilders. */
function sumOf(renderer: Renderer, node: Node): Html | undefined {
  const { terms } = renderer.description;
  const [label, value, currency] = ["_label", "value", "currency"].map((term) => node.values.get(term)?.[0]);
  if (label === undefined || value === undefined || currency === undefined || node.values.size > 3) return undefined;
  if ([...node.values.values()].some(({ length }) => length > 1)) return undefined;
  const said = terms[label]!.value.match(/\d[\d.,'’\s]*/g)?.map(significant) ?? [];
  const sum = significant(String(Number(terms[value]!.value)));
  if (terms[value]!.termType !== "Literal" || !said.includes(sum)) return undefined;
  node.values.clear();
  return html`<data value="${text(terms[value]!.value)}">${renderer.link(currency, terms[label]!.value)}</data>`;
}

/** The digits of a number without zeros at its ends, the same for 0.3 guilders as for 30 cents. */
function significant(written: string): string {
  return written.replace(/\D/g, "").replace(/^0+|(?<!0)0+$/g, "");
}
