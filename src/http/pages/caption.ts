/** The caption of an entity, as in a list or on a label in a museum: its maker, date, kind and number. */
import { unescaped, withoutDirectionMarks } from "../../base/plain-text.js";
import type { SearchHit } from "../../store/search.js";
import { KINDS, type ResourceDescription } from "./description.js";
import { nameFor, nameIn, namesOf, type TextInLanguage } from "./languages.js";
import { boundsOf, timeInWords } from "./time-spans.js";
import { ENGLISH_WORDS, fill, type Words } from "./words/words.js";

/** How many makers, and how many kinds, a caption names at most. */
const MAX_NAMED = 3;
/** The longest label that counts as a date, in characters. */
const MAX_DATE = 60;

/** A record as its label names it, without reading it. */
export type LabelledRecord = Pick<SearchHit, "iri" | "label" | "endpoint"> & Partial<Pick<TextInLanguage, "language">>;

export interface Entry extends ReturnType<typeof captionOf>, LabelledRecord {
  /** The URL of a small picture, or of the only size available. */
  readonly picture: string | undefined;
  /** Why the record is in the list, if nothing else shown explains it. */
  readonly why?: string | undefined;
}

/** The entry of a record without its caption, because the record is too large to read, or is held. */
export function withoutCaption({ iri, label, endpoint }: LabelledRecord, words: Words): Entry {
  const caption = { makers: "", date: "", dateLanguage: undefined, kind: "", number: "" };
  return { ...caption, iri, label: label || words.unnamed(endpoint), endpoint, picture: undefined };
}

/** The caption of a record: texts, empty for anything that it does not state. @param labels the labels of records, by IRI, for references without one */
export function captionOf(description: ResourceDescription, words: Words, labels?: ReadonlyMap<string, string>) {
  const activities = [...makingsOf(description), description.root];
  const dates = activities.map((each) => dateOf(description, each, words));
  const { text, language } = dates.find((date) => date !== undefined) ?? lifeOf(description, words, yearOf);
  return {
    makers: makersInWords(description, words, labels),
    date: text,
    dateLanguage: language,
    kind: kindsOf(description).slice(0, MAX_NAMED).join(", "),
    number: entityNumber(description),
  };
}

/** The makers and date of an entity, or else the dates of its life; none if it has neither. */
export function bylineOf(description: ResourceDescription, words: Words, labels?: ReadonlyMap<string, string>) {
  const made = makingsOf(description).map((making) => dateOf(description, making, words));
  const makers = { text: makersInWords(description, words, labels), language: undefined };
  const parts = [makers, made.find((date) => date !== undefined)].filter((part) => part && part.text !== "");
  return (parts.length > 0 ? parts : [lifeOf(description, words, dateOf)]) as TextInLanguage[];
}

/** The nodes of an entity's makers. */
export function makersOf(description: ResourceDescription): number[] {
  return [...new Set(partsOfMaking(description).flatMap((part) => description.values(part, "carried_out_by")))];
}

/** Whether an entity itself or its making refers to an IRI by a property; references from its other activities or names do not count. */
export function isOwnReference(description: ResourceDescription, term: string, iri: string): boolean {
  const nodes = [description.root, ...partsOfMaking(description)];
  return nodes.some((node) => description.written(node, term).includes(iri));
}

function partsOfMaking(description: ResourceDescription): number[] {
  return makingsOf(description).flatMap((making) => [making, ...description.values(making, "part")]);
}

function makingsOf(description: ResourceDescription): number[] {
  const { root } = description;
  return [...description.values(root, "produced_by"), ...description.values(root, "created_by")];
}

function makersInWords(description: ResourceDescription, { file }: Words, labels?: ReadonlyMap<string, string>) {
  const makers = makersOf(description);
  const named = makers.map(
    (maker) => nodeLabel(description, maker) ?? labels?.get(description.terms[maker]!.value) ?? "",
  );
  const names = [...new Set(named)].filter(Boolean);
  if (names.length === 0) return makers.length === 0 ? "" : file.record.unnamedMaker;
  const first = names.slice(0, MAX_NAMED).join(", ");
  return names.length > MAX_NAMED ? fill(file.record.andOthers, { makers: first }) : first;
}

/** The label of a node in this record, or else its first name. */
export function nodeLabel(description: ResourceDescription, node: number): string | undefined {
  const label = description.text(node, "_label");
  return label?.trim() ? label : namesOf(description, node)[0]?.text;
}

/** The last part of an IRI, as people read it: a file's name, or an identifier. */
export function endOf(iri: string): string {
  const end = iri.replace(/(?<![/?#])[/?#]+$/, "").replace(/^.*[/#]/s, "");
  return withoutDirectionMarks(unescaped(end));
}

function lifeOf(description: ResourceDescription, words: Words, dateIn: typeof dateOf): TextInLanguage {
  const dateBy = (...terms: readonly string[]): TextInLanguage | undefined => {
    const events = terms.flatMap((term) => description.values(description.root, term));
    // A label without a number, such as "Date of death", is not a date.
    const labels = events.flatMap((event) => description.written(event, "timespan", "_label"));
    const isDate = ({ text }: TextInLanguage): boolean => /\p{N}/u.test(text) || !labels.includes(text);
    return events.map((event) => dateIn(description, event, words)).find((date) => date?.text && isDate(date));
  };
  const [from, end] = [dateBy("born", "formed_by"), dateBy("died", "dissolved_by")];
  // In `63 BC – 14`, the 14 could also be before Christ: write `63 BC – AD 14`.
  const to = end && /^\d{1,2}$/.test(end.text) ? words.year(Number(end.text), "always") : end?.text;
  const text = from === undefined && to === undefined ? "" : `${from?.text ?? "?"} – ${to ?? ""}`.trimEnd();
  const isMixed = from !== undefined && end !== undefined && from.language !== end.language;
  return { text, language: isMixed ? undefined : (from ?? end)?.language };
}

/** The date of an activity, as the record words it or else in words made from its bounds. */
function dateOf(description: ResourceDescription, activity: number, words: Words): TextInLanguage | undefined {
  const [timeSpan] = description.values(activity, "timespan");
  return timeSpan === undefined ? undefined : timeSpanInWords(description, timeSpan, words);
}

/** A time-span as the record words it, or else in words made from its bounds. @param page the words of a page, which shows a name of another language only if there is nothing else; by default, any name will do, preferably an English one */
export function timeSpanInWords(description: ResourceDescription, timeSpan: number, page?: Words) {
  const words = page ?? ENGLISH_WORDS;
  const names = namesOf(description, timeSpan);
  const others = page === undefined ? names : names.filter(({ language }) => language === undefined);
  const name = nameIn(names, undefined, [words.language]) ?? nameFor(others, undefined, []);
  const label = description.text(timeSpan, "_label");
  // A label without a number, such as "Date of the production", is not a date.
  const isDate = label !== undefined && label.length <= MAX_DATE && /\p{N}/u.test(label);
  const said = name?.text ?? (isDate ? label : timeInWords(boundsOf(description, timeSpan), words));
  if (said !== undefined) return { text: said, language: undefined };
  return nameFor(names, names.length > 0 ? undefined : label, []);
}

/** The year of an activity if it lies in one year, else its date. */
function yearOf(description: ResourceDescription, activity: number, words: Words): TextInLanguage | undefined {
  const [timeSpan = -1] = description.values(activity, "timespan");
  const { earliest, latest } = boundsOf(description, timeSpan);
  const year = /^(\d{4})-/.exec(earliest ?? "")?.[1];
  if (year !== undefined && latest?.startsWith(`${year}-`)) return { text: String(Number(year)), language: undefined };
  return timeSpanInWords(description, timeSpan, words);
}

/** The labels of an entity's kinds: those classified as types of work if there are any, otherwise all except gender. */
function kindsOf(description: ResourceDescription): string[] {
  const kinds = description.values(description.root, "classified_as");
  const ofWork = kinds.filter((kind) => description.isClassified(kind, ...KINDS.typeOfWork));
  const chosen = ofWork.length > 0 ? ofWork : kinds.filter((kind) => !description.isClassified(kind, ...KINDS.gender));
  return [...new Set(chosen.flatMap((kind) => nodeLabel(description, kind) ?? []))];
}

/** The number of an entity: its accession number, or else its first; empty if it has none. */
export function entityNumber(description: ResourceDescription): string {
  const named = description.values(description.root, "identified_by");
  const identifiers = named.filter((each) => description.isOf(each, "Identifier"));
  const chosen = identifiers.find((each) => description.isClassified(each, ...KINDS.accession)) ?? identifiers[0];
  return chosen === undefined ? "" : (description.text(chosen, "content") ?? "").trim();
}
