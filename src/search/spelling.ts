/** Spelling correction: the words of the collection that are nearest to words that it does not have. */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { remembering } from "../base/bounded-map.js";
import { edits } from "../base/did-you-mean.js";
import { phraseOf } from "./search-text.js";
import type { Sqlite } from "./sqlite.js";

/** Words shorter than `CORRECTED` are not corrected, and none is corrected to one shorter than `SHORTEST`: too many are one edit away. */
const SHORTEST = 4;
const CORRECTED = 5;
/** Particles of names that people write together with the next word, as in `vandyck`; these may be shorter than `SHORTEST`. */
export const PARTICLE = /^(?:van|von|der|den|de|da|del|di|du|la|le|mac|st)$/;
/** A word of this length or more may differ from its correction by two edits, a shorter one by one. */
const TWO_EDITS = 9;
/** A text with more words that the collection lacks is in another language rather than misspelt. To look for words near to all of them takes long. */
const MOST_MISSPELT = 6;
/** At most this many words are compared with a misspelt one: those that share the most pairs of letters with it. */
const COMPARED = 200;
/** At most this many corrections are tried for a word. */
const CHOICES = 3;
/** A word that more records than this have is taken to be spelt correctly. */
const FREQUENT = 200;
/** A word that at most `RARE` records have may be misspelt in them, if more than `TIMES_RARE` times as many records have a similar word. */
const RARE = 20;
const TIMES_RARE = 20;
/** How many pairs of letters a correction may lack, by its number of edits: a wrong letter costs two pairs, two transposed letters cost three. */
const LOST_PAIRS = { 1: 3, 2: 5 } as const;
/** How many of the rarest pairs a correction must share. Reading the words of further pairs takes longer than comparing some more words. */
const SHARED_PAIRS = 3;

/** Whether a misspelling may be corrected to this word. */
export function isSpelt(word: string): boolean {
  return word.length >= SHORTEST && /^\p{L}+$/u.test(word);
}

/** The pairs of successive letters in a word, including its beginning and end, each once. */
export function pairsOf(word: string): Set<string> {
  const ended = `_${word}_`;
  const pairs = new Set<string>();
  for (let end = 2; end <= ended.length; end++) pairs.add(ended.slice(end - 2, end));
  return pairs;
}

/** Words packed for the table `pair`: sorted and deflated, they take a third of the bytes. */
export function packedWords(words: Iterable<string>): Buffer {
  return deflateRawSync([...words].sort().join(" "));
}

/** The words that `packedWords` packed. */
export function unpackedWords(packed: Buffer): string[] {
  return inflateRawSync(packed).toString().split(" ");
}

/** Corrections of a text's words, in this order: with one space less or more; with all words that the collection lacks replaced; with a single word that is not frequent replaced. */
export function* corrections(sqlite: Sqlite, words: readonly string[]): Iterable<string[]> {
  yield* respaced(sqlite, words);
  if (isForeign(sqlite, words)) return;
  const nearestTo = remembering(words.length, (word: string) => nearest(sqlite, word));
  const near = words.map((word) => (isKnown(sqlite, word) ? [] : nearestTo(word)));
  for (let choice = 0; choice < CHOICES; choice++)
    if (near.some((each) => each[choice] !== undefined))
      yield words.map((word, at) => near[at]![choice] ?? near[at]![0] ?? word);
  for (const [at, word] of words.entries()) {
    if (isKnown(sqlite, word, FREQUENT)) continue;
    for (const other of nearestTo(word)) yield words.with(at, other);
  }
}

/** The words, but each that the collection lacks is replaced by the nearest word that it has, if any. */
export function spelt(sqlite: Sqlite, words: readonly string[]): readonly string[] {
  if (isForeign(sqlite, words)) return words;
  return words.map((word) => (isKnown(sqlite, word) ? word : (nearest(sqlite, word)[0] ?? word)));
}

function isForeign(sqlite: Sqlite, words: readonly string[]): boolean {
  return words.filter((word) => !isKnown(sqlite, word)).length > MOST_MISSPELT;
}

/** The words, but each rare one is replaced by a similar one that very many more records have: `gaugin`, from an old letter, by `gauguin`. `undefined` if none is. */
export function moreFrequent(sqlite: Sqlite, words: readonly string[]): string[] | undefined {
  const others = words.map((word) => {
    if (isKnown(sqlite, word, RARE)) return word;
    const least = TIMES_RARE * recordsWith(sqlite, word);
    return nearest(sqlite, word).find((near) => isKnown(sqlite, near, least)) ?? word;
  });
  return others.some((word, at) => word !== words[at]) ? others : undefined;
}

/** The same letters with one space less or more, if that gives words of the collection: `earring` for `ear ring`, `night watch` for `nightwatch`. */
function* respaced(sqlite: Sqlite, words: readonly string[]): Iterable<string[]> {
  for (const [at, word] of words.entries()) {
    const joined = `${word}${words[at + 1] ?? ""}`;
    if (joined !== word && !/^\d+$/.test(joined) && isKnown(sqlite, joined)) yield words.toSpliced(at, 2, joined);
    if (!isSpelt(word) || isKnown(sqlite, word)) continue;
    for (let cut = 2; cut <= word.length - SHORTEST; cut++) {
      const halves = [word.slice(0, cut), word.slice(cut)] as const;
      const isWhole = cut >= SHORTEST || PARTICLE.test(halves[0]);
      if (isWhole && halves.every((half) => isKnown(sqlite, half))) yield words.toSpliced(at, 1, ...halves);
    }
  }
}

/** Whether more than `than` records have a word; by default, whether any has it. */
function isKnown(sqlite: Sqlite, word: string, than = 0): boolean {
  return sqlite.row("SELECT 1 FROM word WHERE word MATCH ? LIMIT 1 OFFSET ?", phraseOf(word), than) !== undefined;
}

/** The words nearest to a misspelt one, at most `CHOICES`. Equally near ones are sorted by frequency. */
function nearest(sqlite: Sqlite, misspelt: string): string[] {
  if (misspelt.length < CORRECTED || !isSpelt(misspelt)) return [];
  const most = misspelt.length >= TWO_EDITS ? 2 : 1;
  // The table `pair` may keep words that no record has any more.
  return candidates(sqlite, misspelt, most)
    .map((term) => ({ term, edits: edits(misspelt, term, most) }))
    .filter((each) => each.edits <= most)
    .map((each) => ({ ...each, records: recordsWith(sqlite, each.term) }))
    .filter(({ term, records }) => records > 0 && term !== misspelt)
    .sort((a, b) => a.edits - b.edits || b.records - a.records)
    .slice(0, CHOICES)
    .map(({ term }) => term);
}

/** The words that share most of the rarest pairs of letters of a misspelt one, and are about as long. */
function candidates(sqlite: Sqlite, misspelt: string, most: keyof typeof LOST_PAIRS): string[] {
  const lost = LOST_PAIRS[most];
  const lists = sqlite.rows<[Buffer]>(RAREST, JSON.stringify([...pairsOf(misspelt)]), lost + SHARED_PAIRS);
  const shared = new Map<string, number>();
  for (const [words] of lists)
    for (const word of unpackedWords(words))
      if (Math.abs(word.length - misspelt.length) <= most) shared.set(word, (shared.get(word) ?? 0) + 1);
  const near = [...shared].filter(([, count]) => count >= lists.length - lost).sort((a, b) => b[1] - a[1]);
  return near.slice(0, COMPARED).map(([word]) => word);
}

const RAREST =
  "SELECT words FROM pair WHERE letters IN (SELECT value FROM json_each(?)) ORDER BY length(words) LIMIT ?";

function recordsWith(sqlite: Sqlite, term: string): number {
  return sqlite.row<[number]>("SELECT count(*) FROM word WHERE word MATCH ?", phraseOf(term))![0];
}
