/** A record as pages read it: nodes with their values by terms of the data model. A page shows each value once. */
import { entryOf, groupBy } from "../../base/entries.js";
import { CLASS_NAMES, className, isScoped, PROPERTY_NAMES, propertyIri } from "../../model/vocabulary/vocabulary.js";
import { RdfLists } from "../../rdf/lists.js";
import { indexBySubject, type RecordGraph, rootOf } from "../../rdf/record-graph.js";
import { RDF, type Term } from "../../rdf/terms.js";

const TYPE = "type";

/** The terms by IRI. If an IRI has both an unscoped and a scoped term (`broader`, `part_of`), the unscoped one is taken. */
const termsByIri: ReadonlyMap<string, string> = new Map([
  [RDF.type, TYPE],
  ...PROPERTY_NAMES.filter(isScoped).flatMap((term) =>
    CLASS_NAMES.map((name) => [propertyIri(term, name) ?? "", term] as const),
  ),
  ...PROPERTY_NAMES.filter((term) => !isScoped(term)).map((term) => [propertyIri(term)!, term] as const),
]);

/** The term of a property, or its IRI if the data model has no term for it. */
export function vocabularyTerm(property: string): string {
  return termsByIri.get(property) ?? property;
}

/** The identifiers under `{vocab_base}` that pages and mappings use. */
export const KINDS = {
  summary: ["300435416"],
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
  typeOfWork: ["300435443"],
  accession: ["300312355"],
} as const;

/** A node with its values. Showing a value removes it, so the remaining values have not been shown. */
export interface Node {
  readonly number: number;
  readonly term: Term;
  /** The names of its classes, or the IRIs of those that the data model lacks. */
  readonly classes: readonly string[];
  /** The numbers of its values, by the term of the property, in source order. */
  readonly values: Map<string, number[]>;
}

export class ResourceDescription {
  readonly terms: readonly Term[];
  readonly root: number;
  readonly #index: ReturnType<typeof indexBySubject>;
  readonly #lists: RdfLists;
  readonly #predicates: (string | undefined)[] = [];
  /** The names or IRIs of classes, by number, as far as they were looked up. */
  readonly #classes: (string | undefined)[] = [];

  constructor(readonly graph: RecordGraph) {
    this.terms = graph.terms;
    this.root = rootOf(graph);
    this.#index = indexBySubject(graph);
    this.#lists = new RdfLists(graph);
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

  /** Makes a node with all its values, whether shown before or not. The items of a list are values of its property. */
  node(number: number): Node {
    const values = new Map<string, number[]>();
    const classes: string[] = [];
    const { triples } = this.graph;
    const { first, next } = this.#index;
    for (let triple = first[number] ?? -1; triple !== -1; triple = next[triple]!) {
      const object = triples[triple * 3 + 2]!;
      const term = this.#predicate(triples[triple * 3 + 1]!);
      if (term === TYPE) {
        classes.push(this.#class(object));
        continue;
      }
      const all = entryOf(values, term, (): number[] => []);
      for (const value of this.#items(object) ?? [object]) all.push(value);
    }
    return { number, term: this.terms[number]!, classes, values };
  }

  /** The items of a list and of the lists within it, a thousand deep, or `undefined` if a term does not begin a list. An empty list is shown as such. */
  #items(head: number, depth = 0): readonly number[] | undefined {
    const items = depth > 1_000 ? undefined : this.#lists.from(head)?.items;
    if (items?.length === 0) return undefined;
    return items?.flatMap((item) => this.#items(item, depth + 1) ?? item);
  }

  /** The values of one property of a node, without making a `Node`. The number -1 stands for no node, which has no values. */
  values(number: number, term: string): number[] {
    const found: number[] = [];
    const { triples } = this.graph;
    const { first, next } = this.#index;
    for (let triple = first[number] ?? -1; triple !== -1; triple = next[triple]!)
      if (this.#predicate(triples[triple * 3 + 1]!) === term) found.push(triples[triple * 3 + 2]!);
    return found;
  }

  /** The values along a path of properties. */
  along(number: number, ...path: readonly string[]): number[] {
    return path.reduce<number[]>((from, term) => from.flatMap((each) => this.values(each, term)), [number]);
  }

  /** The IRIs of the nodes, and the texts of the literals, along a path of properties. */
  written(number: number, ...path: readonly string[]): string[] {
    return this.along(number, ...path).map((each) => this.terms[each]!.value);
  }

  /** The nodes that are IRIs and values of a property other than `rdf:type`. */
  named(): ReadonlySet<number> {
    const named = new Set<number>();
    const { triples } = this.graph;
    for (let at = 0; at < triples.length; at += 3) {
      const object = triples[at + 2]!;
      if (this.iri(object) !== undefined && this.#predicate(triples[at + 1]!) !== TYPE) named.add(object);
    }
    return named;
  }

  iri(number: number): string | undefined {
    const { termType, value } = this.terms[number]!;
    return termType === "NamedNode" ? value : undefined;
  }

  /** The IRIs among the values of some properties. */
  iris(number: number, ...terms: readonly string[]): string[] {
    return terms.flatMap((term) => this.values(number, term)).flatMap((value) => this.iri(value) ?? []);
  }

  /** The text of a property's first literal. */
  text(number: number, term: string): string | undefined {
    const literal = this.values(number, term).find((value) => this.terms[value]!.termType === "Literal");
    return literal === undefined ? undefined : this.terms[literal]!.value;
  }

  /** Whether a node has a class of the data model. */
  isOf(number: number, name: string): boolean {
    return this.values(number, TYPE).some((type) => this.#class(type) === name);
  }

  /** Whether a node is classified as a concept with one of these identifiers at the end of its IRI, in any vocabulary. */
  isClassified(number: number, ...identifiers: readonly string[]): boolean {
    const kinds = this.written(number, "classified_as");
    return kinds.some((iri) => identifiers.some((identifier) => iri.endsWith(`/${identifier}`)));
  }
}

const descriptions = new WeakMap<RecordGraph, ResourceDescription>();

/** The description of a graph, shared by all its users. */
export function descriptionOf(graph: RecordGraph): ResourceDescription {
  return entryOf(descriptions, graph, () => new ResourceDescription(graph));
}

/** Takes the values of one property from those to show; only those that satisfy a condition, if there is one. */
export function take(node: Node, term: string, isTaken: (value: number) => boolean = () => true): readonly number[] {
  const values = groupBy(node.values.get(term) ?? [], isTaken);
  const left = values.get(false);
  if (left === undefined) node.values.delete(term);
  else node.values.set(term, left);
  return values.get(true) ?? [];
}
