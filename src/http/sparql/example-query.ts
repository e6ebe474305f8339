/** A reader of example queries: Turtle files with one query each, in the convention of SIB's sparql-examples. */
import { RefusalError } from "../../base/named-error.js";
import { TurtleReader } from "../../rdf/turtle/reader.js";

const SHACL = "http://www.w3.org/ns/shacl#";
const SCHEMA = "https://schema.org/";
const RDFS = "http://www.w3.org/2000/01/rdf-schema#";
const OWN = "https://vitrine.example/queries/";
const QUERIES = ["select", "ask", "construct", "describe"].map((form) => SHACL + form);

export interface ExampleQuery {
  readonly text: string;
  /** The question that the query answers, in a sentence. */
  readonly comment: string;
  readonly keywords: readonly string[];
  /** The properties that a collection needs for a result. */
  readonly uses: readonly string[];
  /** An IRI in the query that a reader may replace. */
  readonly parameter?: {
    readonly name: string;
    /** The IRI as written in the query. */
    readonly value: string;
    /** A query for the possible IRIs in a collection: `?value`, and `?label` if there is one. */
    readonly suggestions: string;
  };
}

/** Reads the query in the content of a file. Throws `RefusalError` and `SyntaxProblem`. */
export function exampleQuery(turtle: string, file: string): ExampleQuery {
  const values = new Map<string, string[]>();
  const reader = new TurtleReader({ source: file, format: "turtle" }, (triple) => {
    const property = triple.predicate().value;
    values.set(property, [...(values.get(property) ?? []), triple.object().value]);
  });
  reader.push(Buffer.from(turtle, "utf8"));
  reader.end();
  const all = (property: string): readonly string[] => values.get(property) ?? [];
  const first = (property: string): string => all(property)[0] ?? "";
  const texts = QUERIES.flatMap(all);
  const [text, ...more] = texts;
  if (text === undefined || more.length > 0) {
    throw new RefusalError(`${file} has ${texts.length} queries (sh:select, sh:ask, sh:construct): it must have one`);
  }
  const parameter = {
    name: first(`${SHACL}name`),
    value: first(`${SHACL}defaultValue`),
    suggestions: first(`${OWN}suggestions`).trim(),
  };
  return {
    text,
    comment: first(`${RDFS}comment`),
    keywords: all(`${SCHEMA}keywords`),
    uses: all(`${OWN}uses`),
    ...(values.has(`${SHACL}parameter`) && { parameter }),
  };
}
