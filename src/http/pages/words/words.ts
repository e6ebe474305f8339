/** The words of pages in a language: those in its file, and functions that insert names, numbers and dates into them. */
import { readFileSync } from "node:fs";
import type ENGLISH from "../../../../assets/words/en.json";
import { remembering } from "../../../base/bounded-map.js";
import { lazily } from "../../../base/lazily.js";
import { packageFile } from "../../../base/package-files.js";
import type { EndpointName } from "../../../model/tables/names.js";
import { className } from "../../../model/vocabulary/vocabulary.js";
import { primaryTag } from "../../../rdf/terms.js";
import { lastOfPeriod, SPANS } from "../../../search/years.js";
import { type Html, html, NOTHING, text } from "../markup.js";

/** The words of a language, with the structure of the English file. */
export type WordsFile = Omit<typeof ENGLISH, "nouns"> & {
  readonly nouns: "small" | "capital";
};

/** A fixed piece of a sentence, or a place for values with the text around them; without values, that text is left out, too. */
type SentencePart = string | { readonly before: string; readonly term: string; readonly after: string };

/** Fills the placeholders of a template, such as `{name}`, with texts. A placeholder without a value stays. */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  const parts = partsOfTemplate(template);
  let filled = parts[0]!;
  for (let at = 1; at < parts.length; at += 2) filled += (values[parts[at]!] ?? `{${parts[at]}}`) + parts[at + 1]!;
  return filled;
}

const partsOfTemplate = remembering(1_024, (template: string) => template.split(/\{(\w+)\}/));

/** The same, for HTML. */
export function fillHtml(template: string, values: Readonly<Record<string, Html>>): Html {
  return fill(text(template), values) as Html;
}

/** When a year has its era: always, only before Christ (`44 BC`), or never, because the date after it has the era (`200 to 101 BC`). */
export type Era = "always" | "before" | "never";

export class Words {
  /** The language tag, for the attribute `lang`. */
  readonly language: string;
  readonly dates: ReturnType<typeof datesOf>;
  readonly number: (value: number) => string;
  /** The day of a time in milliseconds since 1970, remembered since most records changed at the same time. */
  readonly day: (moment: number) => string;
  /** The objects of `Intl`. They are made when first needed: making them takes 30 ms, which would delay the start. */
  readonly #intl: () => ReturnType<typeof intlOf>;

  /** @param file all words of the language, already checked */
  constructor(readonly file: WordsFile) {
    this.language = file.language;
    this.#intl = lazily(() => intlOf(file.locale));
    this.dates = datesOf(file.locale);
    this.number = remembering(4_096, (value: number) => this.#intl().numbers.format(value));
    this.day = remembering(64, (moment: number) => {
      const date = new Date(moment);
      return this.dates.day(date.getUTCDate(), date.getUTCMonth() + 1, String(date.getUTCFullYear()));
    });
  }

  /** A decimal number with all its digits, in the notation of the language. */
  decimal(written: string, isGrouped: boolean): string {
    const [whole = "", fraction] = written.split(".", 2);
    const { numbers, point } = this.#intl();
    const shown = isGrouped ? numbers.format(BigInt(whole)) : whole;
    return fraction === undefined ? shown : shown + point + fraction;
  }

  /** A counted noun: `1 record`, `2,000 records`. */
  count(what: keyof WordsFile["count"], count: number): string {
    const forms: Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string } = this.file.count[what];
    return fill(forms[this.#intl().plurals.select(count)] ?? forms.other, { count: this.number(count) });
  }

  /** A list of pieces as in a sentence: "a, b and c". */
  list(pieces: readonly Html[]): Html {
    return pieces.length < 2 ? (pieces[0] ?? NOTHING) : (this.#intl().list.format(pieces) as Html);
  }

  /** Words at the beginning of a line, with a capital letter. */
  begun(words: string): string {
    return words.charAt(0).toLocaleUpperCase(this.file.locale) + words.slice(1);
  }

  /** Words as they are within a sentence: `Maker` becomes `maker`, but German nouns keep their capital letter. */
  within(words: string): string {
    return this.file.nouns === "small" ? words.toLocaleLowerCase(this.file.locale) : words;
  }

  /** The words for a property, before its values. @param term the data model's term, or the IRI of another property */
  property(term: string): string {
    return wordOf(this.file.property, term) ?? wordsOfName(term);
  }

  /** The same as HTML, in which words made from the term itself are marked as English. */
  propertyHtml(term: string): Html {
    const words = this.property(term);
    const isForeign = this.language !== "en" && wordOf(this.file.property, term) === undefined;
    return isForeign ? html`<span lang="en">${text(words)}</span>` : text(words);
  }

  /** The words for a class. @param name its name, or the IRI of another class */
  class(name: string): string {
    return wordOf(this.file.class, name) ?? wordsOfName(name);
  }

  /** The page title of a record that has no name. @param number its number, if known */
  unnamed(endpoint: EndpointName | null, number = ""): string {
    const { endpoint: endpoints, record } = this.file;
    const kind = endpoint === null ? record.thing : endpoints[endpoint].one;
    if (number !== "") return `${this.begun(kind)} ${number}`;
    return this.begun(
      fill(record.unnamedHead, { kind: record.unnamedHead.startsWith("{") ? kind : this.within(kind) }),
    );
  }

  facet(facet: string): string {
    return wordOf(this.file.facet, facet) ?? this.property(facet);
  }

  /** The words for an order of searches; `undefined` for one that pages do not offer. */
  order(order: string): string | undefined {
    return wordOf(this.file.order, order);
  }

  /** A note on where a record contains the words of a search; `undefined` if the list shows these places anyway. @param fields from the search's reasons */
  foundIn(fields: readonly string[]): string | undefined {
    const words = fields.flatMap((field) => wordOf(this.file.field, field) ?? []);
    return words.length === 0 ? undefined : fill(this.file.list.foundIn, { fields: words.join(", ") });
  }

  /** The heading of the works or members that refer to an entity by this property. */
  works(term: string): string {
    return wordOf(this.file.works, term) ?? this.referring(term);
  }

  /** The heading of the records that refer to an entity by this property. */
  referring(term: string): string {
    return wordOf(this.file.referring, term) ?? fill(this.file.record.related, { property: this.property(term) });
  }

  /** A relation of Linked Art in words: "Objects produced by Rembrandt". @param name the name of the target */
  relation(relation: string, name: string): string {
    const [source = "", ...rest] = relation.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).split("_");
    const template = wordOf(this.file.relation, rest.slice(0, -1).join("_")) ?? "{records}: {name}";
    return fill(template, { records: wordOf(this.file.source, source) ?? source, name });
  }

  /** The words for several terms: "Owner and keeper". A permanent relation is left out beside the same current one. */
  together(terms: readonly string[], wordsOf: (term: string) => string): Html {
    const shown = terms.filter(
      (term) => !term.includes("permanent_") || !terms.includes(term.replace("permanent_", "")),
    );
    return this.list(shown.map((term, at) => text(at === 0 ? wordsOf(term) : this.within(wordsOf(term)))));
  }

  /** The parts of the sentence about an activity. @param verb replaces the verb of the class */
  sentence(name: string, verb?: string): readonly SentencePart[] {
    return partsOf(`${verb ?? wordOf(this.file.sentence, name) ?? ""} ${this.file.record.circumstances}`);
  }

  /** The words for a facet value that is a kind, a class, a date or a period; `undefined` for values with names. */
  facetValue(facet: string, value: string): string | undefined {
    if (facet === "endpoint") return this.file.endpoint[value as EndpointName]?.many;
    if (facet === "type") return this.class(className(value) ?? value);
    const year = Number(value);
    if (facet === "decade" && year > 1) return fill(this.file.facetValue.decade, { year: value });
    if (facet === "century" || facet === "decade") return this.years(year, lastOfPeriod(year, SPANS[facet]));
    return facet === "picture" || facet === "changed" ? wordOf(this.file.facetValue, value) : undefined;
  }

  /** A year in words: "1642", "44 BC". @param year astronomical: 0 is 1 BC */
  year(year: number, era: Era = "before"): string {
    if (year > 0) return era === "always" ? fill(this.file.date.ad, { year: String(year) }) : String(year);
    return era === "never" ? String(1 - year) : fill(this.file.date.bc, { year: String(1 - year) });
  }

  /** A period in words: "200 to 101 BC". @param from astronomical, as `until` is */
  years(from: number, until: number): string {
    const { earlier, later, to } = this.file.date;
    if (from === -Infinity) return fill(earlier, { date: this.year(until) });
    if (until === Infinity) return fill(later, { date: this.year(from) });
    if (from === until) return this.year(from);
    const begin = this.year(from, until > 0 ? "before" : "never");
    return fill(to, { begin, end: this.year(until, from > 0 ? "before" : "always") });
  }
}

/** Numbers of all pages have Latin digits, as years and the numbers of records do. */
const LATIN = { numberingSystem: "latn" } as const;

function intlOf(locale: string) {
  const numbers = new Intl.NumberFormat(locale, LATIN);
  return {
    numbers,
    point: numbers.formatToParts(0.5).find(({ type }) => type === "decimal")?.value ?? ".",
    plurals: new Intl.PluralRules(locale),
    list: new Intl.ListFormat(locale, { type: "conjunction" }),
  };
}

function wordOf(words: object, name: string): string | undefined {
  return Object.hasOwn(words, name) ? (words as Readonly<Record<string, string>>)[name] : undefined;
}

/** The words in the name of a term. @param term a name, or an IRI that ends with one */
function wordsOfName(term: string): string {
  const name = term.slice(Math.max(term.lastIndexOf("#"), term.lastIndexOf("/")) + 1);
  const words = name
    .replace(/^[A-Z]+\d+[a-z]*_/, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .trim();
  return words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/** Splits a template such as `paid [{paid_amount}] [to {paid_to}]` into pieces. */
const partsOf = remembering(1_024, (template: string) =>
  template.split(/(\[[^\]]*\])/).flatMap((piece): SentencePart[] => {
    const [, before, term, after] = /^\[(.*)\{(\w+)\}(.*)\]$/.exec(piece) ?? [];
    if (term !== undefined) return [{ before: before!, term, after: after! }];
    return piece.trim() === "" ? [] : [piece.trim()];
  }),
);

/** The file of a shipped language's words. */
export function shippedFile(language: string): URL {
  return packageFile(`assets/words/${language}.json`);
}

/** The English words, which are the reference for all languages. */
export const ENGLISH_WORDS = new Words(JSON.parse(readFileSync(shippedFile("en"), "utf8")) as WordsFile);

/** What the first day of a month is called where `Intl` has a plain number. */
const FIRST_DAYS: Readonly<Record<string, string>> = { fr: "1er", it: "1º" };

/** The date formats of a language. The parts from `Intl` are remembered by month and form, since each call takes some microseconds. */
function datesOf(locale: string) {
  const form = (options: Intl.DateTimeFormatOptions) => {
    const all = { ...options, ...LATIN, calendar: "gregory", timeZone: "UTC" };
    const format = lazily(() => new Intl.DateTimeFormat(locale, all));
    // `remembering` always keeps the half of its entries that was used last, which is enough for the twelve months.
    const pieces = remembering(24, (month: number) => format().formatToParts(Date.UTC(2003, month - 1, 2)));
    const write = (month: number, given: Partial<Record<string, string>>): string =>
      pieces(month)
        .map(({ type, value }) => given[type] ?? value)
        .join("");
    return { pieces, write };
  };
  const [day, month, year] = [{ day: "numeric" }, { month: "long" }, { year: "numeric" }] as const;
  const [ofYear, ofMonth] = [form({ ...day, ...month, ...year }), form({ ...month, ...year })];
  const [dayAlone, monthAlone] = [form({ ...day, ...month }), form(month)];
  const called = (each: number): string => (each === 1 && FIRST_DAYS[primaryTag(locale)]) || String(each);
  return {
    /** `9 March 1820`; the year as given. */
    day: (day: number, month: number, year: string) => ofYear.write(month, { day: called(day), year }),
    /** `March 1820`. */
    month: (month: number, year: string) => ofMonth.write(month, { year }),
    /** `9 March`, `9` and `March`, for the first of two dates that share the rest. */
    dayOfYear: (day: number, month: number) => dayAlone.write(month, { day: called(day) }),
    dayOfMonth: (day: number): string => {
      const parts = dayAlone.pieces(1);
      const at = parts.findIndex(({ type }) => type === "day");
      // In German, `9.` from `9. März`.
      return called(day) + (/^\S*/.exec(parts[at + 1]?.value ?? "")?.[0] ?? "");
    },
    monthOfYear: (month: number) => monthAlone.write(month, {}),
  };
}
