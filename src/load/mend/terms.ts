/** Classes and properties as mending finds them: by any spelling of their names, and with what the tables allow. */

import { FIELD_TABLES } from "../../model/tables/endpoints.js";
import { structureNamed } from "../../model/tables/structures.js";
import { classIri, className, PREFIXES, PROPERTY_NAMES, propertyIri } from "../../model/vocabulary/vocabulary.js";
import { FORMER_CLASSES, FORMER_PROPERTIES } from "./former-terms.js";

/** The local name of a term of the CIDOC-CRM however it is written, or the text itself. */
function localName(text: string): string {
  for (const start of [PREFIXES.crm, "crm:", PREFIXES.crm.replace("http:", "https:")]) {
    if (text.startsWith(start)) return text.slice(start.length);
  }
  return text;
}

/** The class that a former or foreign name stands for; `undefined` for one that needs no mending. */
export function classTerm(type: string): string | undefined {
  if (classIri(type) !== undefined) return undefined;
  const name = localName(type);
  return FORMER_CLASSES[name] ?? className(PREFIXES.crm + name);
}

/** The property that a former or foreign name stands for on a class; `undefined` for one that needs no mending. */
export function statedTerm(key: string, type: string | undefined): string | undefined {
  const name = localName(key);
  const former = FORMER_PROPERTIES.find(
    (each) => each.former === name && (each.on === undefined || (type !== undefined && each.on.includes(type))),
  );
  if (former !== undefined) return former.term;
  // With its prefix a property is understood as it is.
  if (!/^P\d+i?_/.test(key)) return undefined;
  return PROPERTY_NAMES.find((term) => propertyIri(term, type) === PREFIXES.crm + name);
}

/** Whether neither JSON-LD nor the vocabulary has a key, and it is no IRI. */
export function isUnknown(key: string): boolean {
  if (key.startsWith("@") || key.includes(":") || key === "id" || key === "type") return false;
  return !PROPERTY_NAMES.some((term) => term === key);
}

/** By class and property, the class that the values have where the tables allow one only. */
const ONLY_CLASSES: ReadonlyMap<string, string> = new Map(
  FIELD_TABLES.flatMap(({ classes, fields }) =>
    fields.flatMap(({ property, range }) => {
      const allowed =
        range.kind === "structure"
          ? [...new Set(range.structures.flatMap((each) => structureNamed(each).classes))]
          : (range.kind === "reference" || range.kind === "concept") && range.classes !== "any"
            ? range.classes
            : [];
      return allowed.length === 1 ? classes.map((each) => [`${each} ${property}`, allowed[0]!] as const) : [];
    }),
  ),
);

/** The class that the values of a property have on a class, where the tables allow one only. */
export function onlyClass(type: string | undefined, property: string): string | undefined {
  // An equivalent is the same entity, described elsewhere.
  if (property === "equivalent") return type;
  return type === undefined ? undefined : ONLY_CLASSES.get(`${type} ${property}`);
}
