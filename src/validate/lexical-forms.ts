/** The lexical forms of literals by datatype (XML Schema 1.1, Part 2). */
import { DATE } from "../model/rules/shapes.js";
import { type Term, XSD_NAMESPACE } from "../rdf/terms.js";

const INTEGER = /^[+-]?\d+$/;
const NUMERAL = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)`;
const FLOAT = matches(`[+-]?INF|NaN|${NUMERAL}(?:[eE][+-]?\\d+)?`);
const TIME = String.raw`(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?|24:00:00(?:\.0+)?)`;
const ZONE = String.raw`(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?`;
const [MONTH, DAY] = ["(?:0[1-9]|1[0-2])", String.raw`(?:0[1-9]|[12]\d|3[01])`];

function matches(pattern: string): (value: string) => boolean {
  const form = new RegExp(`^(?:${pattern})$`);
  return (value) => form.test(value);
}

function integerFrom(least: bigint, most?: bigint): (value: string) => boolean {
  return (value) => {
    if (!INTEGER.test(value)) return false;
    const number = BigInt(value);
    return number >= least && (most === undefined || number <= most);
  };
}

/** The forms that rules name, and those that rdf-validate-datatype gets wrong: it takes two signs, other bounds of `int`, days that do not exist, `05-31` for `--05-31`. */
const FORMS: ReadonlyMap<string, (value: string) => boolean> = new Map(
  Object.entries({
    string: () => true,
    integer: (value: string) => INTEGER.test(value),
    decimal: matches(NUMERAL),
    double: FLOAT,
    float: FLOAT,
    long: integerFrom(-(2n ** 63n), 2n ** 63n - 1n),
    int: integerFrom(-(2n ** 31n), 2n ** 31n - 1n),
    short: integerFrom(-(2n ** 15n), 2n ** 15n - 1n),
    byte: integerFrom(-128n, 127n),
    nonNegativeInteger: integerFrom(0n),
    positiveInteger: integerFrom(1n),
    dateTime: matches(`${DATE}T${TIME}${ZONE}`),
    date: matches(DATE + ZONE),
    gMonthDay: matches(`--${MONTH}-${DAY}${ZONE}`),
    gDay: matches(`---${DAY}${ZONE}`),
  }).map(([name, isForm]) => [XSD_NAMESPACE + name, isForm]),
);

/** Whether a literal's lexical form is valid for its datatype; `undefined` for a datatype without an entry above. */
export function isLexical({ value, datatype }: Pick<Term, "value" | "datatype">): boolean | undefined {
  return FORMS.get(datatype)?.(value);
}
