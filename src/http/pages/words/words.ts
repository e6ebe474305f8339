/** The words of pages in a language: what its file says, and the functions that put names, numbers and dates between them. */
import { readFileSync } from "node:fs";
import type ENGLISH from "../../../../assets/words/en.json";
import { remembering } from "../../../base/bounded-map.js";
import { entryOf } from "../../../base/entries.js";
import { lazily } from "../../../base/lazily.js";
import { packageFile } from "../../../base/package-files.js";
import type { EndpointName } from "../../../model/tables/names.js";
import { type Html, html, NOTHING, text } from "../markup.js";

/** All words of a language: those that the English file has. */
export type WordsFile = Omit<typeof ENGLISH, "nouns"> & {
  readonly nouns: "small" | "capital";
};

/** A counted noun: a text for each of the plural's forms that the language has (`Intl.PluralRules`), `other` at least. */
type Counted = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

/** Pieces of a list whose commas are remembered. */
const MAX_REMEMBERED = 32;

/** A fixed piece of a sentence, or values with what stands around them; without values, all of it is left out. */
type SentencePart = string | { readonly before: string; readonly term: string; readonly after: string };

/** A template with texts in place of its names. */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  const parts = partsOfTemplate(template);
  let filled = parts[0]!;
  for (let at = 1; at < parts.length; at += 2) {
    filled += (values[parts[at]!] ?? `{${parts[at]}}`) + parts[at + 1]!;
  }
  return filled;
}

const partsOfTemplate = remembering(1_024, (template: string) => template.split(/\{(\w+)\}/));

/** The same as HTML. */
export function fillHtml(template: string, values: Readonly<Record<string, Html>>): Html {
  return fill(text(template), values) as Html;
}

/** The words of a language, by their names, and as functions. */
export class Words {
  readonly dates: ReturnType<typeof datesOf>;
  readonly number: (value: number) => string;
  /** The day of a moment, in milliseconds since 1970: most records changed at the same one. */
  readonly day: (moment: number) => string;
  /** The objects of `Intl` take 30 ms when they are first asked for, which a start would wait for. */
  readonly #intl: () => ReturnType<typeof intlOf>;
  readonly #between = new Map<number, readonly string[]>();
  readonly #sentences = new Map<string, readonly SentencePart[]>();

  /** @param file all words of the language, checked */
  constructor(readonly file: WordsFile) {
    this.#intl = lazily(() => intlOf(file.locale));
    this.dates = datesOf(file.locale);
    this.number = remembering(4_096, (value: number) => this.#intl().numbers.format(value));
    this.day = remembering(64, (moment: number) => {
      const date = new Date(moment);
      return this.dates.day(date.getUTCDate(), date.getUTCMonth() + 1, String(date.getUTCFullYear()));
    });
  }

  /** The language tag, as `lang` has it. */
  get language(): string {
    return this.file.language;
  }

  /** A decimal number as it is written, digits kept, with the language's own signs. */
  decimal(written: string, isGrouped: boolean): string {
    const [whole = "", fraction] = written.split(".", 2);
    const { numbers, point } = this.#intl();
    const shown = isGrouped ? numbers.format(BigInt(whole)) : whole;
    return fraction === undefined ? shown : shown + point + fraction;
  }

  /** `1 record`, `2,000 records`. */
  count(what: keyof WordsFile["count"], count: number): string {
    const forms: Counted = this.file.count[what];
    return fill(forms[this.#intl().plurals.select(count)] ?? forms.other, { count: this.number(count) });
  }

  /** Pieces as a sentence lists them: "a, b and c". */
  list(pieces: readonly Html[]): Html {
    if (pieces.length < 2) return pieces[0] ?? NOTHING;
    // The conjunction may depend on how a piece begins, and on nothing else.
    if (pieces.length > MAX_REMEMBERED || !pieces.every((piece) => piece.startsWith("<")))
      return this.#intl().list.format(pieces) as Html;
    const between = entryOf(this.#between, pieces.length, () =>
      this.#intl()
        .list.format(pieces.map(() => "<"))
        .split("<"),
    );
    return between.map((each, at) => each + (pieces[at] ?? NOTHING)).join("") as Html;
  }

  /** Words that begin a line, as they stand within a sentence. */
  within(words: string): string {
    return this.file.nouns === "small" ? words.toLocaleLowerCase(this.file.locale) : words;
  }

  /** The words for a property before its values. @param term the data model's term, or the IRI of another property */
  property(term: string): string {
    return wordOf(this.file.property, term) ?? wordsOfName(term);
  }

  /** The same as HTML: words of the vocabulary's own are English. */
  propertyHtml(term: string): Html {
    const words = this.property(term);
    const isForeign = this.language !== "en" && wordOf(this.file.property, term) === undefined;
    return isForeign ? html`<span lang="en">${text(words)}</span>` : text(words);
  }

  /** The words for a class. @param name its name, or the IRI of another class */
  class(name: string): string {
    return wordOf(this.file.class, name) ?? wordsOfName(name);
  }

  /** The words for a record without a name at the head of its page. */
  unnamed(endpoint: EndpointName | null): string {
    const { endpoint: endpoints, record } = this.file;
    const kind = endpoint === null ? record.thing : endpoints[endpoint].one;
    return begun(fill(record.unnamedHead, { kind: record.unnamedHead.startsWith("{") ? kind : this.within(kind) }));
  }

  facet(facet: string): string {
    return wordOf(this.file.facet, facet) ?? this.property(facet);
  }

  /** The words for an order of searches; `undefined` for one that is of no use to visitors. */
  order(order: string): string | undefined {
    return wordOf(this.file.order, order);
  }

  /** Where the words of a search stand in a record; `undefined` where lists show them. @param fields of the search's reasons */
  foundIn(fields: readonly string[]): string | undefined {
    const words = fields.flatMap((field) => wordOf(this.file.field, field) ?? []);
    return words.length === 0 ? undefined : fill(this.file.list.foundIn, { fields: words.join(", ") });
  }

  /** The heading of the works, or members, that refer to an entity by this property. */
  works(term: string): string {
    return wordOf(this.file.works, term) ?? this.referring(term);
  }

  /** The heading of the records that refer to an entity by this property. */
  referring(term: string): string {
    return wordOf(this.file.referring, term) ?? fill(this.file.record.related, { property: this.property(term) });
  }

  /** A relation of Linked Art in words: "Objects produced by Rembrandt". @param name of what it leads to */
  relation(relation: string, name: string): string {
    const [source = "", ...rest] = relation.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).split("_");
    const template = wordOf(this.file.relation, rest.slice(0, -1).join("_")) ?? "{records}: {name}";
    return fill(template, { records: wordOf(this.file.source, source) ?? source, name });
  }

  /** Words of several terms: "Owner and keeper". What is so for good need not be said beside what is so now. */
  together(terms: readonly string[], wordsOf: (term: string) => string): Html {
    const said = terms.filter(
      (term) => !term.includes("permanent_") || !terms.includes(term.replace("permanent_", "")),
    );
    return this.list(said.map((term, at) => text(at === 0 ? wordsOf(term) : this.within(wordsOf(term)))));
  }

  /** The sentence about an activity. @param verb what it begins with, in place of what its class gives */
  sentence(name: string, verb?: string): readonly SentencePart[] {
    const begin = verb ?? wordOf(this.file.sentence, name) ?? "";
    return entryOf(this.#sentences, begin, () => partsOf(`${begin} ${this.file.record.circumstances}`));
  }

  /** A date that a facet counts, a period, or what else is no name, in words; `undefined` for names. */
  facetValue(facet: string, value: string): string | undefined {
    if (facet === "endpoint") return this.file.endpoint[value as EndpointName]?.many;
    if (facet === "century") return fill(this.file.date.to, { begin: value, end: String(Number(value) + 99) });
    if (facet === "decade") return fill(this.file.facetValue.decade, { year: value });
    return facet === "picture" || facet === "changed" ? wordOf(this.file.facetValue, value) : undefined;
  }
}

function intlOf(locale: string) {
  const numbers = new Intl.NumberFormat(locale);
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

/** Words at the beginning of a line, with a capital. */
export function begun(words: string): string {
  return words.charAt(0).toLocaleUpperCase() + words.slice(1);
}

/** The words that the name of a term consists of. @param term a name, or an IRI that ends with one */
function wordsOfName(term: string): string {
  const name = term.slice(Math.max(term.lastIndexOf("#"), term.lastIndexOf("/")) + 1);
  const words = name
    .replace(/^[A-Z]+\d+[a-z]*_/, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .trim();
  return words === "" ? name : begun(words);
}

/** `paid [{paid_amount}] [to {paid_to}]` in pieces. */
function partsOf(template: string): SentencePart[] {
  return template.split(/(\[[^\]]*\])/).flatMap((piece): SentencePart[] => {
    const [, before, term, after] = /^\[(.*)\{(\w+)\}(.*)\]$/.exec(piece) ?? [];
    if (term !== undefined) return [{ before: before!, term, after: after! }];
    return piece.trim() === "" ? [] : [piece.trim()];
  });
}

/** Where the words of a language that is shipped lie. */
export function shippedFile(language: string): URL {
  return packageFile(`assets/words/${language}.json`);
}

/** The reference, which has every word that there is. */
export const ENGLISH_WORDS = new Words(JSON.parse(readFileSync(shippedFile("en"), "utf8")) as WordsFile);

/** How a language writes dates. What the language gives is asked for once a month and form: it takes some microseconds. */
function datesOf(locale: string) {
  const tag = `${locale}-u-ca-gregory-nu-latn`;
  const form = (options: Intl.DateTimeFormatOptions) => {
    const format = lazily(() => new Intl.DateTimeFormat(tag, { ...options, timeZone: "UTC" }));
    // The half of them that was asked for lately is sure to stay.
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
  return {
    /** `9 March 1820`; the year as it is to be written. */
    day: (day: number, month: number, year: string) => ofYear.write(month, { day: String(day), year }),
    /** `March 1820`. */
    month: (month: number, year: string) => ofMonth.write(month, { year }),
    /** `9 March`, `9` and `March`, for the first of two dates that share the rest. */
    dayOfYear: (day: number, month: number) => dayAlone.write(month, { day: String(day) }),
    dayOfMonth: (day: number): string => {
      const parts = dayAlone.pieces(1);
      const at = parts.findIndex(({ type }) => type === "day");
      // `9.` of `9. März`.
      return day + (/^\S*/.exec(parts[at + 1]?.value ?? "")?.[0] ?? "");
    },
    monthOfYear: (month: number) => monthAlone.write(month, {}),
  };
}
