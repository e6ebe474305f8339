/** Errors in a query with their position, in plain words for the person who typed it. */
import { quoted } from "../base/shortened.js";
import { type QueryPosition, QueryRefusedError } from "./engine.js";

/** The parts of the library's parsing error that are used here. */
export interface ParsingError {
  readonly message: string;
  readonly token: { readonly image: string; readonly startOffset: number };
}

/** Groups of token names that are one thing to the author of a query. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^Var\d$/, "a variable"],
  [/^(?:IriRef|PNameLn|PNameNs)$/, "an IRI"],
  [/^(?:StringLiteral|Integer|Decimal|Double|true$|false$)/, "a literal"],
  [/^(?:BlankNodeLabel|Anon)$/, "a blank node"],
  [/^Nil$/, '"()"'],
];
/** Plainer words for the library's messages about queries that its grammar allows. */
const PLAINLY: ReadonlyMap<string, string> = new Map([
  ["Variable not allowed in projection", "a selected variable is neither in GROUP BY nor aggregated"],
  ["GROUP BY not allowed with wildcard", "SELECT * cannot be combined with GROUP BY: name the variables"],
]);
const MAX_EXPECTED = 8;

/** The refusal of a query for a problem. The position is missing if the parser does not know it. */
export function malformedQuery(message: string, position?: QueryPosition): QueryRefusedError {
  return new QueryRefusedError("malformed", message, position);
}

/** The problem of a token where it is not allowed. */
export function grammarProblem(text: string, { message, token }: ParsingError): QueryRefusedError {
  const isEnd = token.image === "";
  const found = isEnd ? "found the end of the query" : `found ${quoted(token.image)}`;
  const expected = expectedIn(message);
  const problem = expected.length === 0 ? "which does not belong there" : `expected ${listOf(expected)}`;
  return malformedQuery(`${found}, ${problem}`, positionAt(text, isEnd ? text.length : token.startOffset));
}

/** Any other problem that the parser reports: characters that begin no token, and errors beyond the grammar. */
export function otherProblem(text: string, message: string): QueryRefusedError {
  const offset = /^unexpected character: .* at offset: (\d+)/s.exec(message)?.[1];
  if (offset !== undefined) return characterProblem(text, Number(offset));
  const prefix = /^Unknown prefix: (.*)$/s.exec(message)?.[1];
  if (prefix !== undefined) {
    const what = `the prefix ${prefix}: is not declared; write PREFIX ${prefix}: <...> before the query`;
    return malformedQuery(what, placeOf(text, `${prefix}:`));
  }
  const variable = /\(\?(\w+)\)|^Variable (\w+) used/.exec(message);
  if (variable === null) return malformedQuery(PLAINLY.get(message) ?? message);
  return malformedQuery(message, placeOf(text, `?${variable[1] ?? variable[2]}`));
}

/** An IRI that begins on this line and does not end. The lexer takes its `<` for the operator, so the error appears later. */
const BEGUN_IRI = /<[a-z][^<>\n]*$/i;

function characterProblem(text: string, offset: number): QueryRefusedError {
  const iri = text.slice(0, offset + 1).search(BEGUN_IRI);
  if (iri !== -1) {
    const message = "the IRI that begins here is not closed, or has a character that no IRI may have";
    return malformedQuery(message, positionAt(text, iri));
  }
  const position = positionAt(text, offset);
  const [word = ""] = /^[^\s{}()<>"';,.]+/.exec(text.slice(offset, offset + 40)) ?? [];
  if (word !== "")
    return malformedQuery(`${quoted(word)} is neither a SPARQL keyword nor a ?variable nor a prefixed:name`, position);
  const character = String.fromCodePoint(text.codePointAt(offset)!);
  if (/["']/.test(character)) return malformedQuery(`the string that begins with ${character} is not closed`, position);
  return malformedQuery(`${quoted(character)} is not allowed here`, position);
}

/** The kinds of tokens that a message of the library lists, each once, general ones first and keywords last. */
function expectedIn(message: string): string[] {
  const only = /-->\s*(\S+)\s*<--\s+but found/.exec(message)?.[1];
  // The first token of each possible sequence.
  const tokens =
    only === undefined
      ? [...message.matchAll(/[[<,]\s*\[(\S+?)[\],]|\d+\. \[(\S+?)[\],]/g)].map(([, one, other]) => (one ?? other)!)
      : [only];
  const kinds = tokens.map((token) => KINDS.find(([kind]) => kind.test(token))?.[1] ?? quoted(token));
  return [...new Set(kinds)].sort((a, b) => rank(a) - rank(b));
}

function rank(kind: string): number {
  if (!kind.startsWith('"')) return 0;
  return /^"\w/.test(kind) ? 2 : 1;
}

function listOf(expected: readonly string[]): string {
  if (expected.length > MAX_EXPECTED) return `${expected.slice(0, MAX_EXPECTED).join(", ")} or others`;
  return new Intl.ListFormat("en-GB", { type: "disjunction" }).format(expected);
}

/** The position of the first occurrence of a whole word; `undefined` if there is none. */
function placeOf(text: string, word: string): QueryPosition | undefined {
  const escaped = word.replace(/[^\w\s]/g, "\\$&");
  const at = text.search(new RegExp(`(?<![\\w?])${escaped}${/\w$/.test(word) ? "\\b" : ""}`));
  return at === -1 ? undefined : positionAt(text, at);
}

function positionAt(text: string, offset: number): QueryPosition {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: [...before.at(-1)!].length + 1 };
}
