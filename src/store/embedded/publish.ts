/** Publication: staged entries become records, changes and mentions in one transaction. */
import type { ChangeKind, Publication, StageOptions } from "../store.js";
import { encodeChange } from "./changes.js";
import type { StoreDatabase, StoreState } from "./database.js";
import { decodeGraph, publishInto, sameContent, stored } from "./encoding.js";
import { iriHash, mentionKey, numberKey } from "./keys.js";
import { type Mention, mentionsOf } from "./mentions.js";
import type { StagedEntry } from "./stage.js";

/** Mentions are sorted before they are written, this many at a time, so that LMDB's pages are visited in order. */
const MENTIONS_AT_ONCE = 2 ** 20;
/** A predicate beyond these many is named by this number, and told apart by reading the record. */
export const OTHER_PROPERTY = 0xffff;

/** One publication. */
export class Publisher {
  readonly #database: StoreDatabase;
  readonly #options: StageOptions;
  readonly #time: number;
  readonly #properties: Map<string, number>;
  readonly #contexts: Map<string, number>;
  readonly #mentions: MentionQueue;
  #counts = { created: 0, replaced: 0, unchanged: 0, deleted: 0, triples: 0 };
  #state: Mutable<StoreState>;

  constructor(database: StoreDatabase, options: StageOptions) {
    this.#database = database;
    this.#options = options;
    this.#mentions = new MentionQueue(database);
    this.#state = { ...database.state, endpoints: { ...database.state.endpoints } };
    // A clock that was set back must not let the change log go back.
    this.#time = Math.max(Date.now(), this.#state.lastChange ?? 0);
    this.#properties = new Map(database.properties.map((iri, index) => [iri, index + 1]));
    this.#contexts = new Map([...database.contexts.getRange()].map(({ key, value }) => [value, key]));
  }

  /** Publish all entries, durably, or nothing when it throws. */
  publish(entries: () => Iterable<StagedEntry>, repeated: number): Publication {
    const { root, facts, documents } = this.#database;
    root.transactionSync(() => {
      for (const entry of entries()) {
        if (entry.value.length === 0) this.#delete(entry);
        else this.#put(entry);
      }
      this.#mentions.flush();
      for (const [uri, document] of this.#options.contexts ?? []) documents.putSync(uri, document);
      if (this.#options.baseUrl !== undefined) this.#state.baseUrl = this.#options.baseUrl;
      facts.putSync("properties", [...this.#properties.keys()]);
      facts.putSync("state", this.#state);
    });
    return { ...this.#counts, repeated, sequence: this.#state.sequence };
  }

  #put({ key, context, value }: StagedEntry): void {
    const { records, numbers, tombstones } = this.#database;
    const before = records.getBinary(key);
    if (before !== undefined && sameContent(before, value)) {
      this.#counts.unchanged++;
      return;
    }
    const number = before === undefined ? this.#state.nextNumber++ : stored.number(before);
    const sequence = this.#change(before === undefined ? "create" : "update", value);
    publishInto(value, { sequence, modified: this.#time, number, context: this.#contextNumber(context) });
    if (before === undefined) {
      this.#counts.created++;
      numbers.putSync(numberKey(number), key);
      tombstones.removeSync(key);
    } else {
      this.#counts.replaced++;
      this.#count(before, -1);
    }
    this.#replaceMentions(before, value, number);
    this.#counts.triples += stored.triples(value);
    this.#count(value, 1);
    records.putSync(key, value);
  }

  #delete({ key }: StagedEntry): void {
    const { records, numbers, tombstones } = this.#database;
    const before = records.getBinary(key);
    if (before === undefined) return;
    this.#counts.deleted++;
    this.#count(before, -1);
    this.#replaceMentions(before, undefined, stored.number(before));
    tombstones.putSync(key, numberKey(this.#change("delete", before)));
    numbers.removeSync(numberKey(stored.number(before)));
    records.removeSync(key);
  }

  /** Log a change of the record in `value`; its sequence number. */
  #change(kind: ChangeKind, value: Buffer): number {
    const sequence = ++this.#state.sequence;
    this.#state.lastChange = this.#time;
    const { iri } = decodeGraph(value, () => undefined);
    this.#database.changes.putSync(numberKey(sequence), encodeChange({ sequence, iri, kind, time: this.#time }));
    return sequence;
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

  #replaceMentions(before: Buffer | undefined, after: Buffer | undefined, number: number): void {
    const old = before === undefined ? [] : this.#encodedMentions(before, number);
    const now = after === undefined ? [] : this.#encodedMentions(after, number);
    if (old.length === 0) {
      for (const mention of now) this.#mentions.add(mention);
      return;
    }
    const key = ({ hash, property }: EncodedMention): string => `${hash} ${property}`;
    const kept = new Set(now.map(key));
    const had = new Set(old.map(key));
    for (const mention of old) if (!kept.has(key(mention))) this.#mentions.remove(mention);
    for (const mention of now) if (!had.has(key(mention))) this.#mentions.add(mention);
  }

  #encodedMentions(value: Buffer, number: number): EncodedMention[] {
    const graph = decodeGraph(value, () => undefined);
    return mentionsOf(graph).map(({ iri, property }: Mention) => ({
      hash: iriHash(iri),
      property: property === null ? 0 : this.#propertyNumber(property),
      number,
    }));
  }

  #propertyNumber(property: string): number {
    let number = this.#properties.get(property);
    if (number === undefined) {
      if (this.#properties.size + 1 >= OTHER_PROPERTY) return OTHER_PROPERTY;
      number = this.#properties.size + 1;
      this.#properties.set(property, number);
    }
    return number;
  }
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] extends object | null ? Mutable<T[Key]> : T[Key] };

/** One mention as it is stored: property 0 says that the node is described. */
interface EncodedMention {
  readonly hash: number;
  readonly property: number;
  readonly number: number;
}

function keyOf({ hash, property, number }: EncodedMention): Buffer {
  return mentionKey(hash, property, number);
}

const NOTHING = Buffer.alloc(0);

/** New mentions on their way into the store, sorted before they are written. */
class MentionQueue {
  #hashes: number[] = [];
  #keys: Buffer[] = [];

  constructor(readonly database: StoreDatabase) {}

  add(mention: EncodedMention): void {
    this.#hashes.push(mention.hash);
    this.#keys.push(keyOf(mention));
    if (this.#hashes.length === MENTIONS_AT_ONCE) this.flush();
  }

  /** Remove a mention that an earlier publication wrote. */
  remove(mention: EncodedMention): void {
    this.database.mentions.removeSync(keyOf(mention));
  }

  flush(): void {
    // Doubles sort without a comparator: the hash's upper bits lead, the place in the queue follows.
    const order = new Float64Array(this.#hashes.length);
    for (let at = 0; at < order.length; at++) {
      order[at] = Math.floor(this.#hashes[at]! / MENTIONS_AT_ONCE) * MENTIONS_AT_ONCE + at;
    }
    order.sort();
    for (const place of order) {
      this.database.mentions.putSync(this.#keys[place % MENTIONS_AT_ONCE]!, NOTHING);
    }
    this.#hashes = [];
    this.#keys = [];
  }
}
