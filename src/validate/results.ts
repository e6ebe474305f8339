/** What validation finds: results, a record's and a document's alike. */

import type { Severity } from "../model/rules/rules.js";
import { shapeIri } from "../model/rules/shapes.js";
import type { EndpointName } from "../model/tables/endpoints.js";

/** One broken rule at one place. */
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

/** What was found in one record. */
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
