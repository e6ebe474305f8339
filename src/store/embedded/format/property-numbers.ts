/** Numbers for the predicates that backlinks name, so that a backlink takes two bytes for its property. */

/** A predicate beyond those that have numbers goes by this one. */
export const OTHER_PROPERTY = 0xffff;
/** The number in a property's place where a node is not referred to, but described. */
export const DESCRIBED = 0;

/** The numbers of a store's predicates, from 1; a load adds to them. */
export class PropertyNumbers {
  readonly #numbers: Map<string, number>;

  constructor(known: readonly string[]) {
    this.#numbers = new Map(known.map((iri, index) => [iri, index + 1]));
  }

  /** The number of a predicate's IRI, or of `null`, which stands for a described node. */
  of(property: string | null): number {
    if (property === null) return DESCRIBED;
    let number = this.#numbers.get(property);
    if (number === undefined) {
      number = this.#numbers.size + 1;
      if (number >= OTHER_PROPERTY) return OTHER_PROPERTY;
      this.#numbers.set(property, number);
    }
    return number;
  }

  /** The predicates in the order of their numbers. */
  list(): string[] {
    return [...this.#numbers.keys()];
  }
}
