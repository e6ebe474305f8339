/** IRI compaction (JSON-LD 1.1 API, 6.2): which term, compact IRI or IRI stands for an IRI in an active context. */
import { type ActiveContext, NotCompiledError, type TermDefinition } from "./active-context.js";

/** What a term is chosen for: a node, or a literal of a datatype or language (`null` for neither). */
export type ValueKind =
  | { readonly kind: "node" }
  | { readonly kind: "typed"; readonly datatype: string }
  | { readonly kind: "language"; readonly language: string }
  | { readonly kind: "plain" };

/** Shorter first, then by code units: the order in which JSON-LD prefers terms. */
function shortestLeast(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** The inverse of an active context. */
export class Compaction {
  /** Terms of each IRI or keyword, best first. */
  readonly #terms = new Map<string, TermDefinition[]>();
  readonly #prefixes: { readonly term: string; readonly iri: string; readonly probe: number }[] = [];
  /** The names under which the keywords are written. */
  readonly id: string;
  readonly type: string;
  readonly value: string;
  readonly language: string;

  constructor(readonly context: ActiveContext) {
    for (const definition of context.terms.values()) {
      if (definition === null) continue;
      const terms = this.#terms.get(definition.iri);
      if (terms === undefined) this.#terms.set(definition.iri, [definition]);
      else terms.push(definition);
      if (definition.isPrefix) {
        this.#prefixes.push({ term: definition.term, iri: definition.iri, probe: definition.iri.length - 2 });
      }
    }
    for (const terms of this.#terms.values()) terms.sort((a, b) => shortestLeast(a.term, b.term));
    this.id = this.#keyword("@id");
    this.type = this.#keyword("@type");
    this.value = this.#keyword("@value");
    this.language = this.#keyword("@language");
  }

  /**
   * The term for a property's values of one kind, or `undefined` when none fits (term selection, 6.3). Where several fit
   * equally, `preferred` (the field table's names) goes before JSON-LD's shortest, least one.
   */
  term(property: string, kind: ValueKind, preferred: { has(term: string): boolean }): TermDefinition | undefined {
    const terms = this.#terms.get(property);
    if (terms === undefined) return undefined;
    for (const isSet of [true, false]) {
      for (const fits of this.#preferences(terms, kind)) {
        const fitting = terms.filter((term) => term.isSet === isSet && fits(term));
        const choice = fitting.find((term) => preferred.has(term.term)) ?? fitting[0];
        if (choice !== undefined) return choice;
      }
    }
    return undefined;
  }

  /** An IRI as the name of a class, or of what a `@vocab` term refers to. */
  vocab(iri: string): string {
    const terms = this.#terms.get(iri);
    if (terms !== undefined) {
      for (const isSet of [true, false]) {
        for (const type of ["@id", undefined]) {
          const choice = terms.find(
            (term) => term.isSet === isSet && term.type === type && term.language === undefined,
          );
          if (choice !== undefined) return choice.term;
        }
      }
    }
    return this.#vocabSuffix(iri) ?? this.iri(iri);
  }

  /** A property's IRI as a key, where no term fits its values: relative to `@vocab`, compact, or in full. */
  key(iri: string): string {
    return this.#vocabSuffix(iri) ?? this.#compact(iri, false) ?? this.#inFull(iri);
  }

  /** An IRI as a reference: a compact IRI where a prefix fits, else in full. */
  iri(iri: string): string {
    return this.#compact(iri, true) ?? this.#inFull(iri);
  }

  #vocabSuffix(iri: string): string | undefined {
    const { vocab } = this.context;
    if (vocab === undefined || !iri.startsWith(vocab) || iri === vocab) return undefined;
    const suffix = iri.slice(vocab.length);
    return this.context.terms.has(suffix) ? undefined : suffix;
  }

  /** The shortest compact IRI, if any; one that is itself a term only where that may stand (`orTerm`) and means the same. */
  #compact(iri: string, orTerm: boolean): string | undefined {
    let choice: string | undefined;
    for (const { term, iri: namespace, probe } of this.#prefixes) {
      // One character near the end tells most namespaces apart without comparing the rest.
      if (iri.charCodeAt(probe) !== namespace.charCodeAt(probe) || iri.length === namespace.length) continue;
      if (!iri.startsWith(namespace)) continue;
      const compact = `${term}:${iri.slice(namespace.length)}`;
      if (this.context.terms.has(compact) && !(orTerm && this.context.terms.get(compact)?.iri === iri)) continue;
      if (choice === undefined || shortestLeast(compact, choice) < 0) choice = compact;
    }
    return choice;
  }

  /** The IRI itself, unless, like `crm:x`, it would be read back as a compact IRI. */
  #inFull(iri: string): string {
    if (iri.startsWith("http://") || iri.startsWith("https://")) return iri;
    const prefix = iri.slice(0, Math.max(0, iri.indexOf(":")));
    if (this.context.terms.get(prefix)?.isPrefix)
      throw new NotCompiledError(`an IRI confused with the prefix ${prefix}`);
    return iri;
  }

  #keyword(keyword: string): string {
    return this.#terms.get(keyword)?.[0]?.term ?? keyword;
  }

  #preferences(terms: readonly TermDefinition[], kind: ValueKind): ((term: TermDefinition) => boolean)[] {
    const untyped = (term: TermDefinition): boolean => term.type === undefined && term.language === undefined;
    switch (kind.kind) {
      case "node": {
        const byVocab = terms.some((term) => term.type === "@vocab");
        if (byVocab && terms.some((term) => term.type === "@id"))
          throw new NotCompiledError("@id and @vocab terms for one IRI");
        return [(term) => term.type === "@id" || term.type === "@vocab", untyped];
      }
      case "typed":
        return [(term) => term.type === kind.datatype, untyped];
      case "language": {
        const language = kind.language.toLowerCase();
        const stated = (term: TermDefinition): boolean =>
          term.type === undefined &&
          (term.language ?? this.context.language)?.toLowerCase() === language &&
          term.language !== null;
        return [stated, untyped];
      }
      case "plain":
        return [(term) => term.type === undefined && term.language === null, untyped];
    }
  }
}
