/** Checks of the document that triples cannot show: its context, its id, and the array form of its values (specification, 2.1 and 2.2). */
import { entryOf } from "../base/entries.js";
import { fieldForm, standsAlone } from "../model/layout.js";
import type { NamedRule } from "../model/rules/rule.js";
import type { ModelSettings } from "../model/settings.js";
import { isJsonObject, type Json, type JsonObject } from "../rdf/record-graph.js";
import { type Result, resultWithoutShape } from "./results.js";
import { DOCUMENT_RULES, type Severities } from "./severities.js";

/** A value that triples cannot express, as reported by the reader of documents. */
interface Loss {
  readonly path: string;
  readonly problem: string;
  readonly suggestion?: string;
}

type Report = (rule: NamedRule, path: string, message: string) => void;

const PLACEHOLDER = /(?:^|[^\p{L}\p{N}])(undefined|null|NaN)$/u;

/** The last key of a path. */
const LAST_KEY = /(?<![^/])[^/]*$/;

const MAX_RESULTS = 100;

/** The deepest nesting that reading accepts. */
const MAX_DEPTH = 500;

/**
 * The problems of a document that its graph would not show.
 * @example
 * import { DEFAULT_MODEL } from "#model/settings";
 * import { Severities } from "#validate/severities";
 * const found = validateDocument({ id: "urn:1", type: "Place" }, DEFAULT_MODEL, new Severities());
 * found.map(({ path }) => path); // => ["@context"]
 */
export function validateDocument(document: Json, model: ModelSettings, severities: Severities): readonly Result[] {
  const results: Result[] = [];
  const places = new Set<string>();
  const report: Report = (rule, path, message) => {
    const severity = severities.of(rule);
    if (severity === "off" || results.length >= MAX_RESULTS) return;
    // A problem that several items of an array have is reported only for the first.
    const place = path.replace(/\[\d+\]/g, "");
    if (!places.has(place)) results.push(resultWithoutShape(rule.name, severity, path, message));
    places.add(place);
  };
  if (!isJsonObject(document)) return results;
  const problem = contextProblem(document["@context"], model);
  if (problem !== undefined) report(DOCUMENT_RULES.context, "@context", problem);
  const id = document.id ?? document["@id"];
  if (typeof id !== "string") {
    // Long integers are read as `bigint`, which JSON cannot write.
    const text = JSON.stringify(id, (_, each: unknown) => (typeof each === "bigint" ? Number(each) : each));
    const fault = id === undefined ? "missing" : `${text.slice(0, 40)}, not a text`;
    report(DOCUMENT_RULES.id, "id", `id is ${fault}: give the HTTP(S) URI of the entity`);
  } else {
    const [, placeholder] = PLACEHOLDER.exec(id) ?? [];
    const made = "the program that wrote it found no number, so all such documents become one record";
    if (placeholder !== undefined) report(DOCUMENT_RULES.idPlaceholder, "id", `id ends in ${placeholder}: ${made}`);
  }
  walkForms(document, "", 0, report);
  return results;
}

/** Losses of conversion to triples, as results. Severities cannot be changed for them, because such a document does not become a record. */
export function lossResults(losses: readonly Loss[]): readonly Result[] {
  return losses.map(({ path, problem }) => {
    const key = /(?<![^/[\]])([^/[\]]+)(?:\[\d+\])*$/.exec(path)?.[1];
    const message = key === undefined ? problem : `${key} ${problem}`;
    return resultWithoutShape("document.loss", "Violation", path, message);
  });
}

/** The results without those that only follow from a loss: a lost value is not reported as missing, too. */
export function withoutConsequences(results: readonly Result[], losses: readonly Loss[]): readonly Result[] {
  const lost = losses.flatMap(({ path, suggestion }) =>
    suggestion === undefined ? [path] : [path, path.replace(LAST_KEY, suggestion)],
  );
  return results.filter(({ path, value, rule }) => {
    // A node whose id was lost has none.
    if (value !== null) return !(rule.endsWith(".id") && lost.includes(`${path}/id`));
    // If its class was lost, none allows its properties.
    const missing = rule.endsWith(".usable") ? path.replace(LAST_KEY, "type") : path;
    return !lost.some((each) => each === missing || each.startsWith(`${missing}[`));
  });
}

/** The results with array positions as in the document. A graph lacks nulls and lost values, so its second value may be the document's third item. */
export function placedIn(document: Json, losses: readonly Loss[], results: readonly Result[]): readonly Result[] {
  const lost = new Set(losses.map(({ path }) => path));
  const kept = new Map<string, readonly number[]>();
  /** The positions of the items of an array that the graph has; found once for each array, which may have thousands of results. */
  const positions: Positions = (array, place) =>
    entryOf(kept, place, () => [...array.keys()].filter((at) => array[at] !== null && !lost.has(`${place}[${at}]`)));
  return results.map((result) => {
    const path = result.path.includes("[") ? placeIn(document, positions, result.path) : result.path;
    return path === result.path ? result : { ...result, path };
  });
}

type Positions = (array: readonly Json[], place: string) => readonly number[];

function placeIn(document: Json, positions: Positions, path: string): string {
  let node: Json | undefined = document;
  let place = "";
  const steps = path.split("/");
  for (const [at, step] of steps.entries()) {
    const [, key = step, nth] = /^(.*)\[(\d+)\]$/.exec(step) ?? [];
    const before = place === "" ? key : `${place}/${key}`;
    const value: Json | undefined = isJsonObject(node) ? node[key] : undefined;
    const array: Json[] | undefined = nth !== undefined && Array.isArray(value) ? value : undefined;
    const found: number | undefined = array === undefined ? 0 : positions(array, before)[Number(nth)];
    if (value === undefined || found === undefined)
      return [...(place === "" ? [] : [place]), ...steps.slice(at)].join("/");
    node = Array.isArray(value) ? value[found] : value;
    place = array === undefined ? before : `${before}[${found}]`;
  }
  return place;
}

function contextProblem(context: Json | undefined, { contextUri }: ModelSettings): string | undefined {
  const last = Array.isArray(context) ? context.at(-1) : context;
  if (last === contextUri) return undefined;
  if (context === undefined) return `@context is missing: write ${JSON.stringify(contextUri)}`;
  return `@context must be ${JSON.stringify(contextUri)}, or an array that ends in it`;
}

/** Check that each value is an array, or a single value, as the field tables say. */
function walkForms(node: JsonObject, path: string, depth: number, report: Report): void {
  if (depth > MAX_DEPTH) return;
  for (const key in node) {
    const value = node[key]!;
    const form = key === "type" ? "single" : fieldForm(key);
    if (typeof value !== "object" && form !== "array") continue;
    if (value === null || key === "@context") continue;
    const place = path === "" ? key : `${path}/${key}`;
    if (!Array.isArray(value)) {
      if (form === "array") report(DOCUMENT_RULES.array, place, `${key} must be an array, even for one value`);
      if (isJsonObject(value)) walkItem(value, place, depth, report);
      continue;
    }
    if (form === "single" && value.length === 1)
      report(DOCUMENT_RULES.single, place, `${key} must be a single value, not an array`);
    for (const [at, item] of value.entries()) if (isJsonObject(item)) walkItem(item, `${place}[${at}]`, depth, report);
  }
}

function walkItem(item: JsonObject, path: string, depth: number, report: Report): void {
  const { type } = item;
  const isReference = Object.keys(item).every((key) => key === "id" || key === "type" || key === "_label");
  if (typeof type === "string" && standsAlone(type) && !("@context" in item) && !isReference) {
    const problem = `@context is missing: a ${type} can be dereferenced by itself`;
    report(DOCUMENT_RULES.serviceContext, `${path}/@context`, problem);
  }
  walkForms(item, path, depth + 1, report);
}
