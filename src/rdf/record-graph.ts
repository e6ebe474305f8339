/** The record graph: one record's triples in source order, the type that all parts of Vitrine pass on. */
import { blank, iri, literal, RDF, RDFS_LABEL, type Term, XSD } from "./terms.js";
import { TripleSlots } from "./triple-slots.js";

export type Json = null | boolean | number | string | Json[] | JsonObject;

export type JsonObject = { [key: string]: Json };

/**
 * Whether a JSON value is an object: neither an array nor `null`.
 * @example
 * isJsonObject([]); // => false
 */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** One record. Terms are numbered and a triple is three numbers, so a walk compares integers and allocates nothing. */
export interface RecordGraph {
  /** The entity's IRI: the name of the record's named graph. */
  readonly iri: string;
  /** Every term of the record once; its index is its number. */
  readonly terms: readonly Term[];
  /** Subject, predicate and object numbers, three to a triple, in source order, no triple twice. */
  readonly triples: ArrayLike<number>;
  /** The `@context` of the document that the record was loaded from; `undefined` for a record that was loaded from quads. */
  readonly context: Json | undefined;
  /** The triples by subject, if already indexed. Use `indexBySubject`, which works for any graph. */
  readonly subjects?: SubjectIndex;
}

/** A record graph that indexes its triples by subject at first use. */
export class IndexedGraph implements RecordGraph {
  #subjects: SubjectIndex | undefined;

  constructor(
    readonly iri: string,
    readonly terms: readonly Term[],
    readonly triples: ArrayLike<number>,
    readonly context: Json | undefined,
  ) {}

  get subjects(): SubjectIndex {
    this.#subjects ??= newIndex(this.terms.length, this.triples);
    return this.#subjects;
  }
}

/** A graph with the same triples and another IRI, context or terms. */
export function graphWith(
  graph: RecordGraph,
  other: Partial<Pick<RecordGraph, "iri" | "terms" | "context">>,
): RecordGraph {
  const { iri, terms, triples, context } = { ...graph, ...other };
  return new IndexedGraph(iri, terms, triples, context);
}

/** The number of triples in a graph. */
export function tripleCount(graph: RecordGraph): number {
  return graph.triples.length / 3;
}

/** The triples of each subject, as two linked lists of triple indices (not offsets): `first[term]` is the term's first triple as a subject or -1, `next[triple]` the next one of the same subject or -1. Order is source order. */
export interface SubjectIndex {
  readonly first: readonly number[];
  readonly next: readonly number[];
}

type Triples = Pick<RecordGraph, "triples" | "subjects"> & { readonly terms: readonly unknown[] };

/** A graph's triples by subject. Unless the graph has the index already, it is built in time linear in terms and triples. */
export function indexBySubject({ subjects, terms, triples }: Triples): SubjectIndex {
  return subjects ?? newIndex(terms.length, triples);
}

function newIndex(terms: number, triples: ArrayLike<number>): SubjectIndex {
  const count = triples.length / 3;
  // Most graphs are small, and a small typed array costs more to create than a plain one.
  const first = new Array<number>(terms).fill(-1);
  const next = new Array<number>(count).fill(-1);
  for (let triple = count - 1; triple >= 0; triple--) {
    const subject = triples[triple * 3]!;
    next[triple] = first[subject]!;
    first[subject] = triple;
  }
  return { first, next };
}

/** The term number of the record's own entity, or -1 when no triple mentions it. */
export function rootOf(graph: RecordGraph): number {
  return numberOfIri(graph, graph.iri);
}

/** The term number of an IRI, or -1 when no triple mentions it. */
export function numberOfIri({ terms }: Pick<RecordGraph, "terms">, iri: string): number {
  return terms.findIndex(({ termType, value }) => termType === "NamedNode" && value === iri);
}

/** How often each term is an object. */
export function mentionsIn({ terms, triples }: Triples): number[] {
  const mentions = new Array<number>(terms.length).fill(0);
  for (let at = 2; at < triples.length; at += 3) mentions[triples[at]!]!++;
  return mentions;
}

/**
 * The label that a record gives its own or another entity, or `undefined` if it gives none.
 * @example
 * const builder = new RecordGraphBuilder("urn:x");
 * builder.add(builder.iri("urn:x"), builder.iri("http://www.w3.org/2000/01/rdf-schema#label"), builder.literal("Delft"));
 * labelIn(builder.build(), "urn:x"); // => "Delft"
 */
export function labelIn(graph: RecordGraph, iri: string): string | undefined {
  return valuesOf(graph, numberOfIri(graph, iri), RDFS_LABEL)[0];
}

/** A record's nodes for a walk that starts at its entity, whether its terms are objects or bytes. */
export interface Nodes {
  /** The term number of the record's own entity, or -1 when no triple mentions it. */
  readonly root: number;
  readonly triples: ArrayLike<number>;
  readonly first: ArrayLike<number>;
  readonly next: ArrayLike<number>;
  isIri(term: number): boolean;
  value(term: number): string;
  /** The value of a term that many records share, such as a predicate; it may be cached. */
  name(term: number): string;
}

/** The nodes of a decoded graph. */
export function nodesOf(graph: RecordGraph): Nodes {
  const { terms, triples } = graph;
  const value = (term: number): string => terms[term]!.value;
  const isIri = (term: number): boolean => terms[term]!.termType === "NamedNode";
  return { root: rootOf(graph), triples, ...indexBySubject(graph), isIri, value, name: value };
}

/** The term numbers of a graph's subjects, in source order. */
export function subjectsOf(graph: Triples): number[] {
  const { triples } = graph;
  const { first } = indexBySubject(graph);
  const subjects: number[] = [];
  for (let at = 0; at < triples.length; at += 3) if (first[triples[at]!] === at / 3) subjects.push(triples[at]!);
  return subjects;
}

/** The term numbers of a subject's objects under a predicate, in source order. The subject -1 has none. */
export function objectsOf(graph: RecordGraph, subject: number, predicate: string): number[] {
  const { terms, triples } = graph;
  const { first, next } = indexBySubject(graph);
  const objects: number[] = [];
  for (let triple = first[subject] ?? -1; triple !== -1; triple = next[triple]!)
    if (terms[triples[triple * 3 + 1]!]!.value === predicate) objects.push(triples[triple * 3 + 2]!);
  return objects;
}

/**
 * The values of a subject's objects under a predicate: IRIs, blank node labels and lexical forms.
 * @example
 * const builder = new RecordGraphBuilder("urn:x");
 * builder.add(builder.iri("urn:x"), builder.iri("urn:p"), builder.literal("1"));
 * const graph = builder.build();
 * valuesOf(graph, rootOf(graph), "urn:p"); // => ["1"]
 */
export function valuesOf(graph: RecordGraph, subject: number, predicate: string): string[] {
  return objectsOf(graph, subject, predicate).map((object) => graph.terms[object]!.value);
}

/** The IRIs of the classes of a record's entity. */
export function classesOf(graph: RecordGraph): string[] {
  return valuesOf(graph, rootOf(graph), RDF.type);
}

/** The term numbers of the subjects that cannot be reached from the record's entity, in source order. */
export function strayNodes(graph: RecordGraph): readonly number[] {
  const { first, next } = indexBySubject(graph);
  const isReached = new Uint8Array(graph.terms.length);
  const waiting = [rootOf(graph)];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node === -1 || isReached[node] === 1) continue;
    isReached[node] = 1;
    for (let triple = first[node]!; triple !== -1; triple = next[triple]!) waiting.push(graph.triples[triple * 3 + 2]!);
  }
  return subjectsOf(graph).filter((subject) => isReached[subject] === 0);
}

/**
 * Builds a record graph: numbers terms in order of appearance, keeps the order of triples, drops repeated triples.
 * @example
 * const builder = new RecordGraphBuilder("urn:x");
 * builder.add(builder.iri("urn:x"), builder.iri("urn:p"), builder.literal("1"));
 * builder.add(builder.iri("urn:x"), builder.iri("urn:p"), builder.literal("1"));
 * tripleCount(builder.build()); // => 1
 */
export class RecordGraphBuilder {
  readonly #terms: Term[] = [];
  readonly #triples: number[] = [];
  readonly #iris = new Map<string, number>();
  readonly #blanks = new Map<string, number>();
  readonly #strings = new Map<string, number>();
  readonly #literals = new Map<string, number>();
  readonly #slots = new TripleSlots(128);
  #length = 0;

  constructor(
    readonly recordIri: string,
    readonly context: Json | undefined = undefined,
  ) {}

  iri(value: string): number {
    return this.#iris.get(value) ?? this.#number(this.#iris, value, iri(value));
  }

  /** The number of a blank node; `label` without `_:`. */
  blank(label: string): number {
    return this.#blanks.get(label) ?? this.#number(this.#blanks, label, blank(label));
  }

  literal(value: string, datatype: string = XSD.string, language = "", term?: Term): number {
    const isPlain = language === "" && datatype === XSD.string;
    const index = isPlain ? this.#strings : this.#literals;
    // Keys are unambiguous: neither a datatype's IRI nor a language tag has a quotation mark, and no IRI begins with `@`.
    const key = isPlain ? value : `${language === "" ? datatype : `@${language}`}"${value}`;
    return index.get(key) ?? this.#number(index, key, term ?? literal(value, datatype, language));
  }

  term(term: Term): number {
    if (term.termType === "NamedNode") return this.#iris.get(term.value) ?? this.#number(this.#iris, term.value, term);
    if (term.termType === "BlankNode") return this.blank(term.value);
    return this.literal(term.value, term.datatype, term.language, term);
  }

  /** Whether the term is an IRI or a blank node. */
  isNode(term: number): boolean {
    return this.#terms[term]!.termType !== "Literal";
  }

  /** Add a triple of term numbers unless the record already has it. */
  add(subject: number, predicate: number, object: number): void {
    const triples = this.#triples;
    const count = triples.length / 3;
    if (this.#slots.placeOf(triples, count, subject, predicate, object) === count)
      triples.push(subject, predicate, object);
  }

  get size(): number {
    return this.#triples.length / 3;
  }

  /** The number of characters in all terms, each counted once. */
  get length(): number {
    return this.#length;
  }

  build(): RecordGraph {
    return new IndexedGraph(this.recordIri, this.#terms, this.#triples, this.context);
  }

  #number(index: Map<string, number>, key: string, term: Term): number {
    const number = this.#terms.length;
    this.#terms.push(term);
    this.#length += term.value.length + term.datatype.length;
    index.set(key, number);
    return number;
  }
}
