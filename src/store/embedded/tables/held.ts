/** The tables of held records, which were loaded and are not published: their reader, and their only writer. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { RangeOptions } from "lmdb";
import { graphWith, type Json } from "../../../rdf/record-graph.js";
import { RecordDamagedError } from "../../errors.js";
import type { RecordMeta } from "../../record.js";
import type { HeldListed, HeldRecordHandle, HeldRecords, HeldStats } from "../../store.js";
import type { Mutable, StoreDatabase } from "../format/database.js";
import { decodeGraph, iriOf } from "../format/decoding.js";
import type { HeldEntry } from "../format/encoding.js";
import { decodeHeld, decodeMeta, encodeHeld, hasItsHash, sameContent, stored } from "../format/encoding.js";
import { iriKey, numberKey, rangeAfter } from "../format/keys.js";
import type { StagedEntry } from "../publish/staged-entries.js";
import { countHeld } from "./count.js";

/** How many held records to look through in one turn of the event loop. A list of one source passes over those of all others. */
const LISTED_A_TURN = 100;

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
      for (let range: RangeOptions = rangeAfter(after); !isEmpty(); range = { start: last!, exclusiveStart: true }) {
        const part = [...database.held.getRange({ ...range, limit: LISTED_A_TURN })];
        if (part.length === 0) break;
        for (const { key, value } of part) {
          if (items.length === limit) return { items, next: last!.toString("base64url") };
          last = Buffer.from(key);
          const held = decodeHeld(value);
          if (sources !== undefined && (held.source === null || !sources.includes(held.source))) continue;
          const { endpoint, label, valid } = decodeMeta(held.record);
          const { source, since } = held;
          items.push({ iri: iriOf(key, held.record), endpoint, label, valid, source, since });
        }
        await nextTurn();
      }
      return { items, next: undefined };
    },
    stats: () => database.heldStats,
  };
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

/** The held records during a publication or its preview. */
export class Holding {
  readonly #stats: Mutable<HeldStats>;
  /** Whether records were held when the publication began. That suffices, since each record comes only once. */
  readonly #hasHeld: boolean;
  #hasReleased: boolean;

  constructor(private readonly database: StoreDatabase) {
    const { records, sources } = database.heldStats;
    this.#stats = { records, sources: { ...sources } };
    this.#hasHeld = records > 0;
    this.#hasReleased = database.facts.get(RELEASED) === true;
  }

  /** Whether a staged record is to be held. A record that was released is no longer held by rules. */
  holds(key: Buffer, { hold }: StagedEntry): boolean {
    if (hold === undefined) return false;
    return hold === "name" || !this.#hasReleased || !this.database.released.has(key);
  }

  find(key: Buffer): HeldEntry | undefined {
    const value = this.#hasHeld ? this.database.held.get(key) : undefined;
    return value && decodeHeld(value);
  }

  /** Hold a record. If the same content is held already, it keeps its time. */
  put(key: Buffer, held: HeldEntry): void {
    const before = this.find(key);
    if (before !== undefined) countHeld(this.#stats, before, -1);
    countHeld(this.#stats, held, 1);
    this.forget(key);
    const isMoved = before?.source !== held.source || before.context !== held.context;
    if (!isMoved && sameContent(before.record, held.record)) return;
    this.database.held.putSync(key, encodeHeld(held));
  }

  /** Remove and return a held record that is published or deleted. */
  take(key: Buffer): HeldEntry | undefined {
    const held = this.find(key);
    if (held === undefined) return undefined;
    countHeld(this.#stats, held, -1);
    this.database.held.removeSync(key);
    return held;
  }

  /** Note that a record was released, so that no rule holds it again. @param time in milliseconds since 1970 */
  release(key: Buffer, time: number): void {
    this.database.released.putSync(key, numberKey(time));
    if (this.#hasReleased) return;
    this.#hasReleased = true;
    this.database.facts.putSync(RELEASED, true);
  }

  /** Forget the release of a record that is held by name or deleted. */
  forget(key: Buffer): void {
    if (this.#hasReleased && this.database.released.has(key)) this.database.released.removeSync(key);
  }

  putFacts(): void {
    if (this.#hasHeld || this.#stats.records > 0) this.database.facts.putSync("held", this.#stats);
  }
}

/** The name of the fact that says whether any record was ever released. */
const RELEASED = "released";
