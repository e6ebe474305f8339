/** The languages of texts, and the form that labels are sorted by: folded, without a leading article of their language. */
import { CONTENT, NAMED_BY } from "../model/search-paths.js";
import { LANGUAGE_CODES } from "../model/vocabulary/languages.js";
import { propertyIri } from "../model/vocabulary/vocabulary.js";
import { numberOfIri, objectsOf, type RecordGraph, rootOf, valuesOf } from "../rdf/record-graph.js";
import { primaryTag } from "../rdf/terms.js";
import { foldedForm } from "./forms.js";

/** Articles in folded form, by language. */
const ARTICLES: Readonly<Record<string, string>> = {
  da: "den det de en et",
  de: "der die das den dem des ein eine",
  en: "the a an",
  es: "el la los las un una",
  fr: "le la les l un une",
  it: "il lo la i gli le l un uno una",
  nl: "de het een t",
  no: "den det de en et",
  pt: "o a os as um uma",
  sv: "den det de en ett",
};
const ANY_ARTICLE = new Set(Object.values(ARTICLES).flatMap((articles) => articles.split(" ")));

/** The language of labels that state none: that of the pages. */
const DEFAULT_LANGUAGE = "en";

const LANGUAGE = propertyIri("language")!;
const NOTATION = propertyIri("notation")!;

/**
 * The form that a record's label is sorted by in lists.
 * @example
 * sortForm("“The Kiss”", () => "en"); // => "kiss"
 * sortForm("Die Kuss", () => "en"); // => "die kuss"
 */
export function sortForm(label: string, languageOf: () => string | undefined): string {
  return withoutArticle(foldedForm(label), languageOf);
}

/** The form of a label without a leading article of its language. */
export function withoutArticle(form: string, languageOf: () => string | undefined): string {
  const end = form.indexOf(" ");
  const first = form.slice(0, Math.max(0, end));
  if (!ANY_ARTICLE.has(first)) return form;
  const articles = ARTICLES[(languageOf() ?? DEFAULT_LANGUAGE).slice(0, 2).toLowerCase()];
  return articles?.split(" ").includes(first) ? form.slice(end + 1) : form;
}

/** The language of the name that is a record's label, if it is stated. */
export function languageOfLabel(graph: RecordGraph, label: string): string | undefined {
  const names = [...NAMED_BY].flatMap((predicate) => objectsOf(graph, rootOf(graph), predicate));
  for (const name of names) {
    const content = objectsOf(graph, name, CONTENT).find((each) => graph.terms[each]!.value === label);
    if (content === undefined) continue;
    const tag = graph.terms[content]!.language;
    const [code] = tag === "" ? codesOf(graph, objectsOf(graph, name, LANGUAGE)) : [tag];
    if (code !== undefined) return code;
  }
  return undefined;
}

export const NO_LANGUAGES: readonly string[] = [];

/** The codes of the languages that a record's texts state. */
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

/** The codes of languages: their `notation`, or else that of their IRI in the Getty thesaurus. */
export function codesOf(graph: RecordGraph, languages: readonly number[]): string[] {
  return languages.flatMap((language) => {
    const [notation] = valuesOf(graph, language, NOTATION);
    const code = notation ?? LANGUAGE_CODES.get(graph.terms[language]!.value.split("/").at(-1)!);
    return code === undefined ? [] : [primaryTag(code)];
  });
}
