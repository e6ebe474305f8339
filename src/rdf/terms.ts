/** RDF terms: IRIs, blank nodes and literals, as flat objects that are cheap by the million (RDF 1.1 Concepts, section 3). */

/** One RDF term. All kinds have the same fields, so that code over millions of terms stays monomorphic; `datatype` and `language` are empty except in literals. */
export interface Term {
  /** A name of RDF/JS; `NamedNode` is its word for an IRI. */
  readonly termType: "NamedNode" | "BlankNode" | "Literal";
  /** The IRI, the blank node's label without `_:`, or the literal's lexical form. */
  readonly value: string;
  /** The datatype's IRI; `rdf:langString` for a language-tagged string. */
  readonly datatype: string;
  /** The language tag as written, or the empty string. */
  readonly language: string;
}

export const RDF_NAMESPACE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
export const XSD_NAMESPACE = "http://www.w3.org/2001/XMLSchema#";

export const RDF = {
  type: `${RDF_NAMESPACE}type`,
  first: `${RDF_NAMESPACE}first`,
  rest: `${RDF_NAMESPACE}rest`,
  nil: `${RDF_NAMESPACE}nil`,
  langString: `${RDF_NAMESPACE}langString`,
  JSON: `${RDF_NAMESPACE}JSON`,
} as const;

export const XSD = {
  string: `${XSD_NAMESPACE}string`,
  boolean: `${XSD_NAMESPACE}boolean`,
  integer: `${XSD_NAMESPACE}integer`,
  decimal: `${XSD_NAMESPACE}decimal`,
  double: `${XSD_NAMESPACE}double`,
  float: `${XSD_NAMESPACE}float`,
  dateTime: `${XSD_NAMESPACE}dateTime`,
  date: `${XSD_NAMESPACE}date`,
  gYearMonth: `${XSD_NAMESPACE}gYearMonth`,
  gYear: `${XSD_NAMESPACE}gYear`,
  nonNegativeInteger: `${XSD_NAMESPACE}nonNegativeInteger`,
  hexBinary: `${XSD_NAMESPACE}hexBinary`,
} as const;

/** The datatypes of numbers (XSD 1.1, Part 2, 3.3 and 3.4). */
export const NUMBER_DATATYPES: ReadonlySet<string> = new Set(
  (
    "decimal double float integer long int short byte nonNegativeInteger positiveInteger nonPositiveInteger " +
    "negativeInteger unsignedLong unsignedInt unsignedShort unsignedByte"
  )
    .split(" ")
    .map((name) => XSD_NAMESPACE + name),
);

export const RDFS_LABEL = "http://www.w3.org/2000/01/rdf-schema#label";

/**
 * An IRI.
 * @example
 * iri("urn:x").termType; // => "NamedNode"
 */
export function iri(value: string): Term {
  return { termType: "NamedNode", value, datatype: "", language: "" };
}

/**
 * A blank node; `label` without the leading `_:`.
 * @example
 * blank("b0").value; // => "b0"
 */
export function blank(label: string): Term {
  return { termType: "BlankNode", value: label, datatype: "", language: "" };
}

/**
 * A literal. Its datatype is `rdf:langString` if it has a language tag, and `xsd:string` if neither is given.
 * @example
 * literal("Delft").datatype; // => "http://www.w3.org/2001/XMLSchema#string"
 */
export function literal(value: string, datatype: string = XSD.string, language = ""): Term {
  return { termType: "Literal", value, datatype: language === "" ? datatype : RDF.langString, language };
}

/** An `xsd:integer` literal. */
export function integer(number: number): Term {
  return literal(String(number), XSD.integer);
}

/**
 * The canonical form of an `xsd:decimal` (XML Schema 1.0 Datatypes, 3.2.3.2). Other texts are returned unchanged.
 * @example
 * ["+007.50", ".5", "0", "1e5"].map(canonicalDecimal); // => ["7.5", "0.5", "0.0", "1e5"]
 */
export function canonicalDecimal(value: string): string {
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(value)) return value;
  const [, sign, whole, fraction = ""] = /^([+-]?)0*(\d*)\.?(\d*[1-9])?0*$/.exec(value)!;
  if (whole === "" && fraction === "") return "0.0";
  return `${sign === "-" ? "-" : ""}${whole || "0"}.${fraction || "0"}`;
}

/** Whether a text is a language tag as N-Triples and Turtle define them. */
export function isLanguageTag(text: string): boolean {
  return /^[A-Za-z]+(?:-[A-Za-z0-9]+)*$/.test(text);
}

/** The primary language of a tag, without script and region: `en` for `en-GB`. */
export function primaryTag(tag: string): string {
  return tag.split("-", 1)[0]!.toLowerCase();
}

/** The name of a node: its IRI, or its blank node label with `_:`. */
export function nodeName({ termType, value }: Term): string {
  return termType === "BlankNode" ? `_:${value}` : value;
}

/** Characters that no IRI may contain (RFC 3987; the IRIREF production of N-Triples). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what the production excludes
const ILLEGAL_IN_IRI = /[\u0000-\u0020<>"{}|\\^`]/;

/** Whether an IRI has two `#`, which the grammar of N-Triples and Turtle allows, but that of IRIs does not. */
export function hasTwoFragments(value: string): boolean {
  return value.indexOf("#") !== value.lastIndexOf("#");
}

/**
 * Why `value` is not an absolute IRI, for the person who wrote it, or `undefined` if it is one (RFC 3987, 2.2).
 * @example
 * iriProblem("http://a.example/x"); // => undefined
 * iriProblem("http://a.example/a b") !== undefined; // => true
 */
export function iriProblem(value: string): string | undefined {
  if (value === "") return "is empty";
  const illegal = ILLEGAL_IN_IRI.exec(value);
  const advice = illegal?.[0] === " " ? ": write %20 for a space" : "";
  const hint = illegal && value.trim() !== value ? ": remove the white space around it" : advice;
  if (illegal !== null) return `has the character ${JSON.stringify(illegal[0])}, which no IRI may contain${hint}`;
  if (hasTwoFragments(value)) return "has two #, and an IRI may have only one";
  if (!hasScheme(value)) return "is not absolute: it has no scheme such as https:";
  return undefined;
}

/**
 * Whether `value` starts with an IRI scheme (RFC 3986, 3.1).
 * @example
 * ["urn:x", "object/1"].map(hasScheme); // => [true, false]
 */
export function hasScheme(value: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:/.test(value);
}
