/** The reader of example queries: one a file in Turtle, in the convention of SIB's sparql-examples. */
import { RefusalError } from "../../base/named-error.js";
import { TurtleReader } from "../../rdf/turtle/reader.js";

const SHACL = "http://www.w3.org/ns/shacl#";
const SCHEMA = "https://schema.org/";
const RDFS = "http://www.w3.org/2000/01/rdf-schema#";
const OWN = "https://vitrine.example/queries/";
const QUERIES = ["select", "ask", "construct", "describe"].map((form) => SHACL + form);

/** An IRI in the query that a reader puts another in the place of. */
interface ExampleParameter {
  readonly name: string;
  /** The IRI as it stands in the query. */
  readonly value: string;
  /** A query for what a collection has for it: `?value`, and a `?label` where there is one. */
  readonly suggestions: string;
}

export interface ExampleQuery {
  readonly text: string;
  /** The question that it asks, in a sentence. */
  readonly comment: string;
  readonly keywords: readonly string[];
  /** The properties without which a collection has no answer. */
  readonly uses: readonly string[];
  readonly parameter?: ExampleParameter;
}

/** The query in a file's content. Throws `RefusalError` and `SyntaxProblem`. */
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
