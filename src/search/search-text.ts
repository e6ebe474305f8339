/** The text of a search: its words, the FTS5 queries for them, and the reasons why records match. */
import { entryOf } from "../base/entries.js";
import type { Reason, RelationFilter, SearchQuery, SearchRank } from "../store/search.js";
import { beginningForm, searchForm, spellingsOf, wordsOf } from "./forms.js";
import { COLUMN_NAMES, INITIAL, type TextColumn } from "./schema.js";
import type { Cell, Sqlite } from "./sqlite.js";
import { STEMMED, signOf, stemOf } from "./stems.js";

/** At most this many words of a text are searched for. */
const MAX_WORDS = 16;
/** Stands among the words of a text, which are in lower case: `prints OR drawings` finds either. */
const OR = "OR";
/** The minimum number of letters of an incomplete word, which is the last one (`MIN_PREFIX`) or another (`MIN_BEGINNING`). Too many words begin with fewer letters. */
export const MIN_PREFIX = 2;
const MIN_BEGINNING = 5;

/** A search whose relations are given by the numbers of properties. */
export interface IndexQuery extends Omit<SearchQuery, "relations" | "related"> {
  readonly relations: readonly (Omit<RelationFilter, "property"> & { readonly property: number })[];
  /** Only these entities match; they are sorted by label. */
  readonly among?: Part;
  /** Whether hits come in the order of entity numbers, unless `sort` is given. */
  readonly isWalk?: boolean;
  /** Words besides the last that may be incomplete. */
  readonly incomplete?: Incomplete;
  /** The years that the text may also mean, with its other words. Their hits come after the others, but before those that have the words only in their texts. */
  readonly also?: Pick<IndexQuery, "text" | "begins" | "ends"> | undefined;
  /** The languages whose stems are searched, too. Default: those of which the index has stems. */
  readonly languages?: readonly string[] | undefined;
}

/** Which words may be incomplete: those of one letter, or longer ones (see `formsOfIncomplete`). */
type Incomplete = "initials" | "words";

/** A part of an SQL statement, with the values of its question marks. */
export interface Part {
  readonly sql: string;
  readonly values: readonly Cell[];
}

/** A text that is searched for, with the forms and words by which it is looked up. */
export interface SearchText {
  readonly text: string;
  readonly form: string;
  /** See `beginningForm`. */
  readonly begun: string;
  /** The forms of the text and of its parts between `OR`s, which may be whole names, numbers or ends of IRIs. */
  readonly forms: readonly string[];
  readonly words: readonly string[];
  readonly among: "name" | "identifier" | "text";
  readonly incomplete: Incomplete | undefined;
  /** The languages whose stems are searched, too. */
  readonly languages: readonly string[];
}

/** The ranks of words: the columns in which all words must be, and whether the last word may be incomplete. */
const WORD_TIERS: readonly (readonly [rank: SearchRank, among: readonly TextColumn[], isPrefix: boolean])[] = [
  ["words", ["names", "numbers"], false],
  ["word prefix", ["names", "numbers"], true],
  ["maker", ["names", "numbers", "makers"], true],
  ["kind", COLUMN_NAMES.filter((name) => name !== "texts"), true],
  ["text", COLUMN_NAMES, true],
];

/** The texts that a search looks for; the first one ranks the hits. Texts without words are left out. */
export function searchTextsOf(sqlite: Sqlite, query: IndexQuery): SearchText[] {
  const hasText = query.name !== undefined || query.text !== undefined;
  const hasStems = "SELECT 1 FROM word WHERE word MATCH ?";
  const { languages = STEMMED.filter((each) => hasText && sqlite.row(hasStems, `texts : "${signOf(each)}"`)) } = query;
  return (["identifier", "name", "text"] as const).flatMap((among) => {
    const given = query[among] ?? "";
    const form = searchForm(given);
    if (form === "") return [];
    const forms = [...new Set([form, ...alternativesOf(given).map((each) => searchForm(each))])];
    const words = searchedWords(given);
    const incomplete = query.incomplete ?? (hasInitial(given) ? "initials" : undefined);
    return [{ text: given.trim(), form, begun: beginningForm(given), forms, words, among, incomplete, languages }];
  });
}

/** Whether a text has an initial of a name and another word: `W. Homer`. Beside a year, the letter may belong to an era. */
function hasInitial(text: string): boolean {
  return /(?<![\p{L}\p{N}])\p{L}\.(?!\p{L}{2})/u.test(text) && /\p{L}{2}/u.test(text) && !/\d/.test(text);
}

/** The parts of a text between its `OR`s, of which at most `MAX_WORDS` count: each has a word, and SQLite allows a statement only so many values. */
function alternativesOf(text: string): readonly string[] {
  // With parentheses, `OR` would join less than these parts, so it is a mere word. At an end of the text, the other part is yet to be typed.
  return /[()]/.test(text) ? [text] : text.trim().split(/\sOR(?!\S)|^OR\s/, MAX_WORDS);
}

/** What is removed from words: the `'s` of the English genitive, and the apostrophe of `1920's`. */
const GENITIVE = /(?<=\p{L})['’]s(?![\p{L}\p{N}])|(?<=\d)['’](?=s(?![\p{L}\p{N}]))/giu;

/** The words of a text that are searched for, with `OR` between its parts. Of a repeated word only the last is kept, as it may still be typed. */
export function searchedWords(text: string): string[] {
  const each = alternativesOf(text).map((part) => {
    const all = wordsOf(searchForm(part.replace(GENITIVE, "")));
    return all.filter((word, at) => all.lastIndexOf(word) === at);
  });
  const some = each.filter((words) => words.length > 0);
  const words = some.flatMap((all, at) => (at === 0 ? all : [OR, ...all])).slice(0, MAX_WORDS);
  return words.at(-1) === OR ? words.slice(0, -1) : words;
}

const NAME_TIERS = WORD_TIERS.slice(0, 2).map(([rank, , isPrefix]) => [rank, ["names"], isPrefix] as const);

/** The ranks by which the words of a text are searched; none for an identifier. */
export function wordTiers({ among, words }: SearchText): typeof WORD_TIERS {
  if (words.length === 0 || among === "identifier") return [];
  return among === "name" ? NAME_TIERS : WORD_TIERS;
}

/** A word as a quoted phrase of an FTS5 query. */
export function phraseOf(word: string): string {
  return `"${word.replaceAll('"', '""')}"`;
}

/** The FTS5 query for words (SQLite, FTS5, 3): whole words; or with `isPrefix`, inflected words and an incomplete last one. */
export function matchOf(
  { form, begun, words, incomplete, languages }: SearchText,
  columns: readonly TextColumn[],
  isPrefix: boolean,
  isLastPrefix = isPrefix,
): string {
  const each = words.map((word, at) => {
    if (word === OR) return OR;
    const isLast = isLastPrefix && at === words.length - 1 && word.length >= MIN_PREFIX;
    const spellings = isPrefix ? spellingsOf(word) : [word];
    const stems = isPrefix ? spellings.flatMap((each) => languages.flatMap((code) => formsOfStem(each, code))) : [];
    const typed = begun === form ? word : spellings.at(-1);
    const whole = spellings.map((each) => phraseOf(each) + (isLast && each === typed ? " *" : ""));
    const forms = [...whole, ...new Set(stems.map(phraseOf))];
    const others = [...formsOfIncomplete(word, incomplete), ...(isPrefix ? yearsOfDecade(word) : [])];
    return `(${[...forms, ...others].join(" OR ")})`;
  });
  const matched = `(${each.join(" AND ").replaceAll(` AND ${OR} AND `, ` ${OR} `)})`;
  return columns === COLUMN_NAMES ? matched : `{${columns.join(" ")}} : ${matched}`;
}

/** The FTS5 queries for an incomplete word: for what begins with it, if it is long enough, and for its plural or singular. With `initials`, a letter finds a word of a name. */
export function formsOfIncomplete(word: string, incomplete: Incomplete | undefined): string[] {
  if (incomplete === "initials") return /^\p{L}$/u.test(word) ? [phraseOf(INITIAL + word)] : [];
  const isWord = incomplete === "words" && /^[\p{L}\p{M}]{3,}$/u.test(word);
  const beginning = isWord && word.length >= MIN_BEGINNING ? [`${phraseOf(word)} *`] : [];
  const plural = isWord ? [phraseOf(word.endsWith("s") ? word.slice(0, -1) : `${word}s`)] : [];
  return [...beginning, ...plural];
}

/** The query for the years of a word such as `1920s`. */
function yearsOfDecade(word: string): string[] {
  const first = /^(\d{3}0)s$/.exec(word)?.[1];
  if (first === undefined) return [];
  const years = Array.from({ length: 10 }, (_, at) => phraseOf(String(Number(first) + at)));
  return [`dates : (${years.join(" OR ")})`];
}

/** The forms that find words of the same stem: the stem with its sign, and the stem as a word. */
function formsOfStem(word: string, language: string): string[] {
  const stem = stemOf(word, language);
  return stem === undefined ? [] : [stem + signOf(language), stem];
}

/** The fields of reasons that are whole values: names, numbers and IRIs, in the order of `NAME_KIND`, then years. */
const WHOLE = ["names", "numbers", "iri", "dates"] as const;

/** The reasons why each hit matches: by column, the words of the search that are in it. */
export function reasonsOf(
  sqlite: Sqlite,
  searched: SearchText,
  places: readonly { readonly id: number; readonly rank: SearchRank | undefined }[],
): Reason[][] {
  const ids = JSON.stringify(places.map(({ id }) => id));
  const holders = new Map<string, ReadonlySet<number>>();
  const isIn = (id: number, column: TextColumn, word: string): boolean => {
    const match = matchOf({ ...searched, words: [word] }, [column], true, word === searched.words.at(-1));
    // A plus keeps SQLite from looking up each hit: if its column lacks the word, FTS5 reads on to the next record that has it there.
    const rows = "SELECT rowid FROM word WHERE word MATCH ? AND +rowid IN (SELECT value FROM json_each(?))";
    return entryOf(holders, match, () => new Set(sqlite.rows<[number]>(rows, match, ids).flat())).has(id);
  };
  const tiers = wordTiers(searched);
  return places.map(({ id, rank }) => {
    // The columns in which the words of the rank are; none for whole values.
    const [, columns = []] = (rank === undefined ? tiers.at(-1) : tiers.find(([each]) => each === rank)) ?? [];
    const found = columns.flatMap((field): Reason[] => {
      const words = searched.words.filter((word) => word !== OR && isIn(id, field, word));
      return words.length === 0 ? [] : [{ field, words }];
    });
    return found.length > 0 ? found : [wholeReason(sqlite, searched, id)];
  });
}

/** The reason of a hit by a whole name or number, the beginning of one, its IRI, or else its years. */
function wholeReason(sqlite: Sqlite, { forms, among, text }: SearchText, id: number): Reason {
  const [names] = sqlite.row<[string | null]>("SELECT names FROM entity WHERE id = ?", id) ?? [];
  const lines = (names ?? "").split("\n").sort();
  const found = forms.filter((form) => lines.some((line) => line.startsWith(form, 1)));
  const line = lines.find((each) => found.some((form) => each.startsWith(form, 1)));
  const kind = among === "identifier" ? "1" : (line?.[0] ?? (text.includes(":") ? "2" : "3"));
  return { field: WHOLE[Number(kind)]!, words: forms.length > 1 && found.length > 0 ? found : [text] };
}
