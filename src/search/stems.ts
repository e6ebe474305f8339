/** Stems of words (Snowball), so that plurals and other inflections of a word match each other. */
import { remembering } from "../base/bounded-map.js";
import { library } from "../base/lazily.js";

/** The library's stemmers by language code (RFC 5646). New ones go at the end, as existing indexes have their positions. */
const NAMES: Readonly<Record<string, string>> = {
  ...{ en: "english", nl: "dutch", de: "german", fr: "french", es: "spanish", it: "italian", pt: "portuguese" },
  ...{ da: "danish", sv: "swedish", no: "norwegian", nb: "norwegian", fi: "finnish", hu: "hungarian" },
  ...{ ro: "romanian", ru: "russian", tr: "turkish" },
};
type Stemmer = typeof import("@orama/stemmers/english");
const STEMMERS = new Map(
  Object.entries(NAMES).map(([code, name]) => [code, library<Stemmer>(`@orama/stemmers/${name}`)]),
);
export const STEMMED = Object.keys(NAMES);

/** The first private-use character; no form of a word has any. */
const FIRST_SIGN = 0xe000;
const INFLECTED = /^\p{L}{3,}$/u;

/** The mark after stems of a language. It is at the end so that they are found by their beginnings, as words are. Alone, it says that the index has such stems. */
export function signOf(language: string): string {
  return String.fromCodePoint(FIRST_SIGN + STEMMED.indexOf(language));
}

/** The stem of a word in a language; `undefined` if the word or the language has none. */
export function stemOf(word: string, language: string): string | undefined {
  return INFLECTED.test(word) ? STEMMERS.get(language)?.().stemmer(word) : undefined;
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
