/** The caption of an entity, as a label on the wall or a list has it: who made it and when, what it is, its number. */
import type { EndpointName } from "../../model/tables/names.js";
import { KINDS, type ResourceDescription } from "./description.js";
import { namesOf } from "./languages.js";
import { type InnerBounds, timeInWords } from "./time-spans.js";
import { fill, type Words } from "./words/words.js";

/** Makers, and kinds, of which a caption names no more. */
const MAX_NAMED = 3;
/** A label of more characters tells more than a date. */
const MAX_DATE = 60;

/** Empty texts for what a record does not say. */
interface Caption {
  readonly makers: string;
  readonly date: string;
  readonly kind: string;
  readonly number: string;
}

export interface Entry extends Caption {
  readonly iri: string;
  readonly label: string;
  /** The language of the label, where that is known. */
  readonly language?: string | undefined;
  readonly endpoint: EndpointName | null;
  /** The address of a small picture, or of the only one there is. */
  readonly picture: string | undefined;
  /** Why it is in the list, where nothing else that is shown says so. */
  readonly why?: string | undefined;
}

export const NO_CAPTION: Caption = { makers: "", date: "", kind: "", number: "" };

/** A function that finds the label of a record that a reference leaves without one. */
export type LabelOf = (iri: string) => string | undefined;

/** The caption of a record. */
export function captionOf(description: ResourceDescription, words: Words, labelOf: LabelOf = () => undefined): Caption {
  const activities = [...makingsOf(description), description.root];
  const dates = activities.map((each) => dateOf(description, each, words));
  return {
    makers: makersInWords(description, words, labelOf),
    date: dates.find((date) => date !== undefined) ?? lifeOf(description, (of, event) => yearOf(of, event, words)),
    kind: kindsOf(description).slice(0, MAX_NAMED).join(", "),
    number: numberOf(description) ?? "",
  };
}

/** Who made it and when, or from when to when it was. */
export function bylineOf(description: ResourceDescription, words: Words, labelOf: LabelOf = () => undefined): string {
  const said: DateOf = (of, event) => dateOf(of, event, words);
  const made = makingsOf(description).map((making) => said(description, making));
  const makers = makersInWords(description, words, labelOf);
  const parts = [makers, made.find((date) => date !== undefined) ?? ""].filter(Boolean);
  return parts.length > 0 ? parts.join(", ") : lifeOf(description, said);
}

/** The nodes of those who made an entity. */
export function makersOf(description: ResourceDescription): number[] {
  const makers = new Set<number>();
  for (const part of partsOfMaking(description)) {
    for (const maker of description.values(part, "carried_out_by")) makers.add(maker);
  }
  return [...makers];
}

/** Whether an entity itself, or its making, refers to an IRI by a property: not what else happened to it, nor its names. */
export function isOwnReference(description: ResourceDescription, term: string, iri: string): boolean {
  const nodes = [description.root, ...partsOfMaking(description)];
  return nodes.some((node) => description.values(node, term).some((each) => description.terms[each]!.value === iri));
}

function partsOfMaking(description: ResourceDescription): number[] {
  const parts: number[] = [];
  for (const making of makingsOf(description)) parts.push(making, ...description.values(making, "part"));
  return parts;
}

function makingsOf(description: ResourceDescription): number[] {
  const { root } = description;
  return [...description.values(root, "produced_by"), ...description.values(root, "created_by")];
}

function makersInWords(description: ResourceDescription, { file }: Words, labelOf: LabelOf): string {
  const makers = makersOf(description);
  const named = makers.map((maker) => nodeLabel(description, maker) ?? labelOf(description.terms[maker]!.value) ?? "");
  const names = [...new Set(named)].filter(Boolean);
  if (names.length === 0) return makers.length === 0 ? "" : file.record.unnamedMaker;
  const first = names.slice(0, MAX_NAMED).join(", ");
  return names.length > MAX_NAMED ? fill(file.record.andOthers, { makers: first }) : first;
}

/** The label that a node states of itself. */
export function nodeLabel(description: ResourceDescription, node: number): string | undefined {
  const label = description.text(node, "_label");
  return label?.trim() ? label : namesOf(description, node)[0]?.text;
}

type DateOf = (description: ResourceDescription, activity: number) => string | undefined;

function lifeOf(description: ResourceDescription, said: DateOf): string {
  const [from, to] = [
    ["born", "formed_by"],
    ["died", "dissolved_by"],
  ].map((terms) =>
    terms
      .flatMap((term) => description.values(description.root, term))
      .map((event) => said(description, event))
      .find(Boolean),
  );
  return from === undefined && to === undefined ? "" : `${from ?? "?"} – ${to ?? ""}`.trimEnd();
}

/** The date of an activity as the museum writes it, else in words. */
function dateOf(description: ResourceDescription, activity: number, words: Words): string | undefined {
  const [timeSpan] = description.values(activity, "timespan");
  return timeSpan === undefined ? undefined : timeSpanInWords(description, timeSpan, words);
}

/** A time-span as the museum writes it, else in words. */
export function timeSpanInWords(description: ResourceDescription, timeSpan: number, words: Words): string | undefined {
  const [name] = namesOf(description, timeSpan);
  if (name !== undefined) return name.text;
  const label = description.text(timeSpan, "_label");
  // A label without a number, such as "Date of the production", is no date.
  if (label !== undefined && label.length <= MAX_DATE && /\p{N}/u.test(label)) return label;
  return timeInWords(boundsOf(description, timeSpan), words) ?? label;
}

/** The year of an activity, where it is one; else its date. */
function yearOf(description: ResourceDescription, activity: number, words: Words): string | undefined {
  const [timeSpan] = description.values(activity, "timespan");
  if (timeSpan === undefined) return undefined;
  const { earliest, latest } = boundsOf(description, timeSpan);
  const year = /^(\d{4})-/.exec(earliest ?? "")?.[1];
  if (year !== undefined && latest?.startsWith(`${year}-`)) return String(Number(year));
  const date = timeSpanInWords(description, timeSpan, words);
  return date !== undefined && /\p{N}/u.test(date) ? date : undefined;
}

/** The bounds of a time-span. */
export function boundsOf(description: ResourceDescription, timeSpan: number): InnerBounds {
  return {
    earliest: description.text(timeSpan, "begin_of_the_begin"),
    latestBegin: description.text(timeSpan, "end_of_the_begin"),
    earliestEnd: description.text(timeSpan, "begin_of_the_end"),
    latest: description.text(timeSpan, "end_of_the_end"),
  };
}

/** The labels of what an entity is: of works what says so, of persons not their gender. */
function kindsOf(description: ResourceDescription): string[] {
  const kinds = description.values(description.root, "classified_as");
  const ofWork = kinds.filter((kind) => description.isClassified(kind, ...KINDS.typeOfWork));
  const chosen = ofWork.length > 0 ? ofWork : kinds.filter((kind) => !description.isClassified(kind, ...KINDS.gender));
  return [...new Set(chosen.flatMap((kind) => nodeLabel(description, kind) ?? []))];
}

function numberOf(description: ResourceDescription): string | undefined {
  const named = description.values(description.root, "identified_by");
  const identifiers = named.filter((each) => description.isOf(each, "Identifier"));
  const chosen = identifiers.find((each) => description.isClassified(each, ...KINDS.accession)) ?? identifiers[0];
  return chosen === undefined ? undefined : description.text(chosen, "content");
}
