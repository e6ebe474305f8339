/** The reader of backlinks: which records mention an IRI. It decodes no record. */
import { textHash } from "../../../rdf/text-hash.js";
import { InvalidCursorError } from "../../errors.js";
import type { References } from "../../store.js";
import { DESCRIBED, OTHER_PROPERTY } from "../format/backlinks.js";
import type { StoreDatabase } from "../format/database.js";
import { backlinkKey, numberKey, propertyOfKey, recordBytes, recordOfBytes } from "../format/keys.js";

/** A backlink, as the numbers of its property and its record. A cursor names the last backlink of a page: `12.345`. */
interface Place {
  readonly property: number;
  readonly record: number;
}

/** The number of the first property. */
const FIRST = DESCRIBED + 1;

const CURSOR = /^(\d{1,5})\.(\d{1,15})$/;

/** The facet of references. */
export function referencesOf(database: StoreDatabase): References {
  return {
    async page(iri, { property, after, limit }) {
      const { properties } = database;
      const cursor = placeOf(after);
      const only = property === undefined ? undefined : properties.indexOf(property) + 1;
      // One more than `limit` shows whether there is a next page.
      const found: Place[] = [];
      const first = Math.max(FIRST, only ?? 0, cursor?.property ?? 0);
      for (const { key, number } of groupsOf(database, iri, first, only)) {
        const start = number === cursor?.property ? { start: recordBytes(cursor.record + 1) } : {};
        for (const bytes of database.backlinks.getValues(key, { ...start, limit: limit + 1 - found.length }))
          found.push({ property: number, record: recordOfBytes(bytes) });
        if (found.length > limit) break;
      }
      const items = found.slice(0, limit).flatMap((place) => {
        const record = iriOf(database, place.record);
        return record === undefined ? [] : [{ record, property: properties[place.property - 1] ?? null }];
      });
      const last = found.length > limit ? found[limit - 1] : undefined;
      return { items, next: last && `${last.property}.${last.record}` };
    },
    async counts(iri) {
      const { properties } = database;
      return [...groupsOf(database, iri)].map(({ key, number }) => ({
        property: properties[number - 1] ?? null,
        records: database.backlinks.getValuesCount(key),
      }));
    },
  };
}

/** The records that describe an embedded node with this IRI. */
export function describedInOf(database: StoreDatabase, iri: string, limit: number): string[] {
  const group = backlinkKey(textHash(iri), DESCRIBED);
  const records = [...database.backlinks.getValues(group, { limit })].map(recordOfBytes);
  return records.flatMap((record) => iriOf(database, record) ?? []).sort();
}

/** The groups of references to an IRI, one for each property from number `first` to `last`. An unknown property has number 0, and no references. */
function* groupsOf({ backlinks }: StoreDatabase, iri: string, first = FIRST, last = OTHER_PROPERTY) {
  if (first > last) return;
  const [start, end] = [first, last].map((property) => backlinkKey(textHash(iri), property));
  for (const key of backlinks.getKeys({ start: start!, end: end!, inclusiveEnd: true }))
    yield { key, number: propertyOfKey(key) };
}

function iriOf({ numbers }: StoreDatabase, record: number): string | undefined {
  return numbers.get(numberKey(record))?.toString("utf8");
}

function placeOf(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined;
  const [, property, record] = CURSOR.exec(cursor) ?? [];
  if (record === undefined || Number(property) > 0xffff || Number(record) > 2 ** 48 - 2)
    throw new InvalidCursorError(cursor);
  return { property: Number(property), record: Number(record) };
}
