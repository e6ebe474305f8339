/** The writer of readable, deterministic Turtle and TriG (RDF 1.1). */
import { entryOf } from "../../base/entries.js";
import type { RecordGraph, SubjectIndex } from "../record-graph.js";
import { indexBySubject, mentionsIn, rootOf, subjectsOf } from "../record-graph.js";
import { RDF } from "../terms.js";
import { type Prefixes, TurtleTerms } from "./terms.js";

const INDENT = "    ";

/** Blank nodes nested more deeply get a label and a block of their own. */
const MAX_NESTING = 40;

/** Objects share a line if they fit in this many characters. */
const LINE_LENGTH = 100;

/**
 * The record as a Turtle tree: the entity first, then the other nodes that it describes, in order of first mention. A blank
 * node with one parent is nested in it. Predicates and objects keep the record's order, except that `a` comes first.
 * Only the used ones of `prefixes` are declared.
 * @example
 * import { RecordGraphBuilder } from "#rdf/record-graph";
 * const graph = new RecordGraphBuilder("http://a.example/x");
 * graph.add(graph.iri("http://a.example/x"), graph.iri("http://a.example/p"), graph.literal("1"));
 * writeTurtle(graph.build(), { a: "http://a.example/" }).includes("a:x"); // => true
 */
export function writeTurtle(graph: RecordGraph, prefixes: Prefixes): string {
  const terms = new TurtleTerms(prefixes);
  const blocks = new TreeWriter(graph, terms).blocks();
  return [terms.directives(), ...blocks].filter((part) => part !== "").join("\n");
}

/**
 * The record as TriG (RDF 1.1 TriG): the same tree, in the named graph of its IRI.
 * @example
 * import { RecordGraphBuilder } from "#rdf/record-graph";
 * const graph = new RecordGraphBuilder("urn:x");
 * graph.add(graph.iri("urn:x"), graph.iri("urn:p"), graph.literal("1"));
 * writeTrig(graph.build(), {}); // => '<urn:x> {\n<urn:x> <urn:p> "1" .\n}\n'
 */
export function writeTrig(graph: RecordGraph, prefixes: Prefixes): string {
  const terms = new TurtleTerms(prefixes);
  const blocks = new TreeWriter(graph, terms).blocks();
  const name = terms.iri(graph.iri);
  const directives = terms.directives();
  return `${directives}${directives === "" ? "" : "\n"}${name} {\n${blocks.join("\n")}}\n`;
}

class TreeWriter {
  readonly #index: SubjectIndex;
  /** How often each term is an object. */
  readonly #mentions: readonly number[];
  readonly #labels = new Map<number, string>();
  /** The subjects that were written or are waiting for their block. */
  readonly #placed = new Set<number>();
  readonly #waiting: number[] = [];

  constructor(
    readonly graph: RecordGraph,
    readonly terms: TurtleTerms,
  ) {
    this.#index = indexBySubject(graph);
    this.#mentions = mentionsIn(graph);
  }

  /** A block for each subject that is not nested, each ending with a newline. */
  blocks(): string[] {
    const blocks: string[] = [];
    const write = (root: number): void => {
      this.#place(root);
      for (let subject = this.#waiting.shift(); subject !== undefined; subject = this.#waiting.shift())
        blocks.push(this.#block(subject));
    };
    const root = rootOf(this.graph);
    if (this.#describes(root)) write(root);
    // Subjects that were not reached: other roots, then cycles of blank nodes.
    const subjects = subjectsOf(this.graph);
    for (const subject of subjects) if (!this.#isNested(subject)) write(subject);
    for (const subject of subjects) write(subject);
    return blocks;
  }

  #describes(term: number): boolean {
    return term !== -1 && this.#index.first[term] !== -1;
  }

  #isBlank(term: number): boolean {
    return this.graph.terms[term]!.termType === "BlankNode";
  }

  #isNested(term: number): boolean {
    return this.#isBlank(term) && this.#mentions[term] === 1;
  }

  /** Queue a subject for a block of its own, unless it is written or queued already. */
  #place(subject: number): void {
    if (this.#placed.has(subject)) return;
    this.#placed.add(subject);
    this.#waiting.push(subject);
  }

  #block(subject: number): string {
    const isUnmentioned = this.#isBlank(subject) && this.#mentions[subject] === 0;
    const name = isUnmentioned ? "[]" : this.#name(subject);
    return `${name} ${this.#predicates(subject, 1)} .\n`;
  }

  /** An IRI or a labelled blank node. */
  #name(term: number): string {
    if (!this.#isBlank(term)) return this.terms.iri(this.graph.terms[term]!.value);
    return entryOf(this.#labels, term, () => `_:b${this.#labels.size}`);
  }

  /** A subject's predicates with their objects, on lines indented by `depth`. */
  #predicates(subject: number, depth: number): string {
    const { terms, triples } = this.graph;
    const objects = new Map<string, number[]>();
    for (let triple = this.#index.first[subject]!; triple !== -1; triple = this.#index.next[triple]!) {
      const predicate = terms[triples[triple * 3 + 1]!]!.value;
      entryOf(objects, predicate, () => []).push(triples[triple * 3 + 2]!);
    }
    const indent = INDENT.repeat(depth);
    const lines: string[] = [];
    const types = objects.get(RDF.type);
    if (types !== undefined) lines.push(`a${this.#objects(types, depth)}`);
    for (const [predicate, values] of objects)
      if (values !== types) lines.push(this.terms.iri(predicate) + this.#objects(values, depth));
    return lines.join(` ;\n${indent}`);
  }

  /** Objects with the space or line break before them. */
  #objects(objects: readonly number[], depth: number): string {
    const written = objects.map((object) => this.#object(object, depth));
    const onOneLine = ` ${written.join(", ")}`;
    const isNested = written.some((object) => object.startsWith("["));
    if (written.length === 1 || onOneLine.length <= LINE_LENGTH || isNested) return onOneLine;
    const indent = `\n${INDENT.repeat(depth + 1)}`;
    return indent + written.join(`,${indent}`);
  }

  #object(object: number, depth: number): string {
    const term = this.graph.terms[object]!;
    if (term.termType === "Literal") return this.terms.literal(term);
    if (!this.#describes(object)) return this.#isNested(object) ? "[]" : this.#name(object);
    if (!this.#isNested(object) || this.#placed.has(object) || depth > MAX_NESTING) {
      this.#place(object);
      return this.#name(object);
    }
    this.#placed.add(object);
    return `[\n${INDENT.repeat(depth + 1)}${this.#predicates(object, depth + 1)}\n${INDENT.repeat(depth)}]`;
  }
}
