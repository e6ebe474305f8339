/** The boundary of a record: which nodes belong to it, and which are entities of their own. */
import { FIELD_TABLES, isEntityClass } from "./tables/endpoints.js";
import { fieldIri } from "./tables/fields.js";
import { REFERENCE_FIELDS } from "./tables/structures.js";
import { classIri, isScoped, propertyIri } from "./vocabulary/vocabulary.js";

/** The IRIs of properties whose values are structures or concepts; for scoped terms such as `part`, together with the class's IRI. */
const EMBEDDING: ReadonlySet<string> = new Set(
  FIELD_TABLES.flatMap(({ classes, fields }) => {
    const embedding = fields.filter(({ range }) => range.kind === "structure" || range.kind === "concept");
    return classes.flatMap((each) =>
      embedding.map(({ property }) => {
        const iri = fieldIri(property, each)!;
        return isScoped(property) ? scopedKey(classIri(each), iri) : iri;
      }),
    );
  }),
);

export const CLASSIFIED_AS = propertyIri("classified_as")!;

/** The properties that a mere reference may have; a reference to a Type may also have classifications. A node with any other property is described. */
export const REFERENCE_PROPERTIES: ReadonlySet<string> = new Set([
  ...REFERENCE_FIELDS.flatMap(({ property }) => fieldIri(property, "Type") ?? []),
  CLASSIFIED_AS,
]);

function scopedKey(classIri: string, property: string): string {
  return `${classIri} ${property}`;
}

/** Whether a node reached through a property belongs to the record: the tables give the property structures or concepts, or the node's classes have no records of their own. */
export function embeds(property: string, subjectClasses: readonly string[], objectClasses: readonly string[]): boolean {
  return (
    EMBEDDING.has(property) ||
    subjectClasses.some((each) => EMBEDDING.has(scopedKey(each, property))) ||
    !objectClasses.some(isEntityClass)
  );
}
