/** The terms of a record graph, made from a document's values. Losses are collected. */
import { entryOf } from "../base/entries.js";
import { quoted } from "../base/shortened.js";
import type { RecordGraphBuilder } from "../rdf/record-graph.js";
import { iriProblem, isLanguageTag } from "../rdf/terms.js";
import { DocumentError, type LossCollector } from "./loss.js";
import { hasBeyondDoubles, type Native, nativeToLiteral } from "./native.js";

/** The most characters in the terms of a document, about as many as a graph may have as N-Triples. A long prefix makes them out of a few. */
const MAX_LENGTH = 256 * 2 ** 20;

/** The terms of one document. Each method returns a term's number, or -1 when the value was lost, which is then recorded. */
export class GraphTerms {
  #blankCount = 0;
  readonly #labels = new Map<string, number>();

  constructor(
    readonly builder: RecordGraphBuilder,
    readonly losses: LossCollector,
  ) {}

  /** A new blank node, which no label names. */
  newBlank(): number {
    return this.builder.blank(`b${this.#blankCount++}`);
  }

  text(value: string, datatype: string | undefined, language: string): number {
    this.#checkLength();
    if (!value.isWellFormed()) return this.#lost("has half of a surrogate pair, which is not a character");
    if (language !== "" && !isLanguageTag(language))
      return this.#lost(`has the language ${quoted(language)}, which is not a language tag`);
    return this.builder.literal(value, datatype, language);
  }

  native(value: Native, datatype: string | undefined): number {
    const advice = "correct it, or write it as a text where one is allowed";
    if (hasBeyondDoubles(value))
      return this.#lost(`is a number too large or too small for any reader of JSON: ${advice}`);
    const literal = nativeToLiteral(value, datatype);
    return this.builder.literal(literal.value, literal.datatype);
  }

  /** The term of an absolute IRI or a blank node label. */
  resource(iri: string, key: string | undefined): number {
    this.#checkLength();
    if (iri.startsWith("_:")) return entryOf(this.#labels, iri, () => this.newBlank());
    const problem = iriProblem(iri);
    if (problem === undefined) return this.builder.iri(iri);
    return this.#lost(idProblem(iri, problem), key);
  }

  #checkLength(): void {
    if (this.builder.length <= MAX_LENGTH) return;
    throw new DocumentError([{ path: "", problem: `has more than ${MAX_LENGTH / 2 ** 20} MiB of IRIs and texts` }]);
  }

  #lost(problem: string, key?: string): -1 {
    // The JSON-LD algorithms drop such a value silently, each in its own way.
    this.losses.refuse(problem, key);
    return -1;
  }
}

/** The problem with an illegal id, and what to do about it. */
export function idProblem(iri: string, problem: string): string {
  const isRelative = problem.startsWith("is not absolute");
  return `${quoted(iri)} ${isRelative ? "is relative: give --base-url to resolve it" : problem}`;
}
