/** Search paths from the field tables: the predicates that lead to an entity's names, identifiers and texts. */
import { ENDPOINTS } from "./tables/endpoints.js";
import { irisOfRows, leadsTo } from "./tables/fields.js";
import { PROVENANCE_PART_STRUCTURES, structureNamed } from "./tables/structures.js";
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

/** The predicates of the structures by which an entity is related to others: its activities, rights, dimensions and amounts. */
export const RELATING_PROPERTIES: ReadonlySet<string> = irisOfRows(
  [...ENDPOINTS, ...PROVENANCE_PART_STRUCTURES, structureNamed("Right")],
  ({ range }) => {
    const fields = range.kind === "structure" ? range.structures.flatMap((each) => structureNamed(each).fields) : [];
    return fields.some(({ property }) => ["carried_out_by", "possessed_by", "unit", "currency"].includes(property));
  },
);

export const ACTIVITY_PART = propertyIri("part", "Activity")!;
