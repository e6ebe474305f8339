/** Reconciliation queries, their candidates, and the scores of the candidates (Reconciliation Service API 0.2, 4). */
import { setImmediate as nextTurn } from "node:timers/promises";
import { entryOf } from "../../../base/entries.js";
import { beginning } from "../../../base/shortened.js";
import { asList } from "../../../jsonld/json-values.js";
import { ENDPOINTS } from "../../../model/tables/endpoints.js";
import type { EndpointName } from "../../../model/tables/names.js";
import { className } from "../../../model/vocabulary/vocabulary.js";
import { isJsonObject, type Json, type JsonObject, type RecordGraph } from "../../../rdf/record-graph.js";
import { searchForm, wordsOf } from "../../../search/forms.js";
import { LIFE_DATES, yearsIn } from "../../../search/years.js";
import type { StoredRecord } from "../../../store/record.js";
import type { RelationFilter, Search, SearchHit, SearchQuery, SearchRank } from "../../../store/search.js";
import type { Store } from "../../../store/store.js";
import { malformed } from "../../message/problems/problems.js";
import { agreement, significantWords, similarity, WRITTEN_IRI } from "./reconcile-scores.js";
import { cellValues, describedBy, nodesAlong, valueWords } from "./reconcile-values.js";
import { MAX_TEXT } from "./search-parameters.js";

/** The maximum numbers of queries in a batch, of properties and candidates of a query, and of values of a property that are compared. */
const MAX_QUERIES = 200;
const MAX_VALUES = 10;
const MAX_PROPERTIES = 50;
const MAX_CANDIDATES = 100;
const DEFAULT_CANDIDATES = 10;

type ReconciliationQuery = ReturnType<typeof parseQuery>;

/** Parses the batch of queries in a parameter. Throws `ProblemError` if it is not valid. */
export function parseQueries(text: string): ReadonlyMap<string, ReconciliationQuery> {
  const batch = parseObject(text, "queries");
  const queries = new Map(Object.entries(batch).map(([key, query]) => [key, parseQuery(key, query)]));
  if (queries.size > MAX_QUERIES)
    throw malformed(`A batch may have up to ${MAX_QUERIES} queries; this one has ${queries.size}.`);
  return queries;
}

/** Parses the JSON object in a parameter. Throws `ProblemError`. */
export function parseObject(text: string, name: string): JsonObject {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    throw malformed(`The parameter ${name} is not JSON: ${(error as Error).message}.`);
  }
  if (!isJsonObject(value)) throw malformed(`The parameter ${name} must be a JSON object.`);
  return value;
}

const MEMBERS = ["query", "type", "limit", "properties", "type_strict"];

function parseQuery(key: string, given: Json) {
  const at = `The query ${JSON.stringify(key)}`;
  if (!isJsonObject(given)) throw malformed(`${at} must be a JSON object.`);
  const unknown = Object.keys(given).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined)
    throw malformed(`${at} has ${JSON.stringify(unknown)}; it may only have ${MEMBERS.join(", ")}.`);
  const { query = "", type = [], limit = DEFAULT_CANDIDATES, properties = [], type_strict: strict = "any" } = given;
  const types = asList(type);
  if (typeof query !== "string") throw malformed(`${at} has a \`query\` that is not a string.`);
  if (!Array.isArray(properties)) throw malformed(`${at} has properties that are not an array.`);
  if (properties.length > MAX_PROPERTIES) throw malformed(`${at} may have up to ${MAX_PROPERTIES} properties.`);
  if (given.query === undefined && properties.length === 0) throw malformed(`${at} needs \`query\` or \`properties\`.`);
  if (!types.every((each) => typeof each === "string"))
    throw malformed(`${at} has a type that is neither a string nor an array of strings.`);
  if (typeof limit !== "number") throw malformed(`${at} has a limit that is not a number.`);
  if (strict !== "any" && strict !== "should" && strict !== "all")
    throw malformed(`${at} has a type_strict that is not any, should or all.`);
  const ofTypes = types.map(endpointsOfType);
  const ofAny = [...new Set(ofTypes.flat())];
  const read = new Map<string, { readonly years: ReturnType<typeof yearsIn> }>();
  return {
    // A search for a text that has nothing to look for, like a control character, would list all records.
    query: searchForm(query) === "" ? "" : beginning(query, MAX_TEXT),
    /** The endpoints that the entity may belong to; empty for any. */
    endpoints: ofAny.filter((name) => strict !== "all" || ofTypes.every((each) => each.includes(name))),
    /** Whether candidates of other endpoints are left out. */
    isStrict: types.length > 0 && strict !== "should",
    limit: Math.max(0, Math.min(MAX_CANDIDATES, Math.floor(limit))),
    properties: properties.map((each) => parseProperty(at, each)),
    /** The years of a value, which are read once for all candidates. */
    yearsOf: (value: string) => entryOf(read, value, () => ({ years: yearsIn(value) })).years,
  };
}

function parseProperty(at: string, given: Json): { pid: string; values: string[] } {
  if (!isJsonObject(given) || typeof given.pid !== "string" || given.v === undefined)
    throw malformed(`${at} has a property without \`pid\` and \`v\`.`);
  const values = asList(given.v).map((value) => {
    const plain = isJsonObject(value) ? value.id : value;
    if (plain === null || plain === undefined || typeof plain === "object")
      throw malformed(`${at} has a value of ${given.pid} that is neither a literal nor an entity with an \`id\`.`);
    return beginning(String(plain), MAX_TEXT);
  });
  return { pid: given.pid, values: values.filter((value) => searchForm(value) !== "") };
}

/** The endpoints of a type, which is the name of an endpoint, or the name or IRI of a class. */
export function endpointsOfType(type: string): EndpointName[] {
  const name = className(type) ?? type;
  const found = ENDPOINTS.filter((each) => each.name === type || each.classes.some((each) => each === name));
  return found.map((each) => each.name);
}

/** The types of the reconciliation service: the endpoints. */
export const TYPES = ENDPOINTS.map(({ name, title }) => ({ id: name, name: title }));

/** An agreeing property adds this part of the points that a score lacks to 100: 80 becomes 86. A contradicting one subtracts this part of the score: 80 becomes 56. */
const OF_PROPERTIES = 0.3;
/** The highest score of a name that only resembles the query, and the factor of a score that needs a spelling correction. */
const OF_LIKENESS = 95;
const OF_CORRECTED = 0.9;
/** The endpoints whose names may be followed by a place, as in `Paris, France` or `Paris (France)`, and the score for the part before it. */
const PLACED: readonly (EndpointName | null)[] = ["place", "group"];
const OF_HEAD = 85;
/** The factors of a score if the record does not confirm the life dates of the query, and if it contradicts them. */
const UNDATED = 0.9;
const CONTRADICTED = 0.6;
/** Records of the first endpoints are often named after a record of the second ones. Without a type in the query, the namesake comes first: Rembrandt before his exhibition. */
const NAMED_AFTER: readonly (EndpointName | null)[] = ["event", "provenance", "set"];
const NAMESAKES: readonly (EndpointName | null)[] = ["person", "group", "place"];
/** The ranks of hits by name, even if only by some of its words. */
export const NAME_RANKS: readonly (SearchRank | undefined)[] = ["value", "prefix", "words", "word prefix"];
/** For one word without a type there is no match if a record of another type has the word in its name, and is a person or has a text score above this. */
const OF_PART = 80;
/** One of several records of the same name is a match only if its properties agree by more than this. */
const HALF = 0.5;
/** If no record has the name, up to `LEFT_OUT` searches leave out a word each, then, if nothing is found and there are properties, `ALONE` look for one of the longest words. */
const LEFT_OUT = 4;
const ALONE = 2;

interface Hit extends SearchHit {
  /** The query with its spelling corrected, if the search corrected it. */
  readonly meant?: string | undefined;
}

interface Scored extends Awaited<ReturnType<typeof scoreOf>> {
  readonly hit: Hit;
  readonly record: StoredRecord;
  readonly isOther: boolean;
}

/** The candidates of a query, the best first; not all if `signal` aborts, as nobody waits for them. */
export async function candidatesOf(store: Store, search: Search, query: ReconciliationQuery, signal?: AbortSignal) {
  if (query.limit === 0 || (query.isStrict && query.endpoints.length === 0)) return [];
  const scored: Scored[] = [];
  const { hits, hasMore } = await hitsOf(store, search, query);
  for (const hit of hits) {
    if (signal?.aborted) break;
    const isOther = query.endpoints.length > 0 && (hit.endpoint === null || !query.endpoints.includes(hit.endpoint));
    const record = isOther && query.isStrict ? undefined : await (await store.find(hit.iri))?.record();
    if (record !== undefined) scored.push({ hit, record, isOther, ...(await scoreOf(hit, record, query, signal)) });
    await nextTurn();
  }
  const certain = matchIn(scored, query, hasMore);
  const candidates: JsonObject[] = [];
  for (const { hit, record, text, properties, score } of inOrder(scored, query, certain).slice(0, query.limit)) {
    candidates.push({
      id: hit.iri,
      name: hit.label === "" ? hit.iri : hit.label,
      description: await describedBy(store, record),
      score,
      match: record === certain?.record,
      type: TYPES.filter(({ id }) => id === hit.endpoint),
      features: [
        { id: "text", value: text },
        ...(query.properties.length === 0 ? [] : [{ id: "properties", value: Math.round(100 * properties) }]),
      ],
    });
  }
  return candidates;
}

/** The score of a candidate: its text score, raised by agreeing properties and lowered by contradicting ones. Agreement is from -1 to 1. */
async function scoreOf(hit: Hit, { graph }: StoredRecord, given: ReconciliationQuery, signal?: AbortSignal) {
  const { query, properties, yearsOf } = given;
  const each: [agreement: number, hasValues: boolean][] = [];
  for (const { pid, values } of properties) {
    if (signal?.aborted) break;
    const agrees = agreement(graph, pid, yearsOf);
    const found: number[] = [];
    for (const value of values.slice(0, MAX_VALUES)) {
      found.push(agrees(value));
      await nextTurn();
    }
    each.push([found.length === 0 ? 0 : Math.max(...found), found.length > 0 && nodesAlong(graph, pid).length > 0]);
  }
  const mean = each.reduce((sum, [value]) => sum + value, 0) / Math.max(1, each.length);
  const isAsked = query !== "";
  const text = isAsked ? textScore(hit, graph, query) : 0;
  // Each property counts by itself: with their mean, one that agrees only in part would lower the score.
  const agreed = each.reduce((score, [value]) => score + OF_PROPERTIES * Math.max(0, value) * (100 - score), text);
  const rated = each.reduce((score, [value]) => score + OF_PROPERTIES * Math.min(0, value) * score, agreed);
  const score = isAsked ? rated : 100 * Math.max(0, mean);
  return { text: tenths(text), each, properties: mean, score: tenths(score) };
}

function tenths(value: number): number {
  return Math.round(10 * value) / 10;
}

/** The candidate that certainly matches: the only one with exactly the queried name or, of several, the one that agrees best with the properties. None for one word without a type that is in names of other types, too: `Vermeer` may also be a surname. @param hasMore whether more records have this name */
function matchIn(scored: readonly Scored[], { query, endpoints }: ReconciliationQuery, hasMore: boolean) {
  const namesakes = scored.filter(({ isOther, text }) => !isOther && text === 100);
  const whole = namesakes.filter(({ score }) => score === 100);
  const most = Math.max(...whole.map(({ properties }) => properties));
  const [best, another] = whole.filter(({ properties }) => properties === most);
  if (best === undefined || another !== undefined) return undefined;
  // A property of which no record of this name has a value does not count.
  const counted = best.each.filter((_, at) => namesakes.some(({ each }) => each[at]?.[1])).length;
  // A candidate without values for the properties is not certain just because all others contradict them.
  if ((hasMore || namesakes.length > 1) && best.properties * best.each.length <= HALF * counted) return undefined;
  const isPart = scored.some(
    ({ hit: { endpoint, rank }, text }) =>
      endpoint !== best.hit.endpoint && NAME_RANKS.includes(rank) && (endpoint === "person" || text > OF_PART),
  );
  return endpoints.length === 0 && isWord(query) && isPart ? undefined : best;
}

/** Whether a text is one word without digits, perhaps with punctuation around it. */
function isWord(text: string): boolean {
  const words = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.length === 1 && !/\p{N}/u.test(text);
}

/** Orders candidates: those of the queried types first; without a type, namesakes before what is named after them, unless that is the match. Lowers scores to fit this order. */
function inOrder(scored: readonly Scored[], { endpoints }: ReconciliationQuery, certain: Scored | undefined): Scored[] {
  const limitOf = (isCounted: (each: Scored) => boolean, choose: (...scores: number[]) => number): number => {
    const scores = scored.filter(isCounted).map(({ score }) => score);
    return scores.length === 0 ? 100 : choose(...scores) - 0.1;
  };
  const ofAsked = limitOf(({ isOther }) => !isOther, Math.min);
  const ofNamesake = limitOf(({ hit }) => NAMESAKES.includes(hit.endpoint) && NAME_RANKS.includes(hit.rank), Math.max);
  return scored
    .map((each) => {
      const isAfter = endpoints.length === 0 && NAMED_AFTER.includes(each.hit.endpoint) && each !== certain;
      const most = Math.min(each.isOther ? ofAsked : 100, isAfter ? ofNamesake : 100);
      return { ...each, score: tenths(Math.max(0, Math.min(each.score, most))) };
    })
    .sort((a, b) => Number(a.isOther) - Number(b.isOther) || b.score - a.score || b.properties - a.properties);
}

/** Finds the records that a query may mean: by IRI and by text or, without a text, by properties. `hasMore` says whether further records have the queried name. */
async function hitsOf(store: Store, search: Search, given: ReconciliationQuery) {
  const { query, endpoints, isStrict, limit, properties } = given;
  const hits = new Map<string, Hit>();
  // More than wanted, since names and properties may change the order. With fewer, the match would depend on the limit.
  const window = { limit: Math.min(MAX_CANDIDATES, 3 * Math.max(limit, DEFAULT_CANDIDATES)) };
  const isCalled = (): boolean => [...hits.values()].some(({ rank }) => NAME_RANKS.includes(rank));
  let hasMore = false;
  const find = async (text: string, isWhole = true, narrowed: SearchQuery = {}, corrected?: string): Promise<void> => {
    const namesakes = endpoints.length === 0 && isWord(text) ? (["person"] as const) : [];
    for (const endpoint of [...endpoints, ...(isStrict ? [] : [undefined]), ...namesakes]) {
      // Look for other types only if no record of the queried types has the name.
      if (endpoint === undefined && endpoints.length > 0 && isCalled()) continue;
      await nextTurn();
      const asked = { text, endpoint, isAsWritten: !isWhole, hasAllWords: true, ...narrowed };
      const { items, meant } = await search.find(asked, window);
      if (isWhole && items.length === window.limit && items.at(-1)!.rank === "value") hasMore = true;
      for (const hit of items)
        if (!hits.has(hit.iri))
          hits.set(hit.iri, isWhole ? { ...hit, meant: meant?.text ?? corrected } : { ...hit, rank: undefined });
    }
  };
  if (query !== "") {
    const iri = query.trim();
    const { meta } = (WRITTEN_IRI.test(iri) && (await store.find(iri))) || {};
    if (meta !== undefined)
      hits.set(iri, { iri, endpoint: meta.endpoint, label: meta.label, classes: [], rank: "value" });
    await find(query);
    const plain = withoutLifeDates(query);
    if (plain !== query && !isCalled()) await find(plain);
    // Some record may have the same slip in a text: `Paul Gaugin`.
    const isWritten = !isCalled() && [...hits.values()].some(({ meant }) => meant === undefined);
    const { near } = isWritten ? await search.find({ text: plain }, { limit: 1 }) : {};
    if (near !== undefined) await find(near, true, {}, near);
    if (hasMore) for (const { text, ...others } of await narrowings(given)) await find(text, false, others);
    const { parts, longest } = partsOf(plain);
    if (!isCalled()) {
      for (const part of parts) await find(part, false);
      const isUnknown = hits.size === 0 && properties.length > 0;
      for (const word of isUnknown ? longest : []) await find(word, false);
    }
    return { hits: [...hits.values()], hasMore };
  }
  for (const text of properties.flatMap(({ values }) => values).slice(0, 10)) await find(text);
  const relations = properties.flatMap(({ pid, values }) =>
    values.filter((value) => WRITTEN_IRI.test(value)).map((value) => relationTo(value, pid)),
  );
  if (relations.length > 0) for (const hit of (await search.find({ relations }, window)).items) hits.set(hit.iri, hit);
  return { hits: [...hits.values()], hasMore };
}

/** What to search for if no record has a text as its name: the text without one of its short words, its beginning, and then its longest words. */
function partsOf(text: string) {
  const words = significantWords(text);
  if (words.length < 2) return { parts: [], longest: [] };
  const shortestFirst = [...words.keys()].sort((a, b) => words[a]!.length - words[b]!.length);
  const parts = shortestFirst.slice(0, LEFT_OUT).map((at) => words.toSpliced(at, 1).join(" "));
  const head = headOf(text);
  return {
    parts: head === text ? parts : [...parts, head],
    longest: shortestFirst.slice(-ALONE).map((at) => words[at]!),
  };
}

/** Searches that narrow a frequent name by the properties: one by all of them, then one by each. */
async function narrowings({ query, properties, yearsOf }: ReconciliationQuery) {
  const each: SearchQuery[] = [];
  for (const { pid, values } of properties) {
    await nextTurn();
    const [value = ""] = values;
    const years = /timespan/.test(pid) ? yearsOf(value) : undefined;
    if (years !== undefined) each.push({ begins: years.first, ends: years.last });
    else if (WRITTEN_IRI.test(value)) each.push({ relations: [relationTo(value, pid)] });
    else if (value !== "") each.push({ text: value });
  }
  const all: SearchQuery = Object.assign({}, ...each, {
    text: each.flatMap(({ text = [] }) => text).join(" "),
    relations: each.flatMap(({ relations = [] }) => relations),
  });
  return [all, ...each].map(({ text = "", ...narrowed }) => ({ ...narrowed, text: `${query} ${text}` }));
}

/** The relation to an entity at the end of a path. A class or a concept after a term filters what the term leads to: `classified_as/300379842`. */
function relationTo(target: string, pid: string): RelationFilter {
  return { property: pid.split("/").findLast((step) => /^[a-z]/.test(step)) ?? "", target };
}

/** The lowest and highest score of each rank. The more of the label the text covers, the higher the score. */
const SCORES: Readonly<Record<SearchRank, readonly [least: number, most: number]>> = {
  value: [100, 100],
  prefix: [70, 95],
  words: [50, 90],
  "word prefix": [40, 70],
  maker: [20, 45],
  kind: [15, 40],
  text: [10, 40],
  iri: [85, 85],
};

/** The text score of a hit: by its rank in the search, or by the similarity of its names to the query if that gives more. */
function textScore({ rank, endpoint, label, meant, years }: Hit, graph: RecordGraph, query: string): number {
  const names = [label, ...cellValues(graph, "identified_by").map(valueWords)];
  const queried = wordsOf(searchForm(query));
  const isPlain = meant === undefined || wordsOf(searchForm(meant)).every((word) => queried.includes(word));
  const plain = withoutLifeDates(isPlain ? (meant ?? query) : query);
  // `Vermeer, Johannes` may also be written `Johannes Vermeer`.
  const turned = plain.replace(/^([^,]+),([^,]+)$/, "$2 $1");
  const forms = [query, plain, turned].map((each) => searchForm(each));
  const isNamed = (form: string): boolean => names.some((name) => searchForm(name) === form);
  if (isNamed(forms[0]!)) return 100;
  const factor = plain === query ? 1 : dateFactor(query, years);
  if (forms.some(isNamed) || (rank === "value" && isPlain)) return 100 * factor;
  const head = headOf(plain);
  if (PLACED.includes(endpoint) && head !== plain && isNamed(searchForm(head))) return OF_HEAD;
  const like =
    OF_LIKENESS *
    Math.max(...names.map((name) => Math.max(similarity(plain, name), OF_CORRECTED * similarity(meant ?? "", name))));
  const [least, most] = SCORES[rank ?? "text"];
  const length = Math.max(1, searchForm(label).length);
  const ranked = least + (most - least) * Math.min(1, searchForm(plain).length / length);
  return factor * Math.max(like, isPlain ? ranked : OF_CORRECTED * ranked);
}

/** What precedes the first comma, semicolon or bracket of a text: `Marc Balet` in `Marc Balet (American, born 1948)`. */
function headOf(text: string): string {
  return /^[^,;([]*[^,;([\s]/.exec(text)?.[0] ?? text;
}

/** A query without life dates; an IRI as it is, since its port is none. */
function withoutLifeDates(query: string): string {
  return (!WRITTEN_IRI.test(query.trim()) && query.replace(LIFE_DATES, " ").trim()) || query;
}

/** The factor of a score by the life dates in a query: 1 if there are none, or if the record has the same. */
function dateFactor(query: string, years: SearchHit["years"]): number {
  const dates = yearsIn(query.match(LIFE_DATES)?.join(" ") ?? "");
  if (dates === undefined) return 1;
  if (years === undefined) return UNDATED;
  const [begins, ends] = years;
  const isSame =
    Math.abs(begins - dates.first) <= 1 && (dates.last === dates.first || Math.abs(ends - dates.last) <= 1);
  return isSame ? 1 : dates.first > ends || dates.last < begins ? CONTRADICTED : UNDATED;
}
