/** What JSON alone can show: a document's context, its id, and the array form of its values (specification, 2.1 and 2.2). */

import { fieldForm, standsAlone } from "../model/layout.js";
import type { Rule } from "../model/rules/rules.js";
import type { ModelSettings } from "../model/settings.js";
import { isJsonObject, type Json } from "../rdf/record-graph.js";
import { type Result, resultWithoutShape } from "./results.js";
import type { Severities } from "./severities.js";

type DocumentRule = Pick<Rule, "name" | "severity">;

/** What reading a document says of a value that triples cannot hold. */
interface Loss {
  readonly path: string;
  readonly problem: string;
}

type Report = (rule: DocumentRule, path: string, message: string) => void;

const CONTEXT: DocumentRule = { name: "document.context", severity: "Violation" };
const ID: DocumentRule = { name: "document.id", severity: "Violation" };
/** What the service itself sets right when it publishes the document is a warning. */
const ARRAY: DocumentRule = { name: "document.array", severity: "Warning" };
const SINGLE: DocumentRule = { name: "document.single", severity: "Warning" };
const SERVICE_CONTEXT: DocumentRule = { name: "document.service_context", severity: "Warning" };

/** Rules about documents. No shape can say them, for a graph has neither keys nor arrays. */
export const DOCUMENT_RULES: readonly DocumentRule[] = [CONTEXT, ID, ARRAY, SINGLE, SERVICE_CONTEXT];

/** More results of one document help nobody. */
const MOST = 100;

/** Documents are not nested deeper than this, or reading refuses them. */
const DEEPEST = 500;

/** What is wrong with a document that no graph would show. */
export function validateDocument(document: Json, model: ModelSettings, severities: Severities): readonly Result[] {
  const results: Result[] = [];
  const report: Report = (rule, path, message) => {
    const severity = severities.of(rule);
    if (severity === "off" || results.length >= MOST) return;
    const isRepeated = results.some((each) => each.path === path && each.message === message);
    if (!isRepeated) results.push(resultWithoutShape(rule.name, severity, path, message));
  };
  if (!isJsonObject(document)) return results;
  const problem = contextProblem(document["@context"], model);
  if (problem !== undefined) report(CONTEXT, "@context", problem);
  if (typeof (document.id ?? document["@id"]) !== "string") {
    report(ID, "id", "id is missing: a document carries the HTTP(S) URI of its entity");
  }
  walkForms(document, "", 0, report);
  return results;
}

/** What conversion to triples would have lost, as results; no decision changes them, for such a document is no record. */
export function lossResults(losses: readonly Loss[]): readonly Result[] {
  return losses.map(({ path, problem }) => {
    const message = path === "" ? problem : `${path} ${problem}`;
    return resultWithoutShape("document.loss", "Violation", path.replace(/\[\d+\]/g, ""), message);
  });
}

function contextProblem(context: Json | undefined, { contextUri }: ModelSettings): string | undefined {
  const last = Array.isArray(context) ? context.at(-1) : context;
  if (last === contextUri) return undefined;
  if (context === undefined) return `@context is missing: write ${JSON.stringify(contextUri)}`;
  return `@context must be ${JSON.stringify(contextUri)}, or an array that ends in it`;
}

/** Compare each value's form with the field tables'. */
function walkForms(node: { [key: string]: Json }, path: string, depth: number, report: Report): void {
  if (depth > DEEPEST) return;
  for (const key in node) {
    const value = node[key]!;
    if (typeof value !== "object" && fieldForm(key) !== "array") continue;
    if (value === null || key === "@context") continue;
    const place = path === "" ? key : `${path}/${key}`;
    const form = fieldForm(key);
    if (!Array.isArray(value)) {
      if (form === "array") report(ARRAY, place, `${key} must be an array, even of one value`);
      if (isJsonObject(value)) walkItem(value, place, depth, report);
      continue;
    }
    if (form === "single" && value.length === 1) report(SINGLE, place, `${key} must be a single value, not an array`);
    for (const item of value) if (isJsonObject(item)) walkItem(item, place, depth, report);
  }
}

function walkItem(item: { [key: string]: Json }, path: string, depth: number, report: Report): void {
  const { type } = item;
  if (typeof type === "string" && standsAlone(type) && !("@context" in item) && !isReference(item)) {
    report(SERVICE_CONTEXT, `${path}/@context`, `@context is missing: a ${type} can be dereferenced by itself`);
  }
  walkForms(item, path, depth + 1, report);
}

function isReference(item: { [key: string]: Json }): boolean {
  return Object.keys(item).every((key) => key === "id" || key === "type" || key === "_label");
}
