/** Stems of words (Snowball), so that plurals and other inflections of a word match each other. */
import { stemmer as danish } from "@orama/stemmers/danish";
import { stemmer as dutch } from "@orama/stemmers/dutch";
import { stemmer as english } from "@orama/stemmers/english";
import { stemmer as finnish } from "@orama/stemmers/finnish";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as german } from "@orama/stemmers/german";
import { stemmer as hungarian } from "@orama/stemmers/hungarian";
import { stemmer as italian } from "@orama/stemmers/italian";
import { stemmer as norwegian } from "@orama/stemmers/norwegian";
import { stemmer as portuguese } from "@orama/stemmers/portuguese";
import { stemmer as romanian } from "@orama/stemmers/romanian";
import { stemmer as russian } from "@orama/stemmers/russian";
import { stemmer as spanish } from "@orama/stemmers/spanish";
import { stemmer as swedish } from "@orama/stemmers/swedish";
import { stemmer as turkish } from "@orama/stemmers/turkish";
import { remembering } from "../base/bounded-map.js";

/** Stemmers by language code (RFC 5646). New ones go at the end, as existing indexes have their positions. */
const STEMMERS: Readonly<Record<string, (word: string) => string>> = {
  ...{ en: english, nl: dutch, de: german, fr: french, es: spanish, it: italian, pt: portuguese, da: danish },
  ...{ sv: swedish, no: norwegian, nb: norwegian, fi: finnish, hu: hungarian, ro: romanian, ru: russian, tr: turkish },
};
export const STEMMED = Object.keys(STEMMERS);

/** The first private-use character; no form of a word has any. */
const FIRST_SIGN = 0xe000;
const INFLECTED = /^\p{L}{3,}$/u;

/** The mark after stems of a language. It is at the end so that they are found by their beginnings, as words are. Alone, it says that the index has such stems. */
export function signOf(language: string): string {
  return String.fromCodePoint(FIRST_SIGN + STEMMED.indexOf(language));
}

/** The stem of a word in a language; `undefined` if the word or the language has none. */
export function stemOf(word: string, language: string): string | undefined {
  return INFLECTED.test(word) ? STEMMERS[language]?.(word) : undefined;
}

/** By language, the function that gives a word's stem with its sign, or nothing if the stem is the word itself. */
const SIGNED = new Map(
  STEMMED.map((language) => {
    const signed = (word: string): string => {
      const stem = stemOf(word, language);
      return stem === undefined || stem === word ? "" : stem + signOf(language);
    };
    return [language, remembering(50_000, signed)];
  }),
);

/** The stems by which a word is also found, with their signs: those that differ from the word. */
export function stemsOf(word: string, languages: readonly string[]): string[] {
  return languages.map((language) => SIGNED.get(language)?.(word) ?? "").filter((stem) => stem !== "");
}
