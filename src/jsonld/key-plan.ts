/** The compiled meanings of a document's keys, one plan for each active context. */
import { BoundedMap, remembering } from "../base/bounded-map.js";
import { nearest } from "../base/did-you-mean.js";
import { lazily } from "../base/lazily.js";
import { isJsonObject } from "../rdf/record-graph.js";
import { hasScheme, iriProblem } from "../rdf/terms.js";
import { type ActiveContext, MAX_ACTIVE_CONTEXTS } from "./active-context.js";
import type { TermDefinition } from "./context-definition.js";

/** The meaning of a node object's key in one active context: a keyword, a property, or nothing. */
type KeyPlan =
  | { readonly kind: `@${string}` | "undefined" }
  /** A property whose IRI is illegal. */
  | { readonly kind: "illegal"; readonly problem: string }
  | PropertyPlan;

export type PropertyPlan = ReturnType<typeof compileProperty>;

/** At most this many plans are kept; a context may meet any number of unknown keys. */
const MAX_KEYS = 4096;

/** The keys of one active context, compiled when a document first uses them. */
export class KeyPlans {
  /** The meaning of a key, compiled on first use. */
  readonly of = remembering(MAX_KEYS, (key: string) => compileKey(this.context, key));
  readonly #properties = new BoundedMap<string, PropertyPlan>(MAX_KEYS);
  readonly #suggestedProperty = remembering(MAX_KEYS, (key: string): string | null => {
    // A key that begins with `_` can only be a misspelling of another that does.
    const names = this.#propertyNames().filter((name) => !key.startsWith("_") || name.startsWith("_"));
    return nearest(key, names) ?? null;
  });
  readonly #propertyNames = lazily(() =>
    this.#names(({ term, iri, isPrefix }) => !isPrefix && !/^\p{Lu}/u.test(term) && iri?.startsWith("@") !== true),
  );
  /** The keys that are defined within nodes of some class, or within some property. */
  readonly elsewhere = lazily(() => {
    const scoped = [...this.context.terms.values()].flatMap(({ context }) => context ?? []);
    return new Set(scoped.flatMap((each) => (isJsonObject(each) ? Object.keys(each) : [])));
  });
  /** The plans inside nodes with a single type, by the type as written. */
  readonly ofType = remembering(MAX_KEYS, (type: string): KeyPlans => plansOf(this.context.forTypes([type])));
  /** The IRIs of classes, by their names as written; `null` for those that no context defines. */
  readonly classIris = new BoundedMap<string, string | null>(MAX_KEYS);
  readonly idKeys: readonly string[];
  readonly typeKeys: readonly string[];
  readonly valueKeys: readonly string[];
  readonly collectionKeys: readonly string[];

  constructor(readonly context: ActiveContext) {
    const terms = [...context.terms.values()];
    const aliases = (keyword: string): string[] => [
      ...terms.filter(({ iri, term }) => iri === keyword && term !== keyword).map(({ term }) => term),
      keyword,
    ];
    this.idKeys = aliases("@id");
    this.typeKeys = aliases("@type");
    this.valueKeys = aliases("@value");
    this.collectionKeys = [...aliases("@list"), ...aliases("@set")];
  }

  /** The property that an undefined key is probably a misspelling of, or `undefined`. */
  suggestedProperty(key: string): string | undefined {
    return this.#suggestedProperty(key) ?? undefined;
  }

  /** The class that an unknown name is probably a misspelling of, or `undefined`. */
  suggestedClass(name: string): string | undefined {
    const names = this.#names(({ term }) => /^\p{Lu}/u.test(term));
    return nearest(name, names);
  }

  #names(isWanted: (definition: TermDefinition) => boolean): string[] {
    return [...this.context.terms.values()]
      .filter((each) => each.iri !== null && isWanted(each))
      .map(({ term }) => term);
  }

  /** The plan of a property for the values inside a list or set object: they are read in this context, although the property's key belongs to another. */
  within({ key, iri, isReverse }: PropertyPlan): PropertyPlan {
    const name = `${isReverse} ${iri} ${key}`;
    const plan = () => ({ ...compileProperty(this.context, key, iri, this.context.terms.get(key)), isReverse });
    return this.#properties.get(name) ?? this.#properties.put(name, plan());
  }
}

/** The compiled keys of an active context. */
export const plansOf = remembering(MAX_ACTIVE_CONTEXTS, (context: ActiveContext) => new KeyPlans(context));

function compileKey(context: ActiveContext, key: string): KeyPlan {
  const iri = context.expandIri(key, { vocab: true, base: false });
  if (iri?.startsWith("@")) return { kind: iri as `@${string}` };
  if (iri === null || iri.startsWith("_:") || !hasScheme(iri)) return { kind: "undefined" };
  const problem = iriProblem(iri);
  return problem === undefined
    ? compileProperty(context, key, iri, context.terms.get(key))
    : { kind: "illegal", problem };
}

/** A property as the meaning of a key in the active context of a node. @param outer the term that the key is */
function compileProperty(context: ActiveContext, key: string, iri: string, outer: TermDefinition | undefined) {
  /** The active context of strings and value objects, where a type-scoped context still holds. */
  const valueContext = context.scopedTo(outer);
  // A property-scoped context may redefine the property itself; the new definition applies to the values.
  const definition = outer?.context === undefined ? outer : valueContext.terms.get(key);
  const type = definition?.type;
  const language = valueContext.languageUnder(definition);
  const container = outer?.container ?? [];
  return {
    kind: "property" as const,
    key,
    iri,
    isReverse: outer?.isReverse ?? false,
    /** The coercion of scalar values: `@id`, `@vocab`, `@json`, a datatype's IRI or none. */
    type: type === "@none" ? undefined : type,
    language: type === undefined || type === "@none" ? (language ?? "") : "",
    /** Whether strings have a base direction, which triples cannot express. */
    hasDirection: valueContext.hasDirectionUnder(definition),
    /** Whether the value is JSON, objects and arrays included. Only the property's own definition decides, not its scoped context. */
    isJson: outer?.type === "@json",
    isList: container.includes("@list"),
    map: MAP_KINDS.find((each) => container.includes(each)),
    /** The property that the keys of an index map stand for. */
    index: outer?.index,
    context,
    valueContext,
    /** The active context inside nodes, where a type-scoped context no longer holds. */
    nodeContext: context.forProperty(outer),
  };
}

/** What the keys of a map stand for (JSON-LD 1.1, 4.6 and 4.9). */
const MAP_KINDS = ["@graph", "@language", "@index", "@id", "@type"] as const;
