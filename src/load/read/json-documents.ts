/** Documents in JSON inputs: one a line (`.jsonl`), or one file with a document, an array or a `@graph` of them. */
import { isUtf8 } from "node:buffer";
import { parseJson } from "../../jsonld/native.js";
import type { Json } from "../../rdf/record-graph.js";
import { SyntaxProblem } from "../../rdf/syntax-problem.js";
import { findJsonProblem } from "./json-problem.js";

/** A document and the line of its input on which it begins. */
export interface InputDocument {
  readonly document: Json;
  readonly line: number;
}

/** A line longer than this is refused. */
const LONGEST_LINE = 64 * 2 ** 20;
/** A JSON file is parsed whole, so it may not be larger than this. */
const LARGEST_FILE = 256 * 2 ** 20;

const NEWLINE = 10;

/**
 * The documents of JSON lines, in batches as the input comes. Empty lines are passed over. Throws `SyntaxProblem` for
 * malformed JSON, invalid UTF-8 and lines over 64 MiB.
 */
export async function* readJsonLines(bytes: AsyncIterable<Uint8Array>, source: string): AsyncIterable<InputDocument[]> {
  let line = 0;
  let pending: Uint8Array[] = [];
  let pendingLength = 0;
  for await (const chunk of bytes) {
    const batch: InputDocument[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      line++;
      const rest = chunk.subarray(start, end);
      const whole = pending.length === 0 ? rest : Buffer.concat([...pending, rest]);
      if (pending.length > 0) {
        pending = [];
        pendingLength = 0;
      }
      add(batch, whole, source, line);
      start = end + 1;
    }
    if (start < chunk.length) {
      pending.push(chunk.subarray(start));
      pendingLength += chunk.length - start;
      if (pendingLength > LONGEST_LINE) throw new SyntaxProblem(source, at(line + 1), "the line is longer than 64 MiB");
    }
    if (batch.length > 0) yield batch;
  }
  if (pending.length > 0) {
    const batch: InputDocument[] = [];
    add(batch, Buffer.concat(pending), source, line + 1);
    yield batch;
  }
}

function add(batch: InputDocument[], bytes: Uint8Array, source: string, line: number): void {
  const text = decode(bytes, source, line);
  if (text.trim() !== "") batch.push({ document: parse(text, source, line), line });
}

/**
 * The documents of one JSON file: a single document, a top-level array, or the elements of a top-level `@graph`, each
 * under the `@context` around it. Throws `SyntaxProblem` for malformed JSON, invalid UTF-8 and files over 256 MiB.
 */
export async function readJsonFile(bytes: AsyncIterable<Uint8Array>, source: string): Promise<InputDocument[]> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > LARGEST_FILE) {
      throw new SyntaxProblem(source, at(1), "the file is larger than 256 MiB: write one document a line, as .jsonl");
    }
  }
  const value = parse(decode(Buffer.concat(chunks), source, 1), source, 1);
  return documentsIn(value).map((document) => ({ document, line: 1 }));
}

function documentsIn(value: Json): Json[] {
  if (Array.isArray(value)) return value.flatMap(documentsIn);
  if (typeof value !== "object" || value === null || !("@graph" in value)) return [value];
  const { "@context": context, "@graph": graph } = value;
  return (Array.isArray(graph) ? graph : [graph!]).map((document) =>
    context === undefined || typeof document !== "object" || document === null || "@context" in document
      ? document
      : { "@context": context, ...(document as { [key: string]: Json }) },
  );
}

function decode(bytes: Uint8Array, source: string, line: number): string {
  if (!isUtf8(bytes)) throw new SyntaxProblem(source, at(line), "the text is not valid UTF-8");
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function parse(text: string, source: string, line: number): Json {
  try {
    return parseJson(text) as Json;
  } catch {
    const { offset, expected } = findJsonProblem(text);
    const before = text.slice(0, offset).split("\n");
    const position = { line: line + before.length - 1, column: [...before.at(-1)!].length + 1 };
    const [found] = text.slice(offset);
    const what = found === undefined ? "the end of the text" : JSON.stringify(found);
    throw new SyntaxProblem(source, position, `the JSON is malformed: expected ${expected}, found ${what}`);
  }
}

function at(line: number): { line: number; column: undefined } {
  return { line, column: undefined };
}
