/** Ready answers for entities that are asked for often, in a bounded number of bytes. */
import type { WholeAnswer } from "../answer.js";

/** An answer with what decides whether it is still true. */
export interface ReadyAnswer {
  /** The change sequence number of the record that it was written from. */
  readonly sequence: number;
  /** The entity tag, and the time of the last change in milliseconds since 1970, for conditional requests. */
  readonly tag: string;
  readonly modified: number;
  readonly whole: WholeAnswer;
  /** 304 in its place. */
  readonly unchanged: WholeAnswer;
}

/** What an answer takes beside its body: headers, and the entry itself. */
const OVERHEAD = 4_096;

/** How many askings are remembered at most; a power of two. */
const PLACES = 65_536;

/** Answers by the IRI of their entity, one for each slot (a representation in an encoding). */
type Generation = Map<string, (ReadyAnswer | undefined)[]>;

/**
 * Keeps what was used lately, in two generations: answers enter the young one, and when that holds half of the bytes it
 * becomes the old one, of which only what is asked for again is kept. So using an entry costs one look-up, and nothing
 * has to be put in order.
 */
export class AnswerCache {
  readonly #mostOfGeneration: number;
  #young: Generation = new Map();
  #old: Generation = new Map();
  #youngBytes = 0;
  /** Hashes of what was asked for, each at its place until another comes there. */
  readonly #asked = new Int32Array(PLACES);

  /** @param mostBytes how much memory the answers may take; 0 keeps none */
  constructor(mostBytes: number) {
    this.#mostOfGeneration = mostBytes / 2;
  }

  get(iri: string, slot: number): ReadyAnswer | undefined {
    const young = this.#young.get(iri)?.[slot];
    if (young !== undefined) return young;
    const old = this.#old.get(iri)?.[slot];
    if (old !== undefined) this.set(iri, slot, old);
    return old;
  }

  /**
   * Whether it was asked for before, lately: one who reads a whole collection asks for each entity once, and should
   * neither push out what others ask for nor pay for keeping what nobody does.
   */
  wasAsked(iri: string, slot: number): boolean {
    let hash = slot + 1;
    for (let at = iri.length - 1; at >= 0; at--) hash = (Math.imul(hash, 31) + iri.charCodeAt(at)) | 0;
    const place = (hash ^ (hash >>> 16)) & (PLACES - 1);
    if (this.#asked[place] === hash) return true;
    this.#asked[place] = hash;
    return false;
  }

  set(iri: string, slot: number, answer: ReadyAnswer): void {
    const bytes = sizeOf(answer);
    if (bytes > this.#mostOfGeneration) return;
    if (this.#youngBytes + bytes > this.#mostOfGeneration) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    const slots = this.#young.get(iri);
    if (slots === undefined) {
      const first: (ReadyAnswer | undefined)[] = [];
      first[slot] = answer;
      this.#young.set(iri, first);
    } else {
      if (slots[slot] !== undefined) this.#youngBytes -= sizeOf(slots[slot]);
      slots[slot] = answer;
    }
    this.#youngBytes += bytes;
  }

  /** How many bytes are kept, as far as they are counted. */
  get bytes(): number {
    let old = 0;
    for (const slots of this.#old.values())
      for (const answer of slots) old += answer === undefined ? 0 : sizeOf(answer);
    return this.#youngBytes + old;
  }
}

/** Strings take one or two bytes a character; the larger is counted. */
function sizeOf({ whole: { body } }: ReadyAnswer): number {
  return OVERHEAD + (typeof body === "string" ? 2 * body.length : body.length);
}
