/** Reconciliation queries: what they ask, which records are candidates, and what their scores are (Reconciliation Service API 0.2, 4). */
import { ENDPOINTS } from "../../../model/tables/endpoints.js";
import type { EndpointName } from "../../../model/tables/names.js";
import { className } from "../../../model/vocabulary/vocabulary.js";
import { isJsonObject, type Json, type JsonObject, type RecordGraph } from "../../../rdf/record-graph.js";
import { searchForm, wordsOf } from "../../../search/forms.js";
import { LIFE_DATES } from "../../../search/search-text.js";
import type { StoredRecord } from "../../../store/record.js";
import type { Search, SearchHit, SearchRank } from "../../../store/search.js";
import type { Store } from "../../../store/store.js";
import { malformed } from "../../message/problems/problems.js";
import { agreement, similarity, WRITTEN_IRI, yearsIn } from "./reconcile-scores.js";
import { cellValues, describedBy, valueWords } from "./reconcile-values.js";

/** Queries of one batch, and candidates of one query. */
const MAX_QUERIES = 200;
const MAX_CANDIDATES = 100;
const DEFAULT_CANDIDATES = 10;

interface ReconciliationQuery {
  readonly query: string;
  /** Endpoints of which the entity is; empty for any. */
  readonly endpoints: readonly EndpointName[];
  /** Whether only such are answered. */
  readonly isStrict: boolean;
  readonly limit: number;
  readonly properties: readonly { readonly pid: string; readonly values: readonly string[] }[];
}

/** The batch in a parameter. Throws `ProblemError` for what is no batch of queries. */
export function parseQueries(text: string): ReadonlyMap<string, ReconciliationQuery> {
  const batch = parseObject(text, "queries");
  const queries = new Map(Object.entries(batch).map(([key, query]) => [key, parseQuery(key, query)]));
  if (queries.size > MAX_QUERIES)
    throw malformed(`A batch may have up to ${MAX_QUERIES} queries, and this has ${queries.size}.`);
  return queries;
}

/** Throws `ProblemError`. */
export function parseObject(text: string, name: string): JsonObject {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    throw malformed(`The parameter ${name} is no JSON: ${(error as Error).message}.`);
  }
  if (!isJsonObject(value)) throw malformed(`The parameter ${name} has to be a JSON object.`);
  return value;
}

const MEMBERS = ["query", "type", "limit", "properties", "type_strict"];

function parseQuery(key: string, given: Json): ReconciliationQuery {
  const at = `The query ${JSON.stringify(key)}`;
  if (!isJsonObject(given)) throw malformed(`${at} has to be a JSON object.`);
  const unknown = Object.keys(given).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined)
    throw malformed(`${at} has ${JSON.stringify(unknown)}; it may have ${MEMBERS.join(", ")}.`);
  const { query = "", type = [], limit = DEFAULT_CANDIDATES, properties = [], type_strict: strict = "any" } = given;
  const types = typeof type === "string" ? [type] : type;
  if (typeof query !== "string") throw malformed(`${at} has to be asked by a string.`);
  if (!Array.isArray(properties)) throw malformed(`${at} has properties that are no array.`);
  if (given.query === undefined && properties.length === 0) throw malformed(`${at} needs \`query\` or \`properties\`.`);
  if (!Array.isArray(types) || !types.every((each) => typeof each === "string"))
    throw malformed(`${at} has a type that is neither a string nor an array of them.`);
  if (typeof limit !== "number") throw malformed(`${at} has a limit that is no number.`);
  if (strict !== "any" && strict !== "should" && strict !== "all")
    throw malformed(`${at} has a type_strict other than any, should and all.`);
  return {
    query,
    endpoints: [...new Set((types as string[]).flatMap((each) => endpointsOfType(each)))],
    isStrict: types.length > 0 && strict !== "should",
    limit: Math.max(0, Math.min(MAX_CANDIDATES, Math.floor(limit))),
    properties: properties.map((each) => parseProperty(at, each)),
  };
}

function parseProperty(at: string, given: Json): { pid: string; values: string[] } {
  if (!isJsonObject(given) || typeof given.pid !== "string" || given.v === undefined)
    throw malformed(`${at} has a property without \`pid\` and \`v\`.`);
  const values = (Array.isArray(given.v) ? given.v : [given.v]).map((value) => {
    const plain = isJsonObject(value) ? value.id : value;
    if (plain === null || plain === undefined || typeof plain === "object")
      throw malformed(`${at} has a value of ${given.pid} that is neither a literal nor an entity with an \`id\`.`);
    return String(plain);
  });
  return { pid: given.pid, values };
}

/** The endpoints of a type: an endpoint's name, or a class by its name or IRI. */
export function endpointsOfType(type: string): EndpointName[] {
  const name = className(type) ?? type;
  const found = ENDPOINTS.filter((each) => each.name === type || each.classes.some((each) => each === name));
  return found.map((each) => each.name);
}

/** The types of the service: its endpoints. */
export const TYPES = ENDPOINTS.map(({ name, title }) => ({ id: name, name: title }));

/** The share that agreeing properties add of what the score lacks, and contradicting ones take of it. */
const OF_PROPERTIES = 0.3;
/** The most for a record that is called so but in part; and what is left of a score when a slip is mended. */
const OF_LIKENESS = 95;
const OF_MEANT = 0.9;
/** Endpoints of names before a comma, with a place behind it: `Paris, France`. */
const PLACED: readonly (EndpointName | null)[] = ["place", "group"];
const OF_HEAD = 85;
/** Of it what is left where the life dates that a query has are not, or not as they are, in the record. */
const UNDATED = 0.9;
const CONTRADICTED = 0.6;
/** Named after others: one of those comes first where no type is asked. */
const NAMED_AFTER: readonly (EndpointName | null)[] = ["event", "provenance", "set"];
const NAMESAKES: readonly (EndpointName | null)[] = ["person", "group", "place"];
/** Ranks of what is called so, if only by a word. */
export const CALLED: readonly (SearchRank | undefined)[] = ["value", "prefix", "words", "word prefix"];
/** A word that stands alone, and the most that another type's record may score by it where it is matched. */
const WORD = /^\s*\p{L}+\s*$/u;
const OF_PART = 80;
/** Searches with a word fewer, when nothing is called so. */
const LEFT_OUT = 4;

interface Hit extends SearchHit {
  readonly meant?: string | undefined;
}

interface Scored {
  readonly hit: Hit;
  readonly record: StoredRecord;
  readonly text: number;
  /** From 1 down to -1. */
  readonly properties: number;
  readonly isOther: boolean;
  readonly score: number;
}

/** The candidates of a query, the best first. */
export async function candidatesOf(store: Store, search: Search, query: ReconciliationQuery): Promise<JsonObject[]> {
  const isImpossible = query.isStrict && query.endpoints.length === 0;
  if (query.limit === 0 || isImpossible) return [];
  const scored: Scored[] = [];
  for (const hit of await hitsOf(store, search, query)) {
    const isOther = query.endpoints.length > 0 && (hit.endpoint === null || !query.endpoints.includes(hit.endpoint));
    const record = isOther && query.isStrict ? undefined : await (await store.find(hit.iri))?.record();
    if (record !== undefined) scored.push({ hit, record, isOther, ...scoreOf(hit, record, query) });
  }
  const sure = matchIn(scored, query);
  const candidates: JsonObject[] = [];
  for (const { hit, record, text, properties, score } of inOrder(scored, query).slice(0, query.limit)) {
    candidates.push({
      id: hit.iri,
      name: hit.label === "" ? hit.iri : hit.label,
      description: await describedBy(store, record),
      score,
      match: record === sure?.record,
      type: TYPES.filter(({ id }) => id === hit.endpoint),
      features: [
        { id: "text", value: text },
        ...(query.properties.length === 0 ? [] : [{ id: "properties", value: Math.round(100 * properties) }]),
      ],
    });
  }
  return candidates;
}

/** The score of the text, which agreeing properties raise and contradicting ones lower. */
function scoreOf(hit: Hit, { graph }: StoredRecord, { query, properties }: ReconciliationQuery) {
  const each = properties.map(({ pid, values }) => agreement(graph, pid, values));
  const mean = (part: (value: number) => number): number =>
    each.reduce((sum, value) => sum + part(value), 0) / Math.max(1, each.length);
  const [met, against] = [mean((value) => Math.max(0, value)), mean((value) => Math.min(0, value))];
  const isAsked = query.trim() !== "";
  const text = isAsked ? textScore(hit, graph, query) : 0;
  const score = isAsked
    ? text + OF_PROPERTIES * (met * (100 - text) + against * text)
    : 100 * Math.max(0, met + against);
  return { text: tenths(text), properties: met + against, score: tenths(score) };
}

function tenths(value: number): number {
  return Math.round(10 * value) / 10;
}

/** The one that is meant without doubt: called as is asked, as no other is. A word alone may be what a person of another type is called by. */
function matchIn(scored: readonly Scored[], { query, endpoints }: ReconciliationQuery): Scored | undefined {
  const whole = scored.filter(({ isOther, text, score }) => !isOther && text === 100 && score === 100);
  const most = Math.max(...whole.map(({ properties }) => properties));
  const [best, another] = whole.filter(({ properties }) => properties === most);
  if (best === undefined || another !== undefined) return undefined;
  const isPart = scored.some(
    ({ hit: { endpoint, rank }, text }) =>
      endpoint !== best.hit.endpoint && CALLED.includes(rank) && (endpoint === "person" || text > OF_PART),
  );
  return endpoints.length === 0 && WORD.test(query) && isPart ? undefined : best;
}

/** Those of the types that are asked first; without one, whom a thing is named after before the thing. */
function inOrder(scored: readonly Scored[], { endpoints }: ReconciliationQuery): Scored[] {
  const limitOf = (isSo: (each: Scored) => boolean, choose: (...scores: number[]) => number): number => {
    const scores = scored.filter(isSo).map(({ score }) => score);
    return scores.length === 0 ? 100 : choose(...scores) - 0.1;
  };
  const ofAsked = limitOf(({ isOther }) => !isOther, Math.min);
  const ofNamesake = limitOf(({ hit }) => NAMESAKES.includes(hit.endpoint) && CALLED.includes(hit.rank), Math.max);
  return scored
    .map((each) => {
      const isAfter = endpoints.length === 0 && NAMED_AFTER.includes(each.hit.endpoint);
      const most = Math.min(each.isOther ? ofAsked : 100, isAfter ? ofNamesake : 100);
      return { ...each, score: tenths(Math.max(0, Math.min(each.score, most))) };
    })
    .sort((a, b) => Number(a.isOther) - Number(b.isOther) || b.score - a.score || b.properties - a.properties);
}

/** The records that may be meant: the one of an IRI, or those of the text; without a text those of the properties. */
async function hitsOf(store: Store, search: Search, asked: ReconciliationQuery): Promise<Hit[]> {
  const { query, endpoints, isStrict, limit, properties } = asked;
  const hits = new Map<string, Hit>();
  // More than wanted, as names and properties may put others first.
  const window = { limit: Math.min(MAX_CANDIDATES, 3 * limit) };
  const isCalled = (): boolean => [...hits.values()].some(({ rank }) => CALLED.includes(rank));
  const find = async (text: string, isWhole = true): Promise<void> => {
    const namesakes = endpoints.length === 0 && WORD.test(text) ? (["person"] as const) : [];
    for (const endpoint of [...endpoints, ...(isStrict ? [] : [undefined]), ...namesakes]) {
      // Another type is only a hint where nothing of the type is called so.
      if (endpoint === undefined && endpoints.length > 0 && isCalled()) continue;
      const { items, meant } = await search.find({ text, endpoint, isAsWritten: !isWhole }, window);
      for (const hit of items)
        if (!hits.has(hit.iri)) hits.set(hit.iri, isWhole ? { ...hit, meant } : { ...hit, rank: undefined });
    }
  };
  if (query.trim() !== "") {
    const entity = WRITTEN_IRI.test(query.trim()) ? await (await store.find(query.trim()))?.record() : undefined;
    if (entity !== undefined) {
      const { endpoint, label } = entity.meta;
      hits.set(entity.graph.iri, { iri: entity.graph.iri, endpoint, label, classes: [], rank: "value" });
    }
    await find(query);
    const plain = withoutLifeDates(query);
    if (plain !== query && !isCalled()) await find(plain);
    const words = plain.split(/[\s,;]+/).filter((word) => word !== "");
    const least = [...words.keys()].sort((a, b) => words[a]!.length - words[b]!.length).slice(0, LEFT_OUT);
    for (const at of words.length > 1 && !isCalled() ? least : []) await find(words.toSpliced(at, 1).join(" "), false);
    return [...hits.values()];
  }
  for (const text of properties.flatMap(({ values }) => values).slice(0, 10)) await find(text);
  const relations = properties.flatMap(({ pid, values }) => {
    const property = pid.split("/").at(-1)!;
    return values.filter((value) => WRITTEN_IRI.test(value)).map((target) => ({ property, target }));
  });
  if (relations.length > 0) for (const hit of (await search.find({ relations }, window)).items) hits.set(hit.iri, hit);
  return [...hits.values()];
}

/** Least and most of each rank; between them, how much of the label the text is. */
const SCORES: Readonly<Record<SearchRank, readonly [least: number, most: number]>> = {
  value: [100, 100],
  prefix: [70, 95],
  words: [50, 90],
  "word prefix": [40, 70],
  maker: [20, 45],
  kind: [15, 40],
  text: [10, 40],
  iri: [10, 40],
};

/** By how the search found it, or by how like its names are to what is asked, whichever is more. */
function textScore({ rank, endpoint, label, meant, years }: Hit, graph: RecordGraph, query: string): number {
  const names = [label, ...cellValues(graph, "identified_by").map(valueWords)];
  const asked = wordsOf(searchForm(query));
  const isPlain = meant === undefined || wordsOf(searchForm(meant)).every((word) => asked.includes(word));
  const plain = withoutLifeDates(isPlain ? (meant ?? query) : query);
  const forms = [query, plain, turned(plain)].map((each) => searchForm(each));
  const isNamed = (form: string): boolean => names.some((name) => searchForm(name) === form);
  if (isNamed(forms[0]!)) return 100;
  const factor = plain === query ? 1 : datedAs(query, years);
  if (forms.some(isNamed) || (rank === "value" && isPlain)) return 100 * factor;
  const [head = ""] = plain.split(",");
  if (PLACED.includes(endpoint) && head !== plain && isNamed(searchForm(head))) return OF_HEAD;
  const like =
    OF_LIKENESS *
    Math.max(...names.map((name) => Math.max(similarity(plain, name), OF_MEANT * similarity(meant ?? "", name))));
  const [least, most] = SCORES[rank ?? "text"];
  const length = Math.max(1, searchForm(label).length);
  const ranked = least + (most - least) * Math.min(1, searchForm(plain).length / length);
  return factor * Math.max(like, isPlain ? ranked : OF_MEANT * ranked);
}

function withoutLifeDates(query: string): string {
  return query.replace(LIFE_DATES, " ").trim() || query;
}

/** `Vermeer, Johannes` as `Johannes Vermeer`. */
function turned(name: string): string {
  return name.replace(/^([^,]+),([^,]+)$/, "$2 $1");
}

/** The part of a score that the life dates of a query leave: all where the record has them, too. */
function datedAs(query: string, years: SearchHit["years"]): number {
  const dates = yearsIn(query.match(LIFE_DATES)?.join(" ") ?? "");
  if (dates === undefined) return 1;
  if (years === undefined) return UNDATED;
  const [begins, ends] = years;
  const isSame =
    Math.abs(begins - dates.first) <= 1 && (dates.last === dates.first || Math.abs(ends - dates.last) <= 1);
  return isSame ? 1 : dates.first > ends || dates.last < begins ? CONTRADICTED : UNDATED;
}
