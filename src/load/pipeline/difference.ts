/** The difference between two versions of a record, property by property, in the words of their documents. */
import { isJsonObject, type Json } from "../../rdf/record-graph.js";
import type { Difference } from "../../validate/results.js";

/** More differences of one record help nobody. */
const MAX_DIFFERENCES = 100;

/** The places where two documents differ; where arrays are of different lengths, the arrays as a whole. */
export function differencesOf(before: Json, after: Json): readonly Difference[] {
  const differences: Difference[] = [];
  compare(before, after, "", differences);
  return differences;
}

function compare(before: Json, after: Json, property: string, found: Difference[]): void {
  if (found.length >= MAX_DIFFERENCES || JSON.stringify(before) === JSON.stringify(after)) return;
  if (isJsonObject(before) && isJsonObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compare(before[key] ?? null, after[key] ?? null, property === "" ? key : `${property}/${key}`, found);
    }
  } else if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    for (const [at, each] of before.entries()) compare(each, after[at]!, property, found);
  } else found.push({ property, before, after });
}
