/** Compiles JSON-LD contexts: each active context is made once, with memoised steps to those of the nodes inside it. */
import type { Json } from "../rdf/record-graph.js";
import { resolveIri } from "../rdf/resolve.js";
import type { ContextRegistry } from "./contexts.js";

/**
 * Thrown where a context or document uses what the compiled plans leave to jsonld.js. It never reaches a user: the
 * caller hands the whole record to jsonld.js instead.
 */
export class NotCompiledError extends Error {
  constructor(feature: string) {
    super(`not compiled: ${feature}`);
    this.name = "NotCompiledError";
  }
}

/** A term of an active context (JSON-LD 1.1 API, 4.2). */
export interface TermDefinition {
  readonly term: string;
  /** The IRI, or the keyword that the term is an alias of. */
  readonly iri: string;
  /** `@id`, `@vocab` or a datatype's IRI; `undefined` without coercion. */
  readonly type: string | undefined;
  /** The language of strings; `null` says none, whatever the default; `undefined` says the default. */
  readonly language: string | null | undefined;
  readonly isSet: boolean;
  /** The scoped context, not yet processed. */
  readonly context: Json | undefined;
  /** Whether the term may stand before the colon of a compact IRI. */
  readonly isPrefix: boolean;
  readonly isProtected: boolean;
}

const KEYWORD = /^@[A-Za-z]+$/;
const ABSOLUTE = /^(?:[A-Za-z][A-Za-z0-9+.-]*|_):\S*$/;
/** Keywords that the compiled plans understand under an alias. */
const ALIASED = new Set(["@id", "@type", "@value", "@language", "@set"]);
const DEFINITION_KEYS = new Set(["@id", "@type", "@container", "@context", "@language", "@prefix", "@protected"]);

/** Documents may bring inline contexts without end; past this many, steps are made anew each time. */
const MOST_STEPS = 1024;

/** What processing needs beside the context itself. */
export interface ContextEnvironment {
  readonly registry: ContextRegistry;
  /** Relative ids are resolved against it; `undefined` leaves them relative. */
  readonly base: string | undefined;
}

/** An active context. Immutable once made; what follows from it is made on demand and kept. */
export class ActiveContext {
  readonly #steps = new Map<string, ActiveContext>();

  private constructor(
    readonly environment: ContextEnvironment,
    readonly terms: ReadonlyMap<string, TermDefinition | null>,
    readonly vocab: string | undefined,
    readonly language: string | undefined,
    /** What relative references are resolved against; `null` leaves them relative. */
    readonly base: string | null | undefined,
    /** The context to go back to on entering a node: set by a type-scoped context, which does not propagate. */
    readonly previous: ActiveContext | undefined,
  ) {}

  /** The active context of a document with this `@context`. Throws `NotCompiledError`, `UnknownContextError`. */
  static of(context: Json | undefined, environment: ContextEnvironment): ActiveContext {
    const initial = new ActiveContext(environment, new Map(), undefined, undefined, environment.base, undefined);
    return context === undefined ? initial : initial.step(context, true);
  }

  /** This context with a local or scoped context on top (JSON-LD 1.1 API, 4.1). `propagate` is false for type-scoped ones. */
  step(context: Json, propagate: boolean, overrideProtected = false): ActiveContext {
    const key = `${propagate ? "p" : "t"}${overrideProtected ? "o" : ""}${JSON.stringify(context)}`;
    let next = this.#steps.get(key);
    if (next === undefined) {
      next = this.#process(context, propagate, overrideProtected);
      if (this.#steps.size < MOST_STEPS) this.#steps.set(key, next);
    }
    return next;
  }

  /** The context of a node's properties: with the type-scoped contexts of its types, as written, in lexical order. */
  forTypes(types: readonly string[]): ActiveContext {
    let result: ActiveContext = this;
    for (const type of types.length > 1 ? [...types].sort() : types) {
      const scoped = this.terms.get(type)?.context;
      if (scoped !== undefined) result = result.step(scoped, false);
    }
    return result;
  }

  /** The context inside a node or value of a property, from the context of the node that has it. */
  forProperty(definition: TermDefinition | undefined): ActiveContext {
    const reverted = this.previous ?? this;
    return definition?.context === undefined ? reverted : reverted.step(definition.context, true, true);
  }

  /**
   * IRI expansion (JSON-LD 1.1 API, 5.2): `null` for what the context maps to nothing. The result may be relative.
   * `vocab` looks terms up and prepends `@vocab`; `base` resolves relative references.
   */
  expandIri(value: string, { vocab, base }: { vocab: boolean; base: boolean }): string | null {
    if (value.startsWith("@") && KEYWORD.test(value)) return KEYWORDS.has(value) ? value : null;
    if (vocab) {
      const definition = this.terms.get(value);
      if (definition === null) return null;
      if (definition !== undefined) return definition.iri;
    }
    const absolute = expandCompact(value, this.terms);
    if (absolute !== undefined) return absolute;
    if (vocab && this.vocab !== undefined) return this.vocab + value;
    if (base && typeof this.base === "string") return resolveIri(this.base, value);
    return value;
  }

  #process(context: Json, propagate: boolean, overrideProtected: boolean): ActiveContext {
    let result: ActiveContext = this;
    for (let local of Array.isArray(context) ? context : [context]) {
      if (typeof local === "string") local = withoutBase(this.environment.registry.get(local));
      if (local === null) {
        if ([...result.terms.values()].some((term) => term?.isProtected)) throw new NotCompiledError("protected terms");
        result = ActiveContext.of(undefined, this.environment);
      } else if (Array.isArray(local)) {
        result = result.#process(local, true, overrideProtected);
      } else if (typeof local === "object") {
        result = result.#define(local, overrideProtected);
      } else {
        throw new NotCompiledError("a context that is no object");
      }
    }
    if (propagate) return result;
    const { terms, vocab, language, base } = result;
    return new ActiveContext(this.environment, terms, vocab, language, base, this.previous ?? this);
  }

  #define(local: { [key: string]: Json }, overrideProtected: boolean): ActiveContext {
    const definition = new ContextDefinition(local, this, overrideProtected);
    definition.run();
    return new ActiveContext(
      this.environment,
      definition.terms,
      definition.vocab,
      definition.language,
      definition.base,
      // A propagating context on top of a type-scoped one leaves the way back open.
      this.previous,
    );
  }
}

const KEYWORDS = new Set([
  "@base",
  "@container",
  "@context",
  "@default",
  "@direction",
  "@embed",
  "@explicit",
  "@graph",
  "@id",
  "@included",
  "@index",
  "@json",
  "@language",
  "@list",
  "@nest",
  "@none",
  "@omitDefault",
  "@prefix",
  "@preserve",
  "@protected",
  "@requireAll",
  "@reverse",
  "@set",
  "@type",
  "@value",
  "@version",
  "@vocab",
]);

/** A context document's own `@base` says nothing of the documents that name it (JSON-LD 1.1, 4.1.3). */
function withoutBase(context: Json): Json {
  if (typeof context !== "object" || context === null || Array.isArray(context)) return context;
  const { "@base": _, ...rest } = context;
  return rest;
}

/** A compact or absolute IRI made absolute, or `undefined` when `value` is relative. */
function expandCompact(value: string, terms: ReadonlyMap<string, TermDefinition | null>): string | undefined {
  const colon = value.indexOf(":");
  if (colon <= 0) return undefined;
  const prefix = value.slice(0, colon);
  if (prefix === "_" || value.startsWith("//", colon + 1)) return value;
  const definition = terms.get(prefix);
  if (definition?.isPrefix) return definition.iri + value.slice(colon + 1);
  return ABSOLUTE.test(value) ? value : undefined;
}

/** One local context being laid over an active one (JSON-LD 1.1 API, 4.1 and 4.2). */
class ContextDefinition {
  /** False while a term is being defined, true when it is. */
  readonly #defined = new Map<string, boolean>();

  readonly terms: Map<string, TermDefinition | null>;
  vocab: string | undefined;
  language: string | undefined;
  base: string | null | undefined;

  constructor(
    readonly local: { [key: string]: Json },
    active: ActiveContext,
    readonly overrideProtected: boolean,
  ) {
    this.terms = new Map(active.terms);
    this.vocab = active.vocab;
    this.language = active.language;
    this.base = active.base;
  }

  run(): void {
    for (const [key, value] of Object.entries(this.local)) {
      if (!key.startsWith("@")) continue;
      if (key === "@version") {
        if (value !== 1.1) throw new NotCompiledError("@version");
      } else if (key === "@vocab") {
        this.vocab = this.#vocab(value);
      } else if (key === "@base") {
        if (value !== null && typeof value !== "string") throw new NotCompiledError("@base");
        this.base = value === null ? null : typeof this.base === "string" ? resolveIri(this.base, value) : value;
      } else if (key === "@language") {
        if (value !== null && typeof value !== "string") throw new NotCompiledError("@language");
        this.language = value ?? undefined;
      } else if (key === "@protected") {
        if (typeof value !== "boolean") throw new NotCompiledError("@protected");
      } else {
        throw new NotCompiledError(`${key} in a context`);
      }
    }
    for (const term of Object.keys(this.local)) if (!term.startsWith("@")) this.#term(term);
  }

  #vocab(value: Json): string | undefined {
    if (value === null) return undefined;
    if (typeof value !== "string") throw new NotCompiledError("@vocab");
    const expanded = this.#expand(value);
    if (expanded === null || !ABSOLUTE.test(expanded)) throw new NotCompiledError("a relative @vocab");
    return expanded;
  }

  #term(term: string): void {
    const state = this.#defined.get(term);
    if (state === true) return;
    if (state === false) throw new NotCompiledError("a cyclic term");
    if (term === "") throw new NotCompiledError("an empty term");
    this.#defined.set(term, false);
    const before = this.terms.get(term);
    const definition = this.#definition(term, this.local[term]!);
    if (before?.isProtected && !this.overrideProtected) throw new NotCompiledError("a protected term redefined");
    this.terms.set(term, definition);
    this.#defined.set(term, true);
  }

  #definition(term: string, value: Json): TermDefinition | null {
    if (value === null) return null;
    const simple = typeof value === "string";
    if (!simple && (typeof value !== "object" || Array.isArray(value))) throw new NotCompiledError("a term definition");
    const entry: { [key: string]: Json } = simple ? { "@id": value } : value;
    for (const key of Object.keys(entry)) {
      if (!DEFINITION_KEYS.has(key)) throw new NotCompiledError(`${key} in a term definition`);
    }
    if (entry["@id"] === null) return null;
    const iri = this.#iriOf(term, entry["@id"]);
    if (iri.startsWith("@") && !ALIASED.has(iri)) throw new NotCompiledError(`an alias of ${iri}`);
    return {
      term,
      iri,
      type: this.#typeOf(entry["@type"]),
      language: languageOf(entry),
      isSet: isSet(entry["@container"]),
      context: entry["@context"],
      isPrefix: this.#isPrefix(term, iri, simple, entry["@prefix"]),
      isProtected: entry["@protected"] === undefined ? this.local["@protected"] === true : entry["@protected"] === true,
    };
  }

  #iriOf(term: string, id: Json | undefined): string {
    if (id !== undefined && typeof id !== "string") throw new NotCompiledError("an @id that is no string");
    if (id !== undefined && id !== term) {
      const expanded = this.#expand(id);
      if (expanded === null || !(expanded.startsWith("@") || ABSOLUTE.test(expanded))) {
        throw new NotCompiledError("a term without an IRI");
      }
      // Such a term must expand to itself, which jsonld.js checks.
      if (/^.+:.+$|\//.test(term)) throw new NotCompiledError("a term in the form of an IRI");
      return expanded;
    }
    const colon = term.indexOf(":");
    if (colon > 0) {
      const prefix = term.slice(0, colon);
      if (Object.hasOwn(this.local, prefix)) this.#term(prefix);
      const definition = this.terms.get(prefix);
      return definition ? definition.iri + term.slice(colon + 1) : term;
    }
    if (this.vocab === undefined) throw new NotCompiledError("a term without an IRI");
    return this.vocab + term;
  }

  #isPrefix(term: string, iri: string, simple: boolean, stated: Json | undefined): boolean {
    if (stated === undefined) return simple && !term.includes(":") && !term.includes("/") && /[:/?#[\]@]$/.test(iri);
    if (typeof stated !== "boolean" || /[:/]/.test(term) || iri.startsWith("@")) throw new NotCompiledError("@prefix");
    return stated;
  }

  #typeOf(type: Json | undefined): string | undefined {
    if (type === undefined || type === "@id" || type === "@vocab") return type;
    if (typeof type !== "string") throw new NotCompiledError("an @type that is no string");
    const expanded = this.#expand(type);
    if (expanded === null || expanded.startsWith("@") || expanded.startsWith("_:") || !ABSOLUTE.test(expanded)) {
      throw new NotCompiledError(`@type ${type}`);
    }
    return expanded;
  }

  /** IRI expansion while the context is being defined: terms and prefixes it depends on are defined first. */
  #expand(value: string): string | null {
    if (value.startsWith("@") && KEYWORD.test(value)) return KEYWORDS.has(value) ? value : null;
    if (Object.hasOwn(this.local, value) && this.#defined.get(value) !== true) this.#term(value);
    const definition = this.terms.get(value);
    if (definition === null) return null;
    if (definition !== undefined) return definition.iri;
    const colon = value.indexOf(":");
    if (colon > 0 && !value.startsWith("//", colon + 1)) {
      const prefix = value.slice(0, colon);
      if (Object.hasOwn(this.local, prefix)) this.#term(prefix);
    }
    return expandCompact(value, this.terms) ?? (this.vocab === undefined ? value : this.vocab + value);
  }
}

function languageOf(entry: { [key: string]: Json }): string | null | undefined {
  const language = entry["@language"];
  if (language === undefined || "@type" in entry) return undefined;
  if (language !== null && typeof language !== "string") throw new NotCompiledError("@language");
  return language;
}

function isSet(container: Json | undefined): boolean {
  if (container === undefined || container === null) return false;
  const containers = Array.isArray(container) ? container : [container];
  if (containers.length === 0) return false;
  if (containers.length === 1 && containers[0] === "@set") return true;
  throw new NotCompiledError(`@container ${containers.join(" ")}`);
}
