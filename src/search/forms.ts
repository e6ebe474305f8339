/** The forms of texts in the search index: what is written in two ways is one. */
import { remembering } from "../base/bounded-map.js";
import { foldedForm, MAX_FOLDED_CHARACTERS, wordsOf } from "./folded-text.js";

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

/** A text as records are found by it: its forms, with umlauts in both spellings, and their words. */
interface TextForms {
  readonly forms: readonly string[];
  readonly words: readonly string[];
}

/** The forms of texts. Many records share texts, such as labels of concepts and credit lines, and names are labels, too. */
export const formsOf = remembering(20_000, (text: string): TextForms => {
  const other = withoutUmlauts(text);
  const spelt = other === undefined ? [text] : [text, other];
  const forms = spelt.map((each) => searchForm(each));
  const isWhole = text.length <= MAX_FOLDED_CHARACTERS;
  const words = (isWhole ? forms : spelt.map((each) => searchForm(each, MAX_TEXT_CHARACTERS))).flatMap(searchWords);
  return { forms, words };
});
