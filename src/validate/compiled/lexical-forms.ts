/** The lexical forms of the datatypes that rules name (XSD 1.1, part 2, 3.3 and 3.4), as the reference engine has them. */
import { PREFIXES } from "../../model/vocabulary/vocabulary.js";
import { type Term, XSD } from "../../rdf/terms.js";

const INTEGER = /^[+-]?\d+$/;
const NUMERAL = String.raw`[+-]?[+-]?(?:\d+\.?\d*|\.\d+)`;
const FLOAT = new RegExp(`^(?:-?INF|NaN|${NUMERAL}(?:[eE][+-]?\\d+)?)$`);

/** An integer's form, between bounds. */
function integerFrom(least: bigint, most?: bigint): (value: string) => boolean {
  return (value) => {
    if (!INTEGER.test(value)) return false;
    const number = BigInt(value);
    return number >= least && (most === undefined || number <= most);
  };
}

function matches(form: RegExp): (value: string) => boolean {
  return (value) => form.test(value);
}

const xsd = (name: string): string => PREFIXES.xsd + name;

/**
 * Own code, where `rdf-validate-datatype` has the same: that loads 150 modules, an eighth of a second in each process and
 * thread that validates. A test holds the two together, and with that its bounds of `int`.
 */
const FORMS: ReadonlyMap<string, (value: string) => boolean> = new Map([
  [XSD.string, () => true],
  [XSD.integer, matches(INTEGER)],
  [XSD.decimal, matches(new RegExp(`^${NUMERAL}$`))],
  [XSD.double, matches(FLOAT)],
  [xsd("float"), matches(FLOAT)],
  [xsd("long"), integerFrom(-(2n ** 63n), 2n ** 63n - 1n)],
  [xsd("int"), integerFrom(-(2n ** 31n) + 1n, 2n ** 31n)],
  [xsd("short"), integerFrom(-(2n ** 15n), 2n ** 15n - 1n)],
  [xsd("byte"), integerFrom(-128n, 127n)],
  [xsd("nonNegativeInteger"), integerFrom(0n)],
  [xsd("positiveInteger"), integerFrom(1n)],
  [XSD.dateTime, matches(/^-?(?:[1-9]\d{3,}|0\d{3})-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[+-]\d{2}:\d{2}|Z)?$/)],
]);

/** Whether a literal's lexical form is one of its datatype's; that of another datatype may be any. */
export function isLexical({ value, datatype }: Pick<Term, "value" | "datatype">): boolean {
  return FORMS.get(datatype)?.(value) ?? true;
}
