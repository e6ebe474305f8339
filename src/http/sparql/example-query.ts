/** A reader of example queries: Turtle files with one query each, in the convention of SIB's sparql-examples. */
import { RefusalError } from "../../base/named-error.js";
import { TurtleReader } from "../../rdf/turtle/reader.js";

const SHACL = "http://www.w3.org/ns/shacl#";
const SCHEMA = "https://schema.org/";
const RDFS = "http://www.w3.org/2000/01/rdf-schema#";
const OWN = "https://vitrine.example/queries/";
const QUERIES = ["select", "ask", "construct", "describe"].map((form) => SHACL + form);

/** The base URL of the sample collection. */
const SAMPLE = "http://localhost:3000/";

/** Reads the query in the content of a file, with the question that it answers. Throws `RefusalError` and `SyntaxProblem`. @param base the collection's base URL, which replaces the sample's */
export function exampleQuery(turtle: string, file: string, base = SAMPLE) {
  const values = new Map<string, string[]>();
  const reader = new TurtleReader({ source: file, format: "turtle" }, (triple) => {
    const property = triple.predicate().value;
    values.set(property, [...(values.get(property) ?? []), triple.object().value]);
  });
  const here = turtle.replaceAll(SAMPLE, () => base);
  reader.push(Buffer.from(here, "utf8"));
  reader.end();
  const all = (property: string): readonly string[] => values.get(property) ?? [];
  const first = (property: string): string => all(property)[0] ?? "";
  const texts = QUERIES.flatMap(all);
  const [text, ...more] = texts;
  if (text === undefined || more.length > 0)
    throw new RefusalError(`${file} has ${texts.length} queries (sh:select, sh:ask, sh:construct): it must have one`);
  /** An IRI in the query that a reader may replace, and a query for the possible IRIs in a collection: `?value`, and `?label` if there is one. */
  const parameter = {
    name: first(`${SHACL}name`),
    value: first(`${SHACL}defaultValue`),
    suggestions: first(`${OWN}suggestions`).trim(),
  };
  return {
    text,
    comment: first(`${RDFS}comment`),
    keywords: all(`${SCHEMA}keywords`),
    /** The properties that a collection needs for a result. */
    uses: all(`${OWN}uses`),
    ...(values.has(`${SHACL}parameter`) && { parameter }),
  };
}
