/** Staging: examined records go to the store, refused ones are reported, and all are counted. */
import { availableParallelism } from "node:os";
import { tripleCount } from "../../rdf/record-graph.js";
import type { Stage, WritableStore } from "../../store/store.js";
import { isValid } from "../../validate/results.js";
import { MAX_RECORD_BYTES } from "../group/group.js";
import { type Examined, toStage } from "./examine.js";
import type { LoadSettings } from "./load.js";
import { type PartitionBatch, PartitionPool } from "./partition-pool.js";

export interface StagingCounts {
  /** Records read, the refused ones included. */
  records: number;
  /** Records that were left out. */
  refused: number;
  /** Refused records of which an earlier version stays published. */
  kept: number;
  /** Records with a violation, the refused ones included. */
  invalid: number;
  /** Keys beginning with `_` that no context defines, such as `_links`: no part of any record. */
  droppedKeys: number;
  /** Records whose class belongs to no endpoint. */
  withoutEndpoint: number;
}

/** The staging of one load. */
export class Staging {
  readonly counts: StagingCounts = { records: 0, refused: 0, kept: 0, invalid: 0, droppedKeys: 0, withoutEndpoint: 0 };
  /** Triples of the records read. */
  triples = 0;
  readonly #store: WritableStore;
  readonly #stage: Stage;
  readonly #settings: LoadSettings;

  constructor(store: WritableStore, stage: Stage, settings: LoadSettings) {
    this.#store = store;
    this.#stage = stage;
    this.#settings = settings;
  }

  /** Stage a record, or refuse it. */
  async add(record: Examined): Promise<void> {
    if (record.graph !== undefined) this.triples += tripleCount(record.graph);
    const staged = toStage(record, this.#settings);
    if (staged === undefined) {
      await this.#refuse(record);
      return;
    }
    await this.#stage.put(staged);
    this.#countStaged(record);
  }

  /** The worker threads that make records of partitions, for stores that take what they encode. */
  pool(): PartitionPool | undefined {
    const { examining, onInvalid, ordered } = this.#settings;
    if (this.#stage.putEncoded === undefined) return undefined;
    const data = { examining, onInvalid, ordered, maxRecordBytes: MAX_RECORD_BYTES };
    return new PartitionPool(availableParallelism(), data, (batch) => this.#addBatch(batch));
  }

  async #addBatch({ encoded, triples, clean, staged, refused }: PartitionBatch): Promise<void> {
    this.triples += triples;
    await this.#stage.putEncoded!(encoded);
    this.counts.records += clean;
    this.#settings.onClean(clean);
    for (const record of staged) this.#countStaged(record);
    for (const record of refused) await this.#refuse(record);
  }

  #count({ results, droppedKeys }: Examined): void {
    this.counts.records++;
    this.counts.droppedKeys += droppedKeys;
    if (!isValid(results)) this.counts.invalid++;
  }

  #countStaged(record: Examined): void {
    this.#count(record);
    if (record.endpoint === null) this.counts.withoutEndpoint++;
    this.#settings.onRecord(record);
  }

  /** Leave a record out; a version of it that is published stays. */
  async #refuse(record: Examined): Promise<void> {
    const { iri } = record;
    const isKept = iri !== null && (await this.#store.find(iri)) !== undefined;
    this.#count(record);
    this.counts.refused++;
    if (isKept) {
      this.counts.kept++;
      await this.#stage.keep(iri);
    }
    this.#settings.onRecord({ ...record, isKept });
  }
}
