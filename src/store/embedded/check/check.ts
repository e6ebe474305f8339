/** Looks through a whole store for what should not be: damaged records, and tables that contradict each other. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { StoreError } from "../../errors.js";
import { decodeChange } from "../format/changes.js";
import { type Mutable, StoreDatabase, type StoreState } from "../format/database.js";
import { decodeGraph, isIntact, stored } from "../format/encoding.js";
import { iriHash, iriKey, isHashed, mentionKey, numberKey, numberOfKey } from "../format/keys.js";
import { mentionsOf } from "../format/mentions.js";
import { PropertyNumbers } from "../format/property-numbers.js";

/** What is told of a check while it runs. */
export interface CheckListener {
  /** Something is wrong, in a sentence. */
  onProblem(problem: string): void;
  /** So many records were looked at. */
  onRecords(records: number): void;
}

/** Records are looked at so many at a time. */
const BATCH = 1000;

/**
 * Check the store in a directory; resolves to how many records were looked at. LMDB maps the file, and a damaged one can
 * end the process that does: run this in a process of its own. Throws `StoreError` for a store that cannot be opened.
 */
export async function checkStore(directory: string, listener: CheckListener): Promise<number> {
  const database = await StoreDatabase.forReading(directory);
  const { sequence } = database.state;
  try {
    const { records, mentions } = await checkRecords(database, listener);
    for (const problem of tableProblems(database, records, mentions)) listener.onProblem(problem);
    if (database.state.sequence !== sequence) {
      throw new StoreError(`the store in ${directory} was loaded into while it was checked: check again`);
    }
    return records.records;
  } finally {
    await database.close();
  }
}

type Counts = Pick<StoreState, "records" | "triples" | "invalid" | "endpoints" | "sources">;

async function checkRecords(
  database: StoreDatabase,
  { onProblem, onRecords }: CheckListener,
): Promise<{ records: Counts; mentions: number }> {
  const counts: Mutable<Counts> = { records: 0, triples: 0, invalid: 0, endpoints: {}, sources: {} };
  const properties = new PropertyNumbers(database.properties);
  let mentions = 0;
  let after: Buffer | undefined;
  for (;;) {
    const start = after === undefined ? {} : { start: after, exclusiveStart: true };
    after = undefined;
    for (const { key, value } of database.records.getRange({ ...start, limit: BATCH })) {
      after = key;
      count(value, counts, database.sources);
      const found = problemsOfRecord(database, key, value, properties);
      for (const problem of found.problems) onProblem(`the record ${nameOf(key)} ${problem}`);
      mentions += found.mentions;
    }
    onRecords(counts.records);
    if (after === undefined) return { records: counts, mentions };
    await nextTurn();
  }
}

function count(value: Buffer, counts: Mutable<Counts>, sources: readonly string[]): void {
  const endpoint = stored.endpoint(value) ?? "none";
  const source = sources[stored.source(value) - 1];
  counts.records++;
  counts.triples += stored.triples(value);
  if (!stored.valid(value)) counts.invalid++;
  counts.endpoints[endpoint] = (counts.endpoints[endpoint] ?? 0) + 1;
  if (source !== undefined) counts.sources[source] = (counts.sources[source] ?? 0) + 1;
}

/** What is wrong with a record and what the other tables say of it, and how many mentions it has. */
function problemsOfRecord(
  { contexts, numbers, mentions, changes }: StoreDatabase,
  key: Buffer,
  value: Buffer,
  properties: PropertyNumbers,
): { readonly problems: string[]; readonly mentions: number } {
  const context = stored.context(value) === 0 ? undefined : contexts.get(stored.context(value));
  if (!isIntact(value, context)) return { problems: ["does not have the hash that it was stored with"], mentions: 0 };
  const graph = decodeGraph(value, () => undefined);
  const number = stored.number(value);
  const change = changes.getBinary(numberKey(stored.sequence(value)));
  const problems: string[] = [];
  if (!iriKey(graph.iri).equals(key)) problems.push(`has the key of another, <${graph.iri}>`);
  if (!(numbers.getBinary(numberKey(number)) ?? NOTHING).equals(key))
    problems.push(`is not found by its number ${number}`);
  if (change === undefined) problems.push(`has sequence ${stored.sequence(value)}, which the change log lacks`);
  else {
    const { iri, kind } = decodeChange(stored.sequence(value), change);
    if (iri !== graph.iri || kind === "delete") problems.push(`has the sequence of another change, ${kind} <${iri}>`);
  }
  const all = mentionsOf(graph);
  const missing = all.filter(
    ({ iri, property }) => !mentions.doesExist(mentionKey(iriHash(iri), properties.of(property), number)),
  );
  if (missing.length > 0) problems.push(`mentions <${missing[0]!.iri}>, which is not found by that`);
  return { problems, mentions: all.length };
}

/** What is wrong with the tables beside the records. */
function* tableProblems(database: StoreDatabase, counts: Counts, mentions: number): Iterable<string> {
  const { state } = database;
  for (const name of ["records", "triples", "invalid", "endpoints", "sources"] as const) {
    const [said, found] = [inOrder(state[name]), inOrder(counts[name])];
    if (said !== found) yield `the store says ${said} for ${name}, and has ${found}`;
  }
  if (database.numbers.getKeysCount() !== counts.records) yield "there are other record numbers than records";
  const stray = database.mentions.getKeysCount() - mentions;
  if (stray !== 0) yield `${stray} more mentions are stored than records have`;
  yield* changeProblems(database);
  for (const { key, value } of database.tombstones.getRange({})) {
    const change = database.changes.getBinary(value);
    const deleted = change && decodeChange(numberOfKey(value), change);
    if (deleted?.kind !== "delete" || !iriKey(deleted.iri).equals(key)) {
      yield `the tombstone of ${nameOf(key)} names no deletion of it`;
    }
    if (database.records.doesExist(key)) yield `the record ${nameOf(key)} has a tombstone`;
  }
}

function* changeProblems({ changes, state }: StoreDatabase): Iterable<string> {
  let [last, time] = [0, 0];
  for (const { key, value } of changes.getRange({})) {
    const change = decodeChange(numberOfKey(key), value);
    if (change.sequence !== last + 1) yield `change ${change.sequence} follows change ${last}`;
    if (change.time < time) yield `change ${change.sequence} is earlier than the one before it`;
    [last, time] = [change.sequence, change.time];
  }
  if (last !== state.sequence) yield `the store says that its last change is ${state.sequence}, and it is ${last}`;
}

function inOrder(counts: number | { readonly [name: string]: number }): string {
  return typeof counts === "number" ? String(counts) : JSON.stringify(Object.entries(counts).sort());
}

function nameOf(key: Buffer): string {
  return isHashed(key) ? `of key ${key.toString("hex")}` : `<${key.toString("utf8")}>`;
}

const NOTHING = Buffer.alloc(0);
