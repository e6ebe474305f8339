/** Rules as closures: what the accept-only check looks at on one node, made once per rule set. */

import type { Demand, Rule, RuleSet } from "../model/rules/rules.js";
import { HTTP_ADDRESS, LITERAL_FORMS } from "../model/rules/shapes.js";
import type { LiteralKind } from "../model/tables/ranges.js";
import { type ClassName, classIri, PREFIXES } from "../model/vocabulary/vocabulary.js";
import { type Term, XSD } from "../rdf/terms.js";
import type { AppliedRule } from "./findings.js";
import { isGeometry } from "./geometry.js";
import type { RuleBook } from "./rule-book.js";

/** Instead of a class's number: no class at all, several, one that no rule names. */
export const NO_CLASS = 0;
export const SEVERAL_CLASSES = 1;
export const OTHER_CLASS = 2;
export const FIRST_CLASS = 3;

/** A record under inspection: what the closures look at. */
export interface Inspected {
  readonly terms: readonly Term[];
  /** Per term number, what class the node has. */
  readonly classes: Int32Array;
}

/** Whether a value is surely right: `object` is its term number. */
type ValueCheck = (record: Inspected, object: number) => boolean;

/** What a property must be like on nodes of one rule set. */
interface PropertyCheck {
  /** The property's place among those of the set. */
  readonly slot: number;
  readonly isSingle: boolean;
  readonly values: readonly ValueCheck[];
  /** The classes of nodes that may have it at all; `undefined`: any. */
  readonly usableBy: Uint8Array | undefined;
  /** Values that are looked for, each with a place of its own. */
  readonly marks: readonly { readonly iri: string; readonly slot: number }[];
}

/** A property, or one value of it, that must be there. */
interface PresenceCheck {
  readonly applied: AppliedRule;
  readonly slot: number;
  /** The classes of nodes that must have it; `undefined`: all. */
  readonly when: Uint8Array | undefined;
}

/** A rule set, compiled. */
export interface NodeCheck {
  /** By property number. */
  readonly properties: readonly (PropertyCheck | undefined)[];
  readonly presences: readonly PresenceCheck[];
  /** Only properties with a check are allowed. */
  readonly isClosed: boolean;
  /** What the node itself must be like. */
  readonly itself: readonly ValueCheck[];
}

/** How the check numbers what it meets. */
export interface Numbering {
  propertyNumber(iri: string): number;
  /** 1 at the numbers of these classes. */
  classTable(names: readonly ClassName[]): Uint8Array;
}

/** Compile the rules of a set that are applied. */
export function compileRuleSet({ rules }: Pick<RuleSet, "rules">, book: RuleBook, numbering: Numbering): NodeCheck {
  const compiled: Compiled = { properties: [], presences: [], itself: [], isClosed: false, slots: 0 };
  for (const rule of rules) {
    const applied = book.applied.get(rule.name);
    if (applied !== undefined) compileRule(rule, applied, compiled, numbering);
  }
  return compiled;
}

/** A rule set while it is compiled. */
interface Compiled extends NodeCheck {
  readonly properties: (Open<PropertyCheck> | undefined)[];
  readonly presences: PresenceCheck[];
  readonly itself: ValueCheck[];
  isClosed: boolean;
  slots: number;
}

interface Open<Check extends PropertyCheck> {
  readonly slot: number;
  isSingle: boolean;
  readonly values: ValueCheck[];
  usableBy: Check["usableBy"];
  readonly marks: Check["marks"][number][];
}

function compileRule(rule: Rule, applied: AppliedRule, compiled: Compiled, numbering: Numbering): void {
  const { demand, path } = rule;
  if (demand.kind === "closed") {
    compiled.isClosed = true;
    for (const iri of demand.properties) propertyOf(iri, compiled, numbering);
  } else if (path === undefined) compiled.itself.push(valueCheck(demand, numbering));
  else compileDemand(rule, applied, propertyOf(path, compiled, numbering), compiled, numbering);
}

function compileDemand(
  { demand, when }: Rule,
  applied: AppliedRule,
  property: Open<PropertyCheck>,
  compiled: Compiled,
  numbering: Numbering,
): void {
  const table = when === undefined ? undefined : numbering.classTable(when);
  switch (demand.kind) {
    case "presence":
      compiled.presences.push({ applied, slot: property.slot, when: table });
      return;
    case "includes": {
      const slot = compiled.slots++;
      property.marks.push({ iri: demand.iri, slot });
      compiled.presences.push({ applied, slot, when: table });
      return;
    }
    case "count":
      property.isSingle = true;
      return;
    case "usable":
      property.usableBy = numbering.classTable(demand.classes);
      return;
    default:
      property.values.push(valueCheck(demand, numbering));
  }
}

function propertyOf(iri: string, compiled: Compiled, numbering: Numbering): Open<PropertyCheck> {
  const number = numbering.propertyNumber(iri);
  let property = compiled.properties[number];
  if (property === undefined) {
    property = { slot: compiled.slots++, isSingle: false, values: [], usableBy: undefined, marks: [] };
    compiled.properties[number] = property;
  }
  return property;
}

function valueCheck(demand: Demand, numbering: Numbering): ValueCheck {
  switch (demand.kind) {
    case "literal":
      return literalCheck(demand.literal);
    case "geometry":
      return ({ terms }, object) => isGeometry(terms[object]!.value);
    case "node":
      return demand.named ? isNamed : isNode;
    case "class": {
      const table = numbering.classTable(demand.classes);
      // What tells no class is let pass here: that a reference has a type is a rule of its own.
      table[NO_CLASS] = 1;
      return (record, object) => isNode(record, object) && table[record.classes[object]!] === 1;
    }
    case "id":
      return ({ terms }, object) => terms[object]!.termType !== "BlankNode";
    case "type": {
      const iris = new Set(demand.classes.map(classIri));
      return ({ terms }, object) => iris.has(terms[object]!.value);
    }
    case "address": {
      const address = new RegExp(HTTP_ADDRESS);
      return ({ terms }, object) => terms[object]!.termType === "NamedNode" && address.test(terms[object]!.value);
    }
    default:
      // No value is allowed, so any is wrong.
      return () => false;
  }
}

const isNode: ValueCheck = ({ terms }, object) => terms[object]!.termType !== "Literal";

const isNamed: ValueCheck = ({ terms }, object) => terms[object]!.termType === "NamedNode";

/** Lexical forms that are surely of their datatype; further ones are the judge's to read. */
const SURE_FORMS: ReadonlyMap<string, RegExp> = new Map([
  [XSD.integer, /^[+-]?\d+$/],
  [XSD.decimal, /^[+-]?\d+(?:\.\d+)?$/],
  [XSD.double, /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/],
  [`${PREFIXES.xsd}float`, /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/],
]);

function literalCheck(kind: LiteralKind): ValueCheck {
  const { datatypes, pattern, flags } = LITERAL_FORMS[kind];
  const form = pattern === undefined ? undefined : new RegExp(pattern, flags);
  if (kind === "number") {
    return ({ terms }, object) => {
      const { termType, datatype, value } = terms[object]!;
      return termType === "Literal" && SURE_FORMS.get(datatype)?.test(value) === true;
    };
  }
  const [datatype] = datatypes;
  return ({ terms }, object) => {
    const term = terms[object]!;
    return (
      term.termType === "Literal" &&
      term.datatype === datatype &&
      term.language === "" &&
      (form === undefined || form.test(term.value))
    );
  };
}
