/** A change to a record before it is made, for those who look at it first. */
import type { PendingChange } from "../../writable-store.js";
import { decodeChange } from "../format/changes.js";
import type { StoreDatabase } from "../format/database.js";
import { decodeGraph, iriOf } from "../format/decoding.js";
import { stored } from "../format/encoding.js";
import { numberOfKey } from "../format/keys.js";

/** `before` and `after` are encoded records, `undefined` for what is not there. To be used at once: their bytes are not kept. */
export function pendingChange(
  database: StoreDatabase,
  key: Buffer,
  before: Buffer | undefined,
  after: Buffer | undefined,
): PendingChange {
  const decoded = (value: Buffer | undefined) => value && decodeGraph(value);
  return {
    iri: iriOf(key, (after ?? before)!),
    kind: after === undefined ? "delete" : before === undefined ? "create" : "update",
    source: (before && database.sources[stored.source(before) - 1]) ?? null,
    before: () => decoded(before),
    after: () => decoded(after),
    deletion() {
      const sequence = before === undefined ? database.tombstones.get(key) : undefined;
      const change = sequence && database.changes.get(sequence);
      return change && decodeChange(numberOfKey(sequence), change);
    },
  };
}
