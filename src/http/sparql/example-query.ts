/** Reads example queries: one a file in Turtle, in the convention of SIB's sparql-examples. */
import { TurtleReader } from "../../rdf/turtle-reader.js";

/** A file does not hold one query. */
export class ExampleError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ExampleError";
  }
}

const SHACL = "http://www.w3.org/ns/shacl#";
const SCHEMA = "https://schema.org/";
const RDFS = "http://www.w3.org/2000/01/rdf-schema#";
/** The properties that hold a query (SHACL-SPARQL). */
const QUERIES = ["select", "ask", "construct", "describe"].map((form) => SHACL + form);

export interface ExampleQuery {
  readonly text: string;
  /** What it asks, in a sentence. */
  readonly comment: string;
  readonly keywords: readonly string[];
}

/** The query in a file's content. Throws `ExampleError` and `SyntaxProblem`. */
export function exampleQuery(turtle: string, file: string): ExampleQuery {
  const texts: string[] = [];
  const keywords: string[] = [];
  let comment = "";
  const reader = new TurtleReader({ source: file, format: "turtle" }, (triple) => {
    const property = triple.predicate().value;
    const { value } = triple.object();
    if (QUERIES.includes(property)) texts.push(value);
    else if (property === `${SCHEMA}keywords`) keywords.push(value);
    else if (property === `${RDFS}comment`) comment = value;
  });
  reader.push(Buffer.from(turtle, "utf8"));
  reader.end();
  const [text, ...more] = texts;
  if (text === undefined || more.length > 0) {
    throw new ExampleError(`${file} has ${texts.length} queries (sh:select, sh:ask, sh:construct): it has to have one`);
  }
  return { text, comment, keywords };
}
