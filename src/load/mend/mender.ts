/** Mending: applies rules to a document until none of them changes anything; every change is recorded. */
import { asList, MAX_DEPTH } from "../../jsonld/json-values.js";
import { dayAndMonthOf } from "../../model/timestamps.js";
import { isJsonObject, type Json, type JsonObject } from "../../rdf/record-graph.js";
import type { DocumentChange } from "../../validate/results.js";
import { InputError } from "../errors.js";
import { type MendedDocument, MendNode, type MendRule } from "./mend-rule.js";
import { datesOf, MEND_RULES } from "./mend-rules.js";

export interface MendSelection {
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  readonly also?: readonly string[];
  /** Actors that have these IRIs, or are classified as these, are Groups. */
  readonly groups?: readonly string[];
}

/** One rule may enable another; the rules are applied at most this many times. */
const MAX_ROUNDS = 10;

/** The rules of a selection. Throws `InputError` for a name that is not a rule's. */
export function selectRules({ only, except = [], also = [] }: MendSelection): readonly MendRule[] {
  const unknown = [...(only ?? []), ...except, ...also].find((name) => MEND_RULES.every((rule) => rule.name !== name));
  if (unknown !== undefined)
    throw new InputError(`mend has no rule named ${unknown}: vitrine mend --list lists all rules`);
  const chosen = [...(only ?? MEND_RULES.flatMap(({ name, isAsked }) => (isAsked ? [] : name))), ...also];
  return MEND_RULES.filter(({ name }) => chosen.includes(name) && !except.includes(name));
}

/** Mend a document. The document passed in stays unchanged. */
export function mend(
  document: Json,
  rules: readonly MendRule[],
  contextUri: string,
  groups: ReadonlySet<string> = new Set(),
): { readonly document: Json; readonly changes: readonly DocumentChange[] } {
  if (!isJsonObject(document)) return { document, changes: [] };
  const mended = structuredClone(document);
  const changes: DocumentChange[] = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = changes.length;
    mendNode(new MendNode(mended, aboutDocument(mended, contextUri, groups), changes), rules, 0);
    if (changes.length === before) break;
  }
  return { document: mended, changes };
}

function aboutDocument(document: JsonObject, contextUri: string, groups: ReadonlySet<string>): MendedDocument {
  const firstLabels = new Map<string, string>();
  let hasSwappedDays = false;
  for (const node of objectsIn(document)) {
    const { id, _label: label } = node;
    if (typeof id === "string" && typeof label === "string" && !firstLabels.has(id)) firstLabels.set(id, label);
    hasSwappedDays ||= datesOf(node).some(({ text }) => dayAndMonthOf(text) === "swapped");
  }
  return { contextUri, hasSwappedDays, hasPlainContext: document["@context"] === contextUri, firstLabels, groups };
}

/** All objects in a value, in its order. Not a generator, which would pass each object up through all levels. */
function objectsIn(value: Json, found: JsonObject[] = []): readonly JsonObject[] {
  if (typeof value !== "object" || value === null) return found;
  if (isJsonObject(value)) found.push(value);
  for (const each of Object.values(value)) objectsIn(each, found);
  return found;
}

function mendNode(node: MendNode, rules: readonly MendRule[], depth: number): void {
  if (depth > MAX_DEPTH) return;
  for (const rule of rules) {
    node.rule = rule.name;
    rule.mend(node);
  }
  for (const [key, value] of Object.entries(node.object)) {
    if (key === "@context") continue;
    for (const item of asList(value)) if (isJsonObject(item)) mendNode(node.below(key, item), rules, depth + 1);
  }
}
