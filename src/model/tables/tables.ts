/** All field tables together: of endpoints, structures and references. */
import { ENDPOINTS } from "./endpoints.js";
import type { FieldTable } from "./fields.js";
import { REFERENCE_FIELDS, STRUCTURES } from "./structures.js";

/**
 * Every table. Provenance comes last: it shares Event and Activity with the event endpoint, whose order those classes keep.
 */
export const FIELD_TABLES: readonly FieldTable[] = [
  ...ENDPOINTS.filter(({ name }) => name !== "provenance"),
  ...STRUCTURES.values(),
  ...ENDPOINTS.filter(({ name }) => name === "provenance"),
  { classes: [], fields: REFERENCE_FIELDS },
];
