/** Stems of words (Snowball): plurals and other inflexions of a word in its language are found by one another. */
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

/** By language code (RFC 5646). New ones come at the end: their places are in indexes. */
const STEMMERS: Readonly<Record<string, (word: string) => string>> = {
  ...{ en: english, nl: dutch, de: german, fr: french, es: spanish, it: italian, pt: portuguese, da: danish },
  ...{ sv: swedish, no: norwegian, nb: norwegian, fi: finnish, hu: hungarian, ro: romanian, ru: russian, tr: turkish },
};
export const STEMMED = Object.keys(STEMMERS);

/** The first of the characters for private use, which no form of a word has. */
const FIRST_SIGN = 0xe000;
const INFLECTED = /^\p{L}{3,}$/u;

/** The mark behind stems of a language, so that they begin as words do. Alone it says that there are some. */
export function signOf(language: string): string {
  return String.fromCodePoint(FIRST_SIGN + STEMMED.indexOf(language));
}

/** The stem of a word in a language; `undefined` where there are none. */
export function stemOf(word: string, language: string): string | undefined {
  return INFLECTED.test(word) ? STEMMERS[language]?.(word) : undefined;
}

/** By language, what a word is found by besides itself: its stem, where that is another word. */
const SIGNED = new Map(
  STEMMED.map((language) => {
    const signed = (word: string): string => {
      const stem = stemOf(word, language);
      return stem === undefined || stem === word ? "" : stem + signOf(language);
    };
    return [language, remembering(50_000, signed)];
  }),
);

/** The stems of a word that are other words: it is found by them besides itself. */
export function stemsOf(word: string, languages: readonly string[]): string[] {
  return languages.map((language) => SIGNED.get(language)?.(word) ?? "").filter((stem) => stem !== "");
}
