/** The languages of pages: shipped ones, and those in an institution's own files. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { didYouMean } from "../../../base/did-you-mean.js";
import { RefusalError } from "../../../base/named-error.js";
import { LANGUAGE_TAG } from "../../../model/vocabulary/languages.js";
import { isJsonObject, type Json, type JsonObject } from "../../../rdf/record-graph.js";
import { ENGLISH_WORDS, shippedFile, Words, type WordsFile } from "./words.js";

/** The shipped languages, which pages have by default; the first is for readers who want none of them. */
export const SHIPPED: readonly string[] = ["en", "nl", "de", "fr"];

const PLURALS: readonly string[] = ["zero", "one", "two", "few", "many", "other"];

/** Loads the words of languages. Throws `RefusalError`. @param named tags of shipped languages, or JSON files; one for a shipped language needs only the words that differ */
export function wordsOfLanguages(named: readonly string[] = SHIPPED): readonly Words[] {
  const files = named.map((name) => (name.endsWith(".json") ? read(name) : shipped(name)));
  const all = files.map((file) => new Words(file as object as WordsFile));
  const twice = all.find(({ language }, at) => all.findIndex((other) => other.language === language) !== at);
  if (twice !== undefined) throw new RefusalError(`Two of the languages are ${twice.language}`);
  return all;
}

function shipped(name: string): JsonObject {
  if (SHIPPED.includes(name)) return parsed(fileURLToPath(shippedFile(name)));
  throw new RefusalError(`${name} is not one of ${SHIPPED.join(", ")}; a file of words must end with .json`);
}

function read(file: string): JsonObject {
  const given = parsed(file);
  const { language } = given;
  if (typeof language !== "string" || !LANGUAGE_TAG.test(language))
    throw new RefusalError(`${file} must name its language, such as "language": "it"`);
  const words = merged(SHIPPED.includes(language) ? shipped(language) : undefined, given);
  check(file, words, ENGLISH_WORDS.file, []);
  if (words.nouns !== "small" && words.nouns !== "capital")
    throw new RefusalError(`${file} must have "small" or "capital" as nouns`);
  const locale = String(words.locale);
  try {
    Intl.getCanonicalLocales([language, locale]);
  } catch {
    throw new RefusalError(`${file} has a language or locale that is not a language tag: ${language}, ${locale}`);
  }
  return words;
}

function parsed(file: string): JsonObject {
  try {
    const given = JSON.parse(readFileSync(file, "utf8")) as Json;
    if (isJsonObject(given)) return given;
  } catch (error) {
    throw new RefusalError(`${file} cannot be read: ${(error as Error).message}`);
  }
  throw new RefusalError(`${file} is not a JSON object`);
}

/** Checks words against those of English. Throws `RefusalError` for a word that is unknown, missing, not a text, or has a placeholder that English lacks. */
function check(file: string, given: JsonObject, reference: JsonObject, path: readonly string[]): void {
  const isPlural = Object.hasOwn(reference, "other") && path[0] === "count";
  const known = isPlural ? Object.fromEntries(PLURALS.map((form) => [form, reference.other!])) : reference;
  for (const [name, value] of Object.entries(given)) {
    const key = [...path, name].join(".");
    const wanted = Object.hasOwn(known, name) ? known[name] : undefined;
    if (wanted === undefined)
      throw new RefusalError(`${file} has the unknown word ${key}${didYouMean(name, Object.keys(known))}`);
    if (typeof wanted !== typeof value || value === null) {
      const kind = typeof wanted === "string" ? "a text" : "an object";
      throw new RefusalError(`${file} has ${key}, which must be ${kind}`);
    }
    if (typeof value !== "string") {
      check(file, value as JsonObject, wanted as JsonObject, [...path, name]);
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
  const lacking = needed.find((name) => given[name] === undefined);
  if (lacking !== undefined) throw new RefusalError(`${file} lacks the word ${[...path, lacking].join(".")}`);
}

function namesIn(template: string): string[] {
  return [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

function merged(own: Json | undefined, given: JsonObject): JsonObject {
  const words = isJsonObject(own) ? { ...own } : {};
  for (const [name, value] of Object.entries(given))
    words[name] = isJsonObject(value) ? merged(words[name], value) : value;
  return words;
}
