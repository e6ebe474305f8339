/** The layout of documents: what a graph leaves open, such as the order of a node's properties and which values are arrays. */
import { entryOf } from "../base/entries.js";
import { COMMON_FIELDS, FIELD_TABLES } from "./tables/endpoints.js";
import type { Field, FieldTable } from "./tables/fields.js";
import { STRUCTURES } from "./tables/structures.js";
import { classIri, PROPERTY_NAMES, type PropertyName, propertyIri } from "./vocabulary/vocabulary.js";

/** The common properties in the order of 2.2, which all tables keep. */
const COMMON_ORDER: readonly PropertyName[] = COMMON_FIELDS.map(({ property }) => property).filter(isProperty);

/** The properties of these tables, each once: first the common ones in the order of 2.2, then the others in the order of the tables. */
function orderOf(tables: readonly FieldTable[]): PropertyName[] {
  const named = new Set(tables.flatMap(({ fields }) => fields.map(({ property }) => property).filter(isProperty)));
  const common = COMMON_ORDER.filter((property) => named.has(property));
  return [...common, ...[...named].filter((property) => !COMMON_ORDER.includes(property))];
}

function isProperty(name: Field["property"]): name is PropertyName {
  return name !== "@context" && name !== "id" && name !== "type";
}

/** The order of properties that are not in a class's own tables: first those of any table, then the rest of the vocabulary. */
const GENERAL_ORDER: readonly PropertyName[] = [...new Set([...orderOf(FIELD_TABLES), ...PROPERTY_NAMES])];

/** The order for one class. If several terms have the same IRI, it has the field table's term, or else the one that compaction prefers (JSON-LD 1.1 API, 4.3). */
function orderForClass(className: string): readonly PropertyName[] {
  const own = orderOf(FIELD_TABLES.filter(({ classes }) => classes.some((each) => each === className)));
  const terms = new Map<string, PropertyName>();
  for (const term of own) terms.set(propertyIri(term, className)!, term);
  const owned = new Set(terms.keys());
  for (const term of GENERAL_ORDER) {
    const iri = propertyIri(term, className);
    if (iri === undefined || owned.has(iri)) continue;
    const rival = terms.get(iri);
    if (rival === undefined || (term.length - rival.length || (term < rival ? -1 : 1)) < 0) terms.set(iri, term);
  }
  const chosen = new Set(terms.values());
  return [...own, ...GENERAL_ORDER.filter((term) => chosen.has(term) && !own.includes(term))];
}

/** The orders computed so far, by class. All classes outside the vocabulary share one order. */
const orders = new Map<string, readonly PropertyName[]>();

/** The property terms of a class in document order: common ones as in 2.2, those of its tables, then the rest. Works for unknown classes and none. */
export function fieldOrder(className: string): readonly string[] {
  const known = classIri(className) === undefined ? "" : className;
  return entryOf(orders, known, () => orderForClass(known));
}

const ROWS: readonly Field[] = FIELD_TABLES.flatMap(({ fields }) => fields);

const forms: ReadonlyMap<string, "array" | "single"> = new Map(
  ROWS.filter(({ property }) => isProperty(property)).map(({ property, datatype }) => [
    property,
    datatype === "array" ? "array" : "single",
  ]),
);

/** Whether the tables give a property an array (even of one value) or a single value; `undefined` when no table names it. */
export function fieldForm(property: string): "array" | "single" | undefined {
  return forms.get(property);
}

/** Classes whose embedded structures have their own `@context`, because each can be dereferenced by itself (2.6). */
const standingAlone: ReadonlySet<string> = new Set(
  [...STRUCTURES.values()]
    .filter(({ fields }) => fields.some(({ property }) => property === "@context"))
    .flatMap(({ classes }) => classes),
);

/** Whether the tables give embedded nodes of this class a `@context`. */
export function standsAlone(className: string): boolean {
  return standingAlone.has(className);
}

/** The properties whose values are numbers in some table. An own property may have numbers in one table and texts in another. */
const numbers: ReadonlySet<string> = new Set(
  ROWS.filter(({ datatype }) => datatype === "number").map(({ property }) => property),
);

/** Whether the values of a property may be numbers. */
export function isNumberProperty(property: string): boolean {
  return numbers.has(property);
}
