/** The kinds of JSON values in documents, and how deeply they may nest. */
import type { Json } from "../rdf/record-graph.js";
import { DocumentError } from "./loss.js";

/** The maximum depth: more than any real record has, and few enough levels for the stack of every JSON serializer. */
export const MAX_DEPTH = 500;

/** Check the depth of nesting. Throws `DocumentError`. */
export function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw new DocumentError([{ path: "", problem: `nested deeper than ${MAX_DEPTH} levels` }]);
}

/** The items of an array, or a single value as a list. */
export function asList(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [value];
}

/** Whether a value under an undefined key has no content: null, or an array of nulls. */
export function saysNothing(value: Json): boolean {
  return value === null || (Array.isArray(value) && value.every((item) => item === null));
}

/** Whether a value has one of the keys of `keys`, at any depth. */
export function hasKey(value: Json, keys: object): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => hasKey(item, keys));
  return Object.entries(value).some(([key, inner]) => Object.hasOwn(keys, key) || hasKey(inner, keys));
}

/** The kind of a value in words, or the value itself. */
export function jsonKind(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : String(value);
}
