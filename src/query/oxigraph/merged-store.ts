/** The merged graph of all records in Oxigraph: each triple once in the default graph, for as long as any record states it. */
import type * as oxigraph from "oxigraph";
import { NamedError, thrownMessage } from "../../base/named-error.js";
import { HashTable } from "../../rdf/hash-table.js";
import { tripleCount } from "../../rdf/record-graph.js";
import type { TextHash } from "../../rdf/text-hash.js";
import type { ChangedRecord, NumberedRecord } from "../../store/snapshots.js";
import type { IndexParts } from "./index-image.js";
import { type IndexTriple, indexTriplesOf, isStrictIri } from "./index-triples.js";
import { MemorySteps, memoryAddress, Store, storeAt } from "./wasm-instance.js";

interface FillOptions {
  /** Whether to put each record into a named graph, too. */
  readonly withGraphs: boolean;
  /** Called repeatedly with the number of triples read so far. May throw to stop the filling. */
  readonly progress?: (triples: number) => void;
}

/** Oxigraph does not accept a record. The store that was being filled cannot be used. */
export class MergeRefusedError extends NamedError {
  constructor(
    readonly record: NumberedRecord,
    override readonly cause: unknown,
  ) {
    super(`<${record.graph.iri}>: ${thrownMessage(cause)}`);
  }
}

/** Triples between two reports of progress. */
const REPORT_EVERY = 10_000;

export class MergedStore {
  readonly oxigraph: oxigraph.Store;
  readonly #counts: TripleCounts;
  /** Whether each record is in a named graph, too. */
  readonly withGraphs: boolean;
  /** The number of triples in the index, named graphs included. */
  live = 0;
  /** The number of removed triples, whose memory Oxigraph keeps. */
  dead = 0;
  /** The record that is being added, which is to blame for an error; otherwise `undefined`. */
  #current: NumberedRecord | undefined;

  /** Fill a store from all records (synchronously, about 7 seconds for a million triples), or take over an image. Throws `MergeRefusedError`, and what `progress` throws. */
  constructor(source: Iterable<NumberedRecord> | IndexParts, options: FillOptions) {
    this.withGraphs = options.withGraphs;
    if ("address" in source) {
      this.oxigraph = storeAt(source.address);
      this.#counts = new TripleCounts(source.counts, source.used);
      this.live = source.live;
      this.dead = source.dead;
      return;
    }
    this.#counts = new TripleCounts();
    /** The texts of records that must be parsed. */
    const lenient = new Map<NumberedRecord, string>();
    try {
      // Adding one iterable is one transaction, and twice as fast as adding quad by quad.
      this.oxigraph = new Store(this.#quads(source, lenient, options));
      // One text for each record, because blank node labels are local to a text.
      for (const [record, text] of lenient) {
        this.#current = record;
        this.#load(text);
      }
    } catch (error) {
      throw this.#current === undefined ? error : new MergeRefusedError(this.#current, error);
    }
  }

  get parts(): IndexParts {
    const { slots: counts, used } = this.#counts;
    return { address: memoryAddress(this.oxigraph), counts, used, live: this.live, dead: this.dead };
  }

  /** Replace records by their new versions. Returns false if the store must be filled again, because triples that only the lenient parser accepted cannot be removed. */
  replace(changes: readonly ChangedRecord[]): boolean {
    const parts = changes.map(({ before, after }) => ({ old: this.#parts(before), now: this.#parts(after) }));
    const changed = parts.filter(({ old, now }) => !old.isLenient || !hasSame(old, now));
    if (changed.some(({ old }) => old.isLenient)) return false;
    for (const { old, now } of changed) {
      // If the new version is parsed as text, remove all old quads first, so that its named graph is one text, too.
      const kept = new Set(now.isLenient ? [] : now.quads.map((triple) => triple.keyText));
      const had = new Set(now.isLenient ? [] : old.quads.map((triple) => triple.keyText));
      for (const triple of old.quads) if (!kept.has(triple.keyText)) this.#remove(triple, old.iri);
      for (const triple of now.quads) if (!had.has(triple.keyText)) this.#add(triple, now);
      this.#load(this.#text(now));
    }
    return true;
  }

  /** Run `work` while these records are also in named graphs. The graphs are cleared afterwards; their memory stays in use, like that of dead triples. */
  withNamedGraphs<T>(records: readonly NumberedRecord[], work: () => T): T {
    if (this.withGraphs) return work();
    try {
      for (const record of records) this.dead += addNamedGraph(this.oxigraph, record);
      return work();
    } finally {
      // The IRIs come from the query, so they are well-formed.
      for (const { graph } of records) this.oxigraph.update(`CLEAR SILENT GRAPH <${graph.iri}>`);
    }
  }

  *#quads(records: Iterable<NumberedRecord>, lenient: Map<NumberedRecord, string>, { progress }: FillOptions) {
    let [triples, due] = [0, REPORT_EVERY];
    const memory = new MemorySteps();
    for (const record of records) {
      this.#current = record;
      const parts = this.#parts(record);
      for (const triple of parts.quads) {
        if (this.#isNew(triple)) yield this.#counted(triple.quad());
        if (this.withGraphs && !parts.isLenient) yield this.#counted(triple.quad(record.graph.iri));
        memory.after(this.live);
      }
      if (parts.isLenient) lenient.set(record, this.#text(parts));
      this.#current = undefined;
      triples += tripleCount(record.graph);
      if (triples < due) continue;
      due = triples + REPORT_EVERY;
      progress?.(triples);
    }
    memory.end();
    progress?.(triples);
  }

  /** Divide a record's triples by how they are added to the store. */
  #parts(record: NumberedRecord | undefined): Parts {
    if (record === undefined) return { iri: "", isLenient: false, quads: [], lines: [] };
    const triples = indexTriplesOf(record);
    const { iri } = record.graph;
    const isLenient = triples.some(({ isStrict }) => !isStrict) || (this.withGraphs && !isStrictIri(iri));
    if (!isLenient) return { iri, isLenient, quads: triples, lines: [] };
    const isQuad = ({ isShared, isStrict }: IndexTriple): boolean => isShared && isStrict;
    return { iri, isLenient, quads: triples.filter(isQuad), lines: triples.filter((triple) => !isQuad(triple)) };
  }

  /** The part of a record that must be parsed, as text. Its statements are counted. */
  #text({ iri, isLenient, quads, lines }: Parts): string {
    if (!isLenient) return "";
    const text = lines.map((triple) => (this.#isNew(triple) ? this.#counted(triple.line()) : ""));
    const named = this.withGraphs ? [...quads, ...lines].map((triple) => this.#counted(triple.line(iri))) : [];
    return [...text, ...named].join("");
  }

  #load(text: string): void {
    if (text !== "") this.oxigraph.load(text, LENIENT);
  }

  /** Count a quad or its line, and return it. */
  #counted<T>(statement: T): T {
    this.live++;
    return statement;
  }

  /** Count one more statement of a triple. Returns whether the index lacked it. */
  #isNew(triple: IndexTriple): boolean {
    return !triple.isShared || this.#counts.add(triple.key) === 1;
  }

  #add(triple: IndexTriple, { iri, isLenient }: Parts): void {
    if (this.#isNew(triple)) this.oxigraph.add(this.#counted(triple.quad()));
    if (this.withGraphs && !isLenient) this.oxigraph.add(this.#counted(triple.quad(iri)));
  }

  #remove(triple: IndexTriple, iri: string): void {
    const isLast = !triple.isShared || this.#counts.remove(triple.key) === 0;
    if (isLast) this.#delete(triple.quad());
    if (this.withGraphs) this.#delete(triple.quad(iri));
  }

  #delete(quad: oxigraph.Quad): void {
    this.oxigraph.delete(quad);
    this.live--;
    this.dead++;
  }
}

/** A record's triples by how they are added to the store. */
interface Parts {
  readonly iri: string;
  /** Whether only the lenient parser accepts some triple. The parser relabels blank nodes, so all triples with blank nodes are then parsed. */
  readonly isLenient: boolean;
  readonly quads: readonly IndexTriple[];
  readonly lines: readonly IndexTriple[];
}

function hasSame(old: Parts, now: Parts): boolean {
  const keys = ({ quads, lines }: Parts): string =>
    [...quads, ...lines]
      .map((triple) => triple.keyText)
      .sort()
      .join();
  return now.isLenient && keys(old) === keys(now);
}

/** Whether a record's blank nodes have their labels in every graph. The lenient parser gives them new ones in each text. */
export function keepsBlanks(record: NumberedRecord): boolean {
  const triples = indexTriplesOf(record);
  return isStrictRecord(record, triples) || triples.every(({ isShared }) => isShared);
}

function isStrictRecord({ graph }: NumberedRecord, triples: readonly IndexTriple[]): boolean {
  return isStrictIri(graph.iri) && triples.every(({ isStrict }) => isStrict);
}

const LENIENT = { format: "application/n-quads", lenient: true } as const;

/** Add a record in the named graph of its IRI. Returns the number of its triples. */
function addNamedGraph(store: oxigraph.Store, record: NumberedRecord): number {
  const { iri } = record.graph;
  const triples = indexTriplesOf(record);
  if (isStrictRecord(record, triples)) {
    // Quads share their blank nodes with the default graph.
    for (const triple of triples) store.add(triple.quad(iri));
  } else store.load(triples.map((triple) => triple.line(iri)).join(""), LENIENT);
  return triples.length;
}

/** A dataset of a few records. @param defaults the records in its default graph @param named the records in named graphs */
export function smallDataset(defaults: readonly NumberedRecord[], named: readonly NumberedRecord[]): oxigraph.Store {
  const inBoth = new Set(defaults.map(({ number }) => number));
  const rest = named.filter(({ number }) => !inBoth.has(number));
  // A record in both is added once, so that its blank nodes are the same. Queries see only the graphs that they name.
  const { oxigraph: store } = new MergedStore(defaults, { withGraphs: rest.length < named.length });
  for (const record of rest) addNamedGraph(store, record);
  return store;
}

/** The number of records that state each triple. */
export class TripleCounts extends HashTable {
  /** Count one more statement of a triple. Returns the new count. */
  add(key: TextHash): number {
    const at = this.indexOf(key);
    return ++this.slots[at]!;
  }

  /** Count one statement of a triple less. Returns the new count. Throws if the triple was never added. */
  remove(key: TextHash): number {
    const at = this.indexOf(key);
    if (this.slots[at] === 0) throw new Error("cannot remove a triple that no record states");
    return --this.slots[at]!;
  }
}
