/** Records that stand in one of Linked Art's relations to an entity (linked.art/api/rels/1), by what they and others say. */
import { RELATIONS } from "../../../model/relations.js";
import { InvalidCursorError } from "../../errors.js";
import type { Window, WindowQuery } from "../../search.js";
import type { StoreDatabase } from "../format/database.js";
import { entityOfTold, RECORD, recordOfPosting, relationKey, TOLD, toldKey } from "../format/found.js";
import { numberKey } from "../format/keys.js";
import { ROLES, SET_ROLES, TOLD_ROLES } from "../format/relations.js";
import { countOf, type FoundTable, past, recordNumbers } from "./postings.js";
import { windowOf } from "./search.js";

/** The records that stand in a relation to an IRI, by label. Throws `InvalidCursorError`. */
export function relatedIn(database: StoreDatabase, relation: string, iri: string, window: WindowQuery): Window<string> {
  const isBackward = window.before !== undefined;
  const given = window.before ?? window.after ?? "";
  const from = given === "" ? undefined : Buffer.from(given, "base64url");
  if (from !== undefined && from.length !== RECORD) throw new InvalidCursorError(given);
  const cut = from === undefined ? undefined : past(from, isBackward);
  const found = relatedRecords(database, relation, iri).from(cut, isBackward, window.limit + 1);
  const records = found.slice(0, window.limit);
  const cursor = (record: Buffer | undefined): string | undefined => record?.toString("base64url");
  const onward = found.length > window.limit ? cursor(records.at(-1)) : undefined;
  const back = from === undefined ? undefined : cursor(records[0] ?? from);
  const items = records.flatMap((record) => iriOf(database, record) ?? []);
  return windowOf(items, onward, back, isBackward);
}

/** How many records stand in a relation to an IRI. */
export function relatedCountIn(database: StoreDatabase, relation: string, iri: string): number {
  return relatedRecords(database, relation, iri).count;
}

function iriOf(database: StoreDatabase, record: Buffer): string | undefined {
  return database.numbers.get(numberKey(recordOfPosting(record)))?.toString("utf8");
}

/** Records in the order of their labels. */
interface Records {
  readonly count: number;
  from(cut: Buffer | undefined, isBackward: boolean, limit: number): Buffer[];
}

/** The records that say so themselves; where others do, too, all of them are gathered. */
function relatedRecords(database: StoreDatabase, relation: string, iri: string): Records {
  const table = database.found!;
  const key = relationKey(iri, ROLES.get(relation)!);
  const others = [...toldRecords(table, relation, iri), ...memberRecords(database, relation, iri)];
  if (others.length === 0) {
    return {
      count: countOf(table, key),
      from: (cut, isBackward, limit) => recordNumbers(table, key, cut, isBackward, limit),
    };
  }
  const all = [...others, ...recordNumbers(table, key, undefined, false, Number.POSITIVE_INFINITY)];
  const ordered = all.sort((a, b) => a.compare(b)).filter((record, at) => at === 0 || !record.equals(all[at - 1]!));
  return {
    count: ordered.length,
    from: (cut, isBackward, limit) => {
      const ahead = cut === undefined ? ordered : ordered.filter((record) => isBackward === record.compare(cut) < 0);
      return isBackward ? ahead.slice(-limit).reverse() : ahead.slice(0, limit);
    },
  };
}

/** The records of which others tell that they stand in a relation to an IRI. */
function toldRecords(table: FoundTable, relation: string, iri: string): Buffer[] {
  const { sources } = RELATIONS[ROLES.get(relation)!]!;
  const records: Buffer[] = [];
  for (const role of TOLD_ROLES.get(relation)!) {
    const start = toldKey(iri, role);
    for (const told of table.getKeys({ start, end: Buffer.concat([start, Buffer.alloc(TOLD, 0xff)]) })) {
      // Longer ones are those of blocks of postings.
      if (told.length !== TOLD) continue;
      for (const source of sources)
        records.push(...recordNumbers(table, entityOfTold(told, source), undefined, false, 1));
    }
  }
  return records;
}

/** The members of the Sets that lead to an IRI. */
function memberRecords(database: StoreDatabase, relation: string, iri: string): Buffer[] {
  const role = SET_ROLES.get(relation);
  const table = database.found!;
  if (role === undefined) return [];
  const sets = recordNumbers(table, relationKey(iri, role), undefined, false, Number.POSITIVE_INFINITY);
  return sets.flatMap((set) => {
    const members = relationKey(iriOf(database, set) ?? "", ROLES.get("objectMemberOfSet")!);
    return recordNumbers(table, members, undefined, false, Number.POSITIVE_INFINITY);
  });
}
