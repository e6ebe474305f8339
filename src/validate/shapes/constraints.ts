/** The constraints that rdf-validate-shacl checks otherwise than SHACL says. Importing this file corrects them in the library. */
import type { NamedNode, Term } from "@rdfjs/types";
import type { ValidationFunction } from "rdf-validate-shacl/src/validation-engine.js";
import library from "rdf-validate-shacl/src/validators.js";
import { millisecondsOf } from "../../model/timestamps.js";
import { NUMBER_DATATYPES, XSD } from "../../rdf/terms.js";
import { isLexical } from "../lexical-forms.js";

/** A regular expression as XPath means it: of whole characters, with `\p{L}`. JavaScript has both only in its strict form, which not every pattern has. */
export function patternOf(pattern: string, flags = ""): RegExp {
  try {
    return new RegExp(pattern, `${flags}u`);
  } catch {
    return new RegExp(pattern, flags);
  }
}

const WITH_ZONE = /(?:Z|[+-]\d\d:\d\d)$/;

/** A literal as a kind and a value that is comparable to those of the same kind; no other term has one. */
function comparable(term: Term): readonly [kind: string, value: number | bigint | string] {
  if (term.termType !== "Literal") return ["", Number.NaN];
  const { value, language, datatype } = term;
  if (NUMBER_DATATYPES.has(datatype.value)) return ["number", Number(value.replace("INF", "Infinity"))];
  const time = datatype.value === XSD.string ? undefined : millisecondsOf(value);
  if (time === undefined) return [`${datatype.value} ${language}`, value];
  return [`${datatype.value} ${WITH_ZONE.test(value)}`, time];
}

/** The order of two values: negative if the first is less, `NaN` if they have none. */
function order(one: Term, other: Term): number {
  const [[kind, left], [otherKind, right]] = [comparable(one), comparable(other)];
  if (kind !== otherKind) return Number.NaN;
  return left < right ? -1 : left > right ? 1 : left === right ? 0 : Number.NaN;
}

const { validate: isOfDatatype } = library.validateDatatype;

const lengthOf = ({ termType, value }: Term): number => (termType === "BlankNode" ? Number.NaN : [...value].length);

const CHECKS: Readonly<Record<string, ValidationFunction>> = {
  // The library applies the shapes to the focus node of a property shape instead of the value.
  And: (validator, _focus, value, { paramValue }) =>
    [...validator.$shapes.node(paramValue).list()!].every(({ term }) => validator.nodeConformsToShape(value, term!)),
  Datatype: (validator, focus, value, constraint) => {
    if (value.termType !== "Literal" || !value.datatype.equals(constraint.paramValue)) return false;
    const { value: text, datatype } = value;
    return isLexical({ value: text, datatype: datatype.value }) ?? isOfDatatype(validator, focus, value, constraint);
  },
  // Basic filtering of language tags (RFC 4647, 3.3.1).
  LanguageIn: ({ $shapes }, _focus, value, { paramValue }) => {
    const tag = value.termType === "Literal" ? value.language.toLowerCase() : "";
    const ranges = [...$shapes.node(paramValue).list()!].map(({ value: range }) => range.toLowerCase());
    return tag !== "" && ranges.some((range) => range === "*" || `${tag}-`.startsWith(`${range}-`));
  },
  MinLength: (_validator, _focus, value, { paramValue }) => lengthOf(value) >= Number(paramValue.value),
  MaxLength: (_validator, _focus, value, { paramValue }) => lengthOf(value) <= Number(paramValue.value),
  Pattern: ({ ns: { sh } }, _focus, value, constraint) => {
    const [pattern, flags] = [sh.pattern!, sh.flags!].map((each) => constraint.getParameterValue(each)?.value);
    return value.termType !== "BlankNode" && patternOf(pattern!, flags).test(value.value);
  },
};

/** The orders of a value and another that keep a constraint. */
const ORDERS: Readonly<Record<string, readonly number[]>> = {
  MinExclusive: [1],
  MinInclusive: [0, 1],
  MaxExclusive: [-1],
  MaxInclusive: [-1, 0],
  LessThan: [-1],
  LessThanOrEquals: [-1, 0],
};

for (const [name, check] of Object.entries(CHECKS)) correct(name, check);
for (const [name, orders] of Object.entries(ORDERS)) {
  correct(name, ({ $data }, focus, value, { paramValue }) => {
    const others: Term[] = name.startsWith("Less")
      ? $data.node(focus).out(paramValue as NamedNode).terms
      : [paramValue];
    return others.flatMap((other) => (orders.includes(order(value, other)) ? [] : [{ value }]));
  });
}

function correct(name: string, validate: ValidationFunction): void {
  const corrected = library[`validate${name}` as keyof typeof library] as { propertyValidate?: unknown };
  delete corrected.propertyValidate;
  Object.assign(corrected, { validate });
}
