/** The reader of held records, which were loaded and are not published. */
import { graphWith, type Json } from "../../../rdf/record-graph.js";
import { InvalidCursorError, RecordDamagedError } from "../../errors.js";
import type { PageQuery, RecordMeta } from "../../record.js";
import type { HeldListed, HeldRecordHandle, HeldRecords } from "../../store.js";
import type { StoreDatabase } from "../format/database.js";
import { decodeGraph, iriOf } from "../format/decoding.js";
import { decodeHeld, decodeMeta, type HeldEntry, hasItsHash, stored } from "../format/encoding.js";
import { iriKey, MAX_KEY_BYTES } from "../format/keys.js";

/** The facet of held records. */
export function heldRecords(database: StoreDatabase): HeldRecords {
  // A store that never held a record may lack the table.
  const isEmpty = (): boolean => database.heldStats.records === 0;
  return {
    find(iri) {
      const value = isEmpty() ? undefined : database.held.get(iriKey(iri));
      return value && heldHandle(database.directory, iri, decodeHeld(value));
    },
    async list({ after, limit, sources }) {
      const items: HeldListed[] = [];
      let last: Buffer | undefined;
      for (const { key, value } of isEmpty() ? [] : database.held.getRange(rangeAfter(after))) {
        if (items.length === limit) return { items, next: last!.toString("base64url") };
        last = Buffer.from(key);
        const held = decodeHeld(value);
        if (sources !== undefined && (held.source === null || !sources.includes(held.source))) continue;
        const { endpoint, label, valid } = decodeMeta(held.record);
        const { source, since } = held;
        items.push({ iri: iriOf(key, held.record), endpoint, label, valid, source, since });
      }
      return { items, next: undefined };
    },
    stats: () => database.heldStats,
  };
}

/** Throws `InvalidCursorError`. */
function rangeAfter(after: PageQuery["after"]): { start?: Buffer; exclusiveStart?: true } {
  if (after === undefined) return {};
  const start = Buffer.from(after, "base64url");
  if (start.length === 0 || start.length > MAX_KEY_BYTES) throw new InvalidCursorError(after);
  return { start, exclusiveStart: true };
}

function heldHandle(directory: string, iri: string, { source, since, context, record }: HeldEntry): HeldRecordHandle {
  const meta: RecordMeta = { ...decodeMeta(record), sequence: 0, modified: since };
  return {
    ...{ source, meta, sequence: 0, modified: since, hash: meta.hash },
    triples: stored.triples(record),
    bytes: record.length,
    record() {
      const json = context === "" ? undefined : context;
      if (!hasItsHash(record, json)) throw new RecordDamagedError(directory, iri);
      return { meta, graph: graphWith(decodeGraph(record), { context: json && (JSON.parse(json) as Json) }) };
    },
  };
}
