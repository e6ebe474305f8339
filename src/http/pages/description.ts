/** A record as its page reads it: nodes with their values under the terms of the data model, each to be shown once. */
import { entryOf } from "../../base/entries.js";
import { CLASS_NAMES, className, isScoped, PROPERTY_NAMES, propertyIri } from "../../model/vocabulary/vocabulary.js";
import { indexBySubject, type RecordGraph, rootOf, type SubjectIndex } from "../../rdf/record-graph.js";
import { RDF, type Term } from "../../rdf/terms.js";

/** The name of `rdf:type` among a node's terms. */
const TYPE = "type";

/** Terms by IRI. Of a term that means the same everywhere and a scoped one (`broader`, `part_of`) the former is taken. */
const termsByIri: ReadonlyMap<string, string> = new Map([
  [RDF.type, TYPE],
  ...PROPERTY_NAMES.filter(isScoped).flatMap((term) =>
    CLASS_NAMES.map((name) => [propertyIri(term, name) ?? "", term] as const),
  ),
  ...PROPERTY_NAMES.filter((term) => !isScoped(term)).map((term) => [propertyIri(term)!, term] as const),
]);

/** The term of a property, or its IRI where the data model has none. */
export function vocabularyTerm(property: string): string {
  return termsByIri.get(property) ?? property;
}

/** Identifiers under `{vocab_base}` that pages and mappings go by. */
export const KINDS = {
  description: ["300435416", "300080091", "300411780"],
  rights: ["300435434", "300055547"],
  access: ["300133046"],
  credit: ["300026687", "300435418"],
  materials: ["300435429"],
  email: ["300435686", "300149026"],
  address: ["300386983", "300435687"],
  gender: ["300055147"],
  occupation: ["300263369"],
  nationality: ["300379842"],
  height: ["300055644"],
  width: ["300055647"],
  depth: ["300072633"],
  fileSize: ["300265863"],
  exhibition: ["300054766"],
  publishing: ["300054686"],
  contributor: ["300403974"],
  typeOfWork: ["300435443"],
  accession: ["300312355"],
} as const;

/** A node and what it says. Showing a value takes it away: what remains has not been shown. */
export interface Node {
  readonly number: number;
  readonly term: Term;
  /** Names of its classes, and the IRIs of those that the data model lacks. */
  readonly classes: readonly string[];
  /** Numbers of the values by the property's term, in source order. */
  readonly values: Map<string, number[]>;
}

export class ResourceDescription {
  readonly terms: readonly Term[];
  readonly root: number;
  readonly #triples: ArrayLike<number>;
  readonly #index: SubjectIndex;
  readonly #predicates: (string | undefined)[] = [];
  /** The names of classes by their numbers, or their IRIs, once each was looked up. */
  readonly #classes: (string | undefined)[] = [];

  constructor(readonly graph: RecordGraph) {
    this.terms = graph.terms;
    this.root = rootOf(graph);
    this.#triples = graph.triples;
    this.#index = indexBySubject(graph);
  }

  #predicate(number: number): string {
    this.#predicates[number] ??= vocabularyTerm(this.terms[number]!.value);
    return this.#predicates[number];
  }

  #class(number: number): string {
    const { value } = this.terms[number]!;
    this.#classes[number] ??= className(value) ?? value;
    return this.#classes[number];
  }

  /** A node with all its values, shown or not. */
  node(number: number): Node {
    const values = new Map<string, number[]>();
    const classes: string[] = [];
    const { first, next } = this.#index;
    for (let triple = first[number] ?? -1; triple !== -1; triple = next[triple]!) {
      const object = this.#triples[triple * 3 + 2]!;
      const term = this.#predicate(this.#triples[triple * 3 + 1]!);
      if (term === TYPE) {
        classes.push(this.#class(object));
        continue;
      }
      const others = values.get(term);
      if (others === undefined) values.set(term, [object]);
      else others.push(object);
    }
    return { number, term: this.terms[number]!, classes, values };
  }

  /** The values of one property of a node, without making a node of it. */
  values(number: number, term: string): number[] {
    const found: number[] = [];
    const { first, next } = this.#index;
    for (let triple = first[number] ?? -1; triple !== -1; triple = next[triple]!) {
      if (this.#predicate(this.#triples[triple * 3 + 1]!) === term) {
        found.push(this.#triples[triple * 3 + 2]!);
      }
    }
    return found;
  }

  /** The values along a path of properties. */
  along(number: number, ...path: readonly string[]): number[] {
    return path.reduce<number[]>((from, term) => from.flatMap((each) => this.values(each, term)), [number]);
  }

  /** The IRIs that values are, classes apart. */
  named(): ReadonlySet<number> {
    const named = new Set<number>();
    for (let at = 0; at < this.#triples.length; at += 3) {
      const object = this.#triples[at + 2]!;
      if (this.terms[object]!.termType === "NamedNode" && this.#predicate(this.#triples[at + 1]!) !== TYPE)
        named.add(object);
    }
    return named;
  }

  /** The IRIs among the values of some properties. */
  iris(number: number, ...terms: readonly string[]): string[] {
    const found = terms.flatMap((term) => this.values(number, term)).map((value) => this.terms[value]!);
    return found.flatMap(({ termType, value }) => (termType === "NamedNode" ? value : []));
  }

  /** The text of a property's first literal. */
  text(number: number, term: string): string | undefined {
    const literal = this.values(number, term).find((value) => this.terms[value]!.termType === "Literal");
    return literal === undefined ? undefined : this.terms[literal]!.value;
  }

  /** Whether anything is said of a term, be it only its class. */
  isDescribed(number: number): boolean {
    return (this.#index.first[number] ?? -1) !== -1;
  }

  /** Whether a node is of a class of the data model. */
  isOf(number: number, name: string): boolean {
    return this.values(number, TYPE).some((type) => this.#class(type) === name);
  }

  /** Whether a node is classified as a concept of one of these identifiers, in any vocabulary that has the identifier last. */
  isClassified(number: number, ...identifiers: readonly string[]): boolean {
    const kinds = this.values(number, "classified_as").map((kind) => this.terms[kind]!.value);
    return kinds.some((iri) => identifiers.some((identifier) => iri.endsWith(`/${identifier}`)));
  }
}

const descriptions = new WeakMap<RecordGraph, ResourceDescription>();

/** The description of a graph, which all that read it share. */
export function descriptionOf(graph: RecordGraph): ResourceDescription {
  return entryOf(descriptions, graph, () => new ResourceDescription(graph));
}

/** The values of one property, taken away from those to show. */
export function take(node: Node, term: string): readonly number[] {
  const values = node.values.get(term);
  if (values === undefined) return NONE;
  node.values.delete(term);
  return values;
}

/** The same of those values alone that are so. */
export function takeWhere(node: Node, term: string, isSo: (value: number) => boolean): readonly number[] {
  const values = node.values.get(term);
  if (values === undefined) return NONE;
  const taken = values.filter(isSo);
  const left = values.filter((value) => !taken.includes(value));
  if (left.length === 0) node.values.delete(term);
  else node.values.set(term, left);
  return taken;
}

const NONE: readonly number[] = [];
