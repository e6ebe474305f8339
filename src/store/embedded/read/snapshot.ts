/** Snapshots: one state of a store, readable to its end while others publish. Indexes are filled and updated from snapshots, and dumps are made of them. */
import { entryOf } from "../../../base/entries.js";
import { type RecordGraph, tripleCount } from "../../../rdf/record-graph.js";
import { RecordDamagedError, TableDamagedError } from "../../errors.js";
import type { StoreStats } from "../../record.js";
import type { ChangedRecord, Chunk, DescribedRecord, Snapshot } from "../../snapshots.js";
import { decodeChange, isDeletion, previousOf } from "../format/changes.js";
import { type StoreDatabase, type StoreState, statsOf } from "../format/database.js";
import { iriKey, isHashed, numberKey, numberOfKey } from "../format/keys.js";
import type { RecordReader } from "./records.js";

/** A state of the store in a read transaction. While it is open, LMDB keeps its pages. */
export class EmbeddedSnapshot implements Snapshot {
  readonly database: StoreDatabase;
  readonly transaction: ReturnType<StoreDatabase["records"]["useReadTransaction"]>;
  readonly facts: StoreState;
  readonly stats: StoreStats;

  /** @param open the snapshots that are open, of which this is one until it is closed */
  constructor(
    readonly reader: RecordReader,
    private readonly open: Set<EmbeddedSnapshot>,
  ) {
    this.database = reader.database;
    this.database.renew();
    this.transaction = this.database.records.useReadTransaction();
    this.facts = this.database.facts.get("state", { transaction: this.transaction }) as StoreState;
    this.stats = statsOf(this.facts);
    open.add(this);
  }

  /** Throws if the store was closed since the snapshot was taken. */
  ensureOpen(): void {
    if (!this.open.has(this)) throw new Error("the store was closed while it was being read");
  }

  close(): void {
    if (this.open.delete(this)) this.transaction.done();
  }
  readonly [Symbol.dispose] = this.close;

  get state(): string {
    return JSON.stringify(this.facts);
  }

  *iris(): Iterable<string> {
    for (const key of this.database.eachKey({ transaction: this.transaction }))
      if (!isHashed(key)) yield key.toString("utf8");
  }

  *records(onDamaged?: (error: RecordDamagedError) => void, chunk: Partial<Chunk> = {}): Iterable<DescribedRecord> {
    const { from = "", to } = chunk;
    const range = { from: Buffer.from(from, "hex"), ...(to !== undefined && { to: Buffer.from(to, "hex") }) };
    for (const { key, value } of this.database.eachRecord({ ...range, transaction: this.transaction })) {
      try {
        yield this.reader.numbered(key, value);
      } catch (error) {
        if (!(error instanceof RecordDamagedError) || onDamaged === undefined) throw error;
        onDamaged(error);
      }
    }
  }

  record(iri: string): DescribedRecord | undefined {
    const key = iriKey(iri);
    const value = this.database.records.get(key, { transaction: this.transaction });
    // Of a deleted record, damage of its neighbours says nothing.
    if (value === undefined && this.database.deletion(key) === undefined) this.reader.ensureAbsent(iri);
    return value && this.reader.numbered(key, value);
  }

  changesAfter(sequence: number, limit: number, triples = Infinity): readonly ChangedRecord[] | undefined {
    if (this.facts.sequence - sequence > limit) return undefined;
    let left = triples;
    const changed = new Map<string, ChangedRecord>();
    for (const { iri, replaced } of this.#changes(sequence, limit)) {
      if (changed.has(iri)) continue;
      const version = replaced();
      if (version === undefined) return undefined;
      const [before, after] = [version ?? undefined, this.record(iri)];
      for (const each of [before, after]) left -= each === undefined ? 0 : tripleCount(each.graph);
      if (left < 0) return undefined;
      changed.set(iri, { iri, before, after });
    }
    return [...changed.values()];
  }

  nextChanges(from: number, limit: number, triples: number) {
    const changed = new Map<string, { before: RecordGraph[] | undefined; readonly after: RecordGraph | undefined }>();
    let [through, left] = [from, triples];
    for (const { sequence, iri, replaced } of this.#changes(from, limit)) {
      through = sequence;
      const isFirst = !changed.has(iri);
      const record = entryOf(changed, iri, () => ({ before: [], after: this.record(iri)?.graph }));
      const version = replaced();
      if (version) record.before?.push(version.graph);
      else if (version === undefined) record.before = undefined;
      for (const graph of [version?.graph, isFirst ? record.after : undefined]) left -= graph ? tripleCount(graph) : 0;
      if (left < 0) break;
    }
    return { through, changed: [...changed].map(([iri, versions]) => ({ iri, ...versions })) };
  }

  /** The changes after a sequence number. `replaced` gives the version that a change replaced: `null` if there was no record, `undefined` if it is no longer kept. */
  *#changes(after: number, limit: number) {
    const { changes, replaced } = this.database;
    const { transaction } = this;
    for (const { key, value } of changes.getRange({ start: numberKey(after + 1), limit, transaction })) {
      const { sequence, iri, kind } = decodeChange(numberOfKey(key), value);
      yield {
        sequence,
        iri,
        replaced: (): DescribedRecord | null | undefined => {
          // An IRI can also be moved if it has no record.
          const before = kind === "move" ? this.database.change(previousOf(value)) : undefined;
          if (kind === "create" || (kind === "move" && (before === undefined || isDeletion(before)))) return null;
          const version = replaced.get(key, { transaction });
          return version && this.reader.numbered(iriKey(iri), version);
        },
      };
    }
  }

  *chunks(records: number): Iterable<Chunk> {
    const { records: table, directory } = this.database;
    const transaction = this.transaction;
    for (let from: Buffer | undefined = Buffer.alloc(0); from !== undefined; ) {
      const [to]: Buffer[] = [...table.getKeys({ start: from, offset: records, limit: 1, transaction })];
      if (to !== undefined && to.compare(from) <= 0) throw new TableDamagedError(directory, "records");
      yield { from: from.toString("hex"), to: to?.toString("hex") };
      from = to;
    }
  }
}
