/** All field tables together: of endpoints, structures and references. */
import type { ClassName } from "../vocabulary/vocabulary.js";
import { ENDPOINTS } from "./endpoints.js";
import type { Field } from "./fields.js";
import { REFERENCE_FIELDS, STRUCTURES } from "./structures.js";

/** A table and the classes whose nodes it describes. */
export interface FieldTable {
  readonly classes: readonly ClassName[];
  readonly fields: readonly Field[];
}

/**
 * Every table. Provenance comes last: it shares Event and Activity with the event endpoint, whose order those classes keep.
 */
export const FIELD_TABLES: readonly FieldTable[] = [
  ...ENDPOINTS.filter(({ name }) => name !== "provenance"),
  ...STRUCTURES.values(),
  ...ENDPOINTS.filter(({ name }) => name === "provenance"),
  { classes: [], fields: REFERENCE_FIELDS },
];
