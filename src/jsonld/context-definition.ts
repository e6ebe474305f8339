/** A local context applied to an active one: first keywords, then terms, each after those it depends on (JSON-LD 1.1 API, 4.1 and 4.2). */
import { NamedError } from "../base/named-error.js";
import { isJsonObject, type Json, type JsonObject } from "../rdf/record-graph.js";
import { resolveIri } from "../rdf/resolve.js";
import type { ContextRegistry } from "./contexts.js";

/** A context that cannot be used, or not for a certain record. The message says why, for its author. */
export class ContextError extends NamedError {}

/** A term of an active context (JSON-LD 1.1 API, 4.2). */
export interface TermDefinition {
  readonly term: string;
  /** The IRI, or the keyword that the term is an alias of; `null` for a term that is mapped to null. */
  readonly iri: string | null;
  /** Whether the values are the subjects of the triples, and the node that has the term is their object. */
  readonly isReverse: boolean;
  /** `@id`, `@vocab`, `@json`, `@none` or a datatype's IRI; `undefined` without coercion. */
  readonly type: string | undefined;
  /** The language of strings; `null` for none, `undefined` for the default language. */
  readonly language: string | null | undefined;
  /** The base direction of strings; `null` and `undefined` as for the language. */
  readonly direction: string | null | undefined;
  readonly container: readonly string[];
  /** The property that the keys of an index map stand for; `undefined` for `@index` itself. */
  readonly index: string | undefined;
  /** The key under which values are nested. */
  readonly nest: string | undefined;
  /** The scoped context, unprocessed. */
  readonly context: Json | undefined;
  /** Whether the term can be the prefix of a compact IRI. */
  readonly isPrefix: boolean;
  readonly isProtected: boolean;
}

/** Strings in the form of a keyword, which terms must not have. */
const KEYWORD_FORM = /^@[A-Za-z]+$/;

const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "@base @container @context @default @direction @embed @explicit @graph @id @import @included @index @json " +
    "@language @list @nest @none @omitDefault @prefix @preserve @propagate @protected @requireAll @reverse @set " +
    "@type @value @version @vocab"
  ).split(" "),
);

/** What a context defines besides its terms. */
export interface ContextFrame {
  readonly vocab: string | undefined;
  readonly language: string | undefined;
  readonly direction: string | undefined;
  /** The base of relative references; `null` leaves them relative. */
  readonly base: string | null | undefined;
}

export interface DefinitionOptions {
  readonly overrideProtected: boolean;
  /** How many context documents lead to the context; 0 for one in the document itself. No other `@base` applies to the document. */
  readonly depth: number;
}

const DEFINITION_KEYS: ReadonlySet<string> = new Set(
  "@id @reverse @container @context @direction @index @language @nest @prefix @protected @type".split(" "),
);

interface Active {
  readonly frame: ContextFrame;
  readonly terms: ReadonlyMap<string, TermDefinition>;
}

/** IRI expansion (5.2): `null` for what is mapped to null, else an IRI, perhaps relative. `vocab` looks up terms and prepends `@vocab`, `base` resolves references. */
export function expandedIri(value: string, { frame, terms }: Active, vocab: boolean, base: boolean): string | null {
  if (value.startsWith("@") && KEYWORD_FORM.test(value)) return KEYWORDS.has(value) ? value : null;
  const definition = vocab ? terms.get(value) : undefined;
  if (definition !== undefined) return definition.iri;
  const absolute = expandCompact(value, terms);
  if (absolute !== undefined) return absolute;
  if (vocab && frame.vocab !== undefined) return frame.vocab + value;
  return base && typeof frame.base === "string" ? resolveIri(frame.base, value) : value;
}

/** A compact or absolute IRI made absolute, or `undefined` when `value` is relative. */
function expandCompact(value: string, terms: ReadonlyMap<string, TermDefinition>): string | undefined {
  const colon = value.indexOf(":");
  if (colon <= 0) return undefined;
  const prefix = value.slice(0, colon);
  if (prefix === "_" || value.startsWith("//", colon + 1)) return value;
  const definition = terms.get(prefix);
  if (definition?.isPrefix) return definition.iri + value.slice(colon + 1);
  return ABSOLUTE.test(value) ? value : undefined;
}

/** An active context with a local context applied to it. */
export class ContextDefinition {
  readonly terms: Map<string, TermDefinition>;
  readonly frame: { -readonly [Key in keyof ContextFrame]: ContextFrame[Key] };
  readonly #local: JsonObject;
  /** False while a term is being defined, true afterwards. */
  readonly #defined = new Map<string, boolean>();

  /** Throws `ContextError`, and `UnknownContextError` for an unknown `@import`. */
  constructor(
    local: JsonObject,
    active: Active,
    registry: ContextRegistry,
    private readonly options: DefinitionOptions,
  ) {
    this.terms = new Map(active.terms);
    this.frame = { ...active.frame };
    this.#local = withImport(local, registry);
    this.#keywords();
    for (const term of Object.keys(this.#local)) if (!CONTEXT_KEYWORDS.has(term)) this.#term(term);
  }

  #keywords(): void {
    const { "@version": version, "@base": base, "@vocab": vocab, "@language": language } = this.#local;
    const { "@direction": direction, "@propagate": propagate, "@protected": isProtected } = this.#local;
    if (version !== undefined && version !== 1.1) throw new ContextError("@version must be 1.1");
    if (base !== undefined && this.options.depth === 0) {
      if (base !== null && typeof base !== "string") throw new ContextError("@base must be an IRI or null");
      this.frame.base =
        base === null ? null : typeof this.frame.base === "string" ? resolveIri(this.frame.base, base) : base;
    }
    if (vocab !== undefined) this.frame.vocab = this.#vocab(vocab);
    if (language !== undefined) {
      if (language !== null && typeof language !== "string") throw new ContextError("@language must be a tag or null");
      this.frame.language = language ?? undefined;
    }
    if (direction !== undefined) this.frame.direction = directionOf(direction) ?? undefined;
    if (propagate !== undefined) booleanOf(propagate, "@propagate");
    if (isProtected !== undefined) booleanOf(isProtected, "@protected");
  }

  #vocab(value: Json): string | undefined {
    if (value === null) return undefined;
    if (typeof value !== "string") throw new ContextError("@vocab must be an IRI or null");
    // It depends on no terms, since terms may depend on it (4.1, step 5.8), and is relative to the base.
    const expanded = expandedIri(value, this, true, true);
    if (expanded === null || !ABSOLUTE.test(expanded)) throw new ContextError("@vocab is relative, without a base IRI");
    return expanded;
  }

  #term(term: string): void {
    const state = this.#defined.get(term);
    if (state === true) return;
    const name = JSON.stringify(term);
    if (state === false) throw new ContextError(`the term ${name} is defined by itself`);
    if (term === "") throw new ContextError("a term is empty");
    if (KEYWORDS.has(term) && term !== "@type") throw new ContextError(`${term} cannot be redefined`);
    if (KEYWORD_FORM.test(term) && term !== "@type") return;
    this.#defined.set(term, false);
    const before = this.terms.get(term);
    this.terms.delete(term);
    const definition = this.#definition(term, this.#local[term]!);
    if (before?.isProtected && !this.options.overrideProtected) {
      if (definition === undefined || !isSameDefinition(before, definition))
        throw new ContextError(`the term ${name} is protected and cannot be redefined`);
      this.terms.set(term, before);
    } else if (definition !== undefined) {
      this.terms.set(term, definition);
    }
    this.#defined.set(term, true);
  }

  /** The definition of a term, or `undefined` for one that JSON-LD ignores. */
  #definition(term: string, value: Json): TermDefinition | undefined {
    const isSimple = typeof value === "string";
    const entry: JsonObject = isSimple ? { "@id": value } : value === null ? { "@id": null } : (value as JsonObject);
    const fail = (problem: string): never => {
      throw new ContextError(`the term ${JSON.stringify(term)} ${problem}`);
    };
    if (typeof entry !== "object" || Array.isArray(entry)) return fail("is defined by neither a string nor an object");
    for (const key of Object.keys(entry)) if (!DEFINITION_KEYS.has(key)) fail(`has the unknown key ${key}`);
    if (term === "@type") checkTypeDefinition(entry, fail);
    const container = containerOf(term, entry["@container"]);
    const reverse = entry["@reverse"];
    const iri = reverse === undefined ? this.#iriOf(term, entry["@id"], fail) : this.#reverseOf(entry, container, fail);
    if (iri === undefined) return undefined;
    if (iri === "@context") fail("is an alias of @context");
    const type = this.#typeOf(entry["@type"], fail) ?? (container.includes("@type") ? "@id" : undefined);
    if (container.includes("@type") && type !== "@id" && type !== "@vocab")
      fail("is a type map whose values are not nodes");
    return {
      term,
      iri,
      isReverse: reverse !== undefined,
      type,
      ...stringsOf(entry, fail),
      container,
      index: this.#indexOf(entry["@index"], container, fail),
      nest: nestOf(entry["@nest"], fail),
      context: entry["@context"],
      isPrefix: isPrefix(term, iri, isSimple, entry["@prefix"], fail),
      isProtected: booleanOf(entry["@protected"] ?? this.#local["@protected"] ?? false, "@protected"),
    };
  }

  /** The IRI of a term, `null` for a term that is mapped to null, or `undefined` for one that is ignored. */
  #iriOf(term: string, id: Json | undefined, fail: Fail): string | null | undefined {
    if (id === null) return null;
    if (id !== undefined && typeof id !== "string") return fail("has an @id that is not a string");
    if (id !== undefined && id !== term) return this.#statedIri(term, id, fail);
    if (term === "@type") return "@type";
    const colon = term.indexOf(":", 1);
    if (colon > 0) {
      const prefix = term.slice(0, colon);
      if (Object.hasOwn(this.#local, prefix)) this.#term(prefix);
      const definition = this.terms.get(prefix);
      return definition?.iri ? definition.iri + term.slice(colon + 1) : term;
    }
    if (term.includes("/")) {
      const expanded = this.#expand(term);
      return expanded !== null && ABSOLUTE.test(expanded) ? expanded : fail("has no IRI");
    }
    return this.frame.vocab === undefined ? fail("has no IRI") : this.frame.vocab + term;
  }

  #statedIri(term: string, id: string, fail: Fail): string | undefined {
    if (!KEYWORDS.has(id) && KEYWORD_FORM.test(id)) return undefined;
    const expanded = this.#expand(id);
    if (expanded === null || !(expanded.startsWith("@") || ABSOLUTE.test(expanded))) return fail("has no IRI");
    // A term in the form of an IRI must stand for exactly that IRI.
    if (/^.+:.+$|\//s.test(term)) {
      this.#defined.set(term, true);
      if (this.#expand(term) !== expanded) fail("looks like a different IRI than the one it stands for");
    }
    return expanded;
  }

  #reverseOf(entry: JsonObject, container: readonly string[], fail: Fail): string | undefined {
    const { "@reverse": reverse } = entry;
    if ("@id" in entry || "@nest" in entry) fail("has both @reverse and @id or @nest");
    if (typeof reverse !== "string") return fail("has a @reverse that is not a string");
    if (KEYWORD_FORM.test(reverse)) return undefined;
    const expanded = this.#expand(reverse);
    if (expanded === null || !ABSOLUTE.test(expanded)) return fail("has no IRI");
    if (container.some((each) => each !== "@set" && each !== "@index"))
      fail("is a reverse property, which cannot have a list or map as its container");
    return expanded;
  }

  #typeOf(type: Json | undefined, fail: Fail): string | undefined {
    if (type === undefined) return undefined;
    if (typeof type !== "string") return fail("has an @type that is not a string");
    const expanded = this.#expand(type);
    if (expanded === "@id" || expanded === "@vocab" || expanded === "@json" || expanded === "@none") return expanded;
    const isDatatype = expanded !== null && !expanded.startsWith("_:") && ABSOLUTE.test(expanded);
    return isDatatype ? expanded : fail(`has the @type ${JSON.stringify(type)}, which is not a datatype`);
  }

  #indexOf(index: Json | undefined, container: readonly string[], fail: Fail): string | undefined {
    if (index === undefined) return undefined;
    if (typeof index !== "string" || !container.includes("@index"))
      return fail("has an @index that is not a string, or no @index container");
    const expanded = this.#expand(index);
    return expanded !== null && ABSOLUTE.test(expanded) ? index : fail("has an @index that is not a property");
  }

  /** IRI expansion while the context is being defined: the terms and prefixes that the value depends on are defined first. */
  #expand(value: string): string | null {
    if (!KEYWORD_FORM.test(value)) {
      if (Object.hasOwn(this.#local, value)) this.#term(value);
      const colon = value.indexOf(":", 1);
      const prefix = value.slice(0, Math.max(colon, 0));
      const isCompact = prefix !== "" && !value.startsWith("//", colon + 1) && !this.terms.has(value);
      if (isCompact && Object.hasOwn(this.#local, prefix)) this.#term(prefix);
    }
    return expandedIri(value, this, true, false);
  }
}

type Fail = (problem: string) => never;

const CONTEXT_KEYWORDS: ReadonlySet<string> = new Set(
  "@base @direction @import @language @propagate @protected @version @vocab".split(" "),
);

/** A context merged over the one that it imports (4.1, step 5.6). */
function withImport(local: JsonObject, registry: ContextRegistry): JsonObject {
  const { "@import": uri, ...rest } = local;
  if (uri === undefined) return local;
  if (typeof uri !== "string") throw new ContextError("@import must be the IRI of a context");
  const imported = registry.get(uri);
  if (!isJsonObject(imported) || "@import" in imported)
    throw new ContextError(`<${uri}> cannot be imported: it is not a single object, or imports another context`);
  return { ...imported, ...rest };
}

/** A value that must be a boolean. Throws `ContextError`. */
function booleanOf(value: Json, key: string): boolean {
  if (typeof value !== "boolean") throw new ContextError(`${key} must be true or false`);
  return value;
}

function directionOf(value: Json): string | null {
  if (value === null || value === "ltr" || value === "rtl") return value;
  throw new ContextError("@direction must be ltr, rtl or null");
}

/** Check that a definition of `@type` only makes it a set (4.2, step 4). */
function checkTypeDefinition(entry: JsonObject, fail: Fail): void {
  const keys = Object.keys(entry);
  const isSet = entry["@container"] === undefined || entry["@container"] === "@set";
  if (keys.length === 0 || !isSet || keys.some((key) => key !== "@container" && key !== "@protected"))
    fail("cannot be defined this way");
}

function stringsOf(entry: JsonObject, fail: Fail): Pick<TermDefinition, "language" | "direction"> {
  if ("@type" in entry) return { language: undefined, direction: undefined };
  const { "@language": language, "@direction": direction } = entry;
  if (language !== undefined && language !== null && typeof language !== "string")
    return fail("has a @language that is not a language tag");
  return { language, direction: direction === undefined ? undefined : directionOf(direction) };
}

function nestOf(nest: Json | undefined, fail: Fail): string | undefined {
  if (nest === undefined) return undefined;
  const isKey = typeof nest === "string" && (nest === "@nest" || !KEYWORDS.has(nest));
  return isKey ? nest : fail("has a @nest that is not a key");
}

function isPrefix(term: string, iri: string | null, isSimple: boolean, stated: Json | undefined, fail: Fail): boolean {
  if (iri === null) return false;
  const isName = !/[:/]/.test(term);
  if (stated === undefined) return isSimple && isName && (/[:/?#[\]@]$/.test(iri) || iri.startsWith("_:"));
  if (typeof stated !== "boolean" || !isName || (stated && iri.startsWith("@"))) return fail("cannot be a prefix");
  return stated;
}

/** An IRI or a blank node. */
const ABSOLUTE = /^(?:[A-Za-z][A-Za-z0-9+.-]*|_):\S*$/;

const CONTAINERS: ReadonlySet<string> = new Set(["@graph", "@id", "@index", "@language", "@list", "@set", "@type"]);

/** The `@container` of a term definition. Throws `ContextError` for combinations that JSON-LD does not allow. */
function containerOf(term: string, value: Json | undefined): readonly string[] {
  if (value === undefined || value === null) return [];
  const container = (Array.isArray(value) ? value : [value]) as string[];
  const rest = container.filter((each) => each !== "@set");
  const isKnown = container.every((each) => typeof each === "string" && CONTAINERS.has(each));
  const [first = "", second] = [...rest].sort();
  const isPair = first === "@graph" && (second === "@id" || second === "@index");
  const isAllowed = rest.length < 2 || (rest.length === 2 && isPair);
  if (!isKnown || !isAllowed || (first === "@list" && container.length > 1))
    throw new ContextError(`the term ${JSON.stringify(term)} has a @container that JSON-LD does not allow`);
  return container;
}

/** Whether two definitions are the same apart from their protection (4.2, step 27). */
function isSameDefinition(one: TermDefinition, other: TermDefinition): boolean {
  const comparable = (definition: TermDefinition): string => {
    const { isProtected: _, container, ...rest } = definition;
    return JSON.stringify({ ...rest, container: [...container].sort() });
  };
  return comparable(one) === comparable(other);
}
