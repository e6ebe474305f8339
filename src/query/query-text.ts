/** The text of a query: its form, the graphs it names, where a limit can be inserted (SPARQL 1.1 Query, 19.8), and its errors in plain words with their position. */
import type { Parser } from "@traqula/parser-sparql-1-1";
import { library } from "../base/lazily.js";
import { thrownMessage } from "../base/named-error.js";
import { quoted } from "../base/shortened.js";
import { positionAt, type TextPosition } from "../rdf/syntax-problem.js";
import { QueryRefusedError } from "./engine.js";

type QueryForm = "select" | "ask" | "construct" | "describe";

export interface QueryText {
  readonly text: string;
  readonly form: QueryForm;
  /** The BASE and PREFIX lines, which a part of the query needs to be a query by itself. */
  readonly prologue: string;
  /** IRIs as the query writes them, `<http://...>` or `prefix:name`. */
  readonly from: readonly string[];
  readonly fromNamed: readonly string[];
  readonly graphs: readonly string[];
  readonly asksForAnyGraph: boolean;
  /** Whether it is about the default graph: a pattern is outside every `GRAPH`, or it is a DESCRIBE. */
  readonly asksDefaultGraph: boolean;
  /** The IRIs of the functions that it calls anywhere, casts included, and of Virtuoso's functions wherever it names them. */
  readonly functions: readonly string[];
  /** In a DESCRIBE: the IRIs that it names, and the SELECT that finds the others, if any. */
  readonly described: readonly string[];
  readonly describedBySelect: string | undefined;
  /** Where the `*` of `SELECT *` is. */
  readonly star: number | undefined;
  /** Its own limit and offset, and where a limit with an offset can be: in place of its own, or behind all but VALUES. */
  readonly limit: {
    readonly own: number | undefined;
    readonly offset: number | undefined;
    readonly start: number;
    readonly end: number;
  };
}

interface Node {
  readonly type?: string;
  readonly subType?: string;
  readonly value?: string;
  readonly prefix?: string;
  readonly variable?: Node;
  readonly patterns?: readonly Node[];
  readonly loc?: { readonly start?: number; readonly end?: number };
}

interface Declaration extends Pick<Node, "loc"> {
  readonly key?: string;
  readonly value: Node;
}

interface QueryNode extends Node {
  readonly context: readonly Declaration[];
  readonly variables?: readonly Node[];
  readonly datasets?: { readonly clauses: readonly { readonly clauseType: string; readonly value: Node }[] };
  readonly where?: Node;
  readonly values?: Node;
  readonly solutionModifiers: {
    readonly limitOffset?: Node & { readonly limit?: number; readonly offset?: number };
  };
}

const loadParser = library<typeof import("@traqula/parser-sparql-1-1")>("@traqula/parser-sparql-1-1");
const loadRules = library<typeof import("@traqula/rules-sparql-1-1")>("@traqula/rules-sparql-1-1");
let parser: Parser | undefined;

/** Build the grammar if it is not built yet, and return whether it had to be. It takes a third of a second, and memory that a process without queries need not spend. */
export function prepareGrammar(): boolean {
  if (parser !== undefined) return false;
  const { Parser } = loadParser();
  const { AstFactory, lex } = loadRules();
  // The library lacks decimals without a digit before the point (SPARQL 1.1 Query, 19.8).
  const { decimal, decimalPositive, decimalNegative } = lex.terminals;
  [decimal.PATTERN, decimalPositive.PATTERN, decimalNegative.PATTERN] = [/\d*\.\d+/, /\+\d*\.\d+/, /-\d*\.\d+/];
  const settings = {
    defaultContext: { astFactory: new AstFactory({ tracksSourceLocation: true }) },
    lexerConfig: { positionTracking: "full" },
    // The parser passes its settings on to its builder; their type lacks this member.
    errorHandler: ([first]: readonly ParsingError[]): never => {
      throw first;
    },
  } as const;
  parser = new Parser(settings);
  return true;
}

/** Read a query. Throws `QueryRefusedError`, also if it queries other endpoints (`SERVICE`). */
export function readQuery(given: string): QueryText {
  // For some parsers a lone carriage return ends a comment, for others it does not. Files from Windows begin with a byte order mark.
  const text = withoutCodepoints(given.replace(/^\uFEFF/, "")).replace(/\r(?!\n)/g, "\n");
  const query = parse(text);
  const datasets = (type: string): string[] =>
    (query.datasets?.clauses ?? []).flatMap((each) => (each.clauseType === type ? slice(text, each.value) : []));
  return {
    text,
    form: query.subType as QueryForm,
    prologue: prologueOf(query, text),
    from: datasets("default"),
    fromNamed: datasets("named"),
    ...contentsOf(query, text),
    ...describedBy(query, text),
    star: query.subType === "select" ? query.variables?.find(({ type }) => type === "wildcard")?.loc?.start : undefined,
    limit: limitOf(query, text),
  };
}

/** A string; or an IRI, a comment or an escape outside them, in which a quotation mark begins no string. */
const STRING_OR_OTHER =
  /("""(?:[^"\\]|\\.|"{1,2}(?!"))*"""|'''(?:[^'\\]|\\.|'{1,2}(?!'))*'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|<(?:[^\0- <>"{}|^`\\]|\\[uU])*>|#[^\r\n]*|\\(?:u[\dA-Fa-f]{4}|U[\dA-Fa-f]{8}|.)/gs;
const ESCAPE = /\\(?:u[\dA-Fa-f]{4}|U[\dA-Fa-f]{8}|.)/gs;
const IN_STRING: Readonly<Record<string, string>> = { '"': '\\"', "'": "\\'", "\\": "\\\\", "\n": "\\n", "\r": "\\r" };

/** The query without codepoint escapes (SPARQL 1.1 Query, 19.2). The parser would count positions after replacing them, and Oxigraph replaces them only in IRIs and strings. */
function withoutCodepoints(text: string): string {
  if (!/\\u/i.test(text)) return text;
  return text.replace(STRING_OR_OTHER, (found, string: string | undefined) =>
    found.replace(ESCAPE, (sequence) => {
      if (!/^\\u/i.test(sequence) || sequence.length < 6) return sequence;
      const character = characterOf(sequence);
      return (string && IN_STRING[character]) ?? character;
    }),
  );
}

/** The character of `\uXXXX` or `\UXXXXXXXX`. An escape of no character is kept, and the parser refuses it. */
function characterOf(sequence: string): string {
  const code = Number.parseInt(sequence.slice(2), 16);
  return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? sequence : String.fromCodePoint(code);
}

function parse(text: string): QueryNode {
  let parsed: Node & { readonly updates?: readonly { readonly operation?: unknown }[] };
  try {
    prepareGrammar();
    parsed = parser!.parse(text) as Node;
  } catch (error) {
    if (error instanceof RangeError) throw malformedQuery("the query is nested too deeply");
    const isOfGrammar = error instanceof Error && "token" in error;
    throw isOfGrammar ? grammarProblem(text, error as ParsingError) : otherProblem(text, thrownMessage(error));
  }
  if (parsed.type === "update") {
    // The grammar reads a prologue without a query as an update without operations.
    if (parsed.updates?.every(({ operation }) => operation === undefined)) throw malformedQuery("there is no query");
    throw new QueryRefusedError("update", "this is an update, and the endpoint only answers queries");
  }
  return parsed as QueryNode;
}

function slice(text: string, { loc }: Node): string {
  return text.slice(loc!.start!, loc!.end!);
}

function prologueOf({ context }: QueryNode, text: string): string {
  return text.slice(0, context.at(-1)?.loc?.end ?? 0);
}

/** The IRI of a name, by each declaration of its prefix, since engines may differ in which they use. */
function irisOf({ value, prefix }: Node, context: readonly Declaration[]): string[] {
  if (prefix === undefined) return [value!];
  return context.flatMap((declared) => (declared.key === prefix ? `${declared.value.value}${value}` : []));
}

/** Throws `QueryRefusedError` if two BINDs of a group have the same variable. The parser finds it only after other patterns, and Oxigraph gives no reason. */
function refuseBoundTwice(patterns: readonly Node[], text: string): void {
  const bound = new Set<string>();
  for (const { subType, variable } of patterns) {
    if (subType !== "bind") continue;
    const { value = "", loc } = variable!;
    if (bound.has(value))
      throw malformedQuery(`Variable used to bind is already bound (?${value})`, positionAt(text, loc!.start!));
    bound.add(value);
  }
}

/** Matches functions that Virtuoso also takes as predicates. */
const VIRTUOSO_FUNCTION = /^(?:bif|sql):|^http:\/\/www\.openlinksw\.com\/schemas\/(?:bif|sql)#/i;

function contentsOf({ subType, context, where, variables, solutionModifiers }: QueryNode, text: string) {
  const graphs = new Set<string>();
  const functions: string[] = [];
  let asksForAnyGraph = false;
  let asksDefaultGraph = subType === "describe";
  const rest: { readonly node: unknown; readonly inGraph: boolean }[] = [
    { node: [where, variables, solutionModifiers], inGraph: false },
  ];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { node } = next;
    let { inGraph } = next;
    if (typeof node !== "object" || node === null) continue;
    type Pattern = Node & { readonly name?: Node; readonly triples?: readonly unknown[]; readonly function?: Node };
    const { subType, name, triples, patterns = [], function: called } = node as Pattern;
    if (subType === "graph" && name !== undefined) {
      inGraph = true;
      if (name.subType === "variable") asksForAnyGraph = true;
      else graphs.add(slice(text, name));
    }
    if (subType === "service") throw malformedQuery("SERVICE is not supported: query the other endpoint directly.");
    if (called !== undefined) functions.push(...irisOf(called, context));
    if (subType === "namedNode") functions.push(...irisOf(node, context).filter((iri) => VIRTUOSO_FUNCTION.test(iri)));
    if (subType === "bgp" && !inGraph && triples !== undefined && triples.length > 0) asksDefaultGraph = true;
    refuseBoundTwice(patterns, text);
    for (const [key, child] of Object.entries(node)) if (key !== "loc") rest.push({ node: child, inGraph });
  }
  return { graphs: [...graphs], asksForAnyGraph, asksDefaultGraph, functions };
}

function describedBy(query: QueryNode, text: string): Pick<QueryText, "described" | "describedBySelect"> {
  if (query.subType !== "describe") return { described: [], describedBySelect: undefined };
  const { variables = [], datasets, where } = query;
  const described = variables.filter(({ subType }) => subType === "namedNode").map((node) => slice(text, node));
  const others = variables.filter(({ subType }) => subType !== "namedNode").map((node) => slice(text, node));
  if (others.length === 0) return { described, describedBySelect: undefined };
  // The pattern may be missing, but not in a SELECT.
  const head = (datasets?.clauses.at(-1)?.value ?? variables.at(-1)!).loc!.end!;
  const rest = `${text.slice(variables.at(-1)!.loc!.end!, head)}${where === undefined ? " {}" : ""}${text.slice(head)}`;
  return { described, describedBySelect: `${prologueOf(query, text)}\nSELECT DISTINCT ${others.join(" ")} ${rest}` };
}

function limitOf({ solutionModifiers: { limitOffset: own }, values }: QueryNode, text: string): QueryText["limit"] {
  const start = own?.loc?.start ?? values?.loc?.start ?? text.length;
  return { own: own?.limit, offset: own?.offset, start, end: own?.loc?.end ?? start };
}

/** A SELECT limited to this many solutions; unchanged if its own limit is not higher. */
export function limited({ text, limit: { own, offset, start, end } }: QueryText, rows: number): string {
  if (own !== undefined && own <= rows) return text;
  const skipped = offset === undefined ? "" : `OFFSET ${offset} `;
  return `${text.slice(0, start)}\n${skipped}LIMIT ${rows}\n${text.slice(end)}`;
}

/** Matches a question whether a variable has an IRI or a blank node; or what `STRING_OR_OTHER` does, in which there is none. */
const KIND_TEST = new RegExp(
  `${STRING_OR_OTHER.source}|(?<![\\w:?$-])is(iri|uri|blank)\\s*\\(\\s*([?$]\\w+)\\s*\\)`,
  "gis",
);

/** The text of a query for an engine with IRIs that begin with `prefix` in place of blank nodes: these count as blank. */
export function tellingBlanks(text: string, prefix: string): string {
  return text.replace(KIND_TEST, (found, _string, kind: string | undefined, term: string) => {
    const replaces = `STRSTARTS(STR(${term}), "${prefix}")`;
    if (kind === undefined) return found;
    // Virtuoso needs a hundred times as long for isIRI as for isLiteral.
    return /blank/i.test(kind) ? `(isBlank(${term}) || ${replaces})` : `(!isLiteral(${term}) && !${replaces})`;
  });
}

/** The parts of the library's parsing error that are used here. What the parser throws itself has no token. */
interface ParsingError {
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
export function malformedQuery(message: string, position?: TextPosition): QueryRefusedError {
  return new QueryRefusedError("malformed", message, position);
}

/** The problem of a token where it is not allowed. */
function grammarProblem(text: string, { message, token }: ParsingError): QueryRefusedError {
  const isEnd = token.image === "";
  const found = isEnd ? "found the end of the query" : `found ${quoted(token.image)}`;
  const expected = expectedIn(message);
  const problem = expected.length === 0 ? "which does not belong there" : `expected ${listOf(expected)}`;
  return malformedQuery(`${found}, ${problem}`, positionAt(text, isEnd ? text.length : token.startOffset));
}

/** Any other problem that the parser reports: characters that begin no token, and errors beyond the grammar. */
function otherProblem(text: string, message: string): QueryRefusedError {
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
  const firsts = message.matchAll(/(?:[[<,]\s*|\d+\. )\[(\S+?)[\],]/g);
  const tokens = only === undefined ? [...firsts].map(([, token]) => token!) : [only];
  const kinds = tokens.map((token) => KINDS.find(([kind]) => kind.test(token))?.[1] ?? quoted(token));
  const rank = (kind: string): number => [/^[^"]/, /^"\W/, /^"\w/].findIndex((each) => each.test(kind));
  return [...new Set(kinds)].sort((a, b) => rank(a) - rank(b));
}

function listOf(expected: readonly string[]): string {
  if (expected.length > MAX_EXPECTED) return `${expected.slice(0, MAX_EXPECTED).join(", ")} or others`;
  return new Intl.ListFormat("en-GB", { type: "disjunction" }).format(expected);
}

/** The position of the first occurrence of a whole word; `undefined` if there is none. */
function placeOf(text: string, word: string): TextPosition | undefined {
  const escaped = word.replace(/[^\w\s]/g, "\\$&");
  const at = text.search(new RegExp(`(?<![\\w?])${escaped}${/\w$/.test(word) ? "\\b" : ""}`));
  return at === -1 ? undefined : positionAt(text, at);
}
