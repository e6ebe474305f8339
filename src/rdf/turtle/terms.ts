/** Terms as Turtle writes them: prefixed names, abbreviated numbers, long strings (RDF 1.1 Turtle, sections 2.4 and 2.5). */
import { entryOf } from "../../base/entries.js";
import { CHARACTER_ESCAPES } from "../characters.js";
import { type Term, XSD } from "../terms.js";

/** Namespaces by prefix, without the colon. */
export type Prefixes = Readonly<Record<string, string>>;

/** Local names that every Turtle parser reads without escapes: PN_LOCAL of ASCII letters, digits, `_` and, after the first, `-` and `.` (not last). IRIs with others are written in full. */
const SIMPLE_LOCAL_NAME = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?$/;

/** The lexical forms that are written without quotation marks; other literals of these datatypes are quoted. */
const ABBREVIATED: ReadonlyMap<string, RegExp> = new Map([
  [XSD.integer, /^[+-]?\d+$/],
  [XSD.decimal, /^[+-]?\d+\.\d+$/],
  [XSD.double, /^[+-]?\d+(?:\.\d+)?[eE][+-]?\d+$/],
  [XSD.boolean, /^(?:true|false)$/],
]);

const NAMED_ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries(CHARACTER_ESCAPES).map(([letter, character]) => [character, `\\${letter}`]),
);

/** Quotation marks, backslashes and invisible characters: control characters, separators, the byte order mark. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
const ESCAPED = /["\\\u0000-\u001F\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g;

/** In a long string, newlines and tabs are not escaped, and quotation marks only before another one or at the end. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
const ESCAPED_IN_LONG = /"(?="|$)|[\\\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g;

/** Formats IRIs and literals, and records which prefixes it used. */
export class TurtleTerms {
  /** Longest namespace first, so that the most specific one is found. */
  readonly #namespaces: readonly (readonly [prefix: string, namespace: string])[];
  readonly #used = new Set<string>();
  readonly #names = new Map<string, string>();

  constructor(readonly prefixes: Prefixes) {
    this.#namespaces = Object.entries(prefixes).sort(([, a], [, b]) => b.length - a.length);
  }

  /** A directive for each used prefix, one to a line, in the table's order. */
  directives(): string {
    return Object.entries(this.prefixes)
      .filter(([prefix]) => this.#used.has(prefix))
      .map(([prefix, namespace]) => `@prefix ${prefix}: <${namespace}> .\n`)
      .join("");
  }

  iri(value: string): string {
    return entryOf(this.#names, value, () => this.#prefixedName(value) ?? `<${value}>`);
  }

  literal({ value, datatype, language }: Term): string {
    if (ABBREVIATED.get(datatype)?.test(value) === true) return value;
    const quoted = value.includes("\n")
      ? `"""${value.replace(ESCAPED_IN_LONG, escapeCharacter)}"""`
      : `"${value.replace(ESCAPED, escapeCharacter)}"`;
    if (language !== "") return `${quoted}@${language}`;
    return datatype === XSD.string ? quoted : `${quoted}^^${this.iri(datatype)}`;
  }

  #prefixedName(value: string): string | undefined {
    for (const [prefix, namespace] of this.#namespaces) {
      if (!value.startsWith(namespace)) continue;
      const local = value.slice(namespace.length);
      if (!SIMPLE_LOCAL_NAME.test(local)) continue;
      this.#used.add(prefix);
      return `${prefix}:${local}`;
    }
    return undefined;
  }
}

/** A character as Turtle and N-Triples escape it. */
export function escapeCharacter(character: string): string {
  return NAMED_ESCAPES.get(character) ?? `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}
