/** A preview of a publication: finds all its changes and writes nothing. */
import { NOTHING_PUBLISHED, type PendingChange, type Review } from "../../writable-store.js";
import { decodeChange } from "../format/changes.js";
import type { StoreDatabase } from "../format/database.js";
import { decodeGraph, iriOf } from "../format/decoding.js";
import { stored } from "../format/encoding.js";
import { numberOfKey } from "../format/keys.js";
import { Holding, reviewHeld } from "./holding.js";
import { type Distinct, ENTRY, isRedirected, isUnchanged, moveOf, type StagedEntry } from "./staged-entries.js";

/** Counts the outcome of staged entries in the same way as a publication. */
export class Preview {
  readonly counts = { ...NOTHING_PUBLISHED };
  readonly #holding: Holding;

  constructor(
    private readonly database: StoreDatabase,
    private readonly review: Pick<Review, "onChange" | "onHeld"> | undefined,
  ) {
    this.#holding = new Holding(database);
  }

  add({ key, entry, isRepeated }: Distinct): void {
    if (isRepeated) this.counts.repeated++;
    if (entry.kind === ENTRY.keep) return;
    const published = this.database.records.getBinary(key);
    const held = this.#holding.find(key);
    const isHeld = this.#holding.holds(key, entry);
    if (isHeld || held !== undefined) {
      reviewHeld(this.review as Review | undefined, key, held, held?.record ?? entry.record);
    }
    if (entry.kind === ENTRY.release) this.#create(held?.record);
    else if (isHeld) this.#hold(key, published);
    else if (entry.kind === ENTRY.deletion || entry.kind === ENTRY.move)
      this.#delete(key, entry, published, held !== undefined);
    else this.#put(key, entry, published);
  }

  #create(record: Buffer | undefined): void {
    if (record === undefined) return;
    this.counts.created++;
    this.counts.triples += stored.triples(record);
  }

  #hold(key: Buffer, published: Buffer | undefined): void {
    this.counts.held++;
    if (published === undefined) return;
    this.counts.withdrawn++;
    this.counts.deleted++;
    this.review?.onChange(pendingChange(this.database, key, published, undefined));
  }

  #delete(key: Buffer, entry: StagedEntry, published: Buffer | undefined, wasHeld: boolean): void {
    if (published !== undefined) {
      this.counts.deleted++;
      this.review?.onChange(pendingChange(this.database, key, published, undefined));
    } else if (entry.kind === ENTRY.move) {
      if (isRedirected(this.database, key, moveOf(entry))) this.counts.deleted++;
    } else if (wasHeld) this.counts.deleted++;
  }

  #put(key: Buffer, entry: StagedEntry, published: Buffer | undefined): void {
    const { contexts } = this.database;
    if (published !== undefined && isUnchanged(published, entry, (number) => contexts.get(number))) {
      this.counts.unchanged++;
      return;
    }
    this.counts[published === undefined ? "created" : "replaced"]++;
    this.counts.triples += stored.triples(entry.record);
    this.review?.onChange(pendingChange(this.database, key, published, entry.record));
  }
}

/** A change from one encoded record to another, either of which may be missing. It must be used at once, because the bytes are not copied. */
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
