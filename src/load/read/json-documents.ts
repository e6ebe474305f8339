/** Documents out of JSON texts: each text holds a document, an array of them or a `@graph`. */
import { isUtf8 } from "node:buffer";
import { parseJson } from "../../jsonld/native.js";
import type { Json } from "../../rdf/record-graph.js";
import { type InputPlace, SyntaxProblem } from "../../rdf/syntax-problem.js";
import { type DocumentProblem, findDocumentProblem, findJsonProblem } from "./json-problem.js";
import type { JsonTexts } from "./json-texts.js";

/** A document and the place in an input where its text begins. */
export interface InputDocument {
  readonly source: string;
  readonly line: number;
  readonly document: Json;
  /** The text that it was read from, where that holds nothing else. */
  readonly text?: string;
  /** Why it cannot be read as it is written, with line and column. */
  readonly problem?: string;
}

/** The documents of some texts; empty texts are passed over. Throws `SyntaxProblem` for malformed JSON and invalid UTF-8. */
export function documentsOf({ source, bytes, places, context }: JsonTexts): InputDocument[] {
  const around = context === undefined ? undefined : parse(context, source, { line: 1, column: 1 });
  const documents: InputDocument[] = [];
  for (let at = 0; at < places.length; at += 4) {
    const [line, column] = [places[at + 2]!, places[at + 3]!];
    const text = decode(bytes.subarray(places[at], places[at + 1]), source, line);
    if (text.trim() === "") continue;
    const value = parse(text, source, { line, column });
    const found = findDocumentProblem(text, value);
    const problem = found === undefined ? {} : { problem: said(found, text, { line, column }) };
    // A document that is too deep or too long is not even looked into.
    const isUnread = found?.offset === 0;
    for (const document of isUnread ? [null] : documentsIn(value, around)) {
      documents.push({ source, line, document, ...(isUnread || document === value ? { text } : {}), ...problem });
    }
  }
  return documents;
}

function said({ offset, problem }: DocumentProblem, text: string, place: InputPlace): string {
  if (offset === 0) return problem;
  const { line, column } = positionIn(text, offset, place);
  return `${problem} (line ${line}, column ${column}), of which JSON keeps only the last`;
}

/** The documents in a JSON value, each under the `@context` around it. An object of nothing but a `@graph` is many. */
function documentsIn(value: Json, around: Json | undefined): Json[] {
  if (Array.isArray(value)) return value.flatMap((element) => documentsIn(element, around));
  if (typeof value !== "object" || value === null) return [value];
  const { "@context": own, "@graph": graph } = value;
  const context = own ?? around;
  const isAlone = Object.keys(value).every((key) => key === "@context" || key === "@graph");
  if (isAlone && graph !== undefined) return documentsIn(graph, context);
  // A context document describes nothing: it lies among the records of many collections, and is none.
  if (isAlone && own !== undefined) return [];
  return context === own ? [value] : [{ "@context": context!, ...value }];
}

function decode(bytes: Uint8Array, source: string, line: number): string {
  if (!isUtf8(bytes)) throw new SyntaxProblem(source, { line, column: undefined }, "the text is not valid UTF-8");
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function parse(text: string, source: string, place: InputPlace): Json {
  try {
    return parseJson(text) as Json;
  } catch {
    const { offset, expected } = findJsonProblem(text);
    const position = positionIn(text, offset, place);
    const [found] = text.slice(offset);
    const what = found === undefined ? "the end of the text" : JSON.stringify(found);
    const isNext = expected === "the end" && /\n\s*$/.test(text.slice(0, offset));
    const hint = isNext ? ". For one document a line, name the file .jsonl or give --format jsonl" : "";
    throw new SyntaxProblem(source, position, `the JSON is malformed: expected ${expected}, found ${what}${hint}`);
  }
}

/** Where an offset of the text lies in its source. */
function positionIn(text: string, offset: number, { line, column }: InputPlace): InputPlace {
  const before = text.slice(0, offset).split("\n");
  const within = [...before.at(-1)!].length + 1;
  return { line: line + before.length - 1, column: before.length === 1 ? within + column! - 1 : within };
}
