/** The forms of texts in which searches compare: without case, diacritics, width and punctuation (Unicode Standard, 5.18; UAX #15). What is written in two ways is one. */
import { remembering } from "../base/bounded-map.js";

/** Characters of a name, an identifier or a query that count. */
const MAX_FOLDED_CHARACTERS = 400;
/** Characters that count of a word. */
const MAX_WORD = 40;

const ASCII = /^[\0-~]*$/;
/**
 * Marks that readers leave out: those of Latin, Greek, Cyrillic, Hebrew and Arabic. In other scripts they are vowels, and
 * words without them are other words.
 */
const MARKS = new RegExp(
  "[\\u0300-\\u036f\\u0483-\\u0487\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a" +
    "\\u064b-\\u065f\\u0670\\u06d6-\\u06ed\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f]+",
  "g",
);
const NO_WORD = /[^\p{L}\p{N}\p{M}]+/gu;
/** Letters that are written otherwise where a keyboard lacks them, and that Unicode does not decompose. */
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
};
const ANY_LETTER = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");
/** Scripts that write words without spaces: each of their characters is found as a word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*/gu;

/**
 * The folded form of a text. What has neither letters nor digits keeps its signs, so that it is found by them. Texts of the same form
 * are found by one another.
 * @param most characters of the text that count
 * @example
 * foldedForm("Ølstrup, SK-C-5"); // => "olstrup sk c 5"
 */
export function foldedForm(text: string, most = MAX_FOLDED_CHARACTERS): string {
  const head = text.slice(0, most);
  if (ASCII.test(head)) {
    const form = head
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, " ")
      .trim();
    return form === "" ? head.replace(/[\0- ]+/g, " ").trim() : form;
  }
  const whole = head.toWellFormed().normalize("NFKD");
  const form = whole
    .replace(MARKS, "")
    .toLowerCase()
    .replace(ANY_LETTER, (letter) => LETTERS[letter]!)
    .replace(NO_WORD, " ")
    .normalize("NFC")
    .trim();
  return form === ""
    ? whole
        .normalize("NFC")
        .replace(/[\s\0]+/g, " ")
        .trim()
    : form;
}

/**
 * The words of a form, in their order; one may come twice.
 * @example
 * wordsOf("view of 東京"); // => ["view", "of", "東", "京"]
 */
export function wordsOf(form: string): string[] {
  if (ASCII.test(form)) return form.split(" ").map(cut);
  const words = form.replace(UNSPACED, " $& ").split(" ");
  return words.filter((word) => word !== "").map(cut);
}

function cut(word: string): string {
  return word.length > MAX_WORD ? word.slice(0, MAX_WORD) : word;
}

/** Characters of a statement or another text whose words count. */
const MAX_TEXT_CHARACTERS = 4_000;
const SHORT: Readonly<Record<string, string>> = { saint: "st", mount: "mt" };
const LONG_WORD = new RegExp(`(?<![^ ])(?:${Object.keys(SHORT).join("|")})(?![^ ])`, "g");
const UMLAUTS: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", Ä: "Ae", Ö: "Oe", Ü: "Ue" };
const NOT_ASCII = /[^\0-~]/;
const UMLAUT = /[äöüÄÖÜ]/g;

/** A whole name or number as it is looked up. */
export function searchForm(text: string, most?: number): string {
  return foldedForm(text, most).replace(LONG_WORD, (word) => SHORT[word]!);
}

/** Characters of a number by which records are in order, and digits of one that count. */
const NUMBERED_BY = 20;
const MAX_DIGITS = 40;

/**
 * A number in a form whose order is that of its numbers: each has its length before it.
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

/** The words of a form. */
export function searchWords(form: string): string[] {
  return wordsOf(form).filter((word) => word !== "");
}

/** A text with its umlauts as they are written where a keyboard lacks them; `undefined` for one without. */
export function withoutUmlauts(text: string): string | undefined {
  if (!NOT_ASCII.test(text)) return undefined;
  const composed = text.normalize("NFC");
  const other = composed.replace(UMLAUT, (letter) => UMLAUTS[letter]!);
  return other === composed ? undefined : other;
}

/**
 * A text as records are found by it: its forms, with umlauts in both spellings, and their words. Many records share texts, such as labels
 * of concepts and credit lines, and names are labels, too.
 */
export const formsOf = remembering(20_000, (text: string) => {
  const other = withoutUmlauts(text);
  const spelt = other === undefined ? [text] : [text, other];
  const forms = spelt.map((each) => searchForm(each));
  const isWhole = text.length <= MAX_FOLDED_CHARACTERS;
  const words = (isWhole ? forms : spelt.map((each) => searchForm(each, MAX_TEXT_CHARACTERS))).flatMap(searchWords);
  return { forms, words };
});
