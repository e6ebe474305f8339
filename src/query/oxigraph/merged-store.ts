/** The merge of all records in Oxigraph: each triple once in the default graph, for as long as any record states it. */
import type * as oxigraph from "oxigraph";
import { NamedError, thrownMessage } from "../../base/named-error.js";
import { tripleCount } from "../../rdf/record-graph.js";
import type { TextHash } from "../../rdf/text-hash.js";
import type { ChangedRecord, NumberedRecord } from "../../store/snapshots.js";
import type { IndexParts } from "./index-image.js";
import { type IndexTriple, indexTriplesOf, isStrictIri } from "./index-triples.js";
import { memoryAddress, Store, storeAt } from "./wasm-instance.js";
import { MemorySteps } from "./wasm-memory.js";

interface FillOptions {
  /** Whether each record also stands in a named graph of its own. */
  readonly withGraphs: boolean;
  /** Called now and then with how many triples of the records were read. May throw, and so end the filling. */
  readonly progress?: (triples: number) => void;
}

/** Oxigraph does not take in a record. The store that was being filled is of no more use. */
export class CannotTakeError extends NamedError {
  constructor(
    readonly record: NumberedRecord,
    override readonly cause: unknown,
  ) {
    super(`<${record.graph.iri}>: ${thrownMessage(cause)}`);
  }
}

const REPORT_EVERY = 500;

export class MergedStore {
  readonly oxigraph: oxigraph.Store;
  readonly #counts: TripleCounts;
  readonly #withGraphs: boolean;
  /** Triples in the index, named graphs included. */
  live = 0;
  /** Triples that were removed: Oxigraph keeps their memory. */
  dead = 0;
  /** The record that is being taken in; `undefined` while what goes wrong is not its fault. */
  #current: NumberedRecord | undefined;

  /** Fill a store from all records (about 7 seconds for a million triples, without a pause), or take over an image. Throws `CannotTakeError`, and what `progress` throws. */
  constructor(source: Iterable<NumberedRecord> | IndexParts, options: FillOptions) {
    this.#withGraphs = options.withGraphs;
    if ("address" in source) {
      this.oxigraph = storeAt(source.address);
      this.#counts = new TripleCounts(source.counts, source.used);
      this.live = source.live;
      this.dead = source.dead;
      return;
    }
    this.#counts = new TripleCounts();
    const lenient: { readonly record: NumberedRecord; readonly text: string }[] = [];
    try {
      // One iterable is one transaction: twice as fast as to add quad by quad.
      this.oxigraph = new Store(this.#quads(source, lenient, options));
      // One text a record: labels of blank nodes hold within a text.
      for (const { record, text } of lenient) {
        this.#current = record;
        this.#load(text);
      }
    } catch (error) {
      throw this.#current === undefined ? error : new CannotTakeError(this.#current, error);
    }
  }

  get parts(): IndexParts {
    return { address: memoryAddress(this.oxigraph), ...this.#counts.parts, live: this.live, dead: this.dead };
  }

  /** Put what became of records in the place of what was. False when the store has to be filled anew: what only the lenient parser took cannot be taken out. */
  replace(changes: readonly ChangedRecord[]): boolean {
    const parts = changes.map(({ before, after }) => ({ old: this.#parts(before), now: this.#parts(after) }));
    const changed = parts.filter(({ old, now }) => !old.isLenient || !hasSame(old, now));
    if (changed.some(({ old }) => old.isLenient)) return false;
    for (const { old, now } of changed) {
      // A quad that becomes text is removed whole first, so that its named graph is one text too.
      const kept = new Set(now.isLenient ? [] : now.quads.map(keyText));
      const had = new Set(now.isLenient ? [] : old.quads.map(keyText));
      for (const triple of old.quads) if (!kept.has(keyText(triple))) this.#remove(triple, old.iri);
      for (const triple of now.quads) if (!had.has(keyText(triple))) this.#add(triple, now);
      this.#load(this.#text(now));
    }
    return true;
  }

  /** The result of `work` while these records also stand in named graphs. They are taken out afterwards; their memory stays, as that of dead triples. */
  withNamedGraphs<T>(records: readonly NumberedRecord[], work: () => T): T {
    if (this.#withGraphs) return work();
    try {
      for (const record of records) this.dead += addNamedGraph(this.oxigraph, record);
      return work();
    } finally {
      // Their IRIs stand in the query, so they are well-formed.
      for (const { graph } of records) this.oxigraph.update(`CLEAR SILENT GRAPH <${graph.iri}>`);
    }
  }

  *#quads(
    records: Iterable<NumberedRecord>,
    lenient: { readonly record: NumberedRecord; readonly text: string }[],
    options: FillOptions,
  ): Iterable<oxigraph.Quad> {
    let triples = 0;
    let count = 0;
    const memory = new MemorySteps();
    for (const record of records) {
      this.#current = record;
      const parts = this.#parts(record);
      for (const triple of parts.quads) {
        if (this.#isNew(triple)) yield this.#counted(triple.quad());
        if (this.#withGraphs && !parts.isLenient) yield this.#counted(triple.quad(record.graph.iri));
      }
      if (parts.isLenient) lenient.push({ record, text: this.#text(parts) });
      this.#current = undefined;
      triples += tripleCount(record.graph);
      if (++count % REPORT_EVERY !== 0) continue;
      memory.after(this.live);
      options.progress?.(triples);
    }
    memory.end();
    options.progress?.(triples);
  }

  /** How a record's triples come into the store. */
  #parts(record: NumberedRecord | undefined): Parts {
    if (record === undefined) return { iri: "", isLenient: false, quads: [], lines: [] };
    const triples = indexTriplesOf(record);
    const { iri } = record.graph;
    const isLenient = triples.some(({ isStrict }) => !isStrict) || (this.#withGraphs && !isStrictIri(iri));
    if (!isLenient) return { iri, isLenient, quads: triples, lines: [] };
    const isQuad = ({ isShared, isStrict }: IndexTriple): boolean => isShared && isStrict;
    return { iri, isLenient, quads: triples.filter(isQuad), lines: triples.filter((triple) => !isQuad(triple)) };
  }

  /** The part of a record that has to go through the parser; its statements are counted. */
  #text({ iri, isLenient, quads, lines }: Parts): string {
    if (!isLenient) return "";
    const text = lines.map((triple) => (this.#isNew(triple) ? this.#counted(triple.line()) : ""));
    if (this.#withGraphs) text.push(...[...quads, ...lines].map((triple) => this.#counted(triple.line(iri))));
    return text.join("");
  }

  #load(text: string): void {
    if (text !== "") this.oxigraph.load(text, LENIENT);
  }

  /** A quad or its line, which is counted. */
  #counted<T>(statement: T): T {
    this.live++;
    return statement;
  }

  /** Whether the index lacks a triple that one more record states; counts the statement. */
  #isNew(triple: IndexTriple): boolean {
    return !triple.isShared || this.#counts.add(triple.key) === 1;
  }

  #add(triple: IndexTriple, { iri, isLenient }: Parts): void {
    if (this.#isNew(triple)) this.oxigraph.add(this.#counted(triple.quad()));
    if (this.#withGraphs && !isLenient) this.oxigraph.add(this.#counted(triple.quad(iri)));
  }

  #remove(triple: IndexTriple, iri: string): void {
    const isLast = !triple.isShared || this.#counts.remove(triple.key) === 0;
    if (isLast) this.#delete(triple.quad());
    if (this.#withGraphs) this.#delete(triple.quad(iri));
  }

  #delete(quad: oxigraph.Quad): void {
    this.oxigraph.delete(quad);
    this.live--;
    this.dead++;
  }
}

/** A record's triples by the way in which they come into the store. */
interface Parts {
  readonly iri: string;
  /** Whether something in it only the lenient parser takes. It gives blank nodes new labels, so all go that way. */
  readonly isLenient: boolean;
  readonly quads: readonly IndexTriple[];
  readonly lines: readonly IndexTriple[];
}

function hasSame(old: Parts, now: Parts): boolean {
  const keys = ({ quads, lines }: Parts): string => [...quads, ...lines].map(keyText).sort().join();
  return now.isLenient && keys(old) === keys(now);
}

function keyText({ key: { a, b, c } }: IndexTriple): string {
  return `${a} ${b} ${c}`;
}

const LENIENT = { format: "application/n-quads", lenient: true } as const;

/** Put a record into the named graph of its IRI; how many triples that are. */
function addNamedGraph(store: oxigraph.Store, record: NumberedRecord): number {
  const { iri } = record.graph;
  const triples = indexTriplesOf(record);
  if (isStrictIri(iri) && triples.every(({ isStrict }) => isStrict)) {
    // As quads they have the blank nodes of the default graph.
    for (const triple of triples) store.add(triple.quad(iri));
  } else store.load(triples.map((triple) => triple.line(iri)).join(""), LENIENT);
  return triples.length;
}

/** A dataset of a few records. @param defaults those of its default graph @param named those that are its named graphs */
export function smallDataset(defaults: Iterable<NumberedRecord>, named: Iterable<NumberedRecord>): oxigraph.Store {
  const { oxigraph: store } = new MergedStore(defaults, { withGraphs: false });
  for (const record of named) addNamedGraph(store, record);
  return store;
}

const FIRST_CAPACITY = 1024;
const WORDS = 4;

/** Counts of the records that state each triple, in 16 bytes each, since there are millions. Each is known by 95 bits of its hash, so that two of ten million are taken for one with a probability of 10^-15; open addressing, never more than two thirds full. */
export class TripleCounts {
  #slots: Uint32Array;
  /** Slots in use, those counted down to 0 included. */
  #used: number;

  /** @param slots those of a table before, and how many of them are `used`; without them the table is empty */
  constructor(slots: Uint32Array = new Uint32Array(FIRST_CAPACITY * WORDS), used = 0) {
    this.#slots = slots;
    this.#used = used;
  }

  /** The table as it is, for another to be made from. */
  get parts(): { readonly counts: Uint32Array; readonly used: number } {
    return { counts: this.#slots, used: this.#used };
  }

  /** Count one more statement; how many there are then. */
  add(key: TextHash): number {
    const at = this.#find(this.#slots, key);
    if (this.#slots[at + 3] === 0 && this.#slots[at + 2] === 0) {
      this.#write(this.#slots, at, key, 1);
      this.#used++;
      if (this.#used * 3 * WORDS > this.#slots.length * 2) this.#grow();
      return 1;
    }
    return ++this.#slots[at + 3]!;
  }

  /** Count one statement less; how many there are then. One that was never added is an error of the caller's. */
  remove(key: TextHash): number {
    const at = this.#find(this.#slots, key) + 3;
    if (this.#slots[at] === 0) throw new Error("a triple was to be taken away that no record states");
    return --this.#slots[at]!;
  }

  /** Where the key is, or the free slot where it would be. The third word is odd in every slot in use. */
  #find(slots: Uint32Array, { a, b, c }: TextHash): number {
    const mask = slots.length / WORDS - 1;
    const third = (c | 1) >>> 0;
    let slot = a & mask;
    for (;;) {
      const at = slot * WORDS;
      if (slots[at + 2] === 0) return at;
      if (slots[at] === a && slots[at + 1] === b && slots[at + 2] === third) return at;
      slot = (slot + 1) & mask;
    }
  }

  #write(slots: Uint32Array, at: number, { a, b, c }: TextHash, count: number): void {
    slots[at] = a;
    slots[at + 1] = b;
    slots[at + 2] = c | 1;
    slots[at + 3] = count;
  }

  #grow(): void {
    const old = this.#slots;
    const slots = new Uint32Array(old.length * 2);
    this.#used = 0;
    for (let at = 0; at < old.length; at += WORDS) {
      if (old[at + 3] === 0) continue;
      const key = { a: old[at]!, b: old[at + 1]!, c: old[at + 2]! };
      this.#write(slots, this.#find(slots, key), key, old[at + 3]!);
      this.#used++;
    }
    this.#slots = slots;
  }
}
