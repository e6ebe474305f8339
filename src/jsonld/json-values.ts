/** Kinds of JSON values in documents, and how deep they may nest. */
import type { Json } from "../rdf/record-graph.js";
import { DocumentError } from "./loss.js";

/** Deeper than any real record, shallow enough for every JSON serializer's stack. */
export const MAX_DEPTH = 500;

/** Throws `DocumentError` where a document is nested too deep. */
export function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw new DocumentError([{ path: "", problem: `nested deeper than ${MAX_DEPTH} levels` }]);
}

/** The items of an array, or a value alone. */
export function asList(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [value];
}

/** Whether a value under a key that means nothing says nothing either: null, or an array of nothing. */
export function saysNothing(value: Json): boolean {
  return value === null || (Array.isArray(value) && value.every((item) => item === null));
}

/** A value in words. */
export function jsonKind(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : String(value);
}
