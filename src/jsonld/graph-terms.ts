/** The terms of a record graph, made of what a document's values say. What would be lost is collected. */
import { entryOf } from "../base/entries.js";
import { quoted } from "../base/shortened.js";
import type { RecordGraphBuilder } from "../rdf/record-graph.js";
import { hasScheme, iriProblem } from "../rdf/terms.js";
import type { LossCollector } from "./loss.js";
import { type Native, nativeToLiteral } from "./native.js";

/** Language tags as N-Triples has them. */
const LANGUAGE_TAG = /^[A-Za-z]+(?:-[A-Za-z0-9]+)*$/;

/** The terms of one document. Each method gives a term's number, or -1 where the value was lost and said so. */
export class GraphTerms {
  #blankCount = 0;
  readonly #labels = new Map<string, number>();

  constructor(
    readonly builder: RecordGraphBuilder,
    readonly losses: LossCollector,
  ) {}

  /** A blank node that no label names. */
  newBlank(): number {
    return this.builder.blank(`b${this.#blankCount++}`);
  }

  text(value: string, datatype: string | undefined, language: string): number {
    if (!value.isWellFormed()) return this.#lost("has half of a surrogate pair, which is no character");
    if (language !== "" && !LANGUAGE_TAG.test(language)) {
      return this.#lost(`has the language ${quoted(language)}, which is no language tag`);
    }
    return this.builder.literal(value, datatype, language);
  }

  native(value: Native, datatype: string | undefined): number {
    const literal = nativeToLiteral(value, datatype);
    return this.builder.literal(literal.value, literal.datatype);
  }

  /** An absolute IRI or blank node. */
  resource(iri: string, key: string | undefined): number {
    if (iri.startsWith("_:")) return entryOf(this.#labels, iri, () => this.newBlank());
    const problem = iriProblem(iri);
    if (problem === undefined) return this.builder.iri(iri);
    return this.#lost(idProblem(iri, problem), key);
  }

  #lost(problem: string, key?: string): -1 {
    // The algorithms drop such a value in silence, and each in its own way.
    this.losses.refuse(problem, key);
    return -1;
  }
}

/** The problem of an illegal id, and what to do about it. */
export function idProblem(iri: string, problem: string): string {
  if (!hasScheme(iri) && !iri.startsWith("_:")) {
    return `${quoted(iri)} is relative: give --base-url to resolve it`;
  }
  return `${quoted(iri)} ${problem}`;
}
