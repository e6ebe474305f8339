/** The tables of the search index: one SQLite file beside the records, derived from them. */

/** The file's name in the folder of a store. */
export const SEARCH_FILE = "search.sqlite";

/** Grows when tables, or what records are found by, change: an index of another edition is built anew. */
export const EDITION = 8;

/** The columns of text, and how much a word in each weighs. */
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

/** Kinds of values in the table of names; the last is how an IRI ends. */
export const NAME_KIND = { name: 0, number: 1, iriEnd: 2 } as const;

/** The marks before the first letters of names and of numbers among the words of texts: characters for private use, as of stems. */
export const FIRST_LETTER = { name: "\ue100", number: "\ue101" } as const;

/** Characters of a label by which records are in order. */
export const SORTED_BY = 16;

/**
 * `iri`: the IRIs of records, and of what records refer to, in two parts. `entity` has the records: `sort` is how its label
 * begins, without an article, `referrers` how many records refer to it, `names` its names and numbers, a line each after the digit of their
 * kind, `targets` what it refers to, `picture` whether it has one (1 of its own, 2 in another record), `changed` when it was
 * changed in seconds, `number` its first identifier in natural order. `reference` has who refers to whom: `property` is a number of `properties.ts`. `told` has
 * what the record of an entity tells of another, the subject: that it stands in a role of `TOLD_ROLES` to a target. `tally` has
 * how many of all records, and of those of each endpoint, have a value of a facet, as `countValuesOf` counts them. `pair` has the words of each
 * pair of letters, by which slips of the pen are understood; what is no word any more may stay in it.
 * The words that begin in some way are few enough to be found one by one: indexes of prefixes would double the words.
 */
export const TABLES = `
CREATE TABLE fact (edition INTEGER, sequence INTEGER, mark TEXT, state REAL);
CREATE TABLE namespace (id INTEGER PRIMARY KEY, iri TEXT UNIQUE);
CREATE TABLE iri (id INTEGER PRIMARY KEY, hash INTEGER, namespace INTEGER, local TEXT);
CREATE TABLE entity (
  id INTEGER PRIMARY KEY, endpoint INTEGER NOT NULL, sort TEXT NOT NULL, names TEXT NOT NULL, targets BLOB NOT NULL,
  begins INTEGER, ends INTEGER, picture INTEGER, changed INTEGER, number TEXT, referrers INTEGER NOT NULL DEFAULT 0
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

/** These make writing slow, and come when a new index is full. */
export const INDEXES = `
CREATE INDEX iri_of_hash ON iri (hash);
CREATE INDEX told_of_entity ON told (entity);
CREATE INDEX tally_in_order ON tally (endpoint, facet, records DESC) WHERE records > 1;
CREATE INDEX entity_in_order ON entity (endpoint, sort);
CREATE INDEX entity_by_label ON entity (sort);
CREATE INDEX entity_referred ON entity (-referrers, sort) WHERE referrers > 0;`;

/** Removes all tables, those of earlier editions too, in an order that lets them go. */
export const REMOVAL = "word pair tally listing told reference name entity iri namespace fact"
  .split(" ")
  .map((table) => `DROP TABLE IF EXISTS ${table};`)
  .join("");

/** What an entity refers to: the number of the property, and that of the target. */
export interface NumberedTarget {
  readonly property: number;
  readonly target: number;
}

const TARGET_BYTES = 5;

/** Targets as an entity's row has them: five bytes each. */
export function targetBytes(targets: readonly NumberedTarget[]): Buffer {
  const bytes = Buffer.allocUnsafe(TARGET_BYTES * targets.length);
  for (const [at, { property, target }] of targets.entries()) {
    bytes.writeUInt8(property, TARGET_BYTES * at);
    bytes.writeUInt32BE(target, TARGET_BYTES * at + 1);
  }
  return bytes;
}

/** The targets that `targetBytes` wrote. */
export function* targetsIn(bytes: Buffer): Iterable<NumberedTarget> {
  for (let at = 0; at < bytes.length; at += TARGET_BYTES)
    yield { property: bytes.readUInt8(at), target: bytes.readUInt32BE(at + 1) };
}
