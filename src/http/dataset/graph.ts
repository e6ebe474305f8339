/** A small graph that is built by prefixed names. */
import { type RecordGraph, RecordGraphBuilder } from "../../rdf/record-graph.js";
import { blank, iri, type Term } from "../../rdf/terms.js";
import type { Prefixes } from "../../rdf/turtle/writer.js";

export class DescriptionGraph {
  readonly #builder: RecordGraphBuilder;
  readonly prefixes: Prefixes;
  /** The values of each property by their text. */
  readonly #values = new Map<string, Map<string, Term>>();
  #blanks = 0;

  /** @param root the IRI of what is described first */
  constructor(root: string, prefixes: Prefixes) {
    this.#builder = new RecordGraphBuilder(root);
    this.prefixes = prefixes;
  }

  /** Add triples of a subject and a property, which is a prefixed name. */
  add(subject: Term, property: string, ...objects: readonly Term[]): void {
    const builder = this.#builder;
    const predicate = builder.term(this.iri(property));
    const values = this.#values.get(property) ?? new Map<string, Term>();
    this.#values.set(property, values);
    for (const object of objects) {
      builder.add(builder.term(subject), predicate, builder.term(object));
      values.set(object.value, object);
    }
  }

  /** What any subject has by a property, each once. */
  values(property: string): readonly Term[] {
    return [...(this.#values.get(property)?.values() ?? [])];
  }

  /** The IRI of a prefixed name. */
  iri(name: string): Term {
    const at = name.indexOf(":");
    return iri(this.prefixes[name.slice(0, at)]! + name.slice(at + 1));
  }

  /** A blank node of its own. */
  blank(): Term {
    return blank(`d${this.#blanks++}`);
  }

  get graph(): RecordGraph {
    return this.#builder.build();
  }
}
