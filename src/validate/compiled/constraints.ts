/** Constraints: what a rule set demands of one node, compiled once into closures, each with its rule. */
import type { Demand, Rule, RuleSet } from "../../model/rules/rule.js";
import { HTTP_ADDRESS, LITERAL_FORMS, SH } from "../../model/rules/shapes.js";
import type { LiteralKind } from "../../model/tables/names.js";
import { millisecondsOf } from "../../model/timestamps.js";
import type { ClassName } from "../../model/vocabulary/classes.js";
import { classIri, propertyIri } from "../../model/vocabulary/vocabulary.js";
import { type Term, XSD } from "../../rdf/terms.js";
import { isLexical } from "../lexical-forms.js";
import type { AppliedRule, AppliedRules } from "../severities.js";
import { isGeometry } from "./geometry.js";

/** In place of a class's number: no class, several classes, a class that no rule names. */
export const NO_CLASS = 0;
export const SEVERAL_CLASSES = 1;
export const OTHER_CLASS = 2;
export const FIRST_CLASS = 3;

const MAX_CLASSES = 256;

/** By the number of a class: 1 if the rule names the class, otherwise 0. */
export type ClassTable = Uint8Array;

/** A record during validation, as the closures see it. */
export interface ValidatedRecord {
  readonly terms: readonly Term[];
  /** Whether a node has one of these classes; a node without a class matches if the table has `NO_CLASS`. */
  hasClass(node: number, table: ClassTable): boolean;
  /** Whether a node has a value of a property; with `is`, one that it accepts. */
  hasProperty(node: number, property: number, is?: (value: Term) => boolean): boolean;
}

/** `undefined` for a valid value, else the IRI of the constraint component that it violates, or `null` when SHACL has none. @param nth the position of the value among those of its node's property, from 1 */
type ValueConstraint = (record: ValidatedRecord, term: number, node: number, nth: number) => string | null | undefined;

interface AppliedConstraint {
  readonly applied: AppliedRule;
  readonly violated: ValueConstraint;
}

/** The demands of one rule set on one property. */
export interface PropertyConstraints {
  /** The index of the counter for the property's values on a node. */
  readonly slot: number;
  readonly values: AppliedConstraint[];
  count: AppliedRule | undefined;
  absence: AppliedRule | undefined;
  /** The only classes of nodes that may have a value. */
  usable: { readonly applied: AppliedRule; readonly by: ClassTable } | undefined;
  /** Values that must be included, each with a slot of its own. */
  readonly wanted: { readonly iri: string; readonly slot: number }[];
}

interface PresenceConstraint {
  readonly applied: AppliedRule;
  readonly slot: number;
  /** The classes of nodes that must have it; `undefined` for all nodes. */
  readonly when: ClassTable | undefined;
}

/** The demands of one rule set on a node. */
export interface NodeConstraints {
  /** The constraints by property number. */
  readonly properties: (PropertyConstraints | undefined)[];
  readonly presences: PresenceConstraint[];
  /** The only properties that are allowed. */
  closed: { readonly applied: AppliedRule; readonly properties: ReadonlySet<number> } | undefined;
  /** The demands on the node's own IRI. */
  readonly itself: { readonly applied: AppliedRule; violated(node: Term): string | undefined }[];
  slots: number;
}

interface Numbering {
  propertyNumber(iri: string): number;
  classNumber(iri: string): number;
}

/** The IRI of a SHACL constraint component. */
export function component(name: string): string {
  return `${SH}${name}ConstraintComponent`;
}

const OR = component("Or");
const NODE_KIND = component("NodeKind");
const DATATYPE = component("Datatype");
const PATTERN = component("Pattern");
const IN = component("In");

/** A rule set as closures for the nodes that it applies to, without the rules that are off. */
export function compileRuleSet(
  { rules }: Pick<RuleSet, "rules">,
  { byName }: AppliedRules,
  numbering: Numbering,
): NodeConstraints {
  const compiled: NodeConstraints = { properties: [], presences: [], itself: [], closed: undefined, slots: 0 };
  for (const { name } of rules) {
    const applied = byName.get(name);
    if (applied !== undefined) compileRule(applied, compiled, numbering);
  }
  return compiled;
}

function compileRule(applied: AppliedRule, compiled: NodeConstraints, numbering: Numbering): void {
  const { demand, path, when } = applied.rule;
  if (demand.kind === "closed") {
    const properties = new Set(demand.properties.map((iri) => numbering.propertyNumber(iri)));
    compiled.closed = { applied, properties };
  } else if (demand.kind === "address") {
    compiled.itself.push({ applied, violated: addressViolated });
  }
  if (path === undefined) return;
  const property = propertyOf(path, compiled, numbering);
  const table = when === undefined ? undefined : classTable(when, numbering);
  switch (demand.kind) {
    case "presence":
      compiled.presences.push({ applied, slot: property.slot, when: table });
      return;
    case "includes": {
      const slot = compiled.slots++;
      property.wanted.push({ iri: demand.iri, slot });
      compiled.presences.push({ applied, slot, when: table });
      return;
    }
    case "count":
      property.count = applied;
      return;
    case "absence":
      property.absence = applied;
      return;
    case "usable":
      property.usable = { applied, by: classTable(demand.classes, numbering) };
      return;
    default:
      property.values.push({ applied, violated: valueConstraint(demand, numbering) });
  }
}

function propertyOf(iri: string, compiled: NodeConstraints, numbering: Numbering): PropertyConstraints {
  const number = numbering.propertyNumber(iri);
  compiled.properties[number] ??= {
    slot: compiled.slots++,
    values: [],
    count: undefined,
    absence: undefined,
    usable: undefined,
    wanted: [],
  };
  return compiled.properties[number];
}

function classTable(names: readonly ClassName[], numbering: Numbering): ClassTable {
  const table = new Uint8Array(MAX_CLASSES);
  for (const name of names) table[numbering.classNumber(classIri(name))] = 1;
  return table;
}

function valueConstraint(demand: Rule["demand"], numbering: Numbering): ValueConstraint {
  switch (demand.kind) {
    case "literal":
      return literalConstraint(demand.literal);
    case "geometry":
      return geometryViolated;
    case "order":
      return orderConstraint(demand, numbering);
    case "node":
      return ({ terms }, object) => {
        const { termType } = terms[object]!;
        return (demand.named ? termType === "NamedNode" : termType !== "Literal") ? undefined : NODE_KIND;
      };
    case "class":
      return classConstraint(demand, numbering);
    case "id":
      return idConstraint(demand, numbering);
    case "type": {
      const iris = new Set(demand.classes.map(classIri));
      return ({ terms }, object) =>
        terms[object]!.termType === "NamedNode" && iris.has(terms[object]!.value) ? undefined : IN;
    }
    default:
      throw new Error(`${demand.kind} is not a demand on single values`);
  }
}

function classConstraint({ classes }: Demand & { kind: "class" }, numbering: Numbering): ValueConstraint {
  const table = classTable(classes, numbering);
  // A missing class is reported by another rule.
  table[NO_CLASS] = 1;
  return (record, object) => {
    if (record.terms[object]!.termType === "Literal") return NODE_KIND;
    return record.hasClass(object, table) ? undefined : OR;
  };
}

function idConstraint({ unless }: Demand & { kind: "id" }, numbering: Numbering): ValueConstraint {
  const isBlank = ({ terms }: ValidatedRecord, object: number): boolean => terms[object]!.termType === "BlankNode";
  if (unless === undefined) return (record, object) => (isBlank(record, object) ? NODE_KIND : undefined);
  const property = numbering.propertyNumber(unless.path);
  return (record, object) => (isBlank(record, object) && !record.hasProperty(object, property) ? OR : undefined);
}

function orderConstraint({ notBefore }: Demand & { kind: "order" }, numbering: Numbering): ValueConstraint {
  const properties = notBefore.map((each) => numbering.propertyNumber(propertyIri(each)!));
  return (record, object, node, nth) => {
    // Several values are wrong anyway. Thousands of them, each compared with thousands of others, would take a load minutes.
    if (nth > 1) return undefined;
    const isAfter = (other: Term): boolean => isBefore(record.terms[object]!, other);
    return properties.some((property) => record.hasProperty(node, property, isAfter)) ? null : undefined;
  };
}

const TIMESTAMP = new RegExp(LITERAL_FORMS.timestamp.pattern!);

/** Whether a term is a timestamp in the specification's form before another such one, in any years. */
export function isBefore(term: Term, other: Term): boolean {
  // The order of texts of one length is that of instants, except before the year 0.
  if (term.value >= other.value && term.value.length === other.value.length && term.value[0] !== "-") return false;
  const areTimestamps = [term, other].every(
    ({ datatype, value }) => datatype === XSD.dateTime && TIMESTAMP.test(value),
  );
  return areTimestamps && millisecondsOf(term.value)! < millisecondsOf(other.value)!;
}

const ADDRESS = new RegExp(HTTP_ADDRESS);

function addressViolated({ termType, value }: Term): string | undefined {
  if (termType !== "NamedNode") return NODE_KIND;
  return ADDRESS.test(value) ? undefined : PATTERN;
}

function literalConstraint(kind: LiteralKind): ValueConstraint {
  const { datatypes, pattern, flags } = LITERAL_FORMS[kind];
  const form = pattern === undefined ? undefined : new RegExp(pattern, flags);
  const otherwise = datatypes.length === 1 ? DATATYPE : OR;
  return ({ terms }, object) => {
    const term = terms[object]!;
    if (!datatypes.includes(term.datatype)) return otherwise;
    const hasForm = form?.test(term.value) !== false;
    // A value in the right form has its datatype's form, too, unless it is a number.
    if (hasForm && kind !== "number") return undefined;
    return isLexical(term) ? (hasForm ? undefined : PATTERN) : otherwise;
  };
}

const GEOMETRY = new RegExp(LITERAL_FORMS.geometry.pattern!, LITERAL_FORMS.geometry.flags);

/** Checks only texts that begin like a geometry; others break another rule. */
function geometryViolated({ terms }: ValidatedRecord, object: number): null | undefined {
  const { termType, datatype, value } = terms[object]!;
  const hasForm = termType === "Literal" && datatype === XSD.string && GEOMETRY.test(value);
  return hasForm && !isGeometry(value) ? null : undefined;
}
