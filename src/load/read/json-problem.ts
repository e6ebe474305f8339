/** The problem of a JSON text, with its place: where it is malformed, or says a key twice, which JSON.parse does not tell (RFC 8259). */
import type { Json } from "../../rdf/record-graph.js";
import { MAX_IRI_BYTES, MAX_JSON_DEPTH } from "../limits.js";

/** White space, then one token: punctuation, a string, or a number, `true`, `false` or `null`. */
const TOKEN =
  /[ \t\n\r]*(?:([{}[\]:,])|("(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)))/uy;
const SPACE = /[ \t\n\r]*/y;

/** The tokens that may come next. */
type Expected = "a value" | "a key or }" | "a key" | ":" | ", or }" | "a value or ]" | ", or ]" | "the end";

interface JsonProblem {
  /** Where, in UTF-16 units from the beginning. */
  readonly offset: number;
  readonly expected: Expected;
}

/** The first place at which a text that JSON.parse refuses is no JSON. */
export function findJsonProblem(text: string): JsonProblem {
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

/** The tokens that may come after a token, or `undefined` when it may not stand here. */
function after(expected: Expected, match: RegExpExecArray, open: ("{" | "[")[]): Expected | undefined {
  const [, mark, text] = match;
  const wants = (what: string): boolean => expected.includes(what);
  const done = (): Expected => (open.length === 0 ? "the end" : open.at(-1) === "{" ? ", or }" : ", or ]");
  if (mark === undefined) {
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

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** How many keys a text has, and how deep it is nested, in one walk over it. */
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

/** Adds up what is in a value: its keys, and whether a `@context` has a text that makes IRIs too long. */
class Contents {
  keys = 0;
  hasLongContext = false;

  constructor(value: Json) {
    this.#add(value, false);
  }

  #add(value: Json, isContext: boolean): void {
    if (typeof value === "string") {
      if (isContext && value.length > MAX_IRI_BYTES) this.hasLongContext = true;
    } else if (Array.isArray(value)) {
      for (const item of value) this.#add(item, isContext);
    } else if (typeof value === "object" && value !== null) {
      for (const key in value) {
        this.keys++;
        this.#add(value[key]!, isContext || key === "@context");
      }
    }
  }
}

/** Why a document that is well-formed JSON is none that can be read as it is written. */
export interface DocumentProblem {
  /** Where, in UTF-16 units from the beginning; 0 for the text as a whole. */
  readonly offset: number;
  readonly problem: string;
}

/** The problem of a text that `value` was parsed from: it is nested too deep, or an object has a key twice. */
export function findDocumentProblem(text: string, value: Json): DocumentProblem | undefined {
  const { keys, depth } = measure(text);
  if (depth > MAX_JSON_DEPTH) return { offset: 0, problem: `is nested deeper than ${MAX_JSON_DEPTH} levels` };
  const contents = new Contents(value);
  if (contents.hasLongContext) {
    return { offset: 0, problem: `has a @context with a text of more than ${MAX_IRI_BYTES} characters` };
  }
  // Long integers become objects when they are parsed, so there may be more keys than are written.
  return contents.keys === keys ? undefined : findRepeatedKey(text);
}

function findRepeatedKey(text: string): DocumentProblem | undefined {
  /** The keys of each open object; none for an array. */
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
