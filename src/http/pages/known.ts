/** A cache of what pages have read of other records, for as long as it is true. */
import { BoundedMap } from "../../base/bounded-map.js";
import type { RecordHandle, RecordMeta, StoredRecord } from "../../store/record.js";
import type { Store } from "../../store/store.js";
import type { Entry } from "./caption.js";

const MAX_ENTRIES = 4_096;
const MAX_LABELS = 65_536;
/** Records that are kept decoded, and how many triples such a record has at most: some hundred bytes of memory each. */
const MAX_RECORDS = 512;
const MAX_TRIPLES = 500;

/** The sequence number of all held records, which does not tell whether one has changed: what it says is not kept. */
export const HELD = 0;

type Label = Pick<RecordMeta, "sequence" | "label" | "endpoint">;

export class Known {
  /** Entries of lists, by reader and IRI; true for as long as nothing changes in the store. */
  readonly entries = new BoundedMap<string, Entry>(MAX_ENTRIES);
  /** Names of records in a language, by that and IRI; true as long. */
  readonly names = new BoundedMap<string, string>(MAX_LABELS);
  /** Whether entities elsewhere have records here; true as long. */
  readonly here = new BoundedMap<string, boolean>(MAX_LABELS);
  /** Whether members of Sets have manifests, by the Set and where images lie; true as long. */
  readonly collections = new BoundedMap<string, boolean>(MAX_ENTRIES);
  /** The records that a home page begins with, where nobody named some; true as long. */
  examples: readonly string[] | undefined;
  /** @param labels and records by IRI: true for as long as the record has its sequence number */
  constructor(
    private readonly sequence = -1,
    private readonly labels = new BoundedMap<string, Label>(MAX_LABELS),
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
  label(iri: string, found: RecordHandle): Label {
    const before = this.labels.get(iri);
    if (before?.sequence === found.sequence) return before;
    const { sequence, label, endpoint } = found.meta;
    const said = { sequence, label, endpoint };
    return sequence === HELD ? said : this.labels.put(iri, said);
  }

  /** A record, decoded. Rejects with `RecordDamagedError`. */
  async record(iri: string, found: RecordHandle): Promise<StoredRecord> {
    const before = this.records.get(iri);
    if (before?.meta.sequence === found.sequence) return before;
    const record = await found.record();
    return record.meta.sequence === HELD || found.triples > MAX_TRIPLES ? record : this.records.put(iri, record);
  }
}

const stores = new WeakMap<Store, Known>();
