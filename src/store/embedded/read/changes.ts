/** The reader of pages of the change log: all changes, or those of an endpoint, a source, a Set or a record. */
import { endpointNumber } from "../../../model/tables/names.js";
import { type TextHash, textHash } from "../../../rdf/text-hash.js";
import type { Change, ChangeSelection, ChangesQuery } from "../../changes.js";
import { decodeChange, previousOf, changeSource as sourceNumberOf } from "../format/changes.js";
import type { StoreDatabase } from "../format/database.js";
import { stored } from "../format/encoding.js";
import {
  ANY_ENDPOINT,
  ANY_SOURCE,
  type ChangeScope,
  iriKey,
  numberKey,
  numberOfKey,
  scopedKey,
  setKey,
} from "../format/keys.js";
import { RecordReader } from "./records.js";

/** Part of the log as a list, oldest first: the number of changes, and the sequence number of each. */
interface Selected {
  readonly count: number;
  sequence(index: number): number;
}

/** A page of the selected changes. */
export function changesOf(database: StoreDatabase, query: ChangesQuery): Change[] {
  const selected = selection(database, query);
  const { before, after = 0, offset, limit } = query;
  const sequences: number[] = [];
  if (before !== undefined) {
    const end = firstFrom(selected, before);
    for (let index = end - 1; index >= Math.max(0, end - limit); index--) sequences.push(selected.sequence(index));
  } else {
    const start = offset ?? firstFrom(selected, after + 1);
    const end = Math.min(selected.count, start + limit);
    for (let index = start; index < end; index++) sequences.push(selected.sequence(index));
  }
  return sequences.map((sequence) => decodeChange(sequence, database.changes.get(numberKey(sequence))!));
}

/** The number of selected changes. */
export function changeCountOf(database: StoreDatabase, given: ChangeSelection): number {
  return selection(database, given).count;
}

/** The source of an IRI's record, even if it was deleted; `null` if it had none, `undefined` if there was no record. */
export function namedSource(database: StoreDatabase, iri: string): string | null | undefined {
  const { sources, tombstones, changes } = database;
  const record = database.recordNow(iriKey(iri));
  const deletion = record === undefined ? tombstones.get(iriKey(iri)) : undefined;
  const change = deletion && changes.get(deletion);
  if (record === undefined && change === undefined) return undefined;
  return sources[(record === undefined ? sourceNumberOf(change!) : stored.source(record)) - 1] ?? null;
}

/** The number of changes of a source and an endpoint. */
export function countOfScope({ scopedChanges }: StoreDatabase, scope: ChangeScope): number {
  return lastOrdinal(scopedChanges, (ordinal) => scopedKey(scope, ordinal));
}

/** The number of changes of records that were or became members of a Set, given as the hash of its IRI. */
export function countOfSet({ setChanges }: StoreDatabase, set: TextHash): number {
  return lastOrdinal(setChanges, (ordinal) => setKey(set, ordinal));
}

/** The last ordinal in a part of the log, which is also the number of its changes: ordinals run from 1 without a gap. */
function lastOrdinal(table: StoreDatabase["changes"], keyOf: (ordinal: number) => Buffer): number {
  const range = { start: keyOf(Number.MAX_SAFE_INTEGER), end: keyOf(0), reverse: true, limit: 1 };
  const [last] = table.getRange(range);
  return last === undefined ? 0 : numberOfKey(last.key.subarray(-8));
}

function selection(database: StoreDatabase, { iri, set, endpoint, source }: ChangeSelection): Selected {
  if (iri !== undefined) return ofRecord(database, iri);
  if (set !== undefined) {
    const hash = textHash(set);
    return inTable(database.setChanges, (ordinal) => setKey(hash, ordinal));
  }
  if (endpoint === undefined && source === undefined) {
    return { count: database.state.sequence, sequence: (index) => index + 1 };
  }
  const number = source === undefined ? ANY_SOURCE : database.sources.indexOf(source) + 1;
  if (source !== undefined && number === 0) return { count: 0, sequence: () => 0 };
  const scope = { source: number, endpoint: endpoint === undefined ? ANY_ENDPOINT : endpointNumber(endpoint) };
  return inTable(database.scopedChanges, (ordinal) => scopedKey(scope, ordinal));
}

function inTable(table: StoreDatabase["changes"], keyOf: (ordinal: number) => Buffer): Selected {
  return { count: lastOrdinal(table, keyOf), sequence: (index) => numberOfKey(table.get(keyOf(index + 1))!) };
}

/** The changes of a record, found from the last one backwards: each names its predecessor. Throws `RecordDamagedError`. */
function ofRecord(database: StoreDatabase, iri: string): Selected {
  const key = iriKey(iri);
  const record = database.recordNow(key);
  const deletion = record === undefined ? database.tombstones.get(key) : undefined;
  let sequence = record !== undefined ? stored.sequence(record) : deletion === undefined ? 0 : numberOfKey(deletion);
  if (sequence === 0) new RecordReader(database).ensureAbsent(iri);
  const sequences: number[] = [];
  while (sequence !== 0) {
    sequences.push(sequence);
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
