/** Searches that may be meant by a text without hits: another form of it, its years as a period, its spelling corrected, or some of its words. */
import { unescaped } from "../base/plain-text.js";
import type { MeantText } from "../store/search.js";
import { IndexSearch } from "./find.js";
import { searchForm, spacingsOf, withoutUmlauts, wordsOf } from "./forms.js";
import { addressMeant } from "./iris.js";
import { withName } from "./matching.js";
import { NAME_KIND } from "./schema.js";
import { formsOfIncomplete, type IndexQuery, matchOf, searchedWords, searchTextsOf, wordTiers } from "./search-text.js";
import { corrections, moreFrequent, PARTICLE, spelt } from "./spelling.js";
import type { Sqlite } from "./sqlite.js";
import { LIFE_DATES, meantText, yearsIn } from "./years.js";

const BEFORE_NUMBERS =
  /(?<![\p{L}\p{N}])(?:(?:inv|acc|cat|no|nr|inventory|accession|catalogue|object|number|inventar(?:is)?nu?m+er|num[eé]ro)\b(?:\.-|[\s.:#]{0,4})|(?:n[°º]|№)\s?){1,4}(?=\S{0,40}\d)/giu;
/** What is neither a letter nor a digit at the beginning and the end of a text. */
const OUTSIDE = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;
/** Words of questions, and operators that other searches have. */
const ASKING =
  /^(?:and|or|not|who|whose|what|when|where|which|how|why|show|me|find|wer|wann|wie|qui|quoi|quand|wat|wanneer|waar)$/i;
/** Articles, prepositions and the like. Particles of names, such as `van`, are not among them. */
const JOINING =
  /^(?:an?|the|of|in|on|at|by|from|with|for|to|his|her|its|their|eine?r?|mit|aus|bei|im|am|und|het|een|met|uit|door|en|une?|du|des|avec|par|pour|dans|sur|et|el|los|las|una|il|gli|con|por|para|per)$/;
/** The last part of a page's address, if it has a title or a number: `the-night-watch`. One word, or digits alone, would mean something at that site only. */
const PAGE =
  /^\s*<?https?:\/\/[^?#]*\/((?=[^/]*[^\d/])[^/?#\s]*(?:[\d_-]|%20)[^/?#\s]*?)(?:\.html?)?\/?(?:[?#]\S*)?\s*$/iu;
/** Initials that are written together before a name: `JMW` in `JMW Turner`. */
const INITIALS = /(?<!\p{L})\p{Lu}{2,3}(?= \p{Lu}\p{Ll})/gu;
const LETTER = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hiragana}\p{Script=Katakana}]$/u;
/** A text with more words was copied, for example from a wall label: its measures and years are not a number that somebody looks for. */
const MOST_WORDS = 8;
/** At most this many selections of words are tried. */
const SELECTIONS = 3;
/** The share of a text's weight that a selection of its words must exceed; twice this share for a text of more than `MOST_WORDS`. Rare words weigh more. */
const LEAST_SAID = 0.2;
/** A word that one in `FREQUENT` records has weighs nothing. Words that fewer than one in `RARE` have weigh the same, otherwise one would outweigh several. */
const [RARE, FREQUENT] = [500, 4];

/** The English words of numbers up to a hundred: `thirty six`. */
const UNITS = " one two three four five six seven eight nine".split(" ");
const TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(" ");
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const NUMBERS = [
  ...["zero", ...UNITS.slice(1), ...TEENS],
  ...TENS.flatMap((ten) => UNITS.map((unit) => `${ten} ${unit}`.trim())),
  "hundred",
];
const SMALL_NUMBER = /(?<![\p{L}\p{N}.,])\d{1,3}(?![\p{L}\p{N}]|[.,]\d)/gu;
const NUMBER_WORDS = new RegExp(
  `(?<!\\p{L})(?:${[...NUMBERS].reverse().join("|").replaceAll(" ", "[\\s-]+")})(?!\\p{L})`,
  "giu",
);

export interface Best {
  readonly finding: IndexSearch;
  readonly total: number;
  readonly meant?: MeantText;
}

/** A text to search for instead of the given one, which has no hits, and the period in which to search. */
type Meant = MeantText & Pick<IndexQuery, "begins" | "ends" | "incomplete">;

type Field = "text" | "name";

/** The first search that has hits: the query as given, or one that may be meant by it. */
export function bestOf(sqlite: Sqlite, query: IndexQuery): Best {
  const asked = new IndexSearch(sqlite, query);
  const total = asked.count();
  const field = query.text === undefined ? "name" : "text";
  const given = query[field];
  if (given === undefined) return { finding: asked, total };
  const { languages } = asked.searched ?? {};
  if (total > 0) {
    const also = field === "text" ? periodBeside(sqlite, asked, given) : undefined;
    const finding = also === undefined ? asked : new IndexSearch(sqlite, { ...query, languages, also });
    return { finding, total: also === undefined ? total : finding.count() };
  }
  for (const { text, years, ...others } of meantBy(sqlite, { ...query, languages }, field, given)) {
    const finding = new IndexSearch(sqlite, { ...query, languages, [field]: text, ...others });
    const count = finding.count();
    // What was left out leaves its spaces.
    const [said, asked] = [{ text: text.trim().replace(/\s+/g, " "), years }, searchedWords(given)];
    const isSame = [given, asked.join(" ")].includes(meantText(said));
    // Words that may be incomplete are shown with an ellipsis, so that they differ from the given text.
    const begun = asked.map((word) => (formsOfIncomplete(word, others.incomplete).length > 0 ? `${word}…` : word));
    const meant = isSame ? { text: begun.join(" ") } : said;
    // `print 1890` finds what is of this year, and is still the same text.
    if (count > 0) return { finding, total: count, ...(meantText(meant) !== asked.join(" ") && { meant }) };
  }
  return { finding: asked, total };
}

/** Another text is suggested beside at most this many hits, and for a text of few words: a longer one with hits is copied, such as a title. */
const FEW = 20;
const FEW_WORDS = 3;

/** The text to suggest beside the few hits of a search that may have slips: `gauguin` for `gaugin`. `undefined` if none has many more records. */
export function nearText(sqlite: Sqlite, { query, searched }: IndexSearch, total: number): string | undefined {
  if (query.text === undefined || query.hasAllWords === true || total === 0 || total > FEW) return undefined;
  const words = searched?.words ?? [];
  const text = words.length > FEW_WORDS ? undefined : moreFrequent(sqlite, words)?.join(" ");
  return text !== undefined && new IndexSearch(sqlite, { ...query, text }).count() > total ? text : undefined;
}

/** The texts that may be meant, the nearest first. */
function* meantBy(sqlite: Sqlite, query: IndexQuery, field: Field, given: string): Iterable<Meant> {
  const address = addressMeant(sqlite, given);
  if (address !== undefined) yield { text: address };
  const [, page] = (query.hasAllWords !== true && PAGE.exec(given)) || [];
  if (page !== undefined) yield { text: searchForm(unescaped(page)) };
  const number = given.replace(BEFORE_NUMBERS, "");
  if (number !== given && searchForm(number) !== "") yield { text: number };
  for (const text of field === "text" ? numbersLike(sqlite, number) : []) yield { text };
  const period = query.hasAllWords === true ? undefined : periodIn(given, query);
  if (period !== undefined) yield period;
  // Without its years, a text such as `1650-1660` has no words to search for.
  if (period?.text === "") return;
  for (const text of field === "text" && query.hasAllWords !== true ? numbersIn(sqlite, given) : []) yield { text };
  const plain = number.replace(LIFE_DATES, " ");
  const others = [...new Set([plain, withoutUmlauts(plain) ?? plain])].filter((text) => text !== given);
  for (const text of others) if (searchForm(text) !== "") yield { text };
  const spread = plain.replace(INITIALS, (letters) => [...letters].join(" "));
  if (wordsOf(searchForm(spread)).some((word) => formsOfIncomplete(word, "initials").length > 0))
    yield { text: spread, incomplete: "initials" };
  for (const text of renumbered(plain)) yield { text };
  const incomplete = "words" as const;
  const ways: Meant[] = period === undefined ? [{ text: given }] : [period];
  // Without its supposed year, `NG 1314` says nothing.
  if (period !== undefined && /\p{L}{3}|[^\0-~]/u.test(period.text)) ways.push({ text: period.text });
  for (const way of query.hasAllWords === true ? [] : ways) yield { ...way, incomplete };
  for (const each of corrections(sqlite, searchedWords(others[0] ?? given))) yield { text: each.join(" ") };
  if (query.hasAllWords === true) return;
  for (const way of ways)
    for (const text of someWords(sqlite, query, field, way.text)) yield { ...way, text, incomplete };
}

/** The numbers of records, or ends of their IRIs, that differ from a text only by separators: `SK-A-2344` for `SKA2344`. */
function numbersLike(sqlite: Sqlite, text: string): string[] {
  const spacings = JSON.stringify(spacingsOf(searchForm(text)));
  const sql = "SELECT form FROM name WHERE kind IN (?, ?) AND form IN (SELECT value FROM json_each(?)) GROUP BY form";
  return sqlite.rows<[string]>(sql, NAME_KIND.number, NAME_KIND.iriEnd, spacings).flat();
}

/** The numbers of records, or ends of their IRIs, among the words of a text, each of up to three words; the longest first. If there are no other words, all with `OR` come first. */
function numbersIn(sqlite: Sqlite, given: string): string[] {
  const isNumber = "SELECT 1 FROM name WHERE kind IN (?, ?) AND form = ?";
  const words = given.split(/[\s,;:]+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const numbersOf = (text: string): string[] => {
    const form = searchForm(text);
    // Fewer than six digits may be anything, and years are taken as years.
    if (!/\d.*\D|\D.*\d|\d{6}/.test(form) || /^[^\p{L}\p{N}]*$/u.test(yearsIn(text)?.rest ?? "-a")) return [];
    const isWritten = sqlite.row(isNumber, NAME_KIND.number, NAME_KIND.iriEnd, form) !== undefined;
    return isWritten ? [text.replace(OUTSIDE, "")] : /\s/.test(text) ? [] : numbersLike(sqlite, text);
  };
  const found: string[] = [];
  let others = 0;
  for (let at = 0; at < words.length; ) {
    const each = [3, 2, 1].map((count) => ({ count, numbers: numbersOf(words.slice(at, at + count).join(" ")) }));
    const { count, numbers } = each.find((some) => some.numbers.length > 0) ?? { count: 1, numbers: [] };
    if (numbers.length === 0 && !ASKING.test(words[at]!)) others++;
    found.push(...numbers);
    at += count;
  }
  const any = others === 0 && found.length > 1 ? [found.join(" OR ")] : [];
  return [...any, ...found.sort((a, b) => b.length - a.length)];
}

/** A text with its numbers below 101 in English words, or the words as numbers: `36 views` for `thirty-six views`. */
function renumbered(text: string): string[] {
  const spelt = text.replace(SMALL_NUMBER, (digits) => NUMBERS[Number(digits)] ?? digits);
  const counted = text.replace(NUMBER_WORDS, (words) =>
    String(NUMBERS.indexOf(words.toLowerCase().replace(/[\s-]+/, " "))),
  );
  return [spelt, counted].filter((each) => each !== text);
}

/** The search for a text with years, such as `delft 1650-60`: its other words, within its years and those of the query. `undefined` without years, and for a number alone. */
function periodIn(given: string, query: IndexQuery): Meant | undefined {
  const years = /^\d+$/.test(given.trim()) ? undefined : yearsIn(given);
  if (years === undefined) return undefined;
  const { first, last, rest } = years;
  // What is left of `1690-1810` is a dash, and of `maps from 1690` a preposition, too, which a search would look for.
  const isSaid = (word: string): boolean => /[\p{L}\p{N}]/u.test(word) && !JOINING.test(word);
  const words = searchedWords(rest);
  const text = words.slice(words.findIndex(isSaid), words.findLastIndex(isSaid) + 1).join(" ");
  // The 16th century ends in 1600, but most records that begin in this year are of the 17th: it is left out. Centuries BC end in no round year.
  const isCentury = (first - 1) % 100 === 0 && last % 100 === 0 && last > 0;
  // The query may have narrower years, from a facet.
  const begins = Math.max(first, query.begins ?? first);
  const until = isCentury ? last - 1 : last;
  return { text, years: [first, last], begins, ends: Math.min(until, query.ends ?? until) };
}

/** The period that a text with hits may also mean; `undefined` for a whole name or number, such as `BK-1975-81`. */
function periodBeside(sqlite: Sqlite, { searched, query }: IndexSearch, given: string): Meant | undefined {
  const period = searched === undefined || query.hasAllWords === true ? undefined : periodIn(given, query);
  if (period === undefined) return undefined;
  const whole = withName(searched!, false);
  return sqlite.row(whole.sql, ...whole.values) === undefined ? period : undefined;
}

/** The factor by which a word of a maker's name weighs more than another word that is as frequent. */
const OF_MAKER = 2;

/** Selections of a text's words that some record has together, by decreasing weight. None of a short text with a number, which is only looked for as it is. */
function someWords(sqlite: Sqlite, { languages }: IndexQuery, field: Field, given: string): string[] {
  const words = spelt(sqlite, searchedWords(given));
  const text = words.join(" ");
  const [searched] = searchTextsOf(sqlite, { relations: [], [field]: text, incomplete: "words", languages });
  const [, columns, isPrefix] = (searched && wordTiers(searched).at(-1)) ?? [];
  if (searched === undefined || columns === undefined) return [];
  const isLong = searched.words.length > MOST_WORDS;
  if (!isLong && /\d/.test(searched.form)) return [];
  const records = (some: readonly string[], limit: number, within = columns): number =>
    sqlite.row<[number]>(
      "SELECT count(*) FROM (SELECT 1 FROM word WHERE word MATCH ? LIMIT ?)",
      matchOf({ ...searched, words: some }, within, isPrefix!, false),
      limit,
    )![0];
  const [all] = sqlite.row<[number]>("SELECT count(*) FROM entity")!;
  const most = Math.ceil(all / FREQUENT);
  const sayingOf = (word: string): number => {
    if (PARTICLE.test(word)) return 0;
    const count = records([word], most);
    if (count === most) return 0;
    // The name of a maker is frequent because much is by them, not because it says little.
    return (records([word], 1, ["makers"]) > 0 ? OF_MAKER : 1) * Math.log(Math.min(RARE, all / Math.max(1, count)));
  };
  const telling = searched.words.filter((word) => !ASKING.test(word) && !JOINING.test(word) && !/^[a-z]$/.test(word));
  const said = new Map(telling.map((word) => [word, sayingOf(word)]));
  const saidBy = (some: readonly string[]): number => some.reduce((sum, word) => sum + said.get(word)!, 0);
  const least = (isLong ? 2 : 1) * LEAST_SAID * saidBy(telling);
  const known = telling.filter((word) => records([word], 1) > 0).sort((a, b) => said.get(b)! - said.get(a)!);
  const selections = (isLong ? known.slice(0, SELECTIONS) : known).map((rare) => {
    const chosen = [rare];
    for (const word of known) if (word !== rare && records([...chosen, word], 1) > 0) chosen.push(word);
    return chosen;
  });
  const saysEnough = (chosen: readonly string[]): boolean =>
    saidBy(chosen) > least && chosen.some((word) => !PARTICLE.test(word) && !LETTER.test(word));
  const sorted = selections.filter(saysEnough).sort((a, b) => saidBy(b) - saidBy(a));
  const texts = sorted.map((chosen) => searched.words.filter((word) => chosen.includes(word)).join(" "));
  return [...new Set(texts)].slice(0, SELECTIONS);
}
