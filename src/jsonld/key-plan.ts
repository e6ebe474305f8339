/** What the keys of documents mean, compiled once for each active context. */
import { hasScheme, iriProblem } from "../rdf/terms.js";
import { type ActiveContext, NotCompiledError } from "./active-context.js";

/** What a key of a node object means in one active context. */
export type KeyPlan =
  | { readonly kind: "id" | "type" | "value" | "language" | "set" | "included" | "context" | "undefined" }
  /** A property whose IRI is none. */
  | { readonly kind: "illegal"; readonly problem: string }
  | PropertyPlan;

export interface PropertyPlan {
  readonly kind: "property";
  readonly iri: string;
  /** The coercion of its values: `@id`, `@vocab`, a datatype's IRI or none. */
  readonly type: string | undefined;
  /** The language of its strings, or the empty string. */
  readonly language: string;
  /** The active context of its strings and value objects, where a type-scoped context still holds. */
  readonly valueContext: ActiveContext;
  /** The active context inside its nodes, where it does not. */
  readonly nodeContext: ActiveContext;
}

/** The keys of one active context, compiled as documents bring them. */
export class KeyPlans {
  readonly keys = new Map<string, KeyPlan>();
  /** Contexts of typed nodes, by the one type as written. */
  readonly byType = new Map<string, KeyPlans>();
  /** IRIs of type values as written. */
  readonly typeIris = new Map<string, string | null>();
  readonly idKeys: readonly string[];
  readonly typeKeys: readonly string[];
  readonly valueKeys: readonly string[];
  readonly setKeys: readonly string[];

  constructor(readonly context: ActiveContext) {
    const aliases = (keyword: string): string[] => [
      ...[...context.terms.values()].filter((term) => term?.iri === keyword).map((term) => term!.term),
      keyword,
    ];
    this.idKeys = aliases("@id");
    this.typeKeys = aliases("@type");
    this.valueKeys = aliases("@value");
    this.setKeys = aliases("@set");
  }

  /** What a key means; compiled when first met. */
  of(key: string): KeyPlan {
    let plan = this.keys.get(key);
    if (plan === undefined) {
      plan = compileKey(this.context, key);
      if (this.keys.size < MOST_KEYS) this.keys.set(key, plan);
    }
    return plan;
  }
}

/** Contexts meet unknown keys without end; past this many, plans are made anew each time. */
export const MOST_KEYS = 4096;

function compileKey(context: ActiveContext, key: string): KeyPlan {
  if (key === "@context") return { kind: "context" };
  const iri = context.expandIri(key, { vocab: true, base: false });
  if (iri?.startsWith("@")) {
    const kind = KEYWORD_KINDS[iri];
    if (kind === undefined) throw new NotCompiledError(`${iri} in a document`);
    return { kind };
  }
  if (iri === null || iri.startsWith("_:") || !hasScheme(iri)) return { kind: "undefined" };
  const problem = iriProblem(iri);
  if (problem !== undefined) return { kind: "illegal", problem };
  const definition = context.terms.get(key) ?? undefined;
  const scoped = definition?.context;
  return {
    kind: "property",
    iri,
    type: definition?.type,
    language: (definition?.language === undefined ? context.language : definition.language) ?? "",
    valueContext: scoped === undefined ? context : context.step(scoped, true, true),
    nodeContext: context.forProperty(definition),
  };
}

const KEYWORD_KINDS: { readonly [keyword: string]: Exclude<KeyPlan["kind"], "property" | "illegal"> } = {
  "@id": "id",
  "@type": "type",
  "@value": "value",
  "@language": "language",
  "@set": "set",
  "@included": "included",
};
