/** Staged entries, one for each IRI, and those of them that change the store. */
import { isIsomorphic, isSameByProperty } from "../../../rdf/isomorphism.js";
import { decodeChange } from "../format/changes.js";
import type { StoreDatabase } from "../format/database.js";
import { decodeGraph } from "../format/decoding.js";
import { sameContent, sameDescription, stored } from "../format/encoding.js";
import { numberOfKey } from "../format/keys.js";
import { partsOf, type TableEntry, type WalkedTable } from "../format/parts.js";
import { decodeEntry, ENTRY, entryKind, type Move, type StagedEntry } from "./staged-entry.js";

/** The entry that counts for an IRI, and how many came for it. */
export interface Distinct {
  readonly key: Buffer;
  readonly entry: StagedEntry;
  /** Whether another was put or deleted before it. */
  readonly isRepeated: boolean;
}

/**
 * Of entries in the order of their keys, later ones first, the last of each key; that a record is to be kept counts only
 * where nothing else is staged for it. Keys and entries are valid until the next is asked for.
 */
export function* distinctEntries(entries: Iterable<TableEntry>): Iterable<Distinct> {
  let key = NOTHING as Buffer;
  let value = NOTHING as Buffer;
  let isRepeated = false;
  for (const next of entries) {
    const isSame = next.key.equals(key);
    if (isSame && entryKind(value) !== ENTRY.keep) {
      isRepeated ||= entryKind(next.value) !== ENTRY.keep;
      continue;
    }
    if (!isSame && key.length > 0) {
      yield { key, entry: decodeEntry(value), isRepeated };
      isRepeated = false;
    }
    key = Buffer.from(next.key);
    value = Buffer.from(next.value);
  }
  if (key.length > 0) yield { key, entry: decodeEntry(value), isRepeated };
}

/**
 * Whether a stored record says what a staged one does; `contextOf` gives the JSON of a stored context. Encoded records are
 * compared first, where blank nodes are called by their order; those that differ so are compared triple by triple: the
 * order of a document's keys is no change, nor is any order of quads, which do not say either under which context they are
 * published.
 */
export function isUnchanged(
  before: Buffer,
  { kind, context, record }: StagedEntry,
  contextOf: (number: number) => string | undefined,
): boolean {
  if (sameContent(before, record)) return true;
  if (stored.triples(before) !== stored.triples(record) || !sameDescription(before, record)) return false;
  if (context.length > 0 && context.toString("utf8") !== contextOf(stored.context(before))) return false;
  const [old, staged] = [decodeGraph(before), decodeGraph(record)];
  return kind === ENTRY.unordered ? isIsomorphic(old, staged) : isSameByProperty(old, staged);
}

/** Whether a move of an IRI without a record leads it elsewhere than before. */
export function isRedirected({ tombstones, changes }: StoreDatabase, key: Buffer, { target }: Move): boolean {
  const tombstone = tombstones.get(key);
  const change = tombstone && changes.get(tombstone);
  return change === undefined || decodeChange(numberOfKey(tombstone!), change).target !== target;
}

/** Records are walked over so many at a time. */
const BATCH = 5000;

/**
 * The keys and values of stored records, in order of keys, that nothing is staged for; `isWithin` says which count. Staged
 * keys are given in order. Yields in batches, some empty, so that others get their turn between them.
 */
export function* restOf(
  records: WalkedTable,
  staged: Iterable<Distinct>,
  isWithin: (value: Buffer) => boolean,
): Iterable<TableEntry[]> {
  const entries = staged[Symbol.iterator]();
  let next = entries.next();
  for (const part of partsOf(records, { limit: BATCH })) {
    const rest: TableEntry[] = [];
    for (const { key, value } of part) {
      while (next.done !== true && next.value.key.compare(key) < 0) next = entries.next();
      if (next.done !== true && next.value.key.equals(key)) continue;
      if (isWithin(value)) rest.push({ key, value });
    }
    yield rest;
  }
}

const NOTHING = Buffer.alloc(0);
