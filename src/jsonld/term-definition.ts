/** Term definitions of JSON-LD contexts, with keywords and containers (JSON-LD 1.1, sections 1.7 and 9.15). */
import { NamedError } from "../base/named-error.js";
import type { Json } from "../rdf/record-graph.js";

/** A context that cannot be used. The message says why, for its author. */
export class ContextError extends NamedError {}

/** A term of an active context (JSON-LD 1.1 API, 4.2). */
export interface TermDefinition {
  readonly term: string;
  /** The IRI, or the keyword that the term is an alias of; `null` for a term that is mapped to null. */
  readonly iri: string | null;
  /** Whether the values are the subjects of the triples, and the node that has the term is their object. */
  readonly isReverse: boolean;
  /** `@id`, `@vocab`, `@json`, `@none` or a datatype's IRI; `undefined` without coercion. */
  readonly type: string | undefined;
  /** The language of strings; `null` for none, `undefined` for the default language. */
  readonly language: string | null | undefined;
  /** The base direction of strings; `null` and `undefined` as for the language. */
  readonly direction: string | null | undefined;
  readonly container: readonly string[];
  /** The property that the keys of an index map stand for; `undefined` for `@index` itself. */
  readonly index: string | undefined;
  /** The key under which values are nested. */
  readonly nest: string | undefined;
  /** The scoped context, unprocessed. */
  readonly context: Json | undefined;
  /** Whether the term can be the prefix of a compact IRI. */
  readonly isPrefix: boolean;
  readonly isProtected: boolean;
}

/** Strings in the form of a keyword, which terms must not have. */
export const KEYWORD_FORM = /^@[A-Za-z]+$/;

export const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "@base @container @context @default @direction @embed @explicit @graph @id @import @included @index @json " +
    "@language @list @nest @none @omitDefault @prefix @preserve @propagate @protected @requireAll @reverse @set " +
    "@type @value @version @vocab"
  ).split(" "),
);
