/** The change log, with its parts by endpoint, source and Set: its reader, and its writer, which also keeps the records that changes replace. */
import { groupBy } from "../../../base/entries.js";
import { ENDPOINT_NAMES, endpointNumber } from "../../../model/tables/names.js";
import type { Change, ChangeLog, ChangeSelection, ChangesQuery } from "../../changes.js";
import { TableDamagedError } from "../../errors.js";
import { changeSource, encodeChange, type LoggedChange, previousOf } from "../format/changes.js";
import type { Mutable, StoreDatabase, StoreState } from "../format/database.js";
import { stored } from "../format/encoding.js";
import { iriKey, numberKey, numberOfKey, ordinalKey, scopePart, setPart } from "../format/keys.js";
import { RecordReader } from "../read/records.js";

/** The records that this many last changes replaced are kept, so that an index can remove them. An index further behind reads all records again. */
const REPLACED_KEPT = 10_000;

/** The number that stands for all endpoints; an endpoint's own number is lower. */
const ANY_ENDPOINT = 255;
/** The number that stands for all sources; a source's own number is 1 or higher. */
const ANY_SOURCE = 0;

/** Part of the log as a list, oldest first: the number of changes, and the sequence number of each. */
interface Selected {
  readonly count: number;
  sequence(index: number): number;
}

/** The facet of changes. */
export function changeLogOf(database: StoreDatabase): ChangeLog {
  const { tombstones, changes } = database;
  return {
    async page(query) {
      const selected = selection(database, query);
      const { before, after = 0, offset, limit } = query;
      const isBackward = before !== undefined;
      const first = isBackward ? firstFrom(selected, before) - 1 : (offset ?? firstFrom(selected, after + 1));
      const length = Math.max(0, Math.min(limit, isBackward ? first + 1 : selected.count - first));
      const sequenceAt = (at: number): number => selected.sequence(isBackward ? first - at : first + at);
      const page = Array.from({ length }, (_, at) => database.change(sequenceAt(at)));
      if (page.includes(undefined)) throw new TableDamagedError(database.directory, "changes");
      return page as Change[];
    },
    count: async (given = {}) => selection(database, given).count,
    async sourceOf(iri) {
      const record = database.recordNow(iriKey(iri));
      const deletion = record === undefined ? tombstones.get(iriKey(iri)) : undefined;
      const change = deletion && changes.get(deletion);
      if (record === undefined && change === undefined) return undefined;
      return database.sources[(record === undefined ? changeSource(change!) : stored.source(record)) - 1] ?? null;
    },
  };
}

/** The last ordinal in a part of the log, which is also the number of its changes: ordinals run from 1 without a gap. */
function lastOrdinal(table: StoreDatabase["changes"], part: Buffer): number {
  const range = { start: ordinalKey(part, Number.MAX_SAFE_INTEGER), end: ordinalKey(part, 0), reverse: true, limit: 1 };
  const [last] = table.getRange(range);
  return last === undefined ? 0 : numberOfKey(last.key.subarray(-8));
}

function selection(database: StoreDatabase, query: ChangeSelection | ChangesQuery): Selected {
  const { iri, set, endpoint, source } = query;
  if (iri !== undefined) return ofRecord(database, iri, query);
  if (set !== undefined) return inTable(database.setChanges, setPart(set));
  const { sequence, endpoints } = database.state;
  if (endpoint === undefined && source === undefined) return { count: sequence, sequence: (index) => index + 1 };
  const number = source === undefined ? ANY_SOURCE : database.sources.indexOf(source) + 1;
  if (source !== undefined && number === 0) return { count: 0, sequence: () => 0 };
  const scope = scopePart(number, endpoint === undefined ? ANY_ENDPOINT : endpointNumber(endpoint));
  const selected = inTable(database.scopedChanges, scope);
  if (source !== undefined || selected.count >= (endpoints[endpoint!] ?? 0)) return selected;
  // A copy may have a record before the change that brought it to its endpoint. But each change is of one endpoint, or of none.
  const parts = ["none", ...ENDPOINT_NAMES].map((_, part) => scopePart(ANY_SOURCE, part));
  const logged = parts.reduce((sum, part) => sum + lastOrdinal(database.scopedChanges, part), 0);
  if (logged < sequence) throw new TableDamagedError(database.directory, "scopedChanges");
  return selected;
}

function inTable(table: StoreDatabase["changes"], part: Buffer): Selected {
  const sequence = (index: number): number => numberOfKey(table.get(ordinalKey(part, index + 1))!);
  return { count: lastOrdinal(table, part), sequence };
}

/** The changes of a record that a page may have, found from the last one backwards: each names its predecessor. Throws `RecordDamagedError`. */
function ofRecord(database: StoreDatabase, iri: string, { before, after = 0, limit }: Partial<ChangesQuery>): Selected {
  const [least, most] = before === undefined ? [Math.max(0, after), Number.POSITIVE_INFINITY] : [0, limit!];
  const key = iriKey(iri);
  const record = database.recordNow(key);
  let sequence = record === undefined ? (database.deletion(key)?.sequence ?? 0) : stored.sequence(record);
  if (sequence === 0) new RecordReader(database).ensureAbsent(iri);
  const sequences: number[] = [];
  while (sequence > least && sequences.length < most) {
    if (before === undefined || sequence < before) sequences.push(sequence);
    sequence = previousOf(database.changes.get(numberKey(sequence))!);
  }
  sequences.reverse();
  return { count: sequences.length, sequence: (index) => sequences[index]! };
}

/** The index of the first change with this sequence number or a later one. */
function firstFrom({ count, sequence }: Selected, least: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sequence(middle) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class ChangeLogWriter {
  readonly #scopedKeys = scopedKeys((scope) => lastOrdinal(this.database.scopedChanges, scope));
  readonly #nextOfSet = nextKeys((set) => lastOrdinal(this.database.setChanges, set));
  /** The last change of this publication whose replaced record is kept. After a publication with more changes, an index reads all records again. */
  readonly #lastKept: number;

  /** @param state its sequence number and last time are updated. @param time the time of the changes to be logged, in milliseconds since 1970 */
  constructor(
    protected readonly database: StoreDatabase,
    protected readonly state: Mutable<StoreState>,
    public time: number,
  ) {
    this.#lastKept = state.sequence + REPLACED_KEPT;
  }

  /** Keep a record that the next change replaces. @param isVersion whether to keep it as an earlier version, too */
  keep(before: Buffer, isVersion: boolean): void {
    const { replaced, versions } = this.database;
    const sequence = this.state.sequence + 1;
    if (sequence <= this.#lastKept) replaced.putSync(numberKey(sequence), before);
    if (isVersion) versions.putSync(numberKey(stored.sequence(before)), before);
  }

  /** Whether a record counts as changed even if its content is the same. */
  changes(_iri: string): boolean {
    return false;
  }

  /** To be called after all changes are logged. */
  finish(): void {}

  /** Log a change, and return its sequence number. @param sets the hashes of the IRIs of the Sets that the record was or is a member of */
  add(change: Omit<LoggedChange, "time">, sets: readonly Buffer[]): number {
    const { changes, scopedChanges, setChanges, replaced } = this.database;
    const { time } = this;
    const sequence = ++this.state.sequence;
    const key = numberKey(sequence);
    this.state.lastChange = time;
    if (sequence > REPLACED_KEPT) replaced.removeSync(numberKey(sequence - REPLACED_KEPT));
    changes.putSync(key, encodeChange({ ...change, time }));
    for (const scoped of this.#scopedKeys(change)) scopedChanges.putSync(scoped, key);
    for (const set of sets) setChanges.putSync(this.#nextOfSet(set), key);
    return sequence;
  }
}

/** The writer of a copy's change log. Changes are logged as in the original, where one record may have several. */
export class MirroredLogWriter extends ChangeLogWriter {
  readonly #given: Map<string, Change[]>;
  /** The changes that `finish` writes, in the order of the original. */
  readonly #waiting: { readonly change: Change; write(): void }[] = [];
  #replaced: Parameters<ChangeLogWriter["keep"]> | undefined;

  constructor(database: StoreDatabase, state: Mutable<StoreState>, changes: readonly Change[]) {
    super(database, state, changes.at(-1)!.time);
    this.#given = groupBy(changes, ({ iri }) => iri);
  }

  override changes(iri: string): boolean {
    return this.#given.has(iri);
  }

  override keep(before: Buffer, isVersion: boolean): void {
    // `before` is valid only until another record is read, and is written after that.
    this.#replaced = [Buffer.from(before.subarray(0, before.length)), isVersion];
  }

  /** Collect the changes of a record, and return the sequence number of the last. Throws for a record that the original has not changed. */
  override add({ target: _, ...about }: Omit<LoggedChange, "time">, sets: readonly Buffer[]): number {
    const changes = this.#given.get(about.iri);
    if (changes === undefined) throw new Error(`${about.iri} is not among the changes that are mirrored`);
    this.#given.delete(about.iri);
    const replaced = this.#replaced;
    this.#replaced = undefined;
    let { previous } = about;
    for (const change of changes) {
      const { sequence, kind, target, endpoint } = change;
      const logged = { ...about, endpoint, kind, previous, ...(target !== undefined && { target }) };
      const write = (): void => {
        if (replaced !== undefined) super.keep(...replaced);
        super.add(logged, sets);
      };
      this.#waiting.push({ change, write });
      previous = sequence;
    }
    this.time = changes.at(-1)!.time;
    return previous;
  }

  override finish(): void {
    // The rest: records that were deleted again before this store had them.
    for (const [iri, changes] of [...this.#given]) {
      const key = iriKey(iri);
      const { endpoint, label, kind } = changes.at(-1)!;
      const previous = this.database.deletion(key)?.sequence ?? 0;
      const sequence = this.add({ iri, kind, endpoint, label, source: 0, previous }, []);
      if (this.database.recordNow(key) === undefined) this.database.tombstones.putSync(key, numberKey(sequence));
    }
    this.#waiting.sort((a, b) => a.change.sequence - b.change.sequence);
    for (const { change, write } of this.#waiting) {
      this.time = change.time;
      write();
      if (this.state.sequence !== change.sequence) throw new Error(`change ${change.sequence} cannot be mirrored next`);
    }
  }
}

type Scoped = Pick<LoggedChange, "endpoint" | "source">;

/** A function that gives the keys of successive changes in the parts of the log. @param before the number of changes that a part already has. Default: 0 */
export function scopedKeys(before: (scope: Buffer) => number = () => 0): (change: Scoped) => Buffer[] {
  const next = nextKeys(before);
  return (change) => scopesOf(change).map(next);
}

function nextKeys(before: (part: Buffer) => number): (part: Buffer) => Buffer {
  const counts = new Map<string, number>();
  return (part) => {
    const id = part.toString("latin1");
    const ordinal = (counts.get(id) ?? before(part)) + 1;
    counts.set(id, ordinal);
    return ordinalKey(part, ordinal);
  };
}

/** The parts of the log that a change belongs to: by endpoint, by source, and by both. */
function scopesOf({ endpoint, source }: Scoped): Buffer[] {
  const number = endpointNumber(endpoint);
  const ofEndpoint = scopePart(ANY_SOURCE, number);
  if (source === ANY_SOURCE) return [ofEndpoint];
  return [ofEndpoint, scopePart(source, ANY_ENDPOINT), scopePart(source, number)];
}
