/** The languages that the texts of a record are said to be in. */
import { LANGUAGE_CODES } from "../model/vocabulary/languages.js";
import { propertyIri } from "../model/vocabulary/vocabulary.js";
import { numberOfIri, type RecordGraph, valuesOf } from "../rdf/record-graph.js";
import { primaryTag } from "../rdf/terms.js";

const LANGUAGE = propertyIri("language")!;
const NOTATION = propertyIri("notation")!;

export const NO_LANGUAGES: readonly string[] = [];

/** The codes of the languages that a record's texts say. */
export function languagesIn(graph: RecordGraph): readonly string[] {
  const { terms, triples } = graph;
  const predicate = numberOfIri(graph, LANGUAGE);
  const codes = new Set<string>();
  for (const term of terms)
    if (term.termType === "Literal" && term.language !== "") codes.add(primaryTag(term.language));
  const named = new Set<number>();
  for (let at = 1; predicate !== -1 && at < triples.length; at += 3)
    if (triples[at] === predicate) named.add(triples[at + 1]!);
  for (const code of codesOf(graph, [...named])) codes.add(code);
  return codes.size === 0 ? NO_LANGUAGES : [...codes];
}

/** The codes of languages: as they say, or by the Thesaurus. */
export function codesOf(graph: RecordGraph, languages: readonly number[]): string[] {
  return languages.flatMap((language) => {
    const [notation] = valuesOf(graph, language, NOTATION);
    const code = notation ?? LANGUAGE_CODES[graph.terms[language]!.value.split("/").at(-1) ?? ""];
    return code === undefined ? [] : [primaryTag(code)];
  });
}
