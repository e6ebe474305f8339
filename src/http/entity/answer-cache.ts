/** Ready answers for entities that are asked for often, in a bounded number of bytes. */
import { LRUCache } from "lru-cache";
import type { WholeAnswer } from "../message/answer.js";

/** An answer with what decides whether it is still true. */
export interface ReadyAnswer {
  readonly sequence: number;
  /** The entity tag, and the time of the last change in milliseconds since 1970 where that tells anything. */
  readonly tag: string;
  readonly modified: number | undefined;
  readonly whole: WholeAnswer;
  readonly unchanged: WholeAnswer;
  /** For an answer that is made of more than its record: until when it is known to be true, and what it is kept by, which tells readers of each language apart. */
  readonly validity?: {
    readonly sequence: number;
    readonly key: string;
  };
}

/** The bytes of an answer beside its body: headers, and the entry itself. */
const OVERHEAD = 4_096;

/** How many askings are remembered at most; a power of two. */
const PLACES = 65_536;

/** Keeps the answers that were used last, one for each entity, and reader of a language, and slot (a representation in a coding). */
export class AnswerCache {
  readonly #answers: LRUCache<string, ReadyAnswer> | undefined;
  /** Hashes of what was asked for, each at its place until another comes there. */
  readonly #asked = new Int32Array(PLACES);
  #lookups = 0;
  #hits = 0;

  /** @param maxBytes how much memory the answers may take; 0 keeps none */
  constructor(maxBytes: number) {
    // An entry of half the size would push out everything else.
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

  /** Whether it was asked for lately: who reads a whole collection, each entity once, should not push out what others ask for. */
  wasAsked(iri: string, slot: number): boolean {
    let hash = slot + 1;
    for (let at = iri.length - 1; at >= 0; at--) hash = (Math.imul(hash, 31) + iri.charCodeAt(at)) | 0;
    const place = (hash ^ (hash >>> 16)) & (PLACES - 1);
    if (this.#asked[place] === hash) return true;
    this.#asked[place] = hash;
    return false;
  }

  set(iri: string, slot: number, answer: ReadyAnswer): void {
    this.#answers?.set(`${slot} ${iri}`, answer);
  }

  clear(): void {
    this.#answers?.clear();
  }

  /** How it does: how often it was asked, how often it had the answer, and how much memory it takes. */
  get state() {
    return { asked: this.#lookups, had: this.#hits, bytes: this.#answers?.calculatedSize ?? 0 };
  }
}

/** Strings take one or two bytes a character; the larger is counted. */
function sizeOf({ whole: { body } }: ReadyAnswer): number {
  return OVERHEAD + (typeof body === "string" ? 2 * body.length : body.length);
}
