/** Addresses to try the interface with: every path to be read, with values that this collection has. */
import type { JsonObject } from "../../../rdf/record-graph.js";
import type { Store } from "../../../store/store.js";
import { fromStore } from "../../message/problems/problems.js";
import type { Route, RouteContext } from "../route.js";
import { addressWith } from "../search/collection-pages.js";
import { pathParameters } from "./paths.js";

type Values = Readonly<Record<string, string | undefined>>;

const LOOKED_UP = 1_000;

/** A query that any collection answers at once. */
const QUERY = "SELECT DISTINCT ?class { ?s a ?class } LIMIT 10";

/** An address for each path that can be asked for by GET, as far as there is one that answers here; by the path. */
export async function examplesOf(context: RouteContext): Promise<ReadonlyMap<string, string>> {
  const values = await fromStore(() => valuesOf(context));
  const examples = new Map<string, string>();
  for (const route of context.routes) {
    const isOfVersions = route.path.startsWith("/versions");
    if (isOfVersions && context.store.versions?.areKept() !== true) continue;
    const address = addressOf(route, isOfVersions ? { ...values, number: values.version } : values);
    if (address !== undefined) examples.set(route.path, context.base + address);
  }
  return examples;
}

async function valuesOf({ store, base }: RouteContext): Promise<Values> {
  const record = await recordOf(store, base);
  const { sources = {} } = await store.stats();
  const fixed = { number: "1", suffix: "ttl", query: QUERY, source: Object.keys(sources)[0] };
  if (record === undefined) return fixed;
  const [referred] = (await store.references?.counts(record.iri)) ?? [];
  const word = record.label.split(/\s+/)[0];
  return {
    ...fixed,
    path: record.iri.slice(base.length + 1),
    uri: record.iri,
    id: record.iri,
    endpoint: record.endpoint,
    property: referred?.property ?? undefined,
    version: String(record.sequence),
    ...(word === undefined || word === "" ? {} : { name: word, prefix: word }),
  };
}

async function recordOf(store: Store, base: string) {
  const numbered = await store.lists?.numbered(1, LOOKED_UP);
  for (const { iri } of numbered?.records ?? []) {
    const found = iri.startsWith(`${base}/`) && !/[?#]/.test(iri) ? await store.find(iri) : undefined;
    if (found === undefined) continue;
    const { endpoint, label, sequence } = found.meta;
    if (endpoint !== null) return { iri, endpoint, label, sequence };
  }
  return undefined;
}

/** Parameters in the query without which an answer says little. */
const TELLING = ["name", "prefix", "query", "uri", "id"];

function addressOf(route: Route, values: Values): string | undefined {
  const { get } = route.operations;
  if (get === undefined) return undefined;
  let address = route.path;
  for (const parameter of pathParameters(route)) {
    const value = exampleFor(parameter, values);
    if (value === undefined) return undefined;
    address = address.replace(`{${parameter.name}*}`, () => value);
    address = address.replace(`{${parameter.name}}`, () => encodeURIComponent(value));
  }
  const asked: [string, string][] = [];
  for (const parameter of (get.parameters ?? []) as readonly JsonObject[]) {
    const { name, required } = parameter;
    if (parameter.in !== "query" || (required !== true && !TELLING.includes(String(name)))) continue;
    const value = exampleFor(parameter, values);
    if (value !== undefined) asked.push([String(name), value]);
    else if (required === true) return undefined;
  }
  return addressWith(address, asked);
}

/** The value for a parameter. Where only some may stand for its name, another of that name says nothing. */
function exampleFor(parameter: JsonObject, values: Values): string | undefined {
  const { enum: choices } = (parameter.schema ?? {}) as { enum?: readonly string[] };
  const value = values[String(parameter.name)];
  if (choices === undefined || (value !== undefined && choices.includes(value))) return value;
  return parameter.in === "path" ? choices[0] : undefined;
}
