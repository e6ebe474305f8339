/** Active contexts: each is compiled once from a document's contexts, with memoized steps to the active contexts of nodes inside it. */
import { BoundedMap } from "../base/bounded-map.js";
import { entryOf } from "../base/entries.js";
import { isJsonObject, type Json } from "../rdf/record-graph.js";
import type { ContextFrame, DefinitionOptions, TermDefinition } from "./context-definition.js";
import { ContextDefinition, ContextError, expandedIri } from "./context-definition.js";
import type { ContextRegistry } from "./contexts.js";

/** At most this many steps are kept, from all contexts together, since documents may bring any number of inline contexts. */
export const MAX_ACTIVE_CONTEXTS = 2048;
/** How deep contexts may nest: context documents that name others, and arrays in arrays. */
const MAX_CONTEXT_DEPTH = 32;
/** At most this many contexts may follow each other in an array. */
const MAX_CONTEXTS_IN_ARRAY = 100;
export const TOO_DEEP_CONTEXT = "contexts refer to each other, are nested too deeply, or are too many";

/** The known contexts, and the base of relative ids. */
export interface ContextEnvironment {
  readonly registry: ContextRegistry;
  /** The base against which relative ids are resolved; `undefined` leaves them relative. */
  readonly base: string | undefined;
}

let contexts = 0;

/** An active context (JSON-LD 1.1 API, 4.1). Immutable once made; the contexts that follow from it are made on demand and kept. */
export class ActiveContext {
  static readonly #initial = new WeakMap<ContextEnvironment, ActiveContext>();
  static readonly #steps = new BoundedMap<string, ActiveContext>(MAX_ACTIVE_CONTEXTS);
  /** Distinguishes its steps from those of other contexts. */
  readonly #number = contexts++;

  private constructor(
    readonly environment: ContextEnvironment,
    readonly terms: ReadonlyMap<string, TermDefinition>,
    readonly frame: ContextFrame,
    /** The context to return to on entering a node; set by a context that does not propagate. */
    readonly previous: ActiveContext | undefined,
  ) {}

  /** The active context of a document with this `@context`. Throws `ContextError`, `UnknownContextError`. */
  static of(context: Json | undefined, environment: ContextEnvironment): ActiveContext {
    const initial = entryOf(ActiveContext.#initial, environment, () => {
      const frame = { vocab: undefined, language: undefined, direction: undefined, base: environment.base };
      return new ActiveContext(environment, new Map(), frame, undefined);
    });
    return context === undefined ? initial : initial.step(context, true);
  }

  /** This context with a local or scoped context on top (4.1). `propagate` is false for type-scoped contexts. */
  step(context: Json, propagate: boolean, overrideProtected = false): ActiveContext {
    const kind = `${propagate ? "p" : "t"}${overrideProtected ? "o" : ""}`;
    const options = { overrideProtected, depth: 0 };
    return this.#once(kind + JSON.stringify(context), () => this.#process(context, propagate, options));
  }

  /** The context that a step from this one leads to, made only once. */
  #once(step: string, make: () => ActiveContext): ActiveContext {
    const key = `${this.#number}${step}`;
    return ActiveContext.#steps.get(key) ?? ActiveContext.#steps.put(key, make());
  }

  /** The context of a node's properties: this one with the type-scoped contexts of its types, as written, in lexical order. */
  forTypes(types: readonly string[]): ActiveContext {
    let result: ActiveContext = this;
    for (const type of types.length > 1 ? [...types].sort() : types) {
      const scoped = this.terms.get(type)?.context;
      if (scoped !== undefined) result = result.step(scoped, false);
    }
    return result;
  }

  /** The context inside a node under a property; call it on the context of the node that has the property. */
  forProperty(definition: TermDefinition | undefined): ActiveContext {
    return (this.previous ?? this).scopedTo(definition);
  }

  /** The language of strings under a term that state none; `null` or `undefined` for none. */
  languageUnder(definition: TermDefinition | undefined): string | null | undefined {
    return definition?.language === undefined ? this.frame.language : definition.language;
  }

  /** Whether strings under a term have a base direction. */
  hasDirectionUnder(definition: TermDefinition | undefined): boolean {
    return ((definition?.direction === undefined ? this.frame.direction : definition.direction) ?? null) !== null;
  }

  /** This context with the property's own context on top. */
  scopedTo(definition: TermDefinition | undefined): ActiveContext {
    return definition?.context === undefined ? this : this.step(definition.context, true, true);
  }

  expandIri(value: string, { vocab, base }: { vocab: boolean; base: boolean }): string | null {
    return expandedIri(value, this, vocab, base);
  }

  #process(context: Json, asked: boolean, options: DefinitionOptions): ActiveContext {
    const locals = ([context] as unknown[]).flat(MAX_CONTEXT_DEPTH + 1) as Json[];
    const isTooMuch = options.depth > MAX_CONTEXT_DEPTH || locals.length > MAX_CONTEXTS_IN_ARRAY;
    if (isTooMuch || locals.some(Array.isArray)) throw new ContextError(TOO_DEEP_CONTEXT);
    const [first] = locals;
    // The definition of the context refuses anything but a boolean.
    const propagate = (isJsonObject(first) ? first["@propagate"] : undefined) ?? asked;
    let result: ActiveContext = this;
    for (const local of locals) result = result.#with(local, options);
    return propagate ? result : new ActiveContext(this.environment, result.terms, result.frame, this.previous ?? this);
  }

  #with(local: Json, options: DefinitionOptions): ActiveContext {
    const { environment } = this;
    if (local === null) {
      const hasProtected = [...this.terms.values()].some((term) => term.isProtected);
      if (hasProtected && !options.overrideProtected) throw new ContextError("null would remove protected terms");
      return ActiveContext.of(undefined, environment);
    }
    if (typeof local === "string") {
      const deeper = { ...options, depth: options.depth + 1 };
      const kind = options.overrideProtected ? "ro" : "r";
      return this.#once(kind + local, () => this.#process(environment.registry.get(local), true, deeper));
    }
    if (typeof local !== "object" || Array.isArray(local))
      throw new ContextError("a context must be an IRI, an object, an array of these, or null");
    const defined = new ContextDefinition(local, this, environment.registry, options);
    // A propagating context on top of one that does not propagate keeps the way back.
    return new ActiveContext(environment, defined.terms, defined.frame, this.previous);
  }
}
