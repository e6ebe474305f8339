/** The vocabulary: the IRIs of class and property terms, including those that depend on the class. */
import { groupBy } from "../../base/entries.js";
import { CLASSES, type ClassName, FAMILIES, SCOPED_TERMS, type ScopedTerm } from "./classes.js";
import { PROPERTY_ROWS, type PropertyTerm } from "./properties.js";

/** The namespaces of the data model and their prefixes. */
export const PREFIXES = {
  crm: "http://www.cidoc-crm.org/cidoc-crm/",
  sci: "http://www.ics.forth.gr/isl/CRMsci/",
  rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
  rdfs: "http://www.w3.org/2000/01/rdf-schema#",
  dc: "http://purl.org/dc/elements/1.1/",
  dcterms: "http://purl.org/dc/terms/",
  schema: "http://schema.org/",
  skos: "http://www.w3.org/2004/02/skos/core#",
  foaf: "http://xmlns.com/foaf/0.1/",
  xsd: "http://www.w3.org/2001/XMLSchema#",
  dig: "http://www.ics.forth.gr/isl/CRMdig/",
  la: "https://linked.art/ns/terms/",
  archaeo: "http://www.cidoc-crm.org/cidoc-crm/CRMarchaeo/",
} as const;

/** A property term, whether or not its IRI depends on the class. */
export type PropertyName = PropertyTerm | ScopedTerm;

/** All property terms: first those that mean the same on every class, in the vocabulary's order, then the scoped ones. */
export const PROPERTY_NAMES: readonly PropertyName[] = [
  ...PROPERTY_ROWS.map(([term]) => term as PropertyTerm),
  ...SCOPED_TERMS,
];

export const CLASS_NAMES: readonly ClassName[] = CLASSES.map(([term]) => term);

const prefixes: ReadonlyMap<string, string> = new Map(Object.entries(PREFIXES));

const classIris: ReadonlyMap<string, string> = new Map(CLASSES.map(([term, iri]) => [term, expandIri(iri)]));

const classTerms: ReadonlyMap<string, ClassName> = new Map(CLASSES.map(([term, iri]) => [expandIri(iri), term]));

const propertyIris: ReadonlyMap<string, string> = new Map(
  PROPERTY_ROWS.map(([term, iri]) => [term, iri.includes("://") ? iri : expandIri(iri)]),
);

/** The IRIs of a family's terms, for each class with a family. */
const scopedIris: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  CLASSES.flatMap(([term, , family]) => {
    if (family === undefined) return [];
    const terms = Object.entries(FAMILIES[family]);
    return [[term, new Map(terms.map(([scoped, iri]) => [scoped, expandIri(iri)]))] as const];
  }),
);

/** The full IRI of a compact one, such as `crm:E53_Place`. Throws `RangeError` when its prefix is not one of {@link PREFIXES}. */
export function expandIri(compact: string): string {
  const colon = compact.indexOf(":");
  const namespace = prefixes.get(compact.slice(0, colon));
  if (colon < 0 || namespace === undefined) throw new RangeError(`${compact} has no prefix of the vocabulary`);
  return namespace + compact.slice(colon + 1);
}

/** Whether a property term stands for different IRIs on different classes. */
export function isScoped(term: string): boolean {
  return SCOPED_TERMS.some((each) => each === term);
}

/** The IRI of a class term, or `undefined` when the vocabulary has no such class. */
export function classIri(term: ClassName): string;
export function classIri(term: string): string | undefined;
export function classIri(term: string): string | undefined {
  return classIris.get(term);
}

/** The class term of an IRI, or `undefined` when the vocabulary has no such class. */
export function className(iri: string): ClassName | undefined {
  return classTerms.get(iri);
}

/** The IRI of a property term on a class, if it has one there: `part_of` is `crm:P89_falls_within` on a Place, and `crm:P46i_forms_part_of` on a HumanMadeObject. */
export function propertyIri(term: string, onClass?: string): string | undefined {
  return (onClass === undefined ? undefined : scopedIris.get(onClass)?.get(term)) ?? propertyIris.get(term);
}

const allTerms: ReadonlySet<string> = new Set([
  ...[...classTerms.keys(), ...propertyIris.values()],
  ...[...scopedIris.values()].flatMap((iris) => [...iris.values()]),
]);

/** The beginning of a CIDOC-CRM term, up to its code. */
const CODE = /^http:\/\/www\.(?:cidoc-crm\.org|ics\.forth\.gr)\/.*\/[A-Z]+\d+[a-z]?_/i;

/** The terms by these beginnings in lower case, since all IRIs of all records are looked up. */
const termsByCode = groupBy(allTerms, codeOf);

function codeOf(iri: string): string | undefined {
  return CODE.exec(iri)?.[0].toLowerCase();
}

/** What to say of an IRI that is no term of the data model but has the code (`E22`) of one, because it is misspelt or of another CIDOC-CRM; `undefined` of all others. */
export function misspeltTerm(iri: string): string | undefined {
  const code = allTerms.has(iri) ? undefined : codeOf(iri);
  const meant = code === undefined ? undefined : termsByCode.get(code);
  return meant && `the data model has no <${iri}>: write <${meant.join("> or <")}>`;
}

/** A term in camel case, as in the names of relations: `carried_out_by` becomes `carriedOutBy`. */
export function camelCase(term: string): string {
  return term.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
