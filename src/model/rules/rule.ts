/** A rule: what is demanded of a node or of its values, how severely, and with what message. */
import type { FieldName } from "../tables/fields.js";
import type { EndpointName, LiteralKind } from "../tables/names.js";
import type { ClassName } from "../vocabulary/classes.js";
import type { GroupName } from "./structure-groups.js";

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
  /** This IRI is among the values. */
  | { readonly kind: "includes"; readonly iri: string }
  | { readonly kind: "literal"; readonly literal: LiteralKind }
  /** Every value parses as WKT or GeoJSON. No shape can say so: the validator itself looks. */
  | { readonly kind: "geometry" }
  /** Every value is a node: one with an IRI, or any. */
  | { readonly kind: "node"; readonly named: boolean }
  /** Every value is a node; if its class is stated, it is one of these. */
  | { readonly kind: "class"; readonly classes: readonly ClassName[] }
  /** Every value that is a node has an IRI, or the property that makes up for it. */
  | { readonly kind: "id"; readonly unless?: { readonly property: FieldName; readonly path: string } }
  /** The node's classes are among these; the property is `type`. */
  | { readonly kind: "type"; readonly classes: readonly ClassName[] }
  /** The node itself is an HTTP(S) IRI. */
  | { readonly kind: "address" }
  /** The node has no other properties than these. */
  | { readonly kind: "closed"; readonly properties: readonly string[] }
  /** No structure lies further down than this. No shape can say so. */
  | { readonly kind: "nesting"; readonly most: number };

/** One rule of the specification, or one that is stricter than it and therefore only a warning. */
export interface Rule {
  /** `object.produced_by.count`: table, property and what is demanded. */
  readonly name: string;
  readonly severity: Severity;
  /** `undefined` for what is demanded of all properties together. */
  readonly property: FieldName | undefined;
  /** The property's IRI; `undefined` for what is demanded of the node itself. */
  readonly path: string | undefined;
  readonly demand: Demand;
  /** It holds for nodes of these classes only. */
  readonly when?: readonly ClassName[];
  /** The property's meaning in a few words. */
  readonly meaning: string;
  /** The section of the specification; `undefined` for an own property. */
  readonly section: string | undefined;
  readonly message: string;
}

/** The rules of the nodes that one table describes. */
export interface RuleSet {
  /** The endpoint, or the group of structures. */
  readonly name: EndpointName | GroupName | "reference" | "record";
  /** The words for such a node. */
  readonly title: string;
  readonly section: string;
  readonly rules: readonly Rule[];
  /** The nodes that it holds for are the values of these properties, wherever they stand; none for an endpoint. */
  readonly targets: readonly string[];
  /** The rules hold for what is reached by this property, too, at any depth. */
  readonly repeats?: string;
  /** The rules of the values of a property of these nodes, by the property's IRI. */
  readonly nested?: { readonly path: string; readonly set: RuleSet };
}

/** The name and the severity of a rule are all that deciding takes. */
export type NamedRule = Pick<Rule, "name" | "severity">;
