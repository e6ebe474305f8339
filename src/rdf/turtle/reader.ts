/** The streaming reader of Turtle and TriG (RDF 1.1): the n3 library, with the place of every error. */
import { library } from "../../base/lazily.js";
import { quoted } from "../../base/shortened.js";
import { BlockReader, MAX_LINE_BYTES } from "../ntriples/line-blocks.js";
import { resolveIri } from "../resolve.js";
import { type ReadingOptions, type StatementSink, TermStatement } from "../statement.js";
import { type InputPlace, positionAt, SyntaxProblem } from "../syntax-problem.js";
import { blank, hasScheme, iri, literal, RDF, type Term } from "../terms.js";

const loadN3 = library<typeof import("n3")>("n3");

/** A token as n3's lexer passes it to the parser; columns are UTF-16 code units from 0. n3's type declarations lack it. */
interface Token {
  readonly type: string;
  value: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** The last line of a string that spans several. */
  readonly endLine?: number;
}

/** An error of n3, whose message ends in `on line 3.` */
interface ParserError extends Error {
  readonly context?: { readonly line: number; readonly token?: Token; readonly previousToken?: Token };
}

/** The part of n3's parser that is used. It is fed through the listeners and calls back synchronously. */
interface TokenParser {
  parse(
    input: { on(event: "data" | "end" | "error", listener: (text: string) => void): void },
    callbacks: {
      onQuad(error: ParserError | null, quad: TermStatement | null): void;
      onToken(token: Token): void;
    },
  ): void;
}

/** Tokens of RDF 1.2 that n3 accepts in Turtle and TriG, and their names. */
const RDF_1_2: ReadonlyMap<string, string> = new Map([
  ["<<", "a reified triple"],
  ["<<(", "a triple term"],
  ["{|", "an annotation"],
  ["~", "a reifier"],
  ["dircode", "a base direction"],
  ["VERSION", "a version"],
  ["@version", "a version"],
]);

/** The beginning of an IRI with a malformed scheme. A relative reference cannot begin like this (path-noscheme in RFC 3986). */
const COLON_IN_FIRST_SEGMENT = /^[^/?#]*:/;

/** Hints on text that is not a token, by the type of the token before it and the text itself. Prefixed names must write a slash as `\/` (PN_LOCAL_ESC in Turtle). */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^langcode _/, ": write language tags with hyphens"],
  [/^\S* [^<>"'#/:]*:[^<>"'#]*\//, ": write the slash of a prefixed name as \\/, or the whole IRI between < and >"],
];

/**
 * A push reader of Turtle or TriG. The line of a statement is the line on which its sentence, up to the full stop, begins.
 * @example
 * const subjects: string[] = [];
 * const reader = new TurtleReader({ source: "x.ttl", format: "turtle" }, (statement) => void subjects.push(statement.subject().value));
 * reader.push(Buffer.from("@prefix a: <urn:a:> . a:x a:p 1, 2 ."));
 * reader.end();
 * subjects; // => ["urn:a:x", "urn:a:x"]
 */
export class TurtleReader extends BlockReader {
  readonly #statement = new TermStatement();
  readonly #listeners = new Map<string, (text: string) => void>();
  #base: string | undefined;
  #blanks = 0;
  #problem: SyntaxProblem | undefined;
  /** The text of the last chunk and of the chunk before it, since a token may span both, and the line on which the earlier one begins. */
  #text = "";
  #textLine = 1;
  #previousText = "";
  #lines = 0;
  /** The number of characters read since the last token. */
  #tokenLength = 0;
  #previousToken: Token | undefined;
  #isInGraph = false;
  #statementLine = 1;
  /** The token type that the current statement begins with; `undefined` before it begins. */
  #statementStart: string | undefined;

  constructor(
    private readonly options: ReadingOptions & { readonly format: "turtle" | "trig" },
    private readonly sink: StatementSink,
  ) {
    super();
    this.#base = options.baseIri;
    const { Parser } = loadN3();
    const parser = new Parser({
      format: options.format === "trig" ? "application/trig" : "text/turtle",
      // Generated labels begin with `b` and labels of the text with `l`, so that they never clash.
      blankNodePrefix: "_:l",
      factory: this.#factory(),
    } as unknown as ConstructorParameters<typeof Parser>[0]) as unknown as TokenParser;
    parser.parse(
      { on: (event, listener) => this.#listeners.set(event, listener) },
      {
        onQuad: (error, quad) => {
          if (error !== null) this.#problem = this.#problemOf(error);
          else if (quad !== null) this.sink(quad);
        },
        onToken: (token) => this.#token(token),
      },
    );
  }

  override end(): void {
    super.end();
    this.#emit("end", "");
  }

  protected read(lines: Buffer, inputEnd: number): void {
    this.#previousText = this.#text;
    this.#textLine = this.#lines + 1 - countLines(this.#previousText);
    this.#text = lines.toString("utf8", 0, inputEnd);
    this.#tokenLength += this.#text.length;
    this.#emit("data", this.#text);
    this.#lines += countLines(this.#text);
    if (this.#tokenLength > MAX_LINE_BYTES) {
      const { line } = this.#previousToken ?? { line: 1 };
      this.#fail({ line }, `text of more than ${MAX_LINE_BYTES / 1024 / 1024} MiB without the end of a token`);
    }
  }

  protected failAtLine(problem: string): never {
    this.#fail({ line: this.#lines + 1 }, problem);
  }

  #emit(event: "data" | "end", text: string): void {
    try {
      this.#listeners.get(event)!(text);
    } finally {
      // After some errors, n3 continues and throws another one. The error that it reported first is the right one.
      // biome-ignore lint/correctness/noUnsafeFinally: it replaces the other error on purpose
      if (this.#problem !== undefined) throw this.#problem;
    }
  }

  /** The data factory through which n3 creates Vitrine's terms. */
  #factory(): object {
    return {
      namedNode: iri,
      blankNode: (label?: string) => blank(label ?? `b${this.#blanks++}`),
      literal: (value: string, detail?: string | Term) =>
        typeof detail === "string" ? literal(value, RDF.langString, detail) : literal(value, detail?.value),
      defaultGraph: () => undefined,
      quad: (subject: Term, predicate: Term, object: Term, graph: Term | undefined) =>
        this.#statement.set(this.#statementLine, subject, predicate, object, graph),
    };
  }

  /** Check and follow a token before the parser sees it. */
  #token(token: Token): void {
    this.#tokenLength = 0;
    this.#checkToken(token);
    if (token.type === "IRI" || token.type === "typeIRI") this.#iriToken(token);
    this.#followStatement(token);
    this.#previousToken = token;
  }

  /** Refuse what n3 accepts although RDF 1.1 does not have it. */
  #checkToken(token: Token): void {
    const { type } = token;
    const newer = RDF_1_2.get(type);
    if (newer !== undefined) this.#fail(placeOf(token), `${newer} is RDF 1.2; the records are RDF 1.1`);
    if ((type === "type" || type === "typeIRI") && this.#previousToken?.type !== "literal")
      this.#fail(placeOf(token), 'expected a literal before "^^"');
    if ((type === "{" || type === "GRAPH") && this.#isInGraph)
      this.#fail(placeOf(token), "a graph inside another graph");
    if (type === "{") this.#isInGraph = true;
    if (type === "}") this.#isInGraph = false;
  }

  /** Make an IRI absolute. n3 has checked its characters. An IRI that is too long is cut, which bounds the memory of prefixes and the base; the sink recognizes it by its length. */
  #iriToken(token: Token): void {
    if (!hasScheme(token.value)) token.value = this.#resolve(token);
    token.value = token.value.slice(0, this.options.maxIriLength);
    const { type } = this.#previousToken ?? { type: "" };
    if (type === "@base" || type === "BASE") this.#base = token.value;
  }

  #resolve(token: Token): string {
    const { value } = token;
    if (COLON_IN_FIRST_SEGMENT.test(value)) this.#fail(placeOf(token), `the IRI <${value}> has no valid scheme`);
    if (this.#base !== undefined) return resolveIri(this.#base, value);
    return this.#fail(placeOf(token), `the IRI <${value}> is relative: give --base-url to resolve it`);
  }

  /** Track the line on which the current statement begins. */
  #followStatement(token: Token): void {
    const { type } = token;
    if (this.#statementStart === undefined) {
      this.#statementLine = token.line;
      this.#statementStart = type;
    }
    // Directives in SPARQL's form end with their IRI, without a full stop.
    const isSparqlDirective = this.#statementStart === "PREFIX" || this.#statementStart === "BASE";
    if (type === "." || type === "{" || type === "}" || (type === "IRI" && isSparqlDirective))
      this.#statementStart = undefined;
  }

  #problemOf(error: ParserError): SyntaxProblem {
    const { line, token, previousToken } = error.context ?? { line: this.#lines + 1 };
    const problem = error.message.replace(/ on line \d+\.$/, "");
    if (token !== undefined) {
      const found = token.type === "eof" ? "the end of the input" : quoted(token.value || token.type);
      return new SyntaxProblem(this.options.source, placeOf(token), inWords(problem, found));
    }
    const [, unexpected = ""] = /^Unexpected "(.*)"$/s.exec(problem) ?? [];
    const column = this.#columnOf(unexpected, line, previousToken);
    const [, hint = ""] = HINTS.find(([pattern]) => pattern.test(`${previousToken?.type} ${unexpected}`)) ?? [];
    return new SyntaxProblem(this.options.source, { line, column }, inWords(problem, quoted(unexpected)) + hint);
  }

  /** The column of text that is not a token: n3 gives only its line. */
  #columnOf(text: string, line: number, previousToken: Token | undefined): number | undefined {
    if (text === "" || line < this.#textLine) return undefined;
    const lines = (this.#previousText + this.#text).split(/\r\n|\r|\n/, line - this.#textLine + 1);
    const content = lines[line - this.#textLine];
    const isOnSameLine = previousToken !== undefined && (previousToken.endLine ?? previousToken.line) === line;
    const at = content?.indexOf(text, isOnSameLine ? previousToken.end : 0) ?? -1;
    return at === -1 ? undefined : positionAt(content!, at).column;
  }

  #fail(position: InputPlace, problem: string): never {
    throw new SyntaxProblem(this.options.source, position, problem);
  }
}

function placeOf(token: Token): InputPlace {
  return { line: token.line, column: token.start + 1 };
}

function countLines(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}

/** Plainer words for some messages of n3. */
const MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/^Expected punctuation to follow /, 'expected ".", ";" or "," after the object'],
  [/^Expected entity but got /, "expected an IRI, a prefixed name or a blank node"],
  [/^Expected predicate but got /, "expected the predicate"],
  [/^Expected graph but got /, 'expected a graph: "{"'],
  [/^Unexpected graph/, "expected no graph in Turtle (--format trig reads TriG, --format jsonld JSON)"],
  [/^Unexpected "</, "an IRI that is not closed, or with a character that no IRI may contain"],
  [/^Unexpected "["']/, "a string that is not closed, or with an escape sequence that does not exist"],
  [/^Unexpected "/, "expected a term or punctuation"],
];

function inWords(message: string, found: string): string {
  const [, problem] = MESSAGES.find(([pattern]) => pattern.test(message)) ?? [];
  return problem === undefined ? message.charAt(0).toLowerCase() + message.slice(1) : `${problem}, found ${found}`;
}
