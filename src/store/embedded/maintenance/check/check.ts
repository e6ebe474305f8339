/** The check of a whole store for damaged records and for tables that contradict each other. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { textHash } from "../../../../rdf/text-hash.js";
import type { Change } from "../../../changes.js";
import { StoreError } from "../../../errors.js";
import { endsLikeFile, type HeldStats } from "../../../store.js";
import { backlinksOf, PropertyNumbers } from "../../format/backlinks.js";
import { changeSource, decodeChange, isDeletion, previousOf } from "../../format/changes.js";
import { type Mutable, StoreDatabase } from "../../format/database.js";
import { decodeGraph } from "../../format/decoding.js";
import { decodeHeld, hasItsHash, stored } from "../../format/encoding.js";
import { backlinkKey, iriKey, isHashed, numberKey, numberOfKey, recordBytes } from "../../format/keys.js";
import { blockOf, blockTimesIn, encodeListed, listingKey, listingOf } from "../../format/listing.js";
import { nameOf, RecordReader } from "../../read/records.js";
import { scopedKeys } from "../../tables/change-log.js";
import { countHeld, countRecord, noCounts, type StoredCounts } from "../../tables/count.js";

/** Check the store in a directory: yields the problems, and from time to time the number of records checked. Run it in a child process, since a damaged store can crash it. Throws `StoreError`. */
export async function* checkEmbedded(directory: string) {
  await using database = await StoreDatabase.open(directory, { readOnly: true });
  const { state } = database;
  const { counts, backlinks, newest } = yield* checkRecords(database);
  for (const problem of blockProblems(database, newest)) yield { problem };
  for (const problem of tableProblems(database, counts, backlinks)) yield { problem };
  for (const problem of heldProblems(database)) yield { problem };
  // A load that only moves records to another source has no sequence number of its own. A state that did not change is the same object.
  if (database.state !== state)
    throw new StoreError(`the store in ${directory} changed while it was checked, by a load: check again`);
}

async function* checkRecords(database: StoreDatabase) {
  const counts = noCounts();
  const { sources } = database;
  const properties = new PropertyNumbers(database.properties);
  const reader = new RecordReader(database);
  const newest = new Map<number, number>();
  let backlinks = 0;
  for (const part of database.recordParts({ limit: 1000 })) {
    for (const { key, value } of part) {
      countRecord(counts, value, sources[stored.source(value) - 1], 1);
      const block = blockOf(stored.number(value));
      newest.set(block, Math.max(newest.get(block) ?? 0, stored.modified(value)));
      const found = problemsOfRecord(reader, key, value, properties);
      if (endsLikeFile(found.iri)) counts.suffixed++;
      for (const problem of found.problems) yield { problem: `the record ${displayName(key)} ${problem}` };
      backlinks += found.backlinks;
    }
    yield { records: counts.records };
    await nextTurn();
  }
  return { counts, backlinks, newest };
}

/** The problems of a record and of its entries in other tables, its IRI (that of its key, if it is damaged), and the number of its backlinks. */
function problemsOfRecord(reader: RecordReader, key: Buffer, value: Buffer, properties: PropertyNumbers) {
  if (!reader.isIntact(key, value))
    return { problems: ["does not have the checksum that it was stored with"], iri: nameOf(key), backlinks: 0 };
  const { contexts, numbers, backlinks, lists } = reader.database;
  const context = stored.context(value) === 0 ? undefined : contexts.get(stored.context(value));
  const graph = decodeGraph(value);
  const { iri } = graph;
  const number = stored.number(value);
  const problems: string[] = [];
  if (!hasItsHash(value, context)) problems.push("does not have the hash of its content");
  if (!iriKey(iri).equals(key)) problems.push(`contains the record of another IRI, <${iri}>`);
  if (numbers.get(numberKey(number))?.toString("utf8") !== iri) problems.push(`is not found by its number, ${number}`);
  const listing = listingOf(value, iri, number);
  if (lists.get(listingKey(listing))?.equals(encodeListed(listing)) !== true)
    problems.push("is not in the list of its endpoint");
  problems.push(...changeOf(reader.database, iri, value));
  const all = backlinksOf(graph);
  const missing = all.filter(
    ({ iri, property }) =>
      !backlinks.doesExist(backlinkKey(textHash(iri), properties.of(property)), recordBytes(number)),
  );
  if (missing.length > 0) problems.push(`mentions <${missing[0]!.iri}> without a stored backlink`);
  return { problems, iri, backlinks: all.length };
}

function* heldProblems({ held, heldStats, records }: StoreDatabase): Iterable<string> {
  if (heldStats.records === 0) return;
  const counts: Mutable<HeldStats> = { records: 0, sources: {} };
  for (const { key, value } of held.getRange({})) {
    const entry = decodeHeld(value);
    const { record, context } = entry;
    countHeld(counts, entry, 1);
    if (!hasItsHash(record, context === "" ? undefined : context))
      yield `the held record ${displayName(key)} does not have the hash of its content`;
    if (!iriKey(decodeGraph(record).iri).equals(key))
      yield `the held record ${displayName(key)} contains the record of another IRI`;
    if (records.doesExist(key)) yield `the record ${displayName(key)} is both published and held`;
  }
  for (const name of ["records", "sources"] as const)
    yield* countProblem(`held ${name}`, heldStats[name], counts[name]);
}

function* changeOf(database: StoreDatabase, iri: string, value: Buffer): Iterable<string> {
  const sequence = stored.sequence(value);
  const change = database.change(sequence);
  if (change === undefined) {
    yield `has the sequence number ${sequence}, which is missing in the change log`;
    return;
  }
  if (change.iri !== iri || isDeletion(change)) {
    yield `has the sequence number of another change, ${change.kind} <${change.iri}>`;
  } else if (change.endpoint !== stored.endpoint(value)) yield "has a different endpoint in the change log";
}

/** The blocks whose time is earlier than that of their newest record. A later time is no problem: it may be that of a deletion. */
function* blockProblems(database: StoreDatabase, newest: ReadonlyMap<number, number>): Iterable<string> {
  const times = blockTimesIn(database);
  for (const [block, time] of newest)
    if (!(times[block]! >= time)) yield `a record of block ${block} changed later than the stored time of the block`;
}

function* tableProblems(database: StoreDatabase, counts: StoredCounts, backlinks: number): Iterable<string> {
  const { state } = database;
  for (const name of Object.keys(counts) as (keyof StoredCounts)[])
    yield* countProblem(name, state[name], counts[name]);
  if (database.numbers.getKeysCount() !== counts.records) yield "there are not as many record numbers as records";
  if (database.lists.getKeysCount() !== counts.records) yield "there are not as many listed records as records";
  const stray = database.backlinkCount - backlinks;
  if (stray !== 0) yield `${stray} more backlinks are stored than records have`;
  yield* changeProblems(database);
  for (const { key, value } of database.tombstones.getRange({})) {
    const deleted = database.change(numberOfKey(value));
    if (deleted === undefined || !isDeletion(deleted) || !iriKey(deleted.iri).equals(key))
      yield `the tombstone of ${displayName(key)} does not name a deletion of it`;
    if (database.records.doesExist(key)) yield `the record ${displayName(key)} has a tombstone`;
  }
}

function* changeProblems(database: StoreDatabase): Iterable<string> {
  const { changes, scopedChanges, setChanges, state } = database;
  let [last, time] = [0, 0];
  const keysOf = scopedKeys();
  let scoped = 0;
  for (const { key, value } of changes.getRange({})) {
    const change = decodeChange(numberOfKey(key), value);
    if (change.sequence !== last + 1) yield `change ${change.sequence} follows change ${last}`;
    if (change.time < time) yield `change ${change.sequence} has an earlier time than the change before it`;
    [last, time] = [change.sequence, change.time];
    for (const place of keysOf({ endpoint: change.endpoint, source: changeSource(value) })) {
      scoped++;
      if (scopedChanges.get(place)?.equals(key) !== true)
        yield `change ${change.sequence} is missing among those of its endpoint and source`;
    }
    yield* historyProblems(database, change, previousOf(value));
  }
  for (const { key, value } of setChanges.getRange({})) {
    if (changes.get(value) === undefined)
      yield `change ${numberOfKey(value)} of a Set (${key.toString("hex")}) is missing`;
  }
  if (scopedChanges.getKeysCount() !== scoped)
    yield "the number of changes by endpoint and source differs from the change log";
  if (last !== state.sequence) yield `the store says that its last change is ${state.sequence}, but it is ${last}`;
}

/** Check that a change names the previous change of its IRI; the first change names none. */
function* historyProblems(database: StoreDatabase, change: Change, previous: number): Iterable<string> {
  const before = database.change(previous);
  // Any IRI may be moved, even one that never had a record.
  const isSound =
    before === undefined
      ? previous === 0 && (change.kind === "create" || change.kind === "move")
      : before.iri === change.iri && (change.kind === "move" || isDeletion(before) === (change.kind === "create"));
  if (!isSound) yield `change ${change.sequence} names ${previous} as the previous change of its IRI, which is wrong`;
}

type Count = number | { readonly [name: string]: number };

function* countProblem(name: string, ...counts: [said: Count, found: Count]): Iterable<string> {
  const [said, found] = counts.map((each) =>
    typeof each === "number" ? String(each) : JSON.stringify(Object.entries(each).sort()),
  );
  if (said !== found) yield `the store says ${said} for ${name}, and has ${found}`;
}

function displayName(key: Buffer): string {
  return isHashed(key) ? nameOf(key) : `<${nameOf(key)}>`;
}
