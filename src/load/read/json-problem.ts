/** Finds where a JSON text is malformed, which JSON.parse does not tell (RFC 8259). */

/** White space, then one token: punctuation, a string, or a number, `true`, `false` or `null`. */
const TOKEN =
  /[ \t\n\r]*(?:([{}[\]:,])|("(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)))/uy;
const SPACE = /[ \t\n\r]*/y;

/** What may come next. */
type Expected = "a value" | "a key or }" | "a key" | ":" | ", or }" | "a value or ]" | ", or ]" | "the end";

export interface JsonProblem {
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

/** What may come after a token, or `undefined` when it may not stand here. */
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
