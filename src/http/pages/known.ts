/** A cache of what pages have read from other records, as long as it is current. */
import { BoundedMap } from "../../base/bounded-map.js";
import type { RecordHandle, RecordMeta, StoredRecord } from "../../store/record.js";
import type { Store } from "../../store/store.js";
import type { Entry } from "./caption.js";
import type { TextInLanguage } from "./languages.js";

const MAX_ENTRIES = 4_096;
const MAX_LABELS = 65_536;
/** How many decoded records to keep, and how many triples each of them may have; a triple takes some hundred bytes of memory. */
const MAX_RECORDS = 512;
const MAX_TRIPLES = 500;

/** The sequence number of all held records. It does not show whether one has changed, so nothing is cached for them. */
export const HELD = 0;

export type RecordLabel = Pick<RecordMeta, "sequence" | "label" | "endpoint">;

export class Known {
  /** Entries of lists, by reader and IRI; current while nothing in the store changes. */
  readonly entries = new BoundedMap<string, Entry>(MAX_ENTRIES);
  /** Names of records, by languages and IRI, or `null` if there is none; current for the same time. */
  readonly names = new BoundedMap<string, TextInLanguage | null>(MAX_LABELS);
  /** Whether IRIs outside the base URL have records here; current for the same time. */
  readonly here = new BoundedMap<string, boolean>(MAX_LABELS);
  /** Whether members of a Set have manifests, by image directory and Set; current for the same time. */
  readonly collections = new BoundedMap<string, boolean>(MAX_ENTRIES);
  /** The chosen examples of the home page, if the settings name none; current for the same time. */
  examples: readonly string[] | undefined;
  /** @param labels labels by IRI @param records records by IRI; a label or a record is current while its sequence number stays the same */
  constructor(
    private readonly sequence = -1,
    private readonly labels = new BoundedMap<string, RecordLabel>(MAX_LABELS),
    private readonly records = new BoundedMap<string, StoredRecord>(MAX_RECORDS),
  ) {}

  /** The cache of a store in its present state. */
  static async of(store: Store): Promise<Known> {
    const { sequence } = await store.stats();
    const before = stores.get(store);
    if (before?.sequence === sequence) return before;
    const known = new Known(sequence, before?.labels, before?.records);
    stores.set(store, known);
    return known;
  }

  /** The label of a record. Throws `RecordDamagedError`. */
  label(iri: string, found: RecordHandle): RecordLabel {
    const before = this.labels.get(iri);
    if (before?.sequence === found.sequence) return before;
    const { sequence, label, endpoint } = found.meta;
    const own = { sequence, label, endpoint };
    return sequence === HELD ? own : this.labels.put(iri, own);
  }

  /** A decoded record. Rejects with `RecordDamagedError`. */
  async record(iri: string, found: RecordHandle): Promise<StoredRecord> {
    const before = this.records.get(iri);
    if (before?.meta.sequence === found.sequence) return before;
    const record = await found.record();
    return record.meta.sequence === HELD || found.triples > MAX_TRIPLES ? record : this.records.put(iri, record);
  }
}

const stores = new WeakMap<Store, Known>();
