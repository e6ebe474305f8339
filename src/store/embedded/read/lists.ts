/** The reader of lists of records: of an endpoint by label, and of all by number. */
import { endpointNumber } from "../../../model/tables/names.js";
import { InvalidCursorError } from "../../errors.js";
import type { Listed, NumberedEntry } from "../../lists.js";
import type { EndpointKey, Paged, PageQuery } from "../../record.js";
import type { StoreDatabase } from "../format/database.js";
import { stored } from "../format/encoding.js";
import { iriKey, MAX_KEY_BYTES, numberKey } from "../format/keys.js";
import { decodeListed } from "../format/listing.js";

/** A page in label order; a cursor is the key of the last record of a page. Throws `InvalidCursorError`. */
export function listOf({ lists }: StoreDatabase, endpoint: EndpointKey, { after, limit }: PageQuery): Paged<Listed> {
  const number = endpointNumber(endpoint);
  const last = after === undefined ? undefined : Buffer.from(after, "base64url");
  if (last !== undefined && (last[0] !== number || last.length > MAX_KEY_BYTES)) throw new InvalidCursorError(after!);
  const start = last === undefined ? { start: Buffer.of(number) } : { start: last, exclusiveStart: true };
  // One more than wanted says whether there is a next page.
  const found = [...lists.getRange({ ...start, end: Buffer.of(number + 1), limit: limit + 1 })];
  const items = found.slice(0, limit).map(({ value }) => decodeListed(value));
  return { items, next: found.length > limit ? found[limit - 1]?.key.toString("base64url") : undefined };
}

/** Records by the numbers that they got when they were created, and the last number that any got. */
export function numberedIn(
  database: StoreDatabase,
  first: number,
  count: number,
): { readonly records: readonly NumberedEntry[]; readonly last: number } {
  const { numbers, state } = database;
  const records: NumberedEntry[] = [];
  for (const { value } of numbers.getRange({ start: numberKey(first), end: numberKey(first + count) })) {
    const iri = value.toString("utf8");
    const record = database.recordNow(iriKey(iri));
    if (record !== undefined) records.push({ iri, modified: stored.modified(record) });
  }
  return { records, last: state.nextNumber - 1 };
}
