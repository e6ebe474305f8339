/** Documents from JSON texts: each text holds a document, an array of them or a `@graph`. Problems come with their places. */

import { isUtf8 } from "node:buffer";
import { isDeepStrictEqual } from "node:util";
import { jsonIn } from "../../base/json.js";
import { parseJson } from "../../jsonld/native.js";
import { QUOTED } from "../../rdf/characters.js";
import { isJsonObject, type Json } from "../../rdf/record-graph.js";
import { positionAt, SyntaxProblem, type TextPosition } from "../../rdf/syntax-problem.js";
import { MAX_IRI_BYTES, MAX_JSON_DEPTH } from "../limits.js";
import { BACKSLASH, type JsonTexts, QUOTE } from "./json-texts.js";

/** A document, and the place in the input where its text begins. */
export interface InputDocument {
  readonly source: string;
  readonly line: number;
  readonly document: Json;
  /** The text that is written out again if the document is not mended, unless it is the document's own JSON. */
  readonly text?: string;
  /** Why the document cannot be read as written, with line and column. */
  readonly problem?: string;
}

/** The documents of some texts; empty texts are skipped. Throws `SyntaxProblem` for malformed JSON and invalid UTF-8. */
export function documentsOf({ source, bytes, places, context }: JsonTexts): InputDocument[] {
  const around = context === undefined ? undefined : parse(context, source, { line: 1, column: 1 });
  const documents: InputDocument[] = [];
  for (let at = 0; at < places.length; at += 4) {
    const [line, column] = [places[at + 2]!, places[at + 3]!];
    const text = decode(bytes.subarray(places[at], places[at + 1]), source, line);
    if (text.trim() === "") continue;
    const value = parse(text, source, { line, column });
    const found = findDocumentProblem(text, value);
    const problem = found === undefined ? {} : { problem: problemText(found, text, { line, column }) };
    const whole = context === undefined ? text : `{"@context":${context},"@graph":${text}}`;
    for (const [at, document] of (found?.offset === 0 ? idsIn(value) : documentsIn(value, around)).entries()) {
      // A text that cannot be read as written is written out again with the first of its documents, since it says more than they do.
      const own = found !== undefined ? { text: at === 0 ? whole : "" } : document === value && { text };
      documents.push({ source, line, document, ...own, ...problem });
    }
  }
  return documents;
}

function problemText({ offset, problem }: DocumentProblem, text: string, place: TextPosition): string {
  if (offset === 0) return problem;
  const { line, column } = positionAt(text, offset, place);
  return `${problem} (line ${line}, column ${column}); JSON keeps only the last`;
}

/** The documents in a JSON value, each under the `@context` around it. An object with only a `@graph` holds many. */
function documentsIn(value: Json, around: Json | undefined): Json[] {
  if (Array.isArray(value)) return value.flatMap((element) => documentsIn(element, around));
  if (typeof value !== "object" || value === null) return [value];
  const { "@context": own, "@graph": graph } = value;
  const context = contextWithin(around, own);
  const isAlone = Object.keys(value).every((key) => key === "@context" || key === "@graph");
  if (isAlone && graph !== undefined) return documentsIn(graph, context);
  // A context document describes nothing. Many collections have one among their records.
  if (isAlone && own !== undefined) return [];
  return context === own ? [value] : [{ ...{ "@context": null }, ...value, "@context": context! }];
}

/** The ids of the documents in a value that is too deep or too long to be read: a load must know which records it has. */
function idsIn(value: Json): Json[] {
  const all = [isJsonObject(value) ? (value["@graph"] ?? value) : value].flat();
  // Something must be refused, even if nothing has an id.
  return (all.length > 0 ? all : [null]).map((each) =>
    isJsonObject(each) ? { id: each.id ?? each["@id"] ?? null } : null,
  );
}

/** The `@context` of a value inside another context. Its own definitions add to those around it (JSON-LD 1.1, 4.1), unless it only repeats them, as many do. */
function contextWithin(around: Json | undefined, own: Json | undefined): Json | undefined {
  if (around === undefined || own === around) return own;
  if (own === undefined) return around;
  const [outer, inner] = [[around].flat(), [own].flat()];
  return isDeepStrictEqual(outer, inner) ? own : [...outer, ...inner];
}

function decode(bytes: Uint8Array, source: string, line: number): string {
  if (!isUtf8(bytes)) throw new SyntaxProblem(source, { line }, "the text is not valid UTF-8");
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function parse(text: string, source: string, place: TextPosition): Json {
  try {
    return parseJson(text) as Json;
  } catch {
    const { offset, expected } = findJsonProblem(text);
    const position = positionAt(text, offset, place);
    const [found] = text.slice(offset);
    const what = found === undefined ? "the end of the text" : JSON.stringify(found);
    const hint = hintAt(text, offset, expected);
    throw new SyntaxProblem(source, position, `the JSON is malformed: expected ${expected}, found ${what}${hint}`);
  }
}

/** Advice for JSON lines that are read as one document, and for documents that are read as JSON lines. */
function hintAt(text: string, offset: number, expected: Expected): string {
  const before = text.slice(0, offset);
  if (expected === "the end" && before.slice(before.trimEnd().length).includes("\n"))
    return ". For one document a line, name the file .jsonl or give --format jsonl";
  if (offset === text.length && /^\s*[[{]\s*$/.test(text))
    return ". If these are JSON lines, write a whole document on each: jq -c . FILE > NEW";
  return "";
}

/** White space, then one token: punctuation, a string, which may be malformed inside, or a number, `true`, `false` or `null`. */
const TOKEN = new RegExp(
  String.raw`[ \t\n\r]*(?:([{}[\]:,])|(${QUOTED})|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w))`,
  "sy",
);
const SPACE = /[ \t\n\r]*/y;

type Expected = "a value" | "a key or }" | "a key" | ":" | ", or }" | "a value or ]" | ", or ]" | "the end";

/** The first place at which a text that JSON.parse refuses is not JSON, in UTF-16 units from the beginning. */
export function findJsonProblem(text: string): { offset: number; expected: Expected } {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "a value";
  for (let at = 0; ; ) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    const next: Expected | undefined = match === null ? undefined : after(expected, match, open);
    if (next === undefined || match === null) {
      SPACE.lastIndex = at;
      return { offset: at + SPACE.exec(text)![0].length, expected };
    }
    expected = next;
    at = TOKEN.lastIndex;
  }
}

/** What may follow a token, or `undefined` when the token itself is malformed, or not allowed here. */
function after(expected: Expected, match: RegExpExecArray, open: ("{" | "[")[]): Expected | undefined {
  const [, mark, text] = match;
  const wants = (what: string): boolean => expected.includes(what);
  const done = (): Expected => (open.length === 0 ? "the end" : open.at(-1) === "{" ? ", or }" : ", or ]");
  if (mark === undefined) {
    if (text !== undefined && jsonIn(text) === undefined) return undefined;
    if (text !== undefined && wants("a key")) return ":";
    return wants("a value") ? done() : undefined;
  }
  if (mark === "{" || mark === "[") {
    if (!wants("a value")) return undefined;
    open.push(mark);
    return mark === "{" ? "a key or }" : "a value or ]";
  }
  if (mark === "}" || mark === "]") {
    if (!wants(mark)) return undefined;
    open.pop();
    return done();
  }
  if (mark === ":") return expected === ":" ? "a value" : undefined;
  return wants(", or") ? (open.at(-1) === "{" ? "a key" : "a value") : undefined;
}

/** The number of keys in a text and its depth of nesting, found in one walk. */
function measure(text: string): { keys: number; depth: number } {
  let [keys, open, depth] = [0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        for (at++; text.charCodeAt(at) !== QUOTE; at++) if (text.charCodeAt(at) === BACKSLASH) at++;
        break;
      case 0x3a:
        keys++;
        break;
      case 0x5b:
      case 0x7b:
        if (++open > depth) depth = open;
        break;
      case 0x5d:
      case 0x7d:
        open--;
    }
  }
  return { keys, depth };
}

/** The number of keys in a value, and whether a `@context` in it has a text long enough to make IRIs too long. */
function contentsOf(whole: Json): { readonly keys: number; readonly hasLongContext: boolean } {
  const contents = { keys: 0, hasLongContext: false };
  const add = (value: Json, isContext: boolean): void => {
    if (typeof value === "string") {
      if (isContext && value.length > MAX_IRI_BYTES) contents.hasLongContext = true;
    } else if (Array.isArray(value)) {
      for (const item of value) add(item, isContext);
    } else if (typeof value === "object" && value !== null) {
      for (const key in value) {
        contents.keys++;
        add(value[key]!, isContext || key === "@context");
      }
    }
  };
  add(whole, false);
  return contents;
}

/** Why a document that is well-formed JSON cannot be read as written. */
interface DocumentProblem {
  /** The place in UTF-16 units from the beginning; 0 for the text as a whole. */
  readonly offset: number;
  readonly problem: string;
}

/** The problem of a text that `value` was parsed from: it is nested too deeply, or an object has a key twice. */
function findDocumentProblem(text: string, value: Json): DocumentProblem | undefined {
  const { keys, depth } = measure(text);
  if (depth > MAX_JSON_DEPTH) return { offset: 0, problem: `is nested deeper than ${MAX_JSON_DEPTH} levels` };
  const contents = contentsOf(value);
  if (contents.hasLongContext)
    return { offset: 0, problem: `has a @context with a text longer than ${MAX_IRI_BYTES} characters` };
  // Parsing turns long integers into objects, so `contents` may have more keys than the text.
  return contents.keys === keys ? undefined : findRepeatedKey(text);
}

function findRepeatedKey(text: string): DocumentProblem | undefined {
  /** The keys of each open object; `undefined` for an array. */
  const open: (Set<string> | undefined)[] = [];
  let isKey = false;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [, mark, token = ""] = match;
    if (mark === "{" || mark === "[") open.push(mark === "{" ? new Set() : undefined);
    else if (mark === "}" || mark === "]") open.pop();
    const keys = open.at(-1);
    if (mark !== undefined) isKey = keys !== undefined && (mark === "{" || mark === ",");
    else if (isKey) {
      const key = JSON.parse(token) as string;
      const offset = TOKEN.lastIndex - token.length;
      if (keys!.has(key)) return { offset, problem: `has the key ${JSON.stringify(key)} twice in one object` };
      keys!.add(key);
    }
  }
  return undefined;
}
