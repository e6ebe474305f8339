/** Scores for reconciliation: how well names agree with a query, and how well records agree with other cells of the row, such as years, amounts and parts of names. */
import { edits } from "../../../base/did-you-mean.js";
import type { RecordGraph } from "../../../rdf/record-graph.js";
import { XSD } from "../../../rdf/terms.js";
import { foldedForm, wordsOf } from "../../../search/forms.js";
import { LIFE_DATES, yearsIn } from "../../../search/years.js";
import { unitSymbol } from "../../pages/amounts.js";
import { descriptionOf, type ResourceDescription } from "../../pages/description.js";
import { namesOf } from "../../pages/languages.js";
import { boundsOf } from "../../pages/time-spans.js";
import { AMOUNT_TERMS, nodesAlong } from "./reconcile-values.js";

/** Properties of which a record seldom has every value, so that a cell with another value does not contradict it. */
const OPEN =
  /(?:^_label|^identified_by(?:\/Name)?|(?:classified_as|referred_to_by)(?:\/\d+)?|made_of|technique|equivalent|member_of)$/;
/** The likeness of two equal words, of an initial and a word (`J`, `Johannes`), and of a word and its misspelling (`Gaugin`, `Gauguin`). */
const [SAME, INITIAL, SLIP] = [1, 0.6, 0.8];
/** A cell and a value agree if they share at least `ENOUGH` of their words. They contradict each other if they share less than `LITTLE`. */
const ENOUGH = 0.75;
const LITTLE = 0.4;
/** By how many years two dates may differ and still agree in part, for exact dates and for approximate ones. */
const NEAR = { exact: 1, about: 10 };
/** How many characters of a cell's value to read at most. */
const MAX_LENGTH = 400;
const ARTICLE = /^(?:the|an?|le|la|les|de|het|een|der|die|das|il)$/;
export const WRITTEN_IRI = /^[a-z][a-z0-9+.-]*:[^\s]+$/i;

/**
 * The similarity of two texts, from 0 to 1: the share of common words, in any order, counting initials and misspellings in part.
 * @example
 * similarity("Vermeer, Johannes", "Johannes Vermeer"); // => 1
 */
export function similarity(one: string, other: string): number {
  const [a, b] = [one, other].map(significantWords) as [string[], string[]];
  const [inA, inB] = [lengthOf(a), lengthOf(b)];
  return inA + inB === 0 ? 0 : (share(a, b) * inA + share(b, a) * inB) / (inA + inB);
}

/** The words of a text, without articles and, beside a name, life dates: `hals` for `Hals, 1582-1666`. */
export function significantWords(text: string): readonly string[] {
  const words = wordsOf(foldedForm(/\p{L}/u.test(text) ? text.replace(LIFE_DATES, " ") : text));
  const significant = words.filter((word) => !ARTICLE.test(word));
  return significant.length === 0 ? words : significant;
}

/** The share of words that also occur among the others. Long words weigh more. */
function share(words: readonly string[], others: readonly string[]): number {
  const met = words.map((word) => word.length * Math.max(0, ...others.map((other) => likeness(word, other))));
  return met.reduce((sum, each) => sum + each, 0) / Math.max(1, lengthOf(words));
}

function lengthOf(words: readonly string[]): number {
  return words.reduce((sum, { length }) => sum + length, 0);
}

function likeness(a: string, b: string): number {
  if (a === b) return SAME;
  const shorter = Math.min(a.length, b.length);
  if (shorter === 1) return a[0] === b[0] ? INITIAL : 0;
  const most = shorter >= 9 ? 2 : 1;
  return shorter >= 5 && !/\d/.test(a + b) && edits(a, b, most) <= most ? SLIP : 0;
}

/** Returns how well a record agrees with a value of a cell: from 1, the same, to -1, a contradiction; 0 if either has none. @param yearsOf reads the years of a value */
export function agreement(graph: RecordGraph, path: string, yearsOf = yearsIn): (value: string) => number {
  const found = foundAlong(graph, path);
  return (value) => {
    if (found.nodes.length === 0 || value.trim() === "") return 0;
    const agreed = agreementOf(found, value.slice(0, MAX_LENGTH), yearsOf);
    return OPEN.test(path) ? Math.max(0, agreed) : agreed;
  };
}

/** What a record has at the end of a path, read once for all values of a cell. */
function foundAlong(graph: RecordGraph, path: string) {
  const [nodes, description] = [nodesAlong(graph, path), descriptionOf(graph)];
  const texts = nodes.flatMap((node) => textsOf(description, node));
  const forms = new Set(texts.map((text) => foldedForm(text)));
  return { description, nodes, texts, forms, spans: nodes.flatMap((node) => spanOf(description, node) ?? []) };
}

type Found = ReturnType<typeof foundAlong>;

function agreementOf({ description, nodes, texts, forms, spans }: Found, value: string, yearsOf: typeof yearsIn) {
  if (texts.includes(value) || forms.has(foldedForm(value))) return 1;
  if (spans.length > 0) return agreementOfYears(yearsOf(value), spans);
  const amounts = agreementOfAmounts(description, nodes, value);
  if (amounts !== undefined || texts.length === 0) return amounts ?? 0;
  if (WRITTEN_IRI.test(value)) return -1;
  const words = significantWords(value);
  const named = texts.filter((text) => !WRITTEN_IRI.test(text));
  if (named.length === 0) return 0;
  const met = named.map((text) => {
    const has = significantWords(text);
    const isOtherNumber = has.some((word) => /\d/.test(word) && !words.includes(word));
    return isOtherNumber ? 0 : Math.max(share(words, has), share(has, words));
  });
  const most = Math.max(...met);
  return most >= ENOUGH ? 0.9 * most : most >= LITTLE ? 0 : -1;
}

function textsOf(description: ResourceDescription, node: number): string[] {
  const { termType, value } = description.terms[node]!;
  if (termType === "Literal") return [value];
  const own = ["content", "_label"].flatMap((term) => description.text(node, term) ?? []);
  return [...(termType === "NamedNode" ? [value] : []), ...own, ...namesOf(description, node).map(({ text }) => text)];
}

type Years = NonNullable<ReturnType<typeof yearsIn>>;
type Span = Pick<Years, "first" | "last">;

/** The years of a time-span or of a point in time. A time-span may lack its beginning or its end. */
function spanOf(description: ResourceDescription, node: number): Span | undefined {
  const { value, datatype } = description.terms[node]!;
  const { earliest, latest } =
    datatype === XSD.dateTime ? { earliest: value, latest: value } : boundsOf(description, node);
  const [first, last] = [earliest, latest].map((each) => /^(-?\d{4,})-\d\d/.exec(each ?? "")?.[1]);
  if (first === undefined && last === undefined)
    return description.isOf(node, "TimeSpan") ? yearsIn(textsOf(description, node).join(" ")) : undefined;
  return { first: Number(first ?? -Infinity), last: Number(last ?? Infinity) };
}

function agreementOfYears(years: Years | undefined, spans: readonly Span[]): number {
  if (years === undefined) return 0;
  const apart = Math.min(...spans.map(({ first, last }) => Math.max(years.first - last, first - years.last, 0)));
  if (apart === 0) return 1;
  return apart <= (years.isAbout ? NEAR.about : NEAR.exact) ? 0.5 : -1;
}

/** Units as multiples of a common unit. The factors of weights are so large that no weight agrees with a length. */
const UNITS = new Map(Object.entries({ mm: 1, cm: 10, m: 1_000, in: 25.4, ft: 304.8, g: 1e7, kg: 1e10 }));
/** An amount, its separator of thousands, and its unit: `1,044.5 cm`. In `1,044`, the comma may separate thousands or decimals. */
const AMOUNT =
  /(\d{1,3}(?:([,.'’\u00a0\u202f ])\d{3}(?!\d))+(?:(?!\2)[.,]\d+)?|\d+(?:[.,]\d+)?)\s*(\p{L}{2,}|[mg]\b)?/gu;

/** A mixed number, as inches are written: `17 1/2`, or `17½` in its compatibility form (Unicode Standard, 22.3). */
const MIXED = /(\d+)[\s-]+(\d{1,2})[/⁄](\d{1,2})(?!\d)/g;

/** A text with its mixed numbers as decimals: `17.5 in` for `17 1/2 in`. */
function inDecimals(value: string): string {
  const spaced = value.replace(/(?<=\d)(?=[¼-¾⅐-⅞])/gu, " ").normalize("NFKC");
  return spaced.replace(MIXED, (_, whole, part, of) => String(Number(whole) + Number(part) / Number(of)));
}

/** The share of a cell's numbers that are among the dimensions, or -1 if none is; `undefined` if these have no number. A number without a unit has the next one: in `44 x 39 cm`, both are in cm. */
function agreementOfAmounts(description: ResourceDescription, nodes: readonly number[], value: string) {
  const has = nodes.flatMap((node) => {
    const written = AMOUNT_TERMS.flatMap((term) => description.text(node, term) ?? []);
    const numbers = written.map(Number).filter((number) => !Number.isNaN(number));
    const [unit] = description.along(node, "unit", "_label").map((label) => description.terms[label]!.value);
    return numbers.length === 0
      ? []
      : [{ least: Math.min(...numbers), most: Math.max(...numbers), unit: unitSymbol(unit ?? "") }];
  });
  const amounts = [...inDecimals(value).matchAll(AMOUNT)];
  if (has.length === 0) return undefined;
  const met = amounts.filter(([, digits = "", separator = ""], at) => {
    const asWritten = unitSymbol(amounts.slice(at).find(([, , , unit]) => unit !== undefined)?.[3] ?? "");
    const readings = [digits, digits.replaceAll(separator, "")].map((each) => Number(each.replace(",", ".")));
    return has.some(({ least, most, unit }) => {
      const factor = asWritten === "" ? 1 : (UNITS.get(asWritten) ?? 1) / (UNITS.get(unit) ?? 1);
      const [low, high] = [least - 0.01 * Math.abs(least), most + 0.01 * Math.abs(most)];
      return readings.some((each) => factor * each >= low && factor * each <= high);
    });
  });
  return amounts.length === 0 ? 0 : met.length === 0 ? -1 : met.length / amounts.length;
}
