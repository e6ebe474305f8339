/** A small graph that is built by prefixed names, and written as Turtle, N-Triples or JSON-LD. */
import { writeNTriples } from "../../rdf/ntriples-writer.js";
import { type Json, type JsonObject, type RecordGraph, RecordGraphBuilder } from "../../rdf/record-graph.js";
import { blank, iri, RDF, type Term, XSD } from "../../rdf/terms.js";
import { type Prefixes, writeTurtle } from "../../rdf/turtle.js";

export class DescriptionGraph {
  readonly #builder: RecordGraphBuilder;
  readonly #prefixes: Prefixes;
  #blanks = 0;

  /** @param root the IRI of what is described first */
  constructor(root: string, prefixes: Prefixes) {
    this.#builder = new RecordGraphBuilder(root);
    this.#prefixes = prefixes;
  }

  /** Add triples of a subject and a property, which is a prefixed name. */
  add(subject: Term, property: string, ...objects: readonly Term[]): void {
    const builder = this.#builder;
    const predicate = builder.term(this.iri(property));
    for (const object of objects) builder.add(builder.term(subject), predicate, builder.term(object));
  }

  /** The IRI of a prefixed name. */
  iri(name: string): Term {
    const at = name.indexOf(":");
    return iri(this.#prefixes[name.slice(0, at)]! + name.slice(at + 1));
  }

  /** A blank node of its own. */
  blank(): Term {
    return blank(`d${this.#blanks++}`);
  }

  get graph(): RecordGraph {
    return this.#builder.build();
  }

  turtle(): string {
    return writeTurtle(this.graph, this.#prefixes);
  }

  nTriples(): string {
    return writeNTriples(this.graph);
  }

  /** Flattened, with prefixed names for properties and classes (JSON-LD 1.1). */
  jsonLd(): Json {
    const { terms, triples } = this.graph;
    const nodes = new Map<string, JsonObject>();
    for (let at = 0; at < triples.length; at += 3) {
      const [subject, predicate, object] = [0, 1, 2].map((place) => terms[triples[at + place]!]!) as [Term, Term, Term];
      const id = this.#id(subject);
      const node = nodes.get(id) ?? { "@id": id };
      nodes.set(id, node);
      const isType = predicate.value === RDF.type;
      const key = isType ? "@type" : this.#prefixed(predicate.value);
      const value = isType ? this.#prefixed(object.value) : this.#value(object);
      node[key] = [...((node[key] as Json[] | undefined) ?? []), value];
    }
    return { "@context": { ...this.#prefixes }, "@graph": [...nodes.values()] };
  }

  #value(term: Term): Json {
    if (term.termType !== "Literal") return { "@id": this.#id(term) };
    if (term.language !== "") return { "@value": term.value, "@language": term.language };
    return term.datatype === XSD.string ? term.value : { "@value": term.value, "@type": this.#prefixed(term.datatype) };
  }

  #id({ termType, value }: Term): string {
    return termType === "BlankNode" ? `_:${value}` : value;
  }

  #prefixed(value: string): string {
    for (const [prefix, namespace] of Object.entries(this.#prefixes)) {
      const local = value.startsWith(namespace) ? value.slice(namespace.length) : "";
      if (/^\w+$/.test(local)) return `${prefix}:${local}`;
    }
    return value;
  }
}
