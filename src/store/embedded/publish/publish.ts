/** Publication: staged entries become records, changes and backlinks in one transaction. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { entryOf } from "../../../base/entries.js";
import { lazily } from "../../../base/lazily.js";
import { propertyIri } from "../../../model/vocabulary/vocabulary.js";
import { endsLikeFile } from "../../store.js";
import type { PendingChange, PublishedCounts, Review, StageOptions } from "../../writable-store.js";
import { NOTHING_PUBLISHED } from "../../writable-store.js";
import type { PropertyNumbers } from "../format/backlinks.js";
import { changeSource, type LoggedChange } from "../format/changes.js";
import { contextSum } from "../format/checksum.js";
import { LMDB_PAGE, type Mutable, PAGES_AT_ONCE, type StoreDatabase, type StoreState } from "../format/database.js";
import { decodeGraph, iriOf } from "../format/decoding.js";
import { addChecksum, publishInto, stored, withSource } from "../format/encoding.js";
import { ensureDiskSpace } from "../format/files.js";
import { numberKey, numberOfKey } from "../format/keys.js";
import { blockOf, listingKey, listingOf, putBlockTime, putListing } from "../format/listing.js";
import { BacklinkQueue } from "../tables/backlink-queue.js";
import { ChangeLogWriter, MirroredLogWriter } from "../tables/change-log.js";
import { countIn, countRecord } from "../tables/count.js";
import { Holding } from "../tables/held.js";
import type { Distinct, Move, StagedEntry } from "./staged-entries.js";
import { ENTRY, isRedirected, isUnchanged, moveOf, StagedBacklinks, stagedBacklinks } from "./staged-entries.js";

/** The property by which members name their Sets. */
const MEMBER_OF = propertyIri("member_of", "HumanMadeObject")!;
const NO_BACKLINKS = new StagedBacklinks(Buffer.alloc(0));

/** Publishes staged entries. It must be created and run within the transaction that it writes. */
export class Publisher {
  readonly #contexts = new Map<string, number>();
  readonly #backlinks: BacklinkQueue;
  readonly #counts = { ...NOTHING_PUBLISHED };
  readonly #holding: Holding;
  readonly #state: Mutable<StoreState>;
  /** The names of sources. Records name them by number, from 1. */
  readonly #sources: string[];
  readonly #source: number;
  readonly #time: number;
  /** Into an empty table, records are appended in key order, so that LMDB fills its pages. */
  readonly #putting: { readonly append: boolean };
  /** Whether there are tombstones. Without any, no created record can have existed before. */
  readonly #hasTombstones: boolean;
  readonly #log: ChangeLogWriter;
  /** The blocks of numbers with changed records. */
  readonly #blocks = new Set<number>();

  constructor(
    private readonly database: StoreDatabase,
    private readonly options: StageOptions,
    private readonly properties: PropertyNumbers,
    private readonly review: Review | undefined,
    private readonly signal: AbortSignal | undefined,
  ) {
    const { mirrored = [], source, keeps } = options;
    this.#backlinks = new BacklinkQueue(database);
    this.#state = structuredClone(database.state);
    if (keeps !== undefined) this.#state.keeps = keeps;
    // Later than all earlier changes, even if the clock was set back: harvesters ask for changes after the last that they have seen.
    this.#time = Math.max(Date.now(), (this.#state.lastChange ?? 0) + 1);
    this.#log =
      mirrored.length === 0
        ? new ChangeLogWriter(database, this.#state, this.#time)
        : new MirroredLogWriter(database, this.#state, mirrored);
    for (const { key, value } of database.contexts.getRange()) this.#contexts.set(value, key);
    this.#sources = [...database.sources];
    this.#source = source === undefined ? 0 : this.#sourceNumber(source);
    this.#holding = new Holding(database);
    this.#putting = { append: database.records.getKeysCount({ limit: 1 }) === 0 };
    this.#hasTombstones = database.tombstones.getKeysCount({ limit: 1 }) > 0;
  }

  /** Publish entries, given in key order. Throws `StoreSpaceError`, the signal's reason. */
  async run(entries: Iterable<Distinct>): Promise<PublishedCounts> {
    await this.#pause(0);
    await this.#putAll(entries);
    this.review?.beforeCommit();
    await this.#backlinks.flush(() => this.#pause(0));
    this.#log.finish();
    this.#putFacts();
    return { ...this.#counts, sequence: this.#state.sequence };
  }

  /** The number of a context, given as JSON, or 0 if it is empty. A new context is stored. */
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

  async #putAll(entries: Iterable<Distinct>): Promise<void> {
    let pages = 0;
    for (const { key, entry, isRepeated } of entries) {
      if (isRepeated) this.#counts.repeated++;
      pages += pagesFor(entry);
      if (pages > PAGES_AT_ONCE) {
        pages = pagesFor(entry);
        await this.#pause(pages * LMDB_PAGE);
      }
      if (this.#backlinks.isFullFor(entry.backlinks.length)) await this.#backlinks.flush(() => this.#pause(0));
      if (entry.kind === ENTRY.keep) this.#counts.kept++;
      else if (entry.kind === ENTRY.deletion) this.#delete(key);
      else if (entry.kind === ENTRY.move) this.#delete(key, moveOf(entry));
      else if (entry.kind === ENTRY.release) this.#release(key);
      else if (this.#holding.holds(key, entry)) this.#hold(key, entry);
      else this.#put(key, entry);
    }
  }

  /** Let the event loop turn, honour the signal, and check the disk space for the next `bytes`. */
  async #pause(bytes: number): Promise<void> {
    await nextTurn();
    this.signal?.throwIfAborted();
    await ensureDiskSpace(this.database.directory, bytes);
  }

  /** Hold a record. If it is published, it is deleted like any other record, so that the public sees an ordinary deletion. */
  #hold(key: Buffer, { record, context, source: former }: StagedEntry): void {
    const published = this.database.records.getBinary(key);
    const before = this.#holding.find(key);
    if (published !== undefined) {
      this.#delete(key);
      this.#counts.withdrawn++;
    }
    this.review?.onHeld?.({ iri: iriOf(key, record), source: before?.source });
    const ofPublished = published && this.#sourceOf(published);
    const source = this.options.source ?? (former || (before?.source ?? ofPublished ?? null));
    this.#holding.put(key, { source, since: this.#time, context: context.toString("utf8"), record });
    this.#counts.held++;
  }

  #release(key: Buffer): void {
    const held = this.#holding.take(key);
    if (held === undefined) return;
    const { record } = held;
    const [context, backlinks] = [Buffer.from(held.context, "utf8"), this.#backlinksIn(record)];
    const bare = { kind: ENTRY.record, hold: undefined, source: "", isReleased: true };
    this.#put(key, { ...bare, context, backlinks, record }, held);
  }

  #put(key: Buffer, entry: StagedEntry, held = this.#holding.take(key)): void {
    const { context, backlinks, record } = entry;
    const { records, numbers, tombstones } = this.database;
    if (entry.isReleased) this.#holding.release(key, this.#time);
    const before = this.database.recordNow(key);
    if (held !== undefined) this.review?.onHeld?.({ iri: iriOf(key, record), source: held.source });
    const former = entry.source || (before === undefined ? held?.source : this.#sourceOf(before));
    const source = this.#source || (former ? this.#sourceNumber(former) : 0);
    const iri = iriOf(key, record);
    if (before !== undefined && !this.#log.changes(iri) && isUnchanged(this.database, before, entry)) {
      this.#counts.unchanged++;
      this.review?.onUnchanged?.(iri, this.#sourceOf(before) ?? null);
      if (stored.source(before) !== source) this.#move(key, before, source);
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
      putListing(this.database, listingOf(record, iri, number));
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
        putListing(this.database, listed);
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

  /** Move an unchanged record to another source. It is not logged as a change, since readers see no difference. */
  #move(key: Buffer, value: Buffer, source: number): void {
    const moved = withSource(value, source);
    addChecksum(key, moved, contextSum(this.database.contexts.get(stored.context(moved))));
    countIn(this.#state.sources, this.#sourceOf(value), -1);
    countIn(this.#state.sources, this.#sourceOf(moved), 1);
    this.database.records.putSync(key, moved);
  }

  /** Delete a record. With `move`, its IRI redirects to another, even if there was no record. */
  #delete(key: Buffer, move?: Move): void {
    const { records, numbers, tombstones, lists } = this.database;
    const before = records.getBinary(key);
    this.#holding.forget(key);
    if (before === undefined) {
      const hidesVersions = this.database.hidesVersions(key);
      const held = this.#holding.take(key);
      if (held !== undefined) this.review?.onHeld?.({ iri: iriOf(key, held.record), source: held.source });
      if (move !== undefined) this.#redirect(key, move);
      else if (held !== undefined) this.#counts.deleted++;
      if (hidesVersions) this.database.hideVersions(key);
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

  /** Redirect an IRI without a record, whether its record was deleted or moved or it never had one. */
  #redirect(key: Buffer, move: Move): void {
    const { tombstones, changes } = this.database;
    if (!isRedirected(this.database, key, move)) return;
    const { sequence: previous = 0, endpoint = null, label = "" } = this.database.deletion(key) ?? {};
    const source = previous === 0 ? 0 : changeSource(changes.get(numberKey(previous))!);
    const sequence = this.#log.add({ iri: move.iri, endpoint, label, source, previous, ...deletionOf(move) }, []);
    tombstones.putSync(key, numberKey(sequence));
    this.#counts.deleted++;
  }

  /** The Sets that a record is a member of according to its backlinks, each once. */
  #setsOf(...all: readonly StagedBacklinks[]): readonly Buffer[] {
    const memberOf = this.properties.of(MEMBER_OF);
    const sets = all.flatMap((backlinks) => backlinks.hashesOf(memberOf));
    return [...new Map(sets.map((set) => [set.toString("latin1"), set])).values()];
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

/** An estimate of the pages that publishing an entry writes. Each backlink may be on a different page. */
function pagesFor({ backlinks, record }: StagedEntry): number {
  const others = record.length === 0 ? BACKLINKS_OF_A_RECORD : backlinks.length;
  return TABLES + others + Math.ceil(record.length / LMDB_PAGE);
}

const TABLES = 8;
/** The estimated number of backlinks for a deletion, whose record is not read yet. */
const BACKLINKS_OF_A_RECORD = 60;

function describedBy(value: Buffer): Pick<LoggedChange, "endpoint" | "label"> {
  return { endpoint: stored.endpoint(value), label: stored.label(value) };
}

function deletionOf(move: Move | undefined): Pick<LoggedChange, "kind" | "target"> {
  return move === undefined ? { kind: "delete" } : { kind: "move", target: move.target };
}

/** A change from one encoded record to another, either of which may be missing. It must be used at once, because the bytes are not copied. */
export function pendingChange(
  database: StoreDatabase,
  key: Buffer,
  before: Buffer | undefined,
  after: Buffer | undefined,
): PendingChange {
  // Identities, differences and descriptions all need the graphs.
  const decoded = (value: Buffer | undefined) => lazily(() => value && decodeGraph(value));
  return {
    iri: iriOf(key, (after ?? before)!),
    kind: after === undefined ? "delete" : before === undefined ? "create" : "update",
    source: (before && database.sources[stored.source(before) - 1]) ?? null,
    before: decoded(before),
    after: decoded(after),
    deletion: () => (before === undefined ? database.deletion(key) : undefined),
  };
}
