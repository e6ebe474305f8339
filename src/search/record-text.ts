/** The search text of a record: the names and numbers, references, years and texts that find it. */
import { remembering } from "../base/bounded-map.js";
import { entryOf } from "../base/entries.js";
import { plainText } from "../base/plain-text.js";
import { CLASSIFIED_AS } from "../model/embedding.js";
import { inverseRelationsOf, isClassified, relationsOf } from "../model/relations-of-record.js";
import {
  ACTIVITY_PART,
  CONTENT,
  IDENTIFIER,
  NAME_PART,
  NAMED_BY,
  RELATING_PROPERTIES,
  TEXTS,
  TOLD_BY,
} from "../model/search-paths.js";
import { endpointNamed } from "../model/tables/endpoints.js";
import type { EndpointName } from "../model/tables/names.js";
import { TIMESTAMPS } from "../model/timestamps.js";
import { propertyIri } from "../model/vocabulary/vocabulary.js";
import type { RecordGraph } from "../rdf/record-graph.js";
import { classesOf, indexBySubject, numberOfIri, objectsOf, rootOf, valuesOf } from "../rdf/record-graph.js";
import { primaryTag, RDF, RDFS_LABEL } from "../rdf/terms.js";
import { textHash } from "../rdf/text-hash.js";
import type { DescribedRecord } from "../store/snapshots.js";
import { formsOf, naturalForm } from "./forms.js";
import { codesOf, languagesIn, NO_LANGUAGES, withoutArticle } from "./label-order.js";
import { filesNamed, isImageFile, picturesIn, SHOWING } from "./pictures.js";
import { CLASS, EQUIVALENT, FIRST_TERM, IMPLIED_CLASSES, LICENCE, MEANINGS, NAMED_FILE } from "./properties.js";
import { COLUMN_NAMES, FIRST_LETTERS, INITIAL, NAME_KIND, type TextColumn } from "./schema.js";
import { stemsOf } from "./stems.js";

/** At most this many names of each kind, references, and words of each column are indexed for a record. */
const MAX_NAMES = 64;
const MAX_REFERENCES = 2_000;
const MAX_WORDS = 2_000;
/** If a time span is longer than this many years, only its first and its last year are indexed. */
const MAX_YEARS = 60;

const LANGUAGE = propertyIri("language")!;
const FORMAT = propertyIri("format")!;
const TIMESPAN = propertyIri("timespan", "Activity")!;
const DATES: ReadonlySet<string> = new Set(TIMESTAMPS.map((term) => propertyIri(term)!));

/** The activities whose years are those of a thing, whatever happened to it later: a book of 800 that was rebound in 1953 is not of 1200. */
const MAKING: ReadonlySet<string> = new Set(["produced_by", "created_by"].map((term) => propertyIri(term)!));

/** What a predicate leads to in a record, and the terms by which it refers. */
const meaningOf = remembering(1_000, (predicate: string) => ({
  place: placeOf(predicate),
  references: MEANINGS.get(predicate) ?? [],
}));

function placeOf(predicate: string): "label" | "name" | "part" | "structure" | "span" | "text" | undefined {
  if (predicate === RDFS_LABEL) return "label";
  if (NAMED_BY.has(predicate)) return "name";
  if (predicate === ACTIVITY_PART) return "part";
  if (RELATING_PROPERTIES.has(predicate)) return "structure";
  if (predicate === TIMESPAN) return "span";
  return TOLD_BY.has(predicate) || TEXTS.has(predicate) ? "text" : undefined;
}

/** The names, words, references and years that find a record. */
export type RecordText = ReturnType<typeof textOf>;
export type ReferredText = ReturnType<typeof referredTextOf>;

/** The search text of a record. It takes time linear in the record's size, and the result is bounded. @param referredText gives the referred text of another record @param onSpelt called with words that a misspelling may be corrected to, some of them more than once */
export function textOf(
  { graph, endpoint }: Pick<DescribedRecord, "graph" | "endpoint">,
  referredText: (iri: string) => ReferredText,
  onSpelt: (word: string) => void = () => {},
) {
  const reader = new TextReader(graph, endpoint, (iri) => referredText(iri).names);
  reader.readAll();
  const shown = [...reader.targets.values()].filter(({ property }) => SHOWING.includes(property));
  const own = licencesIn(graph);
  const licences = [own, ...shown.map(({ iri }) => referredText(iri).licences)].flat();
  for (const iri of licences) reader.target(iri, LICENCE);
  for (const iri of classesOf(graph)) if (iri !== IMPLIED_CLASSES.get(endpoint)) reader.target(iri, CLASS);
  for (const { iri, role } of relationsOf(graph, endpoint)) reader.target(iri, role);
  for (const iri of filesNamed(graph)) reader.target(iri, NAMED_FILE);
  for (const column of SPELT) reader.words[column].forEach(onSpelt);
  return {
    /** The forms of names and numbers, each after the digit of its kind. */
    names: [...reader.names],
    /** The words of each column, in the order of the columns. */
    columns: COLUMN_NAMES.map((name) => reader.textOf(name) + (INITIALED.has(name) ? reader.initialsOf(name) : "")),
    targets: [...reader.targets.values()],
    /** The relations that it states of other entities. */
    told: inverseRelationsOf(graph),
    /** The years in which it begins and ends, if stated. */
    begins: reader.years?.begins ?? null,
    ends: reader.years?.ends ?? null,
    /** The natural form of its accession number, or else of its first identifier. */
    number: reader.accession ?? reader.number,
    /** A hash of its `ReferredText`. If it changes, the texts of its referrers do, too. */
    referred: textHash(`${reader.textOf("names")}\n${own.join(" ")}\n${isImageFile(graph)}`).a,
    ...picturesIn(graph, (iri) => referredText(iri).isFile),
  };
}

/** What a record adds to the search texts of its referrers: the words of its names, its licences, and whether it is an image file. */
export function referredTextOf({ graph, endpoint }: Pick<DescribedRecord, "graph" | "endpoint">) {
  const reader = new TextReader(graph, endpoint, () => "");
  reader.readNames();
  return { names: reader.textOf("names"), licences: licencesIn(graph), isFile: isImageFile(graph) };
}

class TextReader {
  readonly names = new Set<string>();
  readonly #named = [0, 0, 0];
  readonly words = Object.fromEntries(COLUMN_NAMES.map((name) => [name, new Set()])) as Record<TextColumn, Set<string>>;
  readonly targets = new Map<string, { readonly iri: string; readonly property: number }>();
  /** The first and the last year of its production or creation, and of its other activities. */
  readonly #years: { [activities in "making" | "other"]?: { readonly begins: number; readonly ends: number } } = {};
  number: string | null = null;
  accession: string | null = null;
  readonly #root: number;
  readonly #own: ReadonlySet<string>;
  /** The references that were read, by node and property: many parts of a record may refer to one large node. */
  readonly #referred = new Set<string>();
  /** The codes of languages, by node. */
  readonly #codes = new Map<number, readonly string[]>();
  /** The languages that its texts state, which are assumed for all other texts. */
  readonly #languages: readonly string[];

  constructor(
    readonly graph: RecordGraph,
    endpoint: EndpointName | null,
    readonly namesOf: (iri: string) => string,
  ) {
    this.#root = rootOf(graph);
    this.#own = endpoint === null ? NOTHING : fieldsOf(endpoint);
    this.#languages = languagesIn(graph);
  }

  get years() {
    return this.#years.making ?? this.#years.other;
  }

  textOf(column: TextColumn): string {
    return [...this.words[column]].join(" ");
  }

  /** The initials of the words of a column, each after a space. */
  initialsOf(column: TextColumn): string {
    const initials = new Set<string>();
    for (const word of this.words[column]) if (LONGER.test(word)) initials.add(` ${INITIAL}${word[0]}`);
    return [...initials].join("");
  }

  readNames(): void {
    this.#each(this.#root, (predicate, object) => {
      const { place } = meaningOf(predicate);
      const { termType, value } = this.graph.terms[object]!;
      if (place === "name") this.#readName(object);
      else if (place === "label" && termType === "Literal") this.#addName(value, this.#languages);
    });
  }

  readAll(): void {
    this.readNames();
    this.#addEnd(this.graph.iri);
    const seen = new Set<number>();
    const waiting = [{ node: this.#root, isOwn: true, isMaking: false }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { node, isOwn, isMaking } = next;
      if (seen.has(node)) continue;
      seen.add(node);
      this.#each(node, (predicate, object) => {
        const { place, references } = meaningOf(predicate);
        if (place === "part") waiting.push({ node: object, isOwn, isMaking });
        else if (place === "structure")
          waiting.push({ node: object, isOwn: false, isMaking: isMaking || MAKING.has(predicate) });
        else if (place === "span") this.#readSpan(object, isMaking ? "making" : "other");
        else if (place === "text" && isOwn) this.#readStatement(node, object);
        for (const { term, number, column } of references) {
          // A reference of an activity counts as the entity's if the entity cannot have the property itself.
          if (isOwn || !this.#own.has(term)) this.#addReference(object, number, column);
        }
      });
    }
  }

  target(iri: string, property: number): void {
    // Very many references leave room for the classes, licences, relations and named files, which are read last.
    const most = property < FIRST_TERM ? 2 * MAX_REFERENCES : MAX_REFERENCES;
    if (this.targets.size < most) this.targets.set(`${property} ${iri}`, { iri, property });
  }

  #addReference(object: number, property: number, column: TextColumn): void {
    const { termType, value } = this.graph.terms[object]!;
    if (termType === "Literal") return;
    const reference = `${object} ${property} ${column}`;
    if (this.#referred.has(reference)) return;
    this.#referred.add(reference);
    for (const label of valuesOf(this.graph, object, RDFS_LABEL)) this.#addWords(column, formsOf(label).words);
    if (termType !== "NamedNode") return;
    this.target(value, property);
    if (property === EQUIVALENT) this.#addEnd(value);
    const names = this.namesOf(value);
    if (names !== "") this.#addWords(column, names.split(" "), NO_LANGUAGES);
  }

  /** Read the content of a node itself, or of a statement about it. */
  #readStatement(node: number, object: number): void {
    const { termType, value } = this.graph.terms[object]!;
    const isOwn = termType === "Literal";
    const [format] = valuesOf(this.graph, isOwn ? node : object, FORMAT);
    const texts = isOwn ? [value] : this.#contents(object).map(({ text }) => text);
    for (const text of texts) this.#addWords("texts", formsOf(plainText(text, format)).words);
  }

  /** Read the years and the names of a TimeSpan. */
  #readSpan(node: number, activities: "making" | "other"): void {
    const stated: number[] = [];
    this.#each(node, (predicate, object) => {
      if (DATES.has(predicate)) stated.push(...yearOf(this.graph.terms[object]!.value));
      else if (NAMED_BY.has(predicate))
        for (const { text } of this.#contents(object)) this.#addWords("dates", formsOf(text).words);
    });
    const [first, last] = [Math.min(...stated), Math.max(...stated)];
    if (first > last) return;
    const { begins, ends } = this.#years[activities] ?? { begins: first, ends: last };
    this.#years[activities] = { begins: Math.min(begins, first), ends: Math.max(ends, last) };
    const years =
      last - first > MAX_YEARS ? [first, last] : Array.from({ length: last - first + 1 }, (_, at) => first + at);
    this.#addWords("dates", years.map(String));
  }

  /** Read a Name with the words of its parts, or an Identifier. */
  #readName(node: number): void {
    const isIdentifier = IDENTIFIER !== undefined && valuesOf(this.graph, node, RDF.type).includes(IDENTIFIER);
    for (const { text, languages } of this.#contents(node)) {
      if (!isIdentifier) this.#addName(text, languages);
      else this.#addNumber(text, isClassified(this.graph, node, ACCESSION));
    }
    if (isIdentifier) return;
    for (const part of objectsOf(this.graph, node, NAME_PART))
      for (const { text, languages } of this.#contents(part)) this.#addWords("names", formsOf(text).words, languages);
  }

  #addName(text: string, languages: readonly string[]): void {
    const { forms, words } = formsOf(text);
    this.#addForms(NAME_KIND.name, forms);
    // "night watch" also finds "The Night Watch" as a whole name.
    const sorted = forms.map((form) => withoutArticle(form, () => languages[0]));
    this.#addForms(NAME_KIND.name, sorted);
    this.#addWords("names", words, languages);
  }

  #addNumber(text: string, isAccession: boolean): void {
    // An empty identifier is no number, so that the record comes last in the order of numbers.
    this.number ??= naturalForm(text) || null;
    if (isAccession) this.accession ??= naturalForm(text) || null;
    const { forms, words } = formsOf(text);
    this.#addForms(NAME_KIND.number, forms);
    this.#addWords("numbers", words);
  }

  /** Index the last part of an IRI, if it has a digit, so that it can be searched like a number: `1642` of `.../object/1642`. */
  #addEnd(iri: string): void {
    const tail = iri.split(/[/#:?=]/).at(-1)!;
    if (/\d/.test(tail)) this.#addForms(NAME_KIND.iriEnd, formsOf(tail).forms);
  }

  #addForms(kind: number, forms: readonly string[]): void {
    for (const form of forms) {
      const name = `${kind}${form}`;
      // Very many names leave room for the numbers.
      if (form === "" || this.names.has(name) || this.#named[kind]! >= MAX_NAMES) continue;
      this.names.add(name);
      this.#named[kind]!++;
      const sign = FIRST_LETTERS[kind];
      if (sign !== undefined) this.words.texts.add(sign + String.fromCodePoint(form.codePointAt(0)!));
    }
  }

  #addWords(column: TextColumn, words: Iterable<string>, languages = this.#languages): void {
    const into = this.words[column];
    const spoken = INFLECTED.has(column) ? languages : NO_LANGUAGES;
    for (const word of words) {
      if (into.size >= MAX_WORDS) return;
      into.add(word);
      if (spoken.length === 0) continue;
      for (const stem of stemsOf(word, spoken)) {
        into.add(stem);
        // The sign alone tells searches that the collection has stems of the language.
        this.words.texts.add(stem.at(-1)!);
      }
    }
  }

  /** The contents of a Name, an Identifier or a Statement, with their languages, or else those of the record. */
  #contents(node: number) {
    const objects = objectsOf(this.graph, node, CONTENT).map((object) => this.graph.terms[object]!);
    const codes = (language: number) => entryOf(this.#codes, language, () => codesOf(this.graph, [language]));
    const stated = objectsOf(this.graph, node, LANGUAGE).flatMap(codes);
    return objects.flatMap((term) => {
      if (term.termType !== "Literal") return [];
      const languages = term.language === "" ? stated : [primaryTag(term.language)];
      return [{ text: term.value, languages: languages.length > 0 ? languages : this.#languages }];
    });
  }

  #each(node: number, visit: (predicate: string, object: number) => void): void {
    const { terms, triples } = this.graph;
    const { first, next } = indexBySubject(this.graph);
    for (let at = first[node] ?? -1; at !== -1; at = next[at]!)
      visit(terms[triples[at * 3 + 1]!]!.value, triples[at * 3 + 2]!);
  }
}

/** The columns whose words a misspelling may be corrected to. */
const SPELT: readonly TextColumn[] = ["names", "makers", "kinds", "materials", "places"];

/** The columns whose words are also indexed by their stems. Not `texts`: the stems of statements would double its size. */
const INFLECTED: ReadonlySet<TextColumn> = new Set(["names", "kinds", "materials", "others"]);

/** The columns whose words are also indexed by their initials, and the pattern of these words: a letter alone is an initial itself. */
const INITIALED: ReadonlySet<TextColumn> = new Set(["names", "makers"]);
const LONGER = /^\p{L}./u;

const NOTHING: ReadonlySet<string> = new Set();

/** Classifies an accession number: `{vocab_base}/300312355`. */
const ACCESSION = "300312355";

/** The terms of an endpoint's field table. */
const fieldsOf = remembering(20, (endpoint: EndpointName): ReadonlySet<string> => {
  return new Set(endpointNamed(endpoint).fields.map(({ property }) => property));
});

/** The year of a date, as dates write it (`-0043` is 44 BC), but at most the six digits that searches can name; empty for another text. */
function yearOf(date: string): number[] {
  const year = /^(-?\d{4,})-\d\d/.exec(date)?.[1];
  return year === undefined ? [] : [Math.max(-999_999, Math.min(999_999, Number(year)))];
}

const SUBJECT_TO = propertyIri("subject_to")!;

/** The IRIs of licences: the classes of rights, or else the rights themselves. Rights in statements are left out, as they cover only the statement. */
export function licencesIn(graph: RecordGraph): string[] {
  const { terms, triples } = graph;
  const predicate = numberOfIri(graph, SUBJECT_TO);
  if (predicate === -1) return [];
  const statements = new Set<number>();
  const subjects = new Set<number>();
  for (let at = 0; at < triples.length; at += 3) {
    if (TOLD_BY.has(terms[triples[at + 1]!]!.value)) statements.add(triples[at + 2]!);
    if (triples[at + 1] === predicate) subjects.add(triples[at]!);
  }
  const rights = [...subjects]
    .filter((each) => !statements.has(each))
    .flatMap((each) => objectsOf(graph, each, SUBJECT_TO));
  const licences = rights.flatMap((right) => {
    const kinds = valuesOf(graph, right, CLASSIFIED_AS);
    return kinds.length > 0 || terms[right]!.termType !== "NamedNode" ? kinds : [terms[right]!.value];
  });
  return [...new Set(licences)];
}
