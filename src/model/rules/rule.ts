/** A rule: what is demanded of a node or of its values, how severely, and with what message. */
import type { FieldName } from "../tables/fields.js";
import type { LiteralKind } from "../tables/names.js";
import type { ClassName } from "../vocabulary/classes.js";
import type { PropertyName } from "../vocabulary/vocabulary.js";

export type Severity = "Violation" | "Warning";

/** The demand of a rule: on a node's values of a property, or on the node itself. */
export type Demand =
  /** At least one value. */
  | { readonly kind: "presence" }
  /** At most one value. */
  | { readonly kind: "count" }
  | { readonly kind: "absence" }
  /** No value, unless the node has one of these classes. */
  | { readonly kind: "usable"; readonly classes: readonly ClassName[] }
  | { readonly kind: "includes"; readonly iri: string }
  | { readonly kind: "literal"; readonly literal: LiteralKind }
  /** Every value parses as WKT or GeoJSON. No shape can express this; only the validator checks it. */
  | { readonly kind: "geometry" }
  /** No value is a timestamp before one of these properties. It has no shape: SHACL's comparison also reports values that are no timestamps. */
  | { readonly kind: "order"; readonly notBefore: readonly PropertyName[] }
  /** Every value is a node; if `named`, a node with an IRI. */
  | { readonly kind: "node"; readonly named: boolean }
  /** Every value is a node; if its class is stated, it is one of these. */
  | { readonly kind: "class"; readonly classes: readonly ClassName[] }
  /** Every value that is a node has an IRI, or else the property `unless`, which makes up for the missing IRI. */
  | { readonly kind: "id"; readonly unless?: { readonly property: FieldName; readonly path: string } }
  /** The node's classes are among these. The property is `type`. */
  | { readonly kind: "type"; readonly classes: readonly ClassName[] }
  /** The node itself is an HTTP(S) IRI. */
  | { readonly kind: "address" }
  /** The node has no properties but these. */
  | { readonly kind: "closed"; readonly properties: readonly string[] }
  /** No structure is nested more deeply than this. No shape can express it. */
  | { readonly kind: "nesting"; readonly most: number };

/** A rule of the specification, or a stricter one, which is only a warning. */
export interface Rule {
  /** The name, made of table, property and demand: `object.produced_by.count`. */
  readonly name: string;
  readonly severity: Severity;
  /** `undefined` for a demand on all properties together. */
  readonly property: FieldName | undefined;
  /** The property's IRI; `undefined` for a demand on the node itself. */
  readonly path: string | undefined;
  readonly demand: Demand;
  /** The rule applies only to nodes of these classes. */
  readonly when?: readonly ClassName[];
  /** The property's meaning in a few words. */
  readonly meaning: string;
  /** The section of the specification; `undefined` for an own property. */
  readonly section: string | undefined;
  readonly message: string;
}

/** The rules for the nodes that one table describes. */
export interface RuleSet {
  /** The name of an endpoint or a group of structures, `reference` or `record`. */
  readonly name: string;
  /** The phrase for such a node in messages. */
  readonly title: string;
  readonly section: string;
  readonly rules: readonly Rule[];
  /** The rules apply to the values of these properties, wherever they occur; empty for an endpoint. */
  readonly targets: readonly string[];
  /** The rules also apply to nodes reached through this property, to any depth. */
  readonly repeats?: string;
  /** Rules for the values of one property of these nodes, with the property's IRI. */
  readonly nested?: { readonly path: string; readonly set: RuleSet };
}

/** The parts of a rule that severities are decided by. */
export type NamedRule = Pick<Rule, "name" | "severity">;
