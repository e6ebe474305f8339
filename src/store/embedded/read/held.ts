/** The door to held records: reads what was loaded, and is not published. */

import { graphWith, type Json } from "../../../rdf/record-graph.js";
import { InvalidCursorError, RecordDamagedError } from "../../errors.js";
import type { HeldFound, HeldListed, HeldRecords, HeldStats } from "../../held.js";
import type { Paged, PageQuery, RecordMeta, StoredRecord } from "../../store.js";
import type { StoreDatabase } from "../format/database.js";
import { decodeGraph, decodeMeta, hasItsHash, stored } from "../format/encoding.js";
import { decodeHeld, type HeldEntry } from "../format/held.js";
import { iriKey, isHashed, MAX_KEY_BYTES } from "../format/keys.js";

export class EmbeddedHeld implements HeldRecords {
  constructor(
    private readonly directory: string,
    private readonly database: StoreDatabase,
  ) {}

  find(iri: string): HeldFound | undefined {
    const value = this.#isEmpty ? undefined : this.database.held.get(iriKey(iri));
    return value && new EmbeddedHeldFound(this.directory, iri, decodeHeld(value));
  }

  async list({ after, limit, sources }: Parameters<HeldRecords["list"]>[0]): Promise<Paged<HeldListed>> {
    const items: HeldListed[] = [];
    if (this.#isEmpty) return { items, next: undefined };
    let last: Buffer | undefined;
    for (const { key, value } of this.database.held.getRange(rangeAfter(after))) {
      if (items.length === limit) return { items, next: last!.toString("base64url") };
      last = Buffer.from(key);
      const held = decodeHeld(value);
      if (sources === undefined || (held.source !== null && sources.includes(held.source)))
        items.push(listed(key, held));
    }
    return { items, next: undefined };
  }

  stats(): HeldStats {
    return this.database.heldStats;
  }

  /** A store that never held a record may lack the table. */
  get #isEmpty(): boolean {
    return this.database.heldStats.records === 0;
  }
}

/** Throws `InvalidCursorError`. */
function rangeAfter(after: PageQuery["after"]): { start?: Buffer; exclusiveStart?: true } {
  if (after === undefined) return {};
  const start = Buffer.from(after, "base64url");
  if (start.length === 0 || start.length > MAX_KEY_BYTES) throw new InvalidCursorError(after);
  return { start, exclusiveStart: true };
}

function listed(key: Buffer, { source, since, record }: HeldEntry): HeldListed {
  const iri = isHashed(key) ? decodeGraph(record, () => undefined).iri : key.toString("utf8");
  const { endpoint, label, valid } = decodeMeta(record);
  return { iri, endpoint, label, valid, source, since };
}

/** A held record as it was when it was looked up. */
class EmbeddedHeldFound implements HeldFound {
  readonly sequence = 0;

  constructor(
    private readonly directory: string,
    private readonly iri: string,
    private readonly held: HeldEntry,
  ) {}

  get source(): string | null {
    return this.held.source;
  }

  get modified(): number {
    return this.held.since;
  }

  get hash(): Uint8Array {
    return stored.hash(this.held.record);
  }

  get triples(): number {
    return stored.triples(this.held.record);
  }

  get bytes(): number {
    return this.held.record.length;
  }

  get meta(): RecordMeta {
    return { ...decodeMeta(this.held.record), sequence: 0, modified: this.held.since };
  }

  /** Throws `RecordDamagedError`. */
  record(): StoredRecord {
    const { record, context } = this.held;
    const json = context === "" ? undefined : context;
    if (!hasItsHash(record, json)) throw new RecordDamagedError(this.directory, this.iri);
    const graph = decodeGraph(record, () => undefined);
    return {
      meta: this.meta,
      graph: graphWith(graph, { context: json === undefined ? undefined : (JSON.parse(json) as Json) }),
    };
  }
}
