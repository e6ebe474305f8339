/** Publishable terms: those that every format, index and engine accepts. The grammars of some readers allow more. */
import { entryOf } from "../base/entries.js";
import { lazily } from "../base/lazily.js";
import type { RecordGraph } from "./record-graph.js";
import { hasTwoFragments, iriProblem, RDF, RDF_NAMESPACE, type Term } from "./terms.js";

/** A string with a language and a direction (RDF 1.2), which a term of RDF 1.1 cannot represent. */
const DIR_LANG_STRING = `${RDF_NAMESPACE}dirLangString`;

/** A subtag of a language tag has at most eight characters (BCP 47, 2.1), and readers of Turtle enforce that. */
const LONG_SUBTAG = /[A-Za-z0-9]{9}/;

/** Why a term cannot be published, as a predicate that follows its name in a message, or `undefined` (RDF 1.1 Concepts, 3.3). */
function unpublishable({ termType, value, datatype, language }: Term): string | undefined {
  if (!value.isWellFormed()) return "has half of a surrogate pair, which is not a character";
  if (termType === "NamedNode" && hasTwoFragments(value)) return iriProblem(value);
  if (hasTwoFragments(datatype)) return `has the datatype <${datatype}>, which ${iriProblem(datatype)}`;
  if (LONG_SUBTAG.test(language))
    return `has the language ${language} with a subtag of more than 8 characters (BCP 47)`;
  if (datatype === RDF.langString && language === "")
    return "has the datatype rdf:langString and no language: give it a language tag, or no datatype";
  if (datatype === DIR_LANG_STRING) return "has the datatype rdf:dirLangString, which RDF 1.1 does not have";
  return undefined;
}

export interface RefusedTerm {
  readonly term: Term;
  /** The property whose value it is; `undefined` for a term that is not an object. */
  readonly property: string | undefined;
  readonly problem: string;
}

/**
 * The terms of a record that cannot be published.
 * @example
 * import { RecordGraphBuilder } from "#rdf/record-graph";
 * const builder = new RecordGraphBuilder("urn:x");
 * builder.add(builder.iri("urn:x"), builder.iri("urn:p"), builder.literal("\ud800"));
 * refusedTerms(builder.build()).map(({ property }) => property); // => ["urn:p"]
 */
export function refusedTerms(graph: RecordGraph): readonly RefusedTerm[] {
  const properties = lazily(() => firstProperties(graph));
  const refused: RefusedTerm[] = [];
  for (const [number, term] of graph.terms.entries()) {
    const problem = unpublishable(term);
    if (problem !== undefined) refused.push({ term, property: properties().get(number), problem });
  }
  return refused;
}

/** The first property of each term that is an object. */
function firstProperties({ terms, triples }: RecordGraph): ReadonlyMap<number, string> {
  const properties = new Map<number, string>();
  for (let at = 0; at < triples.length; at += 3)
    entryOf(properties, triples[at + 2]!, () => terms[triples[at + 1]!]!.value);
  return properties;
}
