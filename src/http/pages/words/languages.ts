/** The languages of pages: shipped ones, and those in an institution's own files. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { didYouMean } from "../../../base/did-you-mean.js";
import { RefusalError } from "../../../base/named-error.js";
import { LANGUAGE_TAG } from "../../../model/vocabulary/languages.js";
import { ENGLISH_WORDS, shippedFile, Words, type WordsFile } from "./words.js";

/** The shipped languages, which pages have by default; the first is for readers who want none of them. */
export const SHIPPED: readonly string[] = ["en", "nl", "de", "fr"];

type Unchecked = { readonly [name: string]: unknown };

const PLURALS: readonly string[] = ["zero", "one", "two", "few", "many", "other"];

/** Loads the words of languages. Throws `RefusalError`. @param named tags of shipped languages, or JSON files; one for a shipped language needs only the words that differ */
export function wordsOfLanguages(named: readonly string[] = SHIPPED): readonly Words[] {
  const all = named.map((name) => new Words(name.endsWith(".json") ? read(name) : shipped(name)));
  const twice = all.find(({ language }, at) => all.findIndex((other) => other.language === language) !== at);
  if (twice !== undefined) throw new RefusalError(`Two of the languages are ${twice.language}`);
  return all;
}

function shipped(name: string): WordsFile {
  if (SHIPPED.includes(name)) return parsed(fileURLToPath(shippedFile(name))) as WordsFile;
  throw new RefusalError(`${name} is not one of ${SHIPPED.join(", ")}; a file of words must end with .json`);
}

function read(file: string): WordsFile {
  const given = parsed(file) as Unchecked;
  const { language } = given;
  if (typeof language !== "string" || !LANGUAGE_TAG.test(language)) {
    throw new RefusalError(`${file} must name its language, such as "language": "it"`);
  }
  const own = SHIPPED.includes(language) ? shipped(language) : undefined;
  check(file, given, ENGLISH_WORDS.file, own === undefined, []);
  if (given.nouns !== undefined && given.nouns !== "small" && given.nouns !== "capital") {
    throw new RefusalError(`${file} must have "small" or "capital" as nouns`);
  }
  const locale = String(given.locale ?? own?.locale);
  try {
    Intl.getCanonicalLocales([language, locale]);
  } catch {
    throw new RefusalError(`${file} has a language or locale that is not a language tag: ${language}, ${locale}`);
  }
  return (own === undefined ? given : merged(own, given)) as WordsFile;
}

function parsed(file: string): object {
  try {
    const given = JSON.parse(readFileSync(file, "utf8")) as unknown;
    if (typeof given === "object" && given !== null && !Array.isArray(given)) return given;
  } catch (error) {
    throw new RefusalError(`${file} cannot be read: ${(error as Error).message}`);
  }
  throw new RefusalError(`${file} is not a JSON object`);
}

/** Checks words against those of English. Throws `RefusalError` for a word that is unknown, missing, not a text, or has a placeholder that English lacks. */
function check(file: string, given: Unchecked, reference: Unchecked, isWhole: boolean, path: readonly string[]): void {
  const isPlural = Object.hasOwn(reference, "other") && path[0] === "count";
  for (const [name, value] of Object.entries(given)) {
    const key = [...path, name].join(".");
    const wanted = Object.hasOwn(reference, name)
      ? reference[name]
      : isPlural && PLURALS.includes(name)
        ? reference.other
        : undefined;
    if (wanted === undefined) {
      throw new RefusalError(`${file} has the unknown word ${key}${didYouMean(name, Object.keys(reference))}`);
    }
    if (typeof wanted !== typeof value || value === null) {
      const kind = typeof wanted === "string" ? "a text" : "an object";
      throw new RefusalError(`${file} has ${key}, which must be ${kind}`);
    }
    if (typeof value !== "string") {
      check(file, value as Unchecked, wanted as Unchecked, isWhole, [...path, name]);
      continue;
    }
    const names = namesIn(wanted as string);
    const other = namesIn(value).find((each) => !names.includes(each));
    if (other !== undefined) {
      const known = names.length === 0 ? "nothing" : names.map((each) => `{${each}}`).join(", ");
      throw new RefusalError(`${file} has {${other}} in ${key}, which can have ${known}`);
    }
  }
  const needed = isPlural ? ["other"] : Object.keys(reference);
  const lacking = isWhole ? needed.find((name) => given[name] === undefined) : undefined;
  if (lacking !== undefined) {
    throw new RefusalError(`${file} lacks the word ${[...path, lacking].join(".")}`);
  }
}

function namesIn(template: string): string[] {
  return [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

function merged(own: Unchecked, given: Unchecked): Unchecked {
  const entries = Object.entries(given).map(([name, value]) => {
    const isText = typeof value === "string";
    return [name, isText ? value : merged(own[name] as Unchecked, value as Unchecked)] as const;
  });
  return { ...own, ...Object.fromEntries(entries) };
}
