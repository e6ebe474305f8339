/** RDF as a tree of blocks, which shapes are written down as Turtle. */
import { RDF, type Term } from "../../rdf/terms.js";
import { type Prefixes, TurtleTerms } from "../../rdf/turtle/terms.js";

/** A value of a property: a term, a nested node without a name, or a list. */
export type TreeValue = Term | { readonly node: TreeProperties } | { readonly list: readonly TreeValue[] };

/** Properties by IRI, in the order in which they are written. */
export type TreeProperties = readonly (readonly [predicate: string, ...values: TreeValue[]])[];

/** A named node with all that is said of it, and a comment for the reader of the file. */
export interface Block {
  readonly subject: string;
  readonly properties: TreeProperties;
  readonly comment?: string;
}

const INDENT = "    ";
const LINE_LENGTH = 116;

/** Blocks as Turtle after a heading of comment lines; of `prefixes` those are declared that are used. */
export function writeBlocks(heading: readonly string[], blocks: readonly Block[], prefixes: Prefixes): string {
  const terms = new TurtleTerms(prefixes);
  const written = blocks.map(({ subject, properties, comment }) => {
    const head = comment === undefined ? "" : `# ${comment}\n`;
    return `${head}${terms.iri(subject)}\n${INDENT}${writeProperties(properties, 1, terms)} .\n`;
  });
  const comments = heading.map((line) => `# ${line}\n`).join("");
  return [comments + terms.directives(), ...written].join("\n");
}

function writeProperties(properties: TreeProperties, depth: number, terms: TurtleTerms): string {
  return properties
    .map(([predicate, ...values]) => {
      const name = predicate === RDF.type ? "a" : terms.iri(predicate);
      return `${name} ${writeMany(values, depth, terms, " ,")}`;
    })
    .join(` ;\n${INDENT.repeat(depth)}`);
}

/** Values on one line where they fit, else a line each. */
function writeMany(values: readonly TreeValue[], depth: number, terms: TurtleTerms, separator: string): string {
  const written = values.map((value) => writeValue(value, depth, terms));
  const onOneLine = written.join(`${separator} `);
  const fits = onOneLine.length + depth * INDENT.length < LINE_LENGTH && !onOneLine.includes("\n");
  return fits || written.length === 1 ? onOneLine : written.join(`${separator}\n${INDENT.repeat(depth + 1)}`);
}

function writeValue(value: TreeValue, depth: number, terms: TurtleTerms): string {
  if ("termType" in value) return value.termType === "Literal" ? terms.literal(value) : terms.iri(value.value);
  if ("list" in value) return `( ${writeMany(value.list, depth + 1, terms, "")} )`;
  const onOneLine = `[ ${value.node.map(([predicate, ...values]) => `${terms.iri(predicate)} ${writeMany(values, 0, terms, " ,")}`).join(" ; ")} ]`;
  if (onOneLine.length < LINE_LENGTH - depth * INDENT.length && !onOneLine.includes("\n")) return onOneLine;
  return `[\n${INDENT.repeat(depth + 1)}${writeProperties(value.node, depth + 1, terms)}\n${INDENT.repeat(depth)}]`;
}
