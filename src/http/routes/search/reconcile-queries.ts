/** Reconciliation queries: what they ask, which records are candidates, and what their scores are (Reconciliation Service API 0.2, 4). */
import { ENDPOINTS, type EndpointName } from "../../../model/tables/endpoints.js";
import { className } from "../../../model/vocabulary/vocabulary.js";
import { foundForm } from "../../../rdf/found-text.js";
import { isJsonObject, type Json, type JsonObject } from "../../../rdf/record-graph.js";
import type { Search, SearchHit, SearchRank } from "../../../store/search.js";
import type { Store, StoredRecord } from "../../../store/store.js";
import { ProblemError } from "../../message/problems/problems.js";
import { ENDPOINT_WORDS } from "../../pages/labels.js";
import { cellValues } from "./reconcile-values.js";

/** Queries of one batch, and candidates of one query. */
const MAX_QUERIES = 200;
const MAX_CANDIDATES = 100;
const DEFAULT_CANDIDATES = 10;

/** A query as it is understood. */
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

export function malformed(detail: string): ProblemError {
  return new ProblemError("malformed", { detail });
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
  return ENDPOINTS.filter((each) => each.name === type || each.classes.some((each) => each === name)).map(
    (each) => each.name,
  );
}

/** The types of the service: its endpoints. */
export function typeOfEndpoint(endpoint: EndpointName | null): { id: string; name: string }[] {
  return ENDPOINTS.filter(({ name }) => name === endpoint).map(({ name, title }) => ({ id: name, name: title }));
}

/** A candidate as it is answered. */
interface Candidate {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly score: number;
  readonly match: boolean;
  readonly type: readonly { readonly id: string; readonly name: string }[];
  readonly features: readonly { readonly id: string; readonly value: number | boolean }[];
}

const IRI = /^[a-z][a-z0-9+.-]*:[^\s]+$/i;
/** Of the score what the properties decide, where a query has some. */
const OF_PROPERTIES = 0.3;
/** What is left of the score of what is not called so, but as the query was understood. */
const OF_MEANT = 0.9;

interface Hit extends SearchHit {
  readonly isMeant?: boolean;
}

/** The candidates of a query, the best first. */
export async function candidatesOf(store: Store, search: Search, query: ReconciliationQuery): Promise<Candidate[]> {
  const isImpossible = query.isStrict && query.endpoints.length === 0;
  if (query.limit === 0 || isImpossible) return [];
  const hits = await hitsOf(store, search, query);
  const asked = foundForm(query.query);
  const scored: { readonly hit: Hit; text: number; properties: number; isOther: boolean }[] = [];
  for (const hit of hits) {
    const isOther = query.endpoints.length > 0 && (hit.endpoint === null || !query.endpoints.includes(hit.endpoint));
    if (isOther && query.isStrict) continue;
    const record = query.properties.length === 0 ? undefined : await (await store.find(hit.iri))?.record();
    const properties = record === undefined ? 1 : shareOf(record, query);
    scored.push({ hit, text: query.query === "" ? 100 : textScore(hit, asked), properties, isOther });
  }
  const share = query.properties.length === 0 ? 0 : OF_PROPERTIES;
  const candidates = scored
    .map(({ hit, text, properties, isOther }) => {
      const score = Math.round(10 * (isOther ? 0.9 : 1) * (text * (1 - share) + 100 * properties * share)) / 10;
      return { hit, text, properties, score };
    })
    .sort((a, b) => b.score - a.score);
  const isSure = candidates[0]?.score === 100 && candidates[1]?.score !== 100;
  return candidates.slice(0, query.limit).map(({ hit, text, properties, score }, at) => ({
    id: hit.iri,
    name: hit.label === "" ? hit.iri : hit.label,
    ...descriptionOf(hit),
    score,
    match: at === 0 && isSure,
    type: typeOfEndpoint(hit.endpoint),
    features: [
      { id: "text", value: text },
      ...(query.properties.length === 0 ? [] : [{ id: "properties", value: Math.round(100 * properties) }]),
    ],
  }));
}

/** The records that may be meant: the one of an IRI, or those of the text; without a text those of the properties. */
async function hitsOf(
  store: Store,
  search: Search,
  { query, endpoints, isStrict, limit, properties }: ReconciliationQuery,
): Promise<Hit[]> {
  const asked = query.trim() === "" ? [...properties.flatMap(({ values }) => values)] : [query];
  const hits = new Map<string, Hit>();
  // More than wanted, as properties may put others first.
  const window = { limit: Math.min(MAX_CANDIDATES, properties.length > 0 ? 3 * limit : limit + 1) };
  for (const text of asked.slice(0, 10)) {
    const entity = IRI.test(text.trim()) ? await (await store.find(text.trim()))?.record() : undefined;
    if (entity !== undefined && query.trim() !== "") hits.set(entity.graph.iri, hitOf(entity));
    for (const endpoint of isStrict ? endpoints : [undefined]) {
      const { items, meant } = await search.find({ text, endpoint }, window);
      for (const hit of items) if (!hits.has(hit.iri)) hits.set(hit.iri, { ...hit, isMeant: meant !== undefined });
    }
  }
  if (query.trim() !== "") return [...hits.values()];
  const relations = properties.flatMap(({ pid, values }) => {
    const property = pid.split("/").at(-1)!;
    return values.filter((value) => IRI.test(value)).map((target) => ({ property, target }));
  });
  if (relations.length > 0) for (const hit of (await search.find({ relations }, window)).items) hits.set(hit.iri, hit);
  return [...hits.values()];
}

/** By which a person tells those of one name apart: kind and years. */
export function descriptionOf({ endpoint, years }: SearchHit): { readonly description?: string } {
  const kind = endpoint === null ? [] : [ENDPOINT_WORDS[endpoint].one];
  const span = years === undefined ? [] : [years[0] === years[1] ? String(years[0]) : `${years[0]}–${years[1]}`];
  const description = [...kind, ...span].join(", ");
  return description === "" ? {} : { description };
}

function hitOf({ graph, meta }: StoredRecord): SearchHit {
  return { iri: graph.iri, endpoint: meta.endpoint, label: meta.label, classes: [], rank: "value" };
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

function textScore({ rank = "value", label, isMeant = false }: Hit, asked: string): number {
  const [least, most] = SCORES[rank];
  const length = foundForm(label).length;
  const share = length === 0 ? 0 : Math.min(1, asked.length / length);
  return Math.round(10 * (isMeant ? OF_MEANT : 1) * (least + (most - least) * share)) / 10;
}

/** Which share of a query's properties a record has. */
function shareOf(record: StoredRecord, { properties }: ReconciliationQuery): number {
  const met = properties.filter(({ pid, values }) => {
    const has = cellValues(record.graph, pid).flatMap((value) =>
      "id" in value ? [value.id, value.name] : Object.values(value),
    );
    const forms = new Set(has.map((value) => foundForm(String(value))));
    return values.some((value) => forms.has(foundForm(value)));
  });
  return met.length / properties.length;
}
