/** The entities that match a text, or have its words. */
import { recordsNamed, withIriEnd } from "./iris.js";
import { COLUMN_NAMES, FIRST_LETTERS, NAME_KIND } from "./schema.js";
import { MIN_PREFIX, matchOf, type Part, phraseOf, type SearchText, searchTextsOf, wordTiers } from "./search-text.js";
import type { Sqlite } from "./sqlite.js";

/** A character that sorts after all others: what begins with a text sorts between the text and the text followed by this. */
export const LAST = String.fromCodePoint(0x10ffff);
/** The kinds of names that are searched, by the field of the query. */
export const KINDS_OF_NAMES = {
  name: [NAME_KIND.name],
  identifier: [NAME_KIND.number],
  text: [NAME_KIND.name, NAME_KIND.number],
} as const;

export const NO_ENTITIES = { sql: "SELECT 0 AS id WHERE 0", values: [] };

/** The entities with the words of an FTS5 query. */
export function withMatch(match: string): Part {
  return { sql: "SELECT rowid AS id FROM word WHERE word MATCH ?", values: [match] };
}

/** All entities that match a text, each once, as `id`: those whose IRI it is, or those with its words and those whose IRIs end in it. */
export function matching(sqlite: Sqlite, searched: SearchText) {
  const named = recordsNamed(sqlite, searched.text);
  const words = withWords(searched);
  // Uniting the two takes time, and few texts are the end of an IRI.
  const ending = searched.among === "name" ? undefined : withIriEnd(sqlite, searched);
  return { searched, all: named ?? (ending ? combined(words, "UNION", ending) : words), named, ending };
}

/** The entities of two queries, or those of the first without the others. */
export function combined(some: Part, operator: "UNION" | "EXCEPT", others: Part): Part {
  return { sql: `${some.sql} ${operator} ${others.sql}`, values: [...some.values, ...others.values] };
}

/** The entities with all words of any of these texts anywhere, also inflected. */
export function havingWords(sqlite: Sqlite, texts: readonly string[]): Part {
  const found = texts.flatMap((text) => searchTextsOf(sqlite, { relations: [], text }));
  const matches = found.filter(({ words }) => words.length > 0).map((each) => matchOf(each, COLUMN_NAMES, true, false));
  if (matches.length === 0) return NO_ENTITIES;
  return withMatch([...new Set(matches)].join(" OR "));
}

/** The entities with the words of a text, or with a name or number that begins with it. */
export function withWords(searched: SearchText): Part {
  const last = wordTiers(searched).at(-1);
  const prefixed = withName(searched, true);
  if (last === undefined) return prefixed;
  const match = matchOf(searched, last[1], last[2]);
  // If the last word may be incomplete, the words also find the records with a name that begins with the text.
  if (searched.words.at(-1)!.length >= MIN_PREFIX) return withMatch(match);
  if (isLetter(searched)) return withMatch(`(${match}) OR ${lettersOf(searched)}`);
  return combined(withMatch(match), "UNION", prefixed);
}

/** The entities with a name or number that equals a text or a part of it between `OR`s or, if `isPrefix`, begins with it. */
export function withName(searched: SearchText, isPrefix: boolean): Part {
  const { form, begun, forms, among } = searched;
  if (isPrefix && isLetter(searched)) return withMatch(lettersOf(searched));
  const sql = `SELECT DISTINCT entity AS id FROM name WHERE kind IN (${KINDS_OF_NAMES[among].join()}) AND form`;
  // A text with `OR` is not the beginning of a name.
  return isPrefix && forms.length === 1
    ? { sql: `${sql} BETWEEN ? AND ?`, values: [form, begun + LAST] }
    : { sql: `${sql} IN (${forms.map(() => "?")})`, values: forms };
}

/** Whether a text is a single letter: names that begin with it are found by a mark among the words (`FIRST_LETTERS`). */
function isLetter({ form }: SearchText): boolean {
  return [...form].length === 1;
}

function lettersOf({ form, among }: SearchText): string {
  const signed = KINDS_OF_NAMES[among].map((kind) => phraseOf(FIRST_LETTERS[kind] + form));
  return `texts : (${signed.join(" OR ")})`;
}
