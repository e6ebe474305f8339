/** JSON numbers and booleans as literals and back (JSON-LD 1.1 API, 8.2.2 and 8.5), only where nothing is lost. */
import { XSD } from "../rdf/terms.js";

/** A literal's lexical form and datatype. */
export interface NativeLiteral {
  readonly value: string;
  readonly datatype: string;
}

/** The literal of a JSON number or boolean; `datatype` is the coercion of its term, if any. */
export function nativeToLiteral(native: number | boolean, datatype?: string): NativeLiteral {
  if (typeof native === "boolean") return { value: String(native), datatype: datatype ?? XSD.boolean };
  const isInteger = Number.isInteger(native) && Math.abs(native) < 1e21;
  if (isInteger && datatype !== XSD.double) return { value: native.toFixed(0), datatype: datatype ?? XSD.integer };
  return { value: canonicalDouble(native), datatype: datatype ?? XSD.double };
}

/**
 * The JSON number or boolean that stands for a literal, or `undefined` where none would lead back to the same lexical
 * form: `007`, `1.50E0`, an integer beyond what a double holds.
 */
export function literalToNative(value: string, datatype: string): number | boolean | undefined {
  switch (datatype) {
    case XSD.boolean:
      return value === "true" ? true : value === "false" ? false : undefined;
    case XSD.integer:
    case XSD.double: {
      const number = Number(value);
      if (!Number.isFinite(number) || Object.is(number, -0)) return undefined;
      const literal = nativeToLiteral(number);
      return literal.value === value && literal.datatype === datatype ? number : undefined;
    }
    default:
      return undefined;
  }
}

/** `1.5` as `1.5E0`: to 15 decimals as the JSON-LD API has it, and to 16 where 15 would be another number. */
function canonicalDouble(number: number): string {
  const rounded = number.toExponential(15);
  const exact = Number(rounded) === number ? rounded : number.toExponential(16);
  return exact.replace(/(\d)0*e\+?/, "$1E");
}

/** A JSON integer of 16 or more digits, which JSON.parse may round. */
const LONG_INTEGER = /\d{16}/;
/** A string (kept) or a number (captured) of a JSON text. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/gs;

/**
 * Parse JSON without losing digits: an integer that JSON.parse would round becomes the JSON-LD value object of the same
 * literal, `{"@value": "9007199254740993", "@type": "http://www.w3.org/2001/XMLSchema#integer"}`. Throws `SyntaxError`.
 */
export function parseJson(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  if (!LONG_INTEGER.test(text)) return parsed;
  const exact = text.replace(STRING_OR_NUMBER, (token: string, number: string | undefined) =>
    number === undefined || !/^-?\d+$/.test(number) || isExact(number)
      ? token
      : `{"@value":"${number}","@type":"${XSD.integer}"}`,
  );
  return exact === text ? parsed : JSON.parse(exact);
}

function isExact(integer: string): boolean {
  const number = Number(integer);
  return Number.isFinite(number) && BigInt(number) === BigInt(integer);
}
