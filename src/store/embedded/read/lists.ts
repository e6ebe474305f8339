/** Reads pages of the list of an endpoint's records. */
import { InvalidCursorError } from "../../errors.js";
import type { EndpointKey, Listed, Page, PageQuery } from "../../store.js";
import type { StoreDatabase } from "../format/database.js";
import { endpointNumber } from "../format/encoding.js";
import { MAX_KEY_BYTES } from "../format/keys.js";
import { decodeListed } from "../format/listing.js";

/** A page in label order; a cursor is the key of the last record of a page. Throws `InvalidCursorError`. */
export function listOf({ lists }: StoreDatabase, endpoint: EndpointKey, { after, limit }: PageQuery): Page<Listed> {
  const number = endpointNumber(endpoint === "none" ? null : endpoint);
  const last = after === undefined ? undefined : Buffer.from(after, "base64url");
  if (last !== undefined && (last[0] !== number || last.length > MAX_KEY_BYTES)) throw new InvalidCursorError(after!);
  const start = last === undefined ? { start: Buffer.of(number) } : { start: last, exclusiveStart: true };
  // One more than wanted says whether there is a next page.
  const found = [...lists.getRange({ ...start, end: Buffer.of(number + 1), limit: limit + 1 })];
  const items = found.slice(0, limit).map(({ value }) => decodeListed(value));
  return { items, next: found.length > limit ? found[limit - 1]?.key.toString("base64url") : undefined };
}
