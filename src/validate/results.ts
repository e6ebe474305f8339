/** Validation results, of a record's graph and of a document alike. */
import type { Severity } from "../model/rules/rule.js";
import { shapeIri } from "../model/rules/shapes.js";
import type { EndpointName } from "../model/tables/names.js";
import type { Json } from "../rdf/record-graph.js";

export interface Result {
  readonly severity: Severity;
  /** The way from the record to the property, as terms joined by `/`. */
  readonly path: string;
  /** The node that breaks the rule, as an N-Triples term; `null` where only JSON shows it. */
  readonly focus: string | null;
  /** The value that breaks it, as an N-Triples term; `null` where a value is missing or several are. */
  readonly value: string | null;
  readonly message: string;
  /** The rule's IRI: that of its shape. */
  readonly rule: string;
  /** The property's IRI; `null` for what is said of the node itself, and where only JSON shows it. */
  readonly property: string | null;
  /** The IRI of SHACL's constraint component, `null` for rules that no shape can say. */
  readonly component: string | null;
}

/** A repair: what stood at a place, what stands there instead, and by which rule of mending. `null` for what was or is not there. */
export interface DocumentChange {
  /** Keys from the record to the place, joined by `/`. */
  readonly path: string;
  readonly before: Json;
  readonly after: Json;
  readonly rule: string;
}

/** A place where two versions of a record differ; `null` for what one of them lacks. */
export interface Difference {
  /** Keys from the record to the place, joined by `/`. */
  readonly property: string;
  readonly before: Json;
  readonly after: Json;
}

/** The change that a load makes to a record, or would make. */
export interface RecordDifference {
  readonly iri: string;
  readonly kind: "create" | "update" | "delete";
  /** Of an update; empty where only the form differs. */
  readonly differences: readonly Difference[];
}

/** A known IRI that stands for something else than it did. */
export interface IdentityProblem {
  readonly iri: string;
  readonly problem: string;
}

export interface Mendable {
  /** The IRIs of the rules that it breaks now, and would keep then. */
  readonly rules: readonly string[];
  readonly isWhole: boolean;
  /** Where it would be valid only by rules that are to be asked for: these. */
  readonly asked?: readonly string[];
}

export interface RecordResults {
  readonly iri: string | null;
  /** `null` when the record's class belongs to no endpoint, or it could not be read. */
  readonly endpoint: EndpointName | null;
  /** The record's label, or the empty string. */
  readonly label: string;
  /** The contents of the record's Identifiers. */
  readonly identifiers: readonly string[];
  /** Where the record begins, as `file:line`. */
  readonly source: string;
  readonly results: readonly Result[];
  /** The record is refused, and the version of it that was published before stays. */
  readonly isKept?: boolean;
  readonly changes?: readonly DocumentChange[];
  readonly mendable?: Mendable;
}

/** Whether these results leave a record valid: only violations make it invalid. */
export function isValid(results: readonly Result[]): boolean {
  return results.every(({ severity }) => severity !== "Violation");
}

/** A result that no shape can say, at a place in a document or of a record as a whole. */
export function resultWithoutShape(
  name: string,
  severity: Severity,
  path: string,
  message: string,
  focus: string | null = null,
): Result {
  return { severity, path, focus, value: null, message, rule: shapeIri(name), property: null, component: null };
}
