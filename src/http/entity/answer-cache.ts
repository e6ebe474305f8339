/** A cache of ready answers for entities that are requested often, bounded in bytes. */
import { LRUCache } from "lru-cache";
import type { WholeAnswer } from "../message/answer.js";
import type { ImageReads } from "../representations/representation.js";

/** An answer, with the data that decide whether it is still current. */
export interface ReadyAnswer {
  readonly sequence: number;
  /** The entity tag, and the time of the record's last change in milliseconds since 1970; none if the answer depends on more than the record. */
  readonly tag: string;
  readonly modified: number | undefined;
  readonly whole: WholeAnswer;
  readonly unchanged: WholeAnswer;
  /** For an answer that depends on more than its record: the store's sequence number when it was last current, the image files that it shows, and its cache key, which includes the languages. */
  readonly validity?: { readonly sequence: number; readonly reads: ImageReads; readonly key: string } | undefined;
}

/** The bytes of an answer besides its body: headers, and the entry itself. */
const OVERHEAD = 4_096;

/** How many requests `wasAsked` remembers at most; a power of two. */
const PLACES = 65_536;

/** Keeps the most recently used answers, one for each entity, set of languages and slot (a representation in a content coding). */
export class AnswerCache {
  readonly #answers: LRUCache<string, ReadyAnswer> | undefined;
  /** Hashes of recent requests, each at its place until another hash replaces it. */
  readonly #recent = new Int32Array(PLACES);
  #lookups = 0;
  #hits = 0;

  /** @param maxBytes how much memory the answers may take; with 0 none is kept */
  constructor(maxBytes: number) {
    // An entry larger than half the cache would evict nearly everything else.
    const limits = { maxSize: maxBytes, maxEntrySize: Math.ceil(maxBytes / 2), sizeCalculation: sizeOf };
    this.#answers = maxBytes === 0 ? undefined : new LRUCache(limits);
  }

  get(iri: string, slot: number): ReadyAnswer | undefined {
    if (this.#answers === undefined) return undefined;
    const answer = this.#answers.get(`${slot} ${iri}`);
    this.#lookups++;
    if (answer !== undefined) this.#hits++;
    return answer;
  }

  /** Notes a request. Returns whether the same was requested lately: a client that reads every entity once must not evict popular answers. */
  wasAsked(iri: string, slot: number): boolean {
    if (this.#answers === undefined) return false;
    let hash = slot + 1;
    for (let at = iri.length - 1; at >= 0; at--) hash = (Math.imul(hash, 31) + iri.charCodeAt(at)) | 0;
    const place = (hash ^ (hash >>> 16)) & (PLACES - 1);
    if (this.#recent[place] === hash) return true;
    this.#recent[place] = hash;
    return false;
  }

  set(iri: string, slot: number, answer: ReadyAnswer): void {
    this.#answers?.set(`${slot} ${iri}`, answer);
  }

  clear(): void {
    this.#answers?.clear();
  }

  /** The cache's counts of look-ups and hits, and the memory that it takes in bytes. */
  get state() {
    return { lookups: this.#lookups, hits: this.#hits, bytes: this.#answers?.calculatedSize ?? 0 };
  }
}

/** The memory of an answer. A string takes one or two bytes per character; two are counted. */
function sizeOf({ whole: { body } }: ReadyAnswer): number {
  return OVERHEAD + (typeof body === "string" ? 2 * body.length : body.length);
}
