/** The tables of the search index: one SQLite file beside the records, derived from them. */
import type { Sqlite } from "./sqlite.js";

/** The file's name in the folder of a store. */
export const SEARCH_FILE = "search.sqlite";

/** To be increased whenever the tables change, or what is written to them: an index of another edition is built anew. */
export const EDITION = 22;

/** The columns of text, each with the weight of its words. */
export const COLUMNS = {
  names: 10,
  numbers: 8,
  makers: 6,
  kinds: 4,
  materials: 4,
  places: 3,
  others: 2,
  dates: 2,
  texts: 1,
} as const;
export type TextColumn = keyof typeof COLUMNS;

export const COLUMN_NAMES = Object.keys(COLUMNS) as readonly TextColumn[];

/** Kinds of values in the table `name`; the last is the end of an IRI. */
export const NAME_KIND = { name: 0, number: 1, iriEnd: 2 } as const;

/** The marks before first letters among the words of `texts`, by kind of name: private-use characters, as after stems. Ends of IRIs have none. */
export const FIRST_LETTERS: readonly string[] = ["\ue100", "\ue101"];

/** The mark before the initials of words among the words of `names` and `makers`. */
export const INITIAL = "\ue102";

/** The number of characters of a label by which records are sorted. */
export const SORTED_BY = 40;
/** The same for the referrers of an entity, in code points. It is smaller because every reference has these characters. */
export const REFERRERS_SORTED_BY = 16;

/** The beginning of `sort` by which the referrers of an entity are sorted. */
export function sortOfReferrer(sort: string): string {
  return sort.length <= REFERRERS_SORTED_BY ? sort : [...sort].slice(0, REFERRERS_SORTED_BY).join("");
}

/** The tables of all editions, in an order in which they can be removed. */
const REMOVED = "word pair tally listing told reference name entity iri namespace fact".split(" ");

/**
 * Removes the tables, and creates them without rows.
 * `fact`: the state of the index (see `IndexState`).
 * `iri`: the IRIs of records and of what they refer to, each in two parts, the first of which is in `namespace`.
 * `entity`: the records. `sort` is the beginning of the label, without an article; `names` has a name or number on each line, after the digit of its kind;
 * `targets` is what it refers to, a JSON array of `NumberedTarget`s; `picture` is 1 for a picture of its own, 2 for one in another record, 3 for both; `changed` is the time of
 * its last change in seconds since 1970; `number` is the natural form of its accession number or first identifier; `referred` is a hash of what it adds to the
 * texts of the records that refer to it, which `referrers` counts.
 * `reference`: which entity refers to which target. `property` is a number of `properties.ts`.
 * `told`: relations that the record `entity` states of others: `subject` stands to `target` in a role of `INVERSE_ROLES`, or is `PICTURED`.
 * `tally`: how many of all records (endpoint -1), and of those of each endpoint, have a value of a facet, as counted by `countValuesOf`.
 * `pair`: the words that contain each pair of letters, to correct misspellings. It may keep words that no record has any more.
 * `word`: the words of the records. It has no prefix indexes, which would double its size: the words with a given beginning are few enough.
 */
export const TABLES = `${REMOVED.map((table) => `DROP TABLE IF EXISTS ${table};`).join("")}
CREATE TABLE fact (edition INTEGER, sequence INTEGER, mark TEXT, state REAL, filling REAL);
CREATE TABLE namespace (id INTEGER PRIMARY KEY, iri TEXT UNIQUE);
CREATE TABLE iri (id INTEGER PRIMARY KEY, hash INTEGER, namespace INTEGER, local TEXT);
CREATE TABLE entity (
  id INTEGER PRIMARY KEY, endpoint INTEGER NOT NULL, sort TEXT NOT NULL, names TEXT NOT NULL, targets TEXT NOT NULL,
  begins INTEGER, ends INTEGER, picture INTEGER, changed INTEGER, number TEXT, referred INTEGER,
  referrers INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE name (kind INTEGER, form TEXT, entity INTEGER, PRIMARY KEY (kind, form, entity)) WITHOUT ROWID;
CREATE TABLE reference (
  target INTEGER, property INTEGER, sort TEXT, entity INTEGER, PRIMARY KEY (target, property, sort, entity)
) WITHOUT ROWID;
CREATE TABLE told (
  target INTEGER, role INTEGER, subject INTEGER, entity INTEGER, PRIMARY KEY (target, role, subject, entity)
) WITHOUT ROWID;
CREATE TABLE tally (
  endpoint INTEGER, facet INTEGER, value INTEGER, records INTEGER, PRIMARY KEY (endpoint, facet, value)
) WITHOUT ROWID;
CREATE TABLE pair (letters TEXT PRIMARY KEY, words BLOB);
CREATE VIRTUAL TABLE word USING fts5 (
  ${COLUMN_NAMES.join(", ")}, tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co Cn'",
  content = '', contentless_delete = 1
);`;

/** SQL indexes, which are created after the rows of a new search index are written: they would slow down the writing. */
export const INDEXES = `
CREATE INDEX iri_of_hash ON iri (hash);
CREATE INDEX told_of_entity ON told (entity);
CREATE INDEX tally_in_order ON tally (endpoint, facet, records DESC) WHERE records > 1;
CREATE INDEX entity_in_order ON entity (endpoint, sort);
CREATE INDEX entity_by_label ON entity (sort);
CREATE INDEX entity_referred ON entity (-referrers, sort) WHERE referrers > 0;`;

/** What an index reflects: the number and the `changeMark` of the last change, a number that every change of the index draws at random (`state`), and one that changes when the index is filled: all entities then get other numbers. */
export type IndexState = NonNullable<ReturnType<typeof indexStateOf>>;

/** The state that an index has; `undefined` if it has none. */
export function indexStateOf(sqlite: Sqlite) {
  const isThere = sqlite.row("SELECT 1 FROM sqlite_master WHERE name = 'fact'") !== undefined;
  // An older edition has fewer columns.
  const found = isThere && sqlite.row<[number, number, string, number, number]>("SELECT * FROM fact");
  const [edition, sequence = 0, mark = "", state = 0, filling = 0] = found || [];
  return edition === EDITION ? { sequence, mark, state, filling } : undefined;
}

/** A reference of an entity: the numbers of the property and of the target. */
export type NumberedTarget = readonly [property: number, target: number];
