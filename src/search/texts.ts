/** The search texts of a snapshot's records, one at a time or many. */
import { remembering } from "../base/bounded-map.js";
import { unlessDamaged } from "../store/errors.js";
import type { Chunk, DescribedRecord, Snapshot } from "../store/snapshots.js";
import { languageOfLabel, sortForm } from "./label-order.js";
import { type ReferredText, referredTextOf, textOf } from "./record-text.js";
import { SORTED_BY } from "./schema.js";
import { isSpelt } from "./spelling.js";

/** The referred texts of at most this many records are cached. Those of 300,000 would take 350 MB, and save no time. */
const REMEMBERED = 20_000;

/** A record as it is indexed: plain data that can be passed to other threads. */
export type IndexedRecord = ReturnType<Texts["in"]>[number];

export class Texts {
  readonly #referredText = remembering(REMEMBERED, (iri: string): ReferredText => {
    const record = this.#record(iri);
    return record === undefined ? { names: "", licences: [], isFile: false } : referredTextOf(record);
  });
  /** The words in `spelt` of the records so far. */
  readonly #spelt = new Set<string>();

  constructor(readonly snapshot: Snapshot) {}

  of(iri: string) {
    const record = this.#record(iri);
    return record && this.#read(record);
  }

  /** All records, or those of a chunk, without those that are damaged. */
  in(chunk?: Chunk) {
    const records = this.snapshot.records(() => {}, chunk);
    return Array.from(records, (record) => this.#read(record));
  }

  #read(record: DescribedRecord) {
    const { graph, endpoint, label, modified } = record;
    // The beginning of its label in the form that labels are sorted by.
    const sort = sortForm(label, () => languageOfLabel(graph, label)).slice(0, SORTED_BY);
    // Words that a misspelling may be corrected to, and that no earlier record has.
    const spelt: string[] = [];
    const onSpelt = (word: string): void => {
      if (this.#spelt.has(word) || !isSpelt(word)) return;
      this.#spelt.add(word);
      spelt.push(word);
    };
    return { iri: graph.iri, endpoint, sort, modified, spelt, ...textOf(record, this.#referredText, onSpelt) };
  }

  /** A record of the snapshot; a damaged one is left out of the index. */
  #record(iri: string): DescribedRecord | undefined {
    return unlessDamaged(() => this.snapshot.record(iri));
  }
}
