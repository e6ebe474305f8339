/** The number of a result's rows, counted as it is written, so that one which is too long is refused rather than cut. */
import type { FormatName } from "../rdf/formats.js";
import { FORMATS, type ResultFormat } from "../rdf/formats.js";

/** The solutions in a serialised result (SPARQL 1.1 results in JSON, XML, CSV and TSV). */
export function solutionCount(text: string, format: ResultFormat): number {
  switch (format) {
    case "json":
      return objectsAtDepth(text, SOLUTION_DEPTH);
    case "xml":
      return occurrences(text, "<result>") + occurrences(text, "<result/>");
    case "csv":
      return linesOutsideQuotes(text) - 1;
    case "tsv":
      return occurrences(text, "\n") - 1;
  }
}

/** `{"results": {"bindings": [{...}]}}`: a solution is an object in two objects and an array. */
const SOLUTION_DEPTH = 3;

function objectsAtDepth(json: string, wanted: number): number {
  let count = 0;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') {
      for (at++; json[at] !== '"'; at++) if (json[at] === "\\") at++;
    } else if (character === "{" || character === "[") {
      if (character === "{" && depth === wanted) count++;
      depth++;
    } else if (character === "}" || character === "]") depth--;
  }
  return count;
}

function linesOutsideQuotes(csv: string): number {
  let count = 0;
  let isQuoted = false;
  for (let at = 0; at < csv.length; at++) {
    const character = csv[at];
    // A doubled quotation mark closes and opens again.
    if (character === '"') isQuoted = !isQuoted;
    else if (character === "\n" && !isQuoted) count++;
  }
  return count;
}

/** The triples in a serialised graph, where that has one a line; else `undefined`. */
export function lineCount(text: string, format: FormatName): number | undefined {
  return FORMATS.some(({ name, isLines }) => name === format && isLines === true) ? occurrences(text, "\n") : undefined;
}

/** How often a piece stands in a text, without overlaps. */
export function occurrences(text: string, piece: string): number {
  let count = 0;
  for (let at = text.indexOf(piece); at !== -1; at = text.indexOf(piece, at + piece.length)) count++;
  return count;
}
