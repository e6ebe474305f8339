/** Publication: staged entries become records, changes and mentions in one transaction. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { propertyIri } from "../../../model/vocabulary/vocabulary.js";
import type { TextHash } from "../../../rdf/text-hash.js";
import { endsLikeFile, type Publication, type Review, type StageOptions } from "../../store.js";
import { blockOf, putBlockTime } from "../format/block-times.js";
import { decodeChange, type LoggedChange, sourceOf } from "../format/changes.js";
import { contextSum } from "../format/checksum.js";
import { type Mutable, PAGE, REPLACED_KEPT, type StoreDatabase, type StoreState } from "../format/database.js";
import { decodeGraph, publishInto, seal, stored, withSource } from "../format/encoding.js";
import { isHashed, mentionKey, numberKey, numberOfKey, recordBytes } from "../format/keys.js";
import { encodeListed, type Listing, listingKey, listingOf } from "../format/listing.js";
import type { PropertyNumbers } from "../format/property-numbers.js";
import { ChangeLog } from "./change-log.js";
import { ensureDiskSpace, RESERVE } from "./disk-space.js";
import { FoundQueue, foundIn } from "./found-queue.js";
import { MentionQueue } from "./mention-queue.js";
import { pendingChange } from "./pending-change.js";
import type { StageTarget } from "./stage.js";
import { type Distinct, isRedirected, isUnchanged } from "./staged-entries.js";
import { ENTRY, type Move, moveOf, type StagedEntry, StagedMentions, stagedMentions } from "./staged-entry.js";

/** By which members name their Sets. */
const MEMBER_OF = propertyIri("member_of", "HumanMadeObject")!;
const NO_MENTIONS = new StagedMentions(Buffer.alloc(0));

/** After writing to so many pages there is a pause; half of the room that must be left on the disk is for these. */
const PAGES_AT_ONCE = RESERVE / 2 / PAGE;

/** One publication. */
export class Publisher {
  readonly #directory: string;
  readonly #database: StoreDatabase;
  readonly #options: StageOptions;
  readonly #properties: PropertyNumbers;
  readonly #review: Review | undefined;
  /** Numbers of the stored contexts, by their JSON. */
  readonly #contexts = new Map<string, number>();
  readonly #mentions: MentionQueue;
  readonly #found: FoundQueue;
  /** Whether the store has what records are found by; a store of an older format gets it as a whole, not record by record. */
  readonly #hasFound: boolean;
  readonly #counts = { created: 0, replaced: 0, unchanged: 0, deleted: 0, repeated: 0, triples: 0 };
  #state: Mutable<StoreState>;
  /** The names of sources; a record has the number of its own, from 1. */
  #sources: string[] = [];
  #source = 0;
  #time = 0;
  /** Whether a record that is created may have been there before. */
  #hasTombstones = false;
  /** The last sequence number of the publication before. */
  #publishedBefore = 0;
  readonly #log: ChangeLog;
  /** The blocks of numbers in which a record changed. */
  readonly #blocks = new Set<number>();

  constructor(
    { directory, database }: StageTarget,
    options: StageOptions,
    properties: PropertyNumbers,
    review: Review | undefined,
  ) {
    this.#review = review;
    this.#directory = directory;
    this.#database = database;
    this.#options = options;
    this.#properties = properties;
    this.#mentions = new MentionQueue(database);
    this.#found = new FoundQueue(database);
    this.#hasFound = database.hasFound;
    this.#log = new ChangeLog(database);
    this.#state = database.state;
  }

  /**
   * Publish entries that come in the order of their keys. All is visible and on disk when this resolves; nothing changed
   * when it rejects. Throws `StoreSpaceError`, and the signal's reason when it aborts.
   */
  async publish(entries: Iterable<Distinct>, signal?: AbortSignal): Promise<Publication> {
    const { root } = this.#database;
    await root.transactionSync(async () => {
      this.#begin();
      await this.#pause(0, signal);
      await this.#putAll(entries, signal);
      this.#review?.beforeCommit();
      await this.#flush(signal);
      this.#putFacts();
    });
    return { ...this.#counts, sequence: this.#state.sequence };
  }

  #begin(): void {
    this.#state = this.#database.state;
    this.#publishedBefore = this.#state.sequence;
    // A clock that was set back must not let the change log go back.
    this.#time = Math.max(Date.now(), this.#state.lastChange ?? 0);
    for (const { key, value } of this.#database.contexts.getRange()) this.#contexts.set(value, key);
    this.#sources = [...this.#database.sources];
    this.#hasTombstones = this.#database.tombstones.getKeysCount({ limit: 1 }) > 0;
    const { source, keeps } = this.#options;
    if (keeps !== undefined) this.#state.keeps = keeps;
    if (source === undefined) return;
    if (!this.#sources.includes(source)) this.#sources.push(source);
    this.#source = this.#sources.indexOf(source) + 1;
  }

  async #putAll(entries: Iterable<Distinct>, signal: AbortSignal | undefined): Promise<void> {
    let pages = 0;
    for (const { key, entry, isRepeated } of entries) {
      if (isRepeated) this.#counts.repeated++;
      if (entry.kind === ENTRY.keep) continue;
      pages += pagesFor(entry);
      if (pages > PAGES_AT_ONCE) {
        pages = pagesFor(entry);
        await this.#pause(pages * PAGE, signal);
      }
      if (this.#mentions.isFullFor(entry.mentions.length) || this.#found.isFull) await this.#flush(signal);
      if (entry.kind === ENTRY.deletion) this.#delete(key);
      else if (entry.kind === ENTRY.move) this.#delete(key, moveOf(entry));
      else this.#put(key, entry);
    }
  }

  /** Let signals in, and see that the disk has room for what comes next. */
  async #pause(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    await nextTurn();
    signal?.throwIfAborted();
    await ensureDiskSpace(this.#directory, bytes);
  }

  #put(key: Buffer, entry: StagedEntry): void {
    const { context, mentions, found, record } = entry;
    const { records, numbers, tombstones } = this.#database;
    const before = this.#database.recordNow(key);
    const source = this.#source || stored.source(record) || (before === undefined ? 0 : stored.source(before));
    if (before !== undefined && isUnchanged(before, entry, (number) => this.#database.contexts.get(number))) {
      this.#counts.unchanged++;
      if (stored.source(before) !== source) {
        this.#review?.onTaken?.(iriOf(key, before).toString("utf8"));
        this.#move(key, before, source);
      }
      return;
    }
    this.#review?.onChange(pendingChange(this.#database, key, before, record));
    const iri = iriOf(key, record);
    let number: number;
    let previous: number;
    let had = NO_MENTIONS;
    if (before === undefined) {
      this.#counts.created++;
      number = this.#state.nextNumber++;
      this.#addMentions(mentions, number);
      numbers.putSync(numberKey(number), iri);
      if (endsLikeFile(iri.toString("utf8"))) this.#state.suffixed++;
      const deletion = this.#hasTombstones ? tombstones.get(key) : undefined;
      previous = deletion === undefined ? 0 : numberOfKey(deletion);
      if (deletion !== undefined) tombstones.removeSync(key);
      this.#list(listingOf(record, iri, number));
      if (this.#hasFound) this.#found.add(foundIn(record, found), number);
    } else {
      this.#counts.replaced++;
      number = stored.number(before);
      previous = stored.sequence(before);
      const [old, listed] = [listingOf(before, iri, number), listingOf(record, iri, number)];
      this.#keepReplaced(before);
      if (this.#state.keeps === "versions") this.#keepVersion(before);
      this.#count(before, -1);
      had = this.#mentionsIn(before);
      this.#replaceMentions(had, mentions, number);
      if (this.#hasFound) this.#found.replace(foundIn(before), foundIn(record, found), number);
      if (old.endpoint !== listed.endpoint || old.label !== listed.label) {
        this.#database.lists.removeSync(listingKey(old));
        this.#list(listed);
      }
    }
    const kind = before === undefined ? "create" : "update";
    const about = { kind, iri: iri.toString("utf8"), ...describedBy(record), source, previous } as const;
    const sequence = this.#change(about, this.#setsOf(had, mentions));
    this.#blocks.add(blockOf(number));
    publishInto(record, { sequence, modified: this.#time, number, context: this.#contextNumber(context), source });
    seal(key, record, contextSum(context.length === 0 ? undefined : context.toString("utf8")));
    this.#counts.triples += stored.triples(record);
    this.#count(record, 1);
    records.putSync(key, record);
  }

  #list(listing: Listing): void {
    this.#database.lists.putSync(listingKey(listing), encodeListed(listing));
  }

  /** Give an unchanged record to another source; that is no change that anybody who reads it would see. */
  #move(key: Buffer, value: Buffer, source: number): void {
    const moved = withSource(value, source);
    seal(key, moved, contextSum(this.#database.contexts.get(stored.context(moved))));
    this.#countSource(value, -1);
    this.#countSource(moved, 1);
    this.#database.records.putSync(key, moved);
  }

  /** Delete a record; with `move` its IRI leads elsewhere, whether there was a record or not. */
  #delete(key: Buffer, move?: Move): void {
    const { records, numbers, tombstones, lists } = this.#database;
    const before = records.getBinary(key);
    if (before === undefined) {
      if (move !== undefined) this.#redirect(key, move);
      return;
    }
    this.#review?.onChange(pendingChange(this.#database, key, before, undefined));
    const iri = iriOf(key, before);
    const number = stored.number(before);
    this.#counts.deleted++;
    this.#keepReplaced(before);
    if (this.#state.keeps !== "nothing") this.#keepVersion(before);
    this.#count(before, -1);
    const mentions = this.#mentionsIn(before);
    this.#removeMentions(mentions, number);
    if (this.#hasFound) this.#found.remove(foundIn(before), number);
    const origin = { source: stored.source(before), previous: stored.sequence(before) };
    const about = { iri: iri.toString("utf8"), ...describedBy(before), ...origin };
    const sequence = this.#change({ ...about, ...deletionOf(move) }, this.#setsOf(mentions));
    tombstones.putSync(key, numberKey(sequence));
    numbers.removeSync(numberKey(number));
    if (endsLikeFile(iri.toString("utf8"))) this.#state.suffixed--;
    this.#blocks.add(blockOf(number));
    lists.removeSync(listingKey(listingOf(before, iri, number)));
    records.removeSync(key);
  }

  /**
   * Keep what the next change replaces. Of a large publication only the first: whoever follows reads all anew after it.
   */
  #keepReplaced(before: Buffer): void {
    const sequence = this.#state.sequence + 1;
    if (sequence <= this.#publishedBefore + REPLACED_KEPT) {
      this.#database.replaced.putSync(numberKey(sequence), before);
    }
  }

  /** Let an IRI without a record lead elsewhere: one that was deleted or moved before, or was never here. */
  #redirect(key: Buffer, move: Move): void {
    const { tombstones, changes } = this.#database;
    if (!isRedirected(this.#database, key, move)) return;
    const tombstone = tombstones.get(key);
    const previous = tombstone === undefined ? 0 : numberOfKey(tombstone);
    const before = tombstone && changes.get(tombstone);
    const deletion = before && decodeChange(previous, before);
    const { endpoint = null, label = "" } = deletion ?? {};
    const source = before === undefined ? 0 : sourceOf(before);
    const sequence = this.#change({ iri: move.iri, endpoint, label, source, previous, ...deletionOf(move) }, []);
    tombstones.putSync(key, numberKey(sequence));
    this.#counts.deleted++;
  }

  /** Keep a record that is no longer the last version. */
  #keepVersion(before: Buffer): void {
    this.#database.versions.putSync(numberKey(stored.sequence(before)), before);
  }

  /** Log a change; its sequence number. */
  #change(change: Omit<LoggedChange, "time">, sets: Iterable<TextHash>): number {
    const sequence = ++this.#state.sequence;
    this.#state.lastChange = this.#time;
    if (sequence > REPLACED_KEPT) this.#database.replaced.removeSync(numberKey(sequence - REPLACED_KEPT));
    this.#log.add(sequence, { ...change, time: this.#time }, sets);
    return sequence;
  }

  /** The Sets that a record is a member of by any of its mentions, each once. */
  #setsOf(...all: readonly StagedMentions[]): Iterable<TextHash> {
    const memberOf = this.#properties.of(MEMBER_OF);
    const sets = new Map<string, TextHash>();
    for (const mentions of all) {
      for (let at = 0; at < mentions.length; at++) {
        if (mentions.property(at) === memberOf) sets.set(mentions.key(at), mentions.hash(at));
      }
    }
    return sets.values();
  }

  /** Count a record in or out of the statistics. */
  #count(value: Buffer, by: 1 | -1): void {
    const state = this.#state;
    const endpoint = stored.endpoint(value) ?? "none";
    const ofEndpoint = (state.endpoints[endpoint] ?? 0) + by;
    if (ofEndpoint === 0) delete state.endpoints[endpoint];
    else state.endpoints[endpoint] = ofEndpoint;
    state.records += by;
    state.triples += by * stored.triples(value);
    if (!stored.valid(value)) state.invalid += by;
    this.#countSource(value, by);
  }

  #countSource(value: Buffer, by: 1 | -1): void {
    const name = this.#sources[stored.source(value) - 1];
    if (name === undefined) return;
    const { sources } = this.#state;
    const records = (sources[name] ?? 0) + by;
    if (records === 0) delete sources[name];
    else sources[name] = records;
  }

  #contextNumber(context: Buffer): number {
    if (context.length === 0) return 0;
    const text = context.toString("utf8");
    let number = this.#contexts.get(text);
    if (number === undefined) {
      number = this.#contexts.size + 1;
      this.#contexts.set(text, number);
      this.#database.contexts.putSync(number, text);
    }
    return number;
  }

  #mentionsIn(record: Buffer): StagedMentions {
    return stagedMentions(decodeGraph(record, noContext), this.#properties);
  }

  #addMentions(mentions: StagedMentions, number: number): void {
    for (let at = 0; at < mentions.length; at++) this.#mentions.add(mentions.hash(at), mentions.property(at), number);
  }

  #removeMentions(mentions: StagedMentions, number: number): void {
    for (let at = 0; at < mentions.length; at++) this.#removeMention(mentions, at, number);
  }

  #removeMention(mentions: StagedMentions, at: number, number: number): void {
    this.#database.mentions.removeSync(mentionKey(mentions.hash(at), mentions.property(at)), recordBytes(number));
  }

  #replaceMentions(before: StagedMentions, after: StagedMentions, number: number): void {
    // Most replacements change a text and no mention.
    if (before.equals(after)) return;
    const kept = after.keys;
    const had = before.keys;
    for (let at = 0; at < before.length; at++) {
      if (!kept.has(before.key(at))) this.#removeMention(before, at, number);
    }
    for (let at = 0; at < after.length; at++) {
      if (!had.has(after.key(at))) this.#mentions.add(after.hash(at), after.property(at), number);
    }
  }

  /** Write what is queued. */
  async #flush(signal: AbortSignal | undefined): Promise<void> {
    let written = 0;
    for (const queue of [this.#mentions, this.#found]) {
      for (const _ of queue.flush()) {
        if (++written % PAGES_AT_ONCE === 0) await this.#pause(0, signal);
      }
    }
  }

  #putFacts(): void {
    const { facts, documents } = this.#database;
    for (const block of this.#blocks) putBlockTime(this.#database, block, this.#time);
    for (const [uri, document] of this.#options.contexts ?? []) documents.putSync(uri, document);
    if (this.#options.baseUrl !== undefined) this.#state.baseUrl = this.#options.baseUrl;
    facts.putSync("properties", this.#properties.list());
    facts.putSync("sources", this.#sources);
    facts.putSync("state", this.#state);
  }
}

/** About how many pages publishing an entry may write to: each mention may lie on another. */
function pagesFor({ mentions, record }: StagedEntry): number {
  const others = record.length === 0 ? MENTIONS_OF_A_RECORD : mentions.length;
  return TABLES + others + Math.ceil(record.length / PAGE);
}

const TABLES = 8;
/** What is reckoned for a deletion, whose record is not known yet. */
const MENTIONS_OF_A_RECORD = 60;

/** The IRI of a record, in UTF-8. */
function iriOf(key: Buffer, value: Buffer): Buffer {
  return isHashed(key) ? Buffer.from(decodeGraph(value, noContext).iri, "utf8") : key;
}

/** What the change log says of a record besides its IRI. */
function describedBy(value: Buffer): Pick<LoggedChange, "endpoint" | "label"> {
  return { endpoint: stored.endpoint(value), label: stored.label(value) };
}

/** A deletion, or a move to where it leads. */
function deletionOf(move: Move | undefined): Pick<LoggedChange, "kind" | "target"> {
  return move === undefined ? { kind: "delete" } : { kind: "move", target: move.target };
}

function noContext(): undefined {
  return undefined;
}
