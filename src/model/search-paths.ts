/** Search paths from the field tables: the predicates that lead to an entity's names, identifiers and texts. */
import { ENDPOINTS } from "./tables/endpoints.js";
import { irisOfRows, leadsTo } from "./tables/fields.js";
import { structureNamed } from "./tables/structures.js";
import { classIri, propertyIri } from "./vocabulary/vocabulary.js";

/** The predicates of an entity's Names and Identifiers: `identified_by`, and `contact_point` of persons and groups. */
export const NAMED_BY: ReadonlySet<string> = irisOfRows(ENDPOINTS, ({ range }) =>
  leadsTo(range, ["Name", "Identifier"]),
);

/** The predicates of Statements about an entity. */
export const TOLD_BY: ReadonlySet<string> = irisOfRows(ENDPOINTS, ({ range }) => leadsTo(range, ["Statement"]));

/** The predicates of an entity's own texts: `content` of Textual Works, and own properties that are texts, but not `_label`. */
export const TEXTS: ReadonlySet<string> = irisOfRows(
  ENDPOINTS,
  ({ property, range }) => property !== "_label" && range.kind === "literal" && range.literal === "text",
);

/** The text of a Name, an Identifier or a Statement. */
export const CONTENT = propertyIri("content")!;
export const NAME_PART = propertyIri("part", "Name")!;
/** The class that distinguishes an Identifier from a Name. */
export const IDENTIFIER = classIri("Identifier");

/** The predicates of an entity's activities and relationship assignments. The entity is related to whatever these refer to. */
export const ACTIVITY_PROPERTIES: ReadonlySet<string> = irisOfRows(ENDPOINTS, ({ range }) => {
  if (range.kind !== "structure") return false;
  const tables = range.structures.map(structureNamed);
  return tables.some(({ fields }) => fields.some(({ property }) => property === "carried_out_by"));
});

export const ACTIVITY_PART = propertyIri("part", "Activity")!;
