/** IRI compaction (JSON-LD 1.1 API, 6.2): which term, compact IRI or IRI stands for an IRI in an active context. */
import { remembering } from "../base/bounded-map.js";
import { byCodeUnits, entryOf } from "../base/entries.js";
import { CLASS_NAMES } from "../model/vocabulary/vocabulary.js";
import type { ActiveContext } from "./active-context.js";
import { ContextError, type TermDefinition } from "./context-definition.js";

/** What a term is chosen for: a class or vocabulary term (`word`), a node, a list, or a literal, which is JSON, of a datatype, in a language, or plain. */
export type CompactedValueKind =
  | { readonly kind: "word" }
  | { readonly kind: "node" }
  | { readonly kind: "list" }
  | { readonly kind: "json" }
  | { readonly kind: "typed"; readonly datatype: string }
  | { readonly kind: "language"; readonly language: string }
  | { readonly kind: "plain" };

/** An IRI that a context would read as another IRI, or as none. */
export class ConfusedIriError extends ContextError {
  constructor(iri: string) {
    super(
      `the IRI ${JSON.stringify(iri)} is confused with a term or with the prefix ${JSON.stringify(iri.split(":")[0])} of its @context`,
    );
  }
}

/** Shorter first, then by code units: the order in which JSON-LD prefers terms. */
function shortestLeast(a: string, b: string): number {
  return a.length - b.length || byCodeUnits(a, b);
}

/** The words of the specification (2.2) that are written even if an extension has a shorter term for the same class or keyword. */
const WORDS: ReadonlySet<string> = new Set([...CLASS_NAMES, "id", "type"]);

/** A key that sets the prototype of a JavaScript object instead of a property. */
const PROTOTYPE = "__proto__";

type Fits = (term: TermDefinition) => boolean;

const HAS_LIST: Fits = ({ container }) => container.includes("@list");
const IS_IN_LANGUAGES: Fits = ({ container }) => container.includes("@language");
const IS_SET: Fits = ({ container }) => container.length === 1 && container[0] === "@set";
const IS_BARE: Fits = ({ container }) => container.length === 0;
const IS_UNTYPED: Fits = ({ type, language, direction }) =>
  (type === undefined || type === "@none") && language === undefined && direction === undefined;

/** The containers that may hold values of a kind, best first, where they are not `IS_SET` and `IS_BARE`. */
const CONTAINERS: { readonly [kind in CompactedValueKind["kind"]]?: readonly Fits[] } = {
  list: [HAS_LIST, IS_BARE, IS_SET],
  language: [IS_IN_LANGUAGES, IS_SET, IS_BARE],
  plain: [IS_SET, IS_BARE, IS_IN_LANGUAGES],
};

/** The names of at most this many vocabulary terms are kept; documents may refer to any number of terms. */
const MAX_NAMES = 1_000;

/** The inverse of an active context. */
export class Compaction {
  /** The terms of each IRI or keyword, best first. */
  readonly #terms = new Map<string, TermDefinition[]>();
  readonly #prefixes: { readonly term: string; readonly iri: string }[] = [];
  /** Whether the classes of a node are an array even when there is only one. */
  readonly isTypeSet: boolean;

  constructor(readonly context: ActiveContext) {
    for (const definition of context.terms.values()) {
      const { iri, term, nest, isReverse, isPrefix } = definition;
      const isNested = nest === undefined || context.expandIri(nest, { vocab: true, base: false }) === "@nest";
      if (iri === null || isReverse || !isNested || term === PROTOTYPE) continue;
      entryOf(this.#terms, iri, () => []).push(definition);
      if (isPrefix) this.#prefixes.push({ term, iri });
    }
    for (const terms of this.#terms.values()) terms.sort((a, b) => shortestLeast(a.term, b.term));
    this.isTypeSet = context.terms.get(this.keyword("@type"))?.container.includes("@set") ?? false;
  }

  /** The term for a property's values of one kind, or `undefined` when none fits (term selection, 6.3). If several fit equally, one in `preferred` (the names in the tables) wins. Otherwise it is JSON-LD's choice: the shortest, then the first by code units. */
  term(property: string, kind: CompactedValueKind, preferred: { has(term: string): boolean }) {
    const terms = this.#terms.get(property);
    if (terms === undefined) return undefined;
    const preferences = this.#preferences(kind);
    for (const isIn of CONTAINERS[kind.kind] ?? [IS_SET, IS_BARE]) {
      for (const [at, fits] of preferences.entries()) {
        const choice = terms.find((term) => isIn(term) && fits(term));
        if (choice === undefined) continue;
        // The tables, not the container, tell whether their values are arrays.
        const isAlso = isIn === IS_SET ? IS_BARE : isIn;
        const fitsToo: Fits = (term) => preferences.slice(0, at + 1).some((each) => each(term));
        return (
          terms.find((term) => preferred.has(term.term) && (isIn(term) || isAlso(term)) && fitsToo(term)) ?? choice
        );
      }
    }
    return undefined;
  }

  /** An IRI as the name of a class, or of what a term coerced to `@vocab` refers to. Throws `ConfusedIriError`. */
  readonly vocab = remembering(
    MAX_NAMES,
    (iri: string): string => this.term(iri, { kind: "word" }, WORDS)?.term ?? this.#name(iri, true),
  );

  /** A property's IRI as a key, when no term fits its values. Throws `ConfusedIriError`. */
  readonly key = remembering(MAX_NAMES, (iri: string): string => this.#name(iri, false));

  /** The first of these that is read back as the IRI: relative to `@vocab`, the shortest compact IRI, in full (6.2, steps 5 to 9). */
  #name(iri: string, isWord: boolean): string {
    const { vocab = iri } = this.context.frame;
    const suffix = iri.startsWith(vocab) ? iri.slice(vocab.length) : "";
    if (suffix !== "" && this.#isName(suffix, iri, false)) return suffix;
    const compact = this.#prefixes
      .filter((prefix) => iri !== prefix.iri && iri.startsWith(prefix.iri))
      .map((prefix) => `${prefix.term}:${iri.slice(prefix.iri.length)}`)
      .sort(shortestLeast)
      .find((name) => this.#isName(name, iri, isWord));
    return compact ?? this.iri(iri, true);
  }

  /** Whether a name is read as this IRI; unless `mayBeTerm`, it must not be a term. */
  #isName(name: string, iri: string, mayBeTerm: boolean): boolean {
    return (
      name !== PROTOTYPE &&
      (mayBeTerm || !this.context.terms.has(name)) &&
      this.context.expandIri(name, { vocab: true, base: false }) === iri
    );
  }

  /** An IRI as a node's id, as a reference, or with `vocab` as a name: always in full (specification, 2.2). Throws `ConfusedIriError` if it would be read as another one, as `crm:x` would. */
  iri(iri: string, vocab = false): string {
    const isPlain = iri.startsWith("http://") || iri.startsWith("https://");
    if (isPlain && !(vocab && this.context.terms.has(iri))) return iri;
    if (this.context.expandIri(iri, { vocab, base: false }) !== iri) throw new ConfusedIriError(iri);
    return iri;
  }

  /** The name of a keyword in this context. */
  keyword(keyword: `@${string}`): string {
    const aliases = this.#terms.get(keyword)?.map(({ term }) => term) ?? [];
    return aliases.find((alias) => WORDS.has(alias)) ?? aliases[0] ?? keyword;
  }

  #preferences(kind: CompactedValueKind): readonly Fits[] {
    if (kind.kind === "word") return [({ type }) => type === "@id", IS_UNTYPED];
    if (kind.kind === "node") return [({ type }) => type === "@id", ({ type }) => type === "@vocab", IS_UNTYPED];
    if (kind.kind === "list") return [IS_UNTYPED, ({ type }) => type !== "@json"];
    if (kind.kind === "json") return [({ type }) => type === "@json", IS_UNTYPED];
    if (kind.kind === "typed") return [({ type }) => type === kind.datatype, IS_UNTYPED];
    if (kind.kind === "plain") return [({ language }) => language === null, IS_UNTYPED];
    const language = kind.language.toLowerCase();
    // Literals in triples have no base direction, so a term for strings with one does not fit them.
    const hasNoDirection: Fits = ({ language: own, direction }) =>
      own === undefined
        ? direction === undefined && !this.context.hasDirectionUnder(undefined)
        : (direction ?? null) === null;
    const isStated: Fits = (term) =>
      term.type === undefined && this.context.languageUnder(term)?.toLowerCase() === language && hasNoDirection(term);
    return [isStated, IS_UNTYPED];
  }
}
