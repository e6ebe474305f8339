/** JSON numbers, booleans and JSON literals as RDF literals and back (JSON-LD 1.1 API, 8.2.2 and 8.5), but only without loss. */
import { randomUUID } from "node:crypto";
import { QUOTED } from "../rdf/characters.js";
import type { Json } from "../rdf/record-graph.js";
import { type Term, XSD } from "../rdf/terms.js";

/** A JSON scalar other than a string. Integers that a double would round are read as `bigint`. */
export type Native = number | boolean | bigint;

/** Whether a JSON value is or has, at any depth, a number beyond doubles: 1e400 is read as infinite, and 1e-400, by `parseJson`, as NaN. */
export function hasBeyondDoubles(value: Json | Native): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(hasBeyondDoubles);
  return typeof value === "number" && !Number.isFinite(value);
}

/**
 * The literal of a JSON number or boolean; `datatype` is the coercion of its term, if any.
 * @example
 * nativeToLiteral(1.5); // => { value: "1.5E0", datatype: "http://www.w3.org/2001/XMLSchema#double" }
 */
export function nativeToLiteral(native: Native, datatype?: string): Pick<Term, "value" | "datatype"> {
  if (typeof native === "boolean") return { value: String(native), datatype: datatype ?? XSD.boolean };
  if (typeof native === "bigint") return { value: String(native), datatype: datatype ?? XSD.integer };
  const isInteger = Number.isInteger(native) && Math.abs(native) < 1e21;
  if (isInteger && datatype !== XSD.double) return { value: native.toFixed(0), datatype: datatype ?? XSD.integer };
  // JSON-LD would write 2.15E0, which is not a decimal.
  if (datatype === XSD.decimal) return { value: plainDecimal(native), datatype };
  return { value: canonicalDouble(native), datatype: datatype ?? XSD.double };
}

/**
 * The JSON number or boolean for a literal, or `undefined` when it would be read as another lexical form:
 * `007`, `1.50E0`, an integer beyond what a double holds.
 * @example
 * ["7", "007"].map((form) => literalToNative(form, "http://www.w3.org/2001/XMLSchema#integer")); // => [7, undefined]
 */
export function literalToNative(value: string, datatype: string): number | boolean | undefined {
  if (datatype === XSD.boolean) return value === "true" ? true : value === "false" ? false : undefined;
  if (datatype !== XSD.integer && datatype !== XSD.double) return undefined;
  const number = Number(value);
  if (!Number.isFinite(number) || Object.is(number, -0)) return undefined;
  const literal = nativeToLiteral(number);
  return literal.value === value && literal.datatype === datatype ? number : undefined;
}

/** `1.5` as `1.5E0`: with up to 15 decimals as the JSON-LD API has it, and with 16 where 15 would give another number. */
function canonicalDouble(number: number): string {
  const rounded = number.toExponential(15);
  const exact = Number(rounded) === number ? rounded : number.toExponential(16);
  return exact.replace(/(\d)0*e\+?/, "$1E");
}

/** A number without an exponent: `1e-7` becomes `0.0000001`. */
function plainDecimal(number: number): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(number)) ?? [];
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return `${sign}${digits}${"0".repeat(point - digits.length)}`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/**
 * A JSON value as the lexical form of an `rdf:JSON` literal: sorted keys, no spaces (RFC 8785), long integers unchanged.
 * Throws `RangeError` if it nests deeper than `levels`.
 * @example
 * jsonToLiteral({ b: 1, a: [true] }); // => '{"a":[true],"b":1}'
 */
export function jsonToLiteral(value: Json | bigint, levels = Number.POSITIVE_INFINITY): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (levels === 0) throw new RangeError();
  const inner = (each: Json): string => jsonToLiteral(each, levels - 1);
  if (Array.isArray(value)) return `[${value.map(inner).join(",")}]`;
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${inner(value[key]!)}`).join(",")}}`;
}

/** An `rdf:JSON` literal that nests deeper is written as a text, so that every document of a record can be read. */
const MAX_JSON_LEVELS = 90;

/** The JSON value of an `rdf:JSON` literal, or `undefined` when it nests too deeply or would be written as another lexical form. */
export function literalToJson(lexical: string): Json | undefined {
  try {
    const value = JSON.parse(lexical) as Json;
    return jsonToLiteral(value, MAX_JSON_LEVELS) === lexical ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What a text has if JSON.parse may round an integer, or any other number to 0: 16 or more digits, or a small exponent. */
const MAY_LOSE = /\d{16}|e-\d{3}/i;
/** A string (kept) or a number (captured) in a JSON text. */
const STRING_OR_NUMBER = new RegExp(String.raw`${QUOTED}|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)`, "gs");
const INTEGER = /^-?\d+$/;
/** Marks a number that JSON.parse would round, turned into a string, while a text is parsed. It is random, so no text contains it otherwise. */
const MARK = `${randomUUID()} `;
const MARKED = new RegExp(`"${MARK}([^"]+)"`, "g");
/** How a number beyond doubles is written again: as one that is refused, too, where JSON.stringify would write null. */
const BEYOND = new Map<unknown, string>([
  [Number.POSITIVE_INFINITY, "1e400"],
  [Number.NEGATIVE_INFINITY, "-1e400"],
  [Number.NaN, "1e-400"],
]);
/**
 * Parse JSON without losing digits: an integer that JSON.parse would round becomes a `bigint`, and a number that it would round to 0, NaN; but not in a `@context`.
 * Throws `SyntaxError`.
 * @example
 * parseJson('{"a": 12345678901234567891}'); // => { a: 12345678901234567891n }
 */
export function parseJson(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  if (!MAY_LOSE.test(text)) return parsed;
  const marked = text.replace(STRING_OR_NUMBER, (token: string, number: string | undefined) =>
    number === undefined || isKept(number) ? token : `"${MARK}${number}"`,
  );
  return marked === text ? parsed : unmarked(JSON.parse(marked));
}

/** The text of a value from `parseJson`, long integers included. */
export function writeJson(value: Json): string {
  const marked = JSON.stringify(value, (_key, inner: unknown) => {
    const number = typeof inner === "bigint" ? inner : BEYOND.get(inner);
    return number === undefined ? inner : MARK + number;
  });
  return marked.replace(MARKED, "$1");
}

/** A parsed value with numbers in place of the marked strings. It is walked without recursion, since what a document ignores may nest to any depth. */
function unmarked(parsed: unknown): unknown {
  const root = { parsed };
  const waiting: { holder: Record<string, unknown>; isContext: boolean }[] = [{ holder: root, isContext: false }];
  for (const { holder, isContext } of waiting) {
    for (const [key, value] of Object.entries(holder)) {
      const isInContext = isContext || key === "@context";
      if (typeof value === "string" && value.startsWith(MARK)) {
        const number = value.slice(MARK.length);
        holder[key] = isInContext ? Number(number) : INTEGER.test(number) ? BigInt(number) : Number.NaN;
      } else if (typeof value === "object" && value !== null) {
        waiting.push({ holder: value as Record<string, unknown>, isContext: isInContext });
      }
    }
  }
  return root.parsed;
}

function isKept(written: string): boolean {
  const number = Number(written);
  if (!INTEGER.test(written)) return number !== 0 || !/^[^e]*[1-9]/i.test(written);
  return Number.isFinite(number) && BigInt(number) === BigInt(written);
}
