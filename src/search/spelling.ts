/** Slips of the pen: the words of the collection that were meant by words that it does not have. */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { edits } from "../base/did-you-mean.js";
import { phraseOf } from "./search-text.js";
import type { Sqlite } from "./sqlite.js";

/** Shorter words are not corrected, and not what was meant: too many are one edit away. */
const SHORTEST = 4;
const CORRECTED = 5;
/** From so many letters on two edits are one slip. */
const TWO_EDITS = 9;
/** Words that share most with a slip, and are compared with it. */
const COMPARED = 200;
/** Words that are tried for one slip. */
const CHOICES = 3;
/** A letter that is wrong costs two pairs, two that are turned round three. */
const LOST_PAIRS = 5;

/** Whether a word may be what was meant. */
export function isSpelt(word: string): boolean {
  return word.length >= SHORTEST && /^\p{L}+$/u.test(word);
}

/** The pairs of letters of a word, its beginning and end included, each once. */
export function pairsOf(word: string): Set<string> {
  const ended = `_${word}_`;
  const pairs = new Set<string>();
  for (let end = 2; end <= ended.length; end++) pairs.add(ended.slice(end - 2, end));
  return pairs;
}

/** Words as an index keeps those of a pair: in order they take a third of their bytes. */
export function packedWords(words: Iterable<string>): Buffer {
  return deflateRawSync([...words].sort().join(" "));
}

/** The words that `packedWords` packed. */
export function unpackedWords(packed: Buffer): string[] {
  return inflateRawSync(packed).toString().split(" ");
}

/** Corrections of words: those that the collection lacks are mended, or else one of them, which may be another word of it. */
export function* mendings(sqlite: Sqlite, words: readonly string[]): Iterable<string[]> {
  yield* respaced(sqlite, words);
  const near = words.map((word) => (isKnown(sqlite, word) ? [] : nearest(sqlite, word)));
  for (let choice = 0; choice < CHOICES; choice++) {
    if (near.some((each) => each[choice] !== undefined))
      yield words.map((word, at) => near[at]![choice] ?? near[at]![0] ?? word);
  }
  for (const [at, word] of words.length > 1 ? words.entries() : []) {
    for (const other of nearest(sqlite, word)) yield words.with(at, other);
  }
}

/** The same letters with a space less or more, in words of the collection: `ear ring`, `nightwatch`. */
function* respaced(sqlite: Sqlite, words: readonly string[]): Iterable<string[]> {
  for (const [at, word] of words.entries()) {
    const joined = `${word}${words[at + 1] ?? ""}`;
    if (joined !== word && isKnown(sqlite, joined)) yield words.toSpliced(at, 2, joined);
    if (!isSpelt(word) || isKnown(sqlite, word)) continue;
    for (let cut = SHORTEST; cut <= word.length - SHORTEST; cut++) {
      const halves = [word.slice(0, cut), word.slice(cut)];
      if (halves.every((half) => isKnown(sqlite, half))) yield words.toSpliced(at, 1, ...halves);
    }
  }
}

function isKnown(sqlite: Sqlite, word: string): boolean {
  return sqlite.row("SELECT 1 FROM word WHERE word MATCH ? LIMIT 1", phraseOf(word)) !== undefined;
}

/** The words that a slip is nearest to, of equally near ones the most frequent first. */
function nearest(sqlite: Sqlite, slip: string): string[] {
  if (slip.length < CORRECTED || !isSpelt(slip)) return [];
  const most = slip.length >= TWO_EDITS ? 2 : 1;
  const pairs = [...pairsOf(slip)];
  const near = candidates(sqlite, pairs)
    .map((term) => ({ term, edits: edits(slip, term, most) }))
    .filter((each) => each.edits <= most);
  // The table may still have words that no record has any more.
  return near
    .map((each) => ({ ...each, records: recordsWith(sqlite, each.term) }))
    .filter(({ term, records }) => records > 0 && term !== slip)
    .sort((a, b) => a.edits - b.edits || b.records - a.records)
    .slice(0, CHOICES)
    .map(({ term }) => term);
}

/** The words that have most of some pairs of letters. */
function candidates(sqlite: Sqlite, pairs: readonly string[]): string[] {
  const shared = new Map<string, number>();
  for (const [words] of sqlite.rows<[Buffer]>(WORDS_OF_PAIRS, JSON.stringify(pairs)))
    for (const word of unpackedWords(words)) shared.set(word, (shared.get(word) ?? 0) + 1);
  const least = Math.max(1, pairs.length - LOST_PAIRS);
  const near = [...shared].filter(([, count]) => count >= least).sort((a, b) => b[1] - a[1]);
  return near.slice(0, COMPARED).map(([word]) => word);
}

const WORDS_OF_PAIRS = "SELECT words FROM pair WHERE letters IN (SELECT value FROM json_each(?))";

function recordsWith(sqlite: Sqlite, term: string): number {
  return sqlite.row<[number]>("SELECT count(*) FROM word WHERE word MATCH ?", phraseOf(term))![0];
}
