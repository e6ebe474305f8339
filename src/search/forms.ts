/** The forms in which searches compare texts: without case, diacritics, width and punctuation (Unicode Standard, 5.18; UAX #15), so that different spellings match. */
import { remembering } from "../base/bounded-map.js";

/** Characters of a name, an identifier or a query that are considered. */
const MAX_FOLDED_CHARACTERS = 400;
/** Characters of a word that are considered. */
const MAX_WORD = 40;

const ASCII = /^[\0-~]*$/;
/** Marks that people leave out when they type: Latin, Greek, Cyrillic, Hebrew and Arabic ones; soft hyphens, and the signs of romanization for ayn, hamza and the soft sign. In other scripts, marks are vowels. */
const MARKS = new RegExp(
  "[\\u00ad\\u02b9-\\u02c1\\u02ee\\u0300-\\u036f\\u0483-\\u0487\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a" +
    "\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06ed\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f]+",
  "g",
);
const NO_WORD = /[^\p{L}\p{N}\p{M}]+/gu;
/** Letters that Unicode does not decompose, with their spelling on keyboards that lack them. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ħ: "h",
  ŧ: "t",
  ı: "i",
  ς: "σ",
  ٱ: "ا",
};
const OTHER_DIGIT = /(?!\d)\p{Nd}/gu;
const ANY_LETTER = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");
/** Scripts that write words without spaces: each of their characters counts as a word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*/gu;

/**
 * The folded form of a text; texts with the same form match. A text without letters and digits keeps its other characters, so that they
 * find it.
 * @param most the number of characters of the text that are considered
 * @example
 * foldedForm("Ølstrup, SK-C-5"); // => "olstrup sk c 5"
 */
export function foldedForm(text: string, most = MAX_FOLDED_CHARACTERS): string {
  const head = text.slice(0, most);
  if (ASCII.test(head)) return spaced(head.toLowerCase(), /[^a-z0-9]+/g) || spaced(head, /[\0- ]+/g);
  const whole = head.toWellFormed().normalize("NFKD");
  const unmarked = whole.replace(MARKS, "").toLowerCase();
  const spelt = withLatinDigits(unmarked.replace(ANY_LETTER, (letter) => LETTERS[letter]!));
  return spaced(spelt, NO_WORD).normalize("NFC") || spaced(whole.normalize("NFC"), /[\s\0]+/g);
}

/** A text with the digits of all scripts as `0` to `9`: `ISL.45` for `ISL.٤٥`. */
export function withLatinDigits(text: string): string {
  return text.replace(OTHER_DIGIT, (digit) => {
    const code = digit.codePointAt(0)!;
    let first = code;
    while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--;
    // The digits of a script follow each other, from zero to nine, but some scripts have several tens (Unicode Standard, 4.6).
    return String((code - first) % 10);
  });
}

function spaced(text: string, apart: RegExp): string {
  return text.replace(apart, " ").trim();
}

/**
 * The words of a form, in order and with repetitions.
 * @example
 * wordsOf("view of 東京"); // => ["view", "of", "東", "京"]
 */
export function wordsOf(form: string): string[] {
  const spaced = ASCII.test(form) ? form : form.replace(UNSPACED, " $& ");
  const words = spaced.split(" ").filter((word) => word !== "");
  return words.map((word) => word.slice(0, MAX_WORD));
}

/** Characters of a statement or another long text whose words are considered. */
const MAX_TEXT_CHARACTERS = 4_000;
const SHORT: Readonly<Record<string, string>> = { saint: "st", mount: "mt" };
const HAS_LONG_WORD = new RegExp(Object.keys(SHORT).join("|"), "i");
const LONG_WORD = new RegExp(`(?<![^ ])(?:${Object.keys(SHORT).join("|")})(?![^ ])`, "g");
const UMLAUTS: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", Ä: "Ae", Ö: "Oe", Ü: "Ue" };
const NOT_ASCII = /[^\0-~]/;
const UMLAUT = /[äöüÄÖÜ]/g;

/** The form by which a whole name or number is looked up. */
export function searchForm(text: string, most?: number): string {
  return foldedForm(text, most).replace(LONG_WORD, (word) => SHORT[word]!);
}

/** The form with which names begin that begin with a text. A last word that the form shortens is a whole one: `saint` is no beginning of `story`. */
export function beginningForm(text: string): string {
  const [last = ""] = wordsOf(foldedForm(text)).slice(-1);
  return Object.hasOwn(SHORT, last) ? `${searchForm(text)} ` : searchForm(text);
}

/** The spellings of a word of a form: `st` and `saint`, as what begins with the long one may be another word. */
export function spellingsOf(word: string): string[] {
  return [word, ...Object.keys(SHORT).filter((long) => SHORT[long] === word)];
}

/** The maximum number of spellings of a number. If there are more, none is tried. */
const MAX_SPACINGS = 1_024;

/**
 * The forms of a number with and without a separator beside each letter; none of a text without letters or digits, or with too many letters.
 * @example
 * spacingsOf("a 1b"); // => ["a1b", "a1 b", "a 1b", "a 1 b"]
 */
export function spacingsOf(form: string): string[] {
  if (!/\d/.test(form) || !/\p{L}/u.test(form)) return [];
  let made = [""];
  for (const character of form.replace(/(?<!\d) | (?!\d)/g, "")) {
    const isApart = /^.*(?:\d\p{L}|\p{L}[\d\p{L}])$/u.test(made[0]! + character);
    made = made.flatMap((each) => (isApart ? [each + character, `${each} ${character}`] : [each + character]));
    if (made.length > MAX_SPACINGS) return [];
  }
  return made;
}

/** Characters of an identifier that records are sorted by, and digits of a number in it that are considered. */
const NUMBERED_BY = 20;
const MAX_DIGITS = 40;

/**
 * The form of an identifier that sorts in natural order: the length of each number comes before it.
 * @example
 * naturalForm("1919.9") < naturalForm("1919.55"); // => true
 */
export function naturalForm(number: string): string {
  const form = searchForm(number).replace(/\d+/g, (digits) => {
    const significant = digits.replace(/^0+(?=\d)/, "").slice(0, MAX_DIGITS);
    return String.fromCharCode(48 + significant.length) + significant;
  });
  return form.slice(0, NUMBERED_BY);
}

/** A text with its umlauts spelt as on keyboards that lack them; `undefined` if it has none. */
export function withoutUmlauts(text: string): string | undefined {
  if (!NOT_ASCII.test(text)) return undefined;
  const composed = text.normalize("NFC");
  const other = composed.replace(UMLAUT, (letter) => UMLAUTS[letter]!);
  return other === composed ? undefined : other;
}

/** The forms by which a text is found, with umlauts in both spellings, and their words. */
function foundBy(text: string) {
  const other = withoutUmlauts(text);
  const spelt = other === undefined ? [text] : [text, other];
  const forms = spelt.map((each) => searchForm(each));
  const isWhole = text.length <= MAX_FOLDED_CHARACTERS;
  const words = (isWhole ? forms : spelt.map((each) => searchForm(each, MAX_TEXT_CHARACTERS))).flatMap(wordsOf);
  // `saint` is indexed as `st`, but also as it is, so that its beginning finds it while it is typed.
  const long = HAS_LONG_WORD.test(text) ? foldedForm(text, MAX_TEXT_CHARACTERS).match(LONG_WORD) : null;
  return { forms, words: long === null ? words : [...words, ...long] };
}

/** `foundBy`, cached, as many records share texts. Records seldom share long ones, which would fill the memory. */
export const formsOf = remembering(20_000, foundBy, ({ length }) => length <= MAX_FOLDED_CHARACTERS);
