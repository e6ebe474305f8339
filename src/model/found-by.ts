/** Search paths of the field tables: the predicates that lead to an entity's names, identifiers and texts. */
import { ENDPOINTS } from "./tables/endpoints.js";
import type { Field } from "./tables/fields.js";
import { leadsTo } from "./tables/ranges.js";
import { STRUCTURES } from "./tables/structures.js";
import { classIri, propertyIri } from "./vocabulary/vocabulary.js";

/** By which an entity's Names and Identifiers are embedded: `identified_by`, and `contact_point` of persons and groups. */
export const NAMED_BY: ReadonlySet<string> = predicatesOf(({ range }) => leadsTo(range, ["Name", "Identifier"]));

/** By which Statements about it are. */
export const TOLD_BY: ReadonlySet<string> = predicatesOf(({ range }) => leadsTo(range, ["Statement"]));

/** By which it has texts of its own: `content` of Textual Works, and own properties that are texts. `_label` is apart. */
export const TEXTS: ReadonlySet<string> = predicatesOf(
  ({ property, range }) => property !== "_label" && range.kind === "literal" && range.literal === "text",
);

/** What a Name, an Identifier or a Statement says. */
export const CONTENT = propertyIri("content")!;
export const NAME_PART = propertyIri("part", "Name")!;
/** The class that tells an Identifier from a Name. */
export const IDENTIFIER = classIri("Identifier");

/**
 * By which an entity's activities are embedded (its production, its birth, the parts of a provenance), and the relations that
 * were assigned to it: what these refer to, the entity is related to.
 */
export const ACTIVITY_PROPERTIES: ReadonlySet<string> = predicatesOf(({ range }) => {
  if (range.kind !== "structure") return false;
  return range.structures.some(
    (name) =>
      name === "RelationshipAssignment" ||
      STRUCTURES.get(name)!.fields.some(({ property }) => property === "carried_out_by"),
  );
});

/** By which the parts of activities are. */
export const ACTIVITY_PART = propertyIri("part", "Activity")!;

/** The predicates of the fields of all endpoints that are so. */
function predicatesOf(isSo: (field: Field) => boolean): ReadonlySet<string> {
  return new Set(
    ENDPOINTS.flatMap(({ fields, classes }) =>
      fields.filter(isSo).flatMap(({ property }) => classes.map((each) => propertyIri(property, each)!)),
    ),
  );
}
