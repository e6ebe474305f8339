/** Publication: staged entries become records, changes and backlinks in one transaction. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { entryOf } from "../../../base/entries.js";
import { propertyIri } from "../../../model/vocabulary/vocabulary.js";
import type { TextHash } from "../../../rdf/text-hash.js";
import { endsLikeFile } from "../../store.js";
import { NOTHING_PUBLISHED, type PublishedCounts, type Review, type StageOptions } from "../../writable-store.js";
import type { PropertyNumbers } from "../format/backlinks.js";
import { changeSource, decodeChange, type LoggedChange } from "../format/changes.js";
import { contextSum } from "../format/checksum.js";
import { LMDB_PAGE, type Mutable, type StoreDatabase, type StoreState } from "../format/database.js";
import { decodeGraph, iriOf } from "../format/decoding.js";
import { addChecksum, publishInto, stored, withSource } from "../format/encoding.js";
import { ensureDiskSpace, RESERVE } from "../format/files.js";
import { numberKey, numberOfKey } from "../format/keys.js";
import { blockOf, encodeListed, type Listing, listingKey, listingOf, putBlockTime } from "../format/listing.js";
import { BacklinkQueue } from "../tables/backlink-queue.js";
import { ChangeLogWriter, MirroredLogWriter } from "../tables/change-log.js";
import { countRecord, countSource } from "../tables/count.js";
import { Holding, reviewHeld } from "./holding.js";
import { pendingChange } from "./preview.js";
import {
  type Distinct,
  ENTRY,
  isRedirected,
  isUnchanged,
  type Move,
  moveOf,
  StagedBacklinks,
  type StagedEntry,
  stagedBacklinks,
} from "./staged-entries.js";

/** By which members name their Sets. */
const MEMBER_OF = propertyIri("member_of", "HumanMadeObject")!;
const NO_BACKLINKS = new StagedBacklinks(Buffer.alloc(0));

/** After writing to so many pages there is a pause; half of the room that must be left on the disk is for these. */
const PAGES_AT_ONCE = RESERVE / 2 / LMDB_PAGE;

export class Publisher {
  /** The numbers of contexts by their JSON. */
  readonly #contexts = new Map<string, number>();
  readonly #backlinks: BacklinkQueue;
  readonly #counts = { ...NOTHING_PUBLISHED };
  /** These are made when the transaction has begun. */
  #holding!: Holding;
  #state: Mutable<StoreState>;
  /** The names of sources; a record has the number of its own, from 1. */
  #sources: string[] = [];
  #source = 0;
  #time = 0;
  /** Where there was no record, those of a publication come in the order of their keys: LMDB fills its pages. */
  #putting = { append: false };
  /** Whether a record that is created may have been there before. */
  #hasTombstones = false;
  #log!: ChangeLogWriter;
  /** The blocks of numbers in which a record changed. */
  readonly #blocks = new Set<number>();

  constructor(
    private readonly database: StoreDatabase,
    private readonly options: StageOptions,
    private readonly properties: PropertyNumbers,
    private readonly review: Review | undefined,
  ) {
    this.#backlinks = new BacklinkQueue(database);
    this.#state = structuredClone(database.state);
  }

  /** Publish entries that come in the order of their keys: all on disk when this resolves, nothing changed when it rejects. Throws `StoreSpaceError`, the signal's reason. */
  async publish(entries: Iterable<Distinct>, signal?: AbortSignal): Promise<PublishedCounts> {
    await this.database.root.transactionSync(async () => {
      this.#begin();
      await this.#pause(0, signal);
      await this.#putAll(entries, signal);
      this.review?.beforeCommit();
      await this.#flush(signal);
      this.#log.finish();
      this.#putFacts();
    });
    return { ...this.#counts, sequence: this.#state.sequence };
  }

  #begin(): void {
    this.#state = structuredClone(this.database.state);
    // A clock that was set back must not let the change log go back.
    this.#time = Math.max(Date.now(), this.#state.lastChange ?? 0);
    const { mirrored = [] } = this.options;
    this.#log =
      mirrored.length === 0
        ? new ChangeLogWriter(this.database, this.#state, this.#time)
        : new MirroredLogWriter(this.database, this.#state, mirrored);
    for (const { key, value } of this.database.contexts.getRange()) this.#contexts.set(value, key);
    this.#sources = [...this.database.sources];
    this.#holding = new Holding(this.database);
    this.#putting = { append: this.database.records.getKeysCount({ limit: 1 }) === 0 };
    this.#hasTombstones = this.database.tombstones.getKeysCount({ limit: 1 }) > 0;
    const { source, keeps } = this.options;
    if (keeps !== undefined) this.#state.keeps = keeps;
    if (source !== undefined) this.#source = this.#sourceNumber(source);
  }

  /** The number of a context, its JSON; 0 where it is empty. One that is not known is stored. */
  #contextNumber(context: Buffer): number {
    if (context.length === 0) return 0;
    const text = context.toString("utf8");
    return entryOf(this.#contexts, text, () => {
      const number = this.#contexts.size + 1;
      this.database.contexts.putSync(number, text);
      return number;
    });
  }

  #sourceNumber(name: string): number {
    if (!this.#sources.includes(name)) this.#sources.push(name);
    return this.#sources.indexOf(name) + 1;
  }

  async #putAll(entries: Iterable<Distinct>, signal: AbortSignal | undefined): Promise<void> {
    let pages = 0;
    for (const { key, entry, isRepeated } of entries) {
      if (isRepeated) this.#counts.repeated++;
      if (entry.kind === ENTRY.keep) continue;
      pages += pagesFor(entry);
      if (pages > PAGES_AT_ONCE) {
        pages = pagesFor(entry);
        await this.#pause(pages * LMDB_PAGE, signal);
      }
      if (this.#backlinks.isFullFor(entry.backlinks.length)) await this.#flush(signal);
      if (entry.kind === ENTRY.deletion) this.#delete(key);
      else if (entry.kind === ENTRY.move) this.#delete(key, moveOf(entry));
      else if (entry.kind === ENTRY.release) this.#release(key);
      else if (this.#holding.holds(key, entry)) this.#hold(key, entry);
      else this.#put(key, entry);
    }
  }

  /** Let signals in, and see that the disk has room for what comes next. */
  async #pause(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    await nextTurn();
    signal?.throwIfAborted();
    await ensureDiskSpace(this.database.directory, bytes);
  }

  /** Hold a record back; one that is published is deleted as any other, so that nobody can tell the difference. */
  #hold(key: Buffer, { record, context, heldSource }: StagedEntry): void {
    const published = this.database.records.getBinary(key);
    const before = this.#holding.find(key);
    if (published !== undefined) {
      this.#delete(key);
      this.#counts.withdrawn++;
    }
    reviewHeld(this.review, key, before, record);
    const ofPublished = published && this.#sourceOf(published);
    const source = this.options.source ?? (heldSource || (before?.source ?? ofPublished ?? null));
    this.#holding.put(key, { source, since: this.#time, context: context.toString("utf8"), record });
    this.#counts.held++;
  }

  #release(key: Buffer): void {
    const held = this.#holding.take(key);
    if (held === undefined) return;
    const { record } = held;
    const [context, backlinks] = [Buffer.from(held.context, "utf8"), this.#backlinksIn(record)];
    const bare = { kind: ENTRY.record, hold: undefined, heldSource: "" };
    this.#put(key, { ...bare, context, backlinks, record }, held);
    this.#holding.release(key, this.#time);
  }

  #put(key: Buffer, entry: StagedEntry, held = this.#holding.take(key)): void {
    const { context, backlinks, record } = entry;
    const { records, numbers, tombstones } = this.database;
    const before = this.database.recordNow(key);
    if (held !== undefined) reviewHeld(this.review, key, held, record);
    const ofHeld = held === undefined || held.source === null ? 0 : this.#sourceNumber(held.source);
    const former = before === undefined ? ofHeld : stored.source(before);
    const source = this.#source || stored.source(record) || former;
    const iri = iriOf(key, record);
    const contextOf = (number: number): string | undefined => this.database.contexts.get(number);
    if (before !== undefined && !this.#log.changes(iri) && isUnchanged(before, entry, contextOf)) {
      this.#counts.unchanged++;
      const isTaken = stored.source(before) !== source;
      this.review?.onUnchanged?.(iri, isTaken);
      if (isTaken) this.#move(key, before, source);
      return;
    }
    this.review?.onChange(pendingChange(this.database, key, before, record));
    let number: number;
    let previous: number;
    let had = NO_BACKLINKS;
    if (before === undefined) {
      this.#counts.created++;
      number = this.#state.nextNumber++;
      this.#backlinks.addAll(backlinks, number);
      numbers.putSync(numberKey(number), Buffer.from(iri, "utf8"));
      if (endsLikeFile(iri)) this.#state.suffixed++;
      const deletion = this.#hasTombstones ? tombstones.get(key) : undefined;
      previous = deletion === undefined ? 0 : numberOfKey(deletion);
      if (deletion !== undefined) tombstones.removeSync(key);
      this.#list(listingOf(record, iri, number));
    } else {
      this.#counts.replaced++;
      number = stored.number(before);
      previous = stored.sequence(before);
      const [old, listed] = [listingOf(before, iri, number), listingOf(record, iri, number)];
      this.#log.keep(before, this.#state.keeps === "versions");
      this.#count(before, -1);
      had = this.#backlinksIn(before);
      this.#backlinks.replace(had, backlinks, number);
      if (old.endpoint !== listed.endpoint || old.label !== listed.label) {
        this.database.lists.removeSync(listingKey(old));
        this.#list(listed);
      }
    }
    const kind = before === undefined ? "create" : "update";
    const about = { kind, iri, ...describedBy(record), source, previous } as const;
    const sequence = this.#log.add(about, this.#setsOf(had, backlinks));
    this.#blocks.add(blockOf(number));
    publishInto(record, { sequence, modified: this.#log.time, number, context: this.#contextNumber(context), source });
    addChecksum(key, record, contextSum(context.length === 0 ? undefined : context.toString("utf8")));
    this.#counts.triples += stored.triples(record);
    this.#count(record, 1);
    records.putSync(key, record, this.#putting);
  }

  #list(listing: Listing): void {
    this.database.lists.putSync(listingKey(listing), encodeListed(listing));
  }

  /** Give an unchanged record to another source; that is no change that anybody who reads it would see. */
  #move(key: Buffer, value: Buffer, source: number): void {
    const moved = withSource(value, source);
    addChecksum(key, moved, contextSum(this.database.contexts.get(stored.context(moved))));
    countSource(this.#state, this.#sourceOf(value), -1);
    countSource(this.#state, this.#sourceOf(moved), 1);
    this.database.records.putSync(key, moved);
  }

  /** Delete a record; with `move` its IRI leads elsewhere, whether there was a record or not. */
  #delete(key: Buffer, move?: Move): void {
    const { records, numbers, tombstones, lists } = this.database;
    const before = records.getBinary(key);
    this.#holding.forget(key);
    if (before === undefined) {
      const held = this.#holding.take(key);
      if (held !== undefined) reviewHeld(this.review, key, held, held.record);
      if (move !== undefined) this.#redirect(key, move);
      else if (held !== undefined) this.#counts.deleted++;
      return;
    }
    this.review?.onChange(pendingChange(this.database, key, before, undefined));
    const iri = iriOf(key, before);
    const number = stored.number(before);
    this.#counts.deleted++;
    this.#log.keep(before, this.#state.keeps !== "nothing");
    this.#count(before, -1);
    const backlinks = this.#backlinksIn(before);
    this.#backlinks.removeAll(backlinks, number);
    const origin = { source: stored.source(before), previous: stored.sequence(before) };
    const about = { iri, ...describedBy(before), ...origin };
    const sequence = this.#log.add({ ...about, ...deletionOf(move) }, this.#setsOf(backlinks));
    tombstones.putSync(key, numberKey(sequence));
    numbers.removeSync(numberKey(number));
    if (endsLikeFile(iri)) this.#state.suffixed--;
    this.#blocks.add(blockOf(number));
    lists.removeSync(listingKey(listingOf(before, iri, number)));
    records.removeSync(key);
  }

  /** Let an IRI without a record lead elsewhere: one that was deleted or moved before, or was never here. */
  #redirect(key: Buffer, move: Move): void {
    const { tombstones, changes } = this.database;
    if (!isRedirected(this.database, key, move)) return;
    const tombstone = tombstones.get(key);
    const previous = tombstone === undefined ? 0 : numberOfKey(tombstone);
    const before = tombstone && changes.get(tombstone);
    const deletion = before && decodeChange(previous, before);
    const { endpoint = null, label = "" } = deletion ?? {};
    const source = before === undefined ? 0 : changeSource(before);
    const sequence = this.#log.add({ iri: move.iri, endpoint, label, source, previous, ...deletionOf(move) }, []);
    tombstones.putSync(key, numberKey(sequence));
    this.#counts.deleted++;
  }

  /** The Sets that a record is a member of by any of its backlinks, each once. */
  #setsOf(...all: readonly StagedBacklinks[]): Iterable<TextHash> {
    const memberOf = this.properties.of(MEMBER_OF);
    const sets = new Map<string, TextHash>();
    for (const backlinks of all) {
      for (let at = 0; at < backlinks.length; at++) {
        if (backlinks.property(at) === memberOf) sets.set(backlinks.key(at), backlinks.hash(at));
      }
    }
    return sets.values();
  }

  #count(value: Buffer, by: 1 | -1): void {
    countRecord(this.#state, value, this.#sourceOf(value), by);
  }

  #sourceOf(value: Buffer): string | undefined {
    return this.#sources[stored.source(value) - 1];
  }

  #backlinksIn(record: Buffer): StagedBacklinks {
    return stagedBacklinks(decodeGraph(record), this.properties);
  }

  async #flush(signal: AbortSignal | undefined): Promise<void> {
    let written = 0;
    for (const _ of this.#backlinks.flush()) if (++written % PAGES_AT_ONCE === 0) await this.#pause(0, signal);
  }

  #putFacts(): void {
    const { facts, documents } = this.database;
    for (const block of this.#blocks) putBlockTime(this.database, block, this.#log.time);
    for (const [uri, document] of this.options.contexts ?? []) documents.putSync(uri, document);
    if (this.options.baseUrl !== undefined) this.#state.baseUrl = this.options.baseUrl;
    facts.putSync("properties", this.properties.list());
    facts.putSync("sources", this.#sources);
    facts.putSync("state", this.#state);
    this.#holding.putFacts();
  }
}

/** About how many pages publishing an entry may write to: each backlink may lie on another. */
function pagesFor({ backlinks, record }: StagedEntry): number {
  const others = record.length === 0 ? BACKLINKS_OF_A_RECORD : backlinks.length;
  return TABLES + others + Math.ceil(record.length / LMDB_PAGE);
}

const TABLES = 8;
/** The number that is reckoned for a deletion, whose record is not known yet. */
const BACKLINKS_OF_A_RECORD = 60;

/** The entry of a record in the change log, without its IRI. */
function describedBy(value: Buffer): Pick<LoggedChange, "endpoint" | "label"> {
  return { endpoint: stored.endpoint(value), label: stored.label(value) };
}

function deletionOf(move: Move | undefined): Pick<LoggedChange, "kind" | "target"> {
  return move === undefined ? { kind: "delete" } : { kind: "move", target: move.target };
}
