/** RDF as a tree of blocks, which shapes are written down as Turtle. */
import type { Term } from "../../rdf/terms.js";
import { type Prefixes, TurtleTerms } from "../../rdf/turtle/terms.js";

/** A value of a property: a term, a nested node without a name, or a list. */
export type TreeValue = Term | { readonly node: TreeProperties } | { readonly list: readonly TreeValue[] };

/** Properties by prefixed name (`a` is the class), in the order in which they are written. One without values is left out. */
export type TreeProperties = { readonly [name: string]: TreeValue | readonly TreeValue[] };

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
  return writtenProperties(properties, depth, terms).join(` ;\n${INDENT.repeat(depth)}`);
}

function writtenProperties(properties: TreeProperties, depth: number, terms: TurtleTerms): string[] {
  return Object.entries(properties).flatMap(([name, values]) => {
    const all = [values].flat();
    if (all.length === 0) return [];
    const [prefix = "", local] = name.split(":");
    const property = local === undefined ? name : terms.iri(terms.prefixes[prefix] + local);
    return [`${property} ${writeMany(all, depth, terms, " ,")}`];
  });
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
  const onOneLine = `[ ${writtenProperties(value.node, 0, terms).join(" ; ")} ]`;
  if (onOneLine.length < LINE_LENGTH - depth * INDENT.length && !onOneLine.includes("\n")) return onOneLine;
  return `[\n${INDENT.repeat(depth + 1)}${writeProperties(value.node, depth + 1, terms)}\n${INDENT.repeat(depth)}]`;
}
