/** Validation results of record graphs and of documents. */
import type { Severity } from "../model/rules/rule.js";
import { shapeIri } from "../model/rules/shapes.js";
import type { EndpointName } from "../model/tables/names.js";
import type { Json } from "../rdf/record-graph.js";

export interface Result {
  readonly severity: Severity;
  /** The terms on the way from the record to the property, joined by `/`. */
  readonly path: string;
  /** The node that breaks the rule, as an N-Triples term; `null` when only the JSON shows it. */
  readonly focus: string | null;
  /** The value that breaks the rule, as an N-Triples term; `null` when a value is missing or there are several. */
  readonly value: string | null;
  readonly message: string;
  /** The rule's IRI, which is the IRI of its shape. */
  readonly rule: string;
  /** The property's IRI; `null` when the result is about the node itself, or only the JSON shows it. */
  readonly property: string | null;
  /** The IRI of SHACL's constraint component; `null` for rules that no shape can express. */
  readonly component: string | null;
}

/** A repair: the value at a place before and after, and the mending rule that changed it. `null` for no value. */
export interface DocumentChange {
  /** The keys from the record to the place, joined by `/`. */
  readonly path: string;
  readonly before: Json;
  readonly after: Json;
  readonly rule: string;
}

/** A place where two versions of a record differ; `null` for a value that one of them lacks. */
export interface Difference {
  /** The keys from the record to the place, joined by `/`. */
  readonly property: string;
  readonly before: Json;
  readonly after: Json;
}

/** A change that a load makes, or would make, to a record. */
export interface RecordDifference extends Pick<RecordResults, "endpoint" | "label" | "identifiers"> {
  readonly iri: string;
  readonly kind: "create" | "update" | "delete";
  /** The differences of an update; empty when only the form differs. */
  readonly differences: readonly Difference[];
}

/** A known IRI that now seems to name another entity. */
export interface IdentityProblem {
  readonly iri: string;
  readonly problem: string;
}

interface Mendable {
  /** The IRIs of the rules that the record breaks now, and would not break after mending. */
  readonly rules: readonly string[];
  readonly isWhole: boolean;
  /** The rules that must be requested to make the record valid, if it can be made valid only by them. */
  readonly asked?: readonly string[];
}

export interface RecordResults {
  readonly iri: string | null;
  /** `null` when the record's class belongs to no endpoint, or it could not be read. */
  readonly endpoint: EndpointName | null;
  /** The record's label, or the empty string. */
  readonly label: string;
  readonly identifiers: readonly string[];
  /** The place where the record begins, as `file:line`. */
  readonly source: string;
  readonly results: readonly Result[];
  readonly isRefused?: boolean;
  /** Whether the record is refused while its stored version stays, public or held. */
  readonly isKept?: boolean;
  readonly changes?: readonly DocumentChange[];
  readonly mendable?: Mendable;
}

/** Whether a record with these results is valid: only violations make it invalid. */
export function isValid(results: readonly Result[]): boolean {
  return results.every(({ severity }) => severity !== "Violation");
}

/** A result that no shape can express, at a place in a document or for a record as a whole. */
export function resultWithoutShape(
  name: string,
  severity: Severity,
  path: string,
  message: string,
  focus: string | null = null,
): Result {
  return { severity, path, focus, value: null, message, rule: shapeIri(name), property: null, component: null };
}
