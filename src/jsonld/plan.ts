/** The framing plan: for each class and property, under which key and in which form its values are written. */
import type { Json } from "../rdf/record-graph.js";
import { type Term, XSD } from "../rdf/terms.js";
import { ActiveContext, type ContextEnvironment, NotCompiledError, type TermDefinition } from "./active-context.js";
import { Compaction, type ValueKind } from "./compaction.js";
import { literalToNative } from "./native.js";

/** What the field tables say of documents beyond the context. */
export interface Layout {
  /** The properties of a class, in field table order. */
  order(className: string): readonly string[];
  /** Whether a property's value is an array even of one, or never one around a single value; else the context decides. */
  form(property: string): "array" | "single" | undefined;
  /** Whether an embedded node of a class has a `@context` of its own, if it has an `id`. */
  standsAlone(className: string): boolean;
}

/** A key of a node and the form of its values; one object for each key of a node plan. */
export interface KeyUse {
  readonly key: string;
  /** Its place among the node's keys. */
  readonly rank: number;
  readonly isArray: boolean;
}

/** How nodes are written under a property. */
export interface NodeUse {
  readonly use: KeyUse;
  /** A node of which nothing but its name is written. */
  readonly reference: (iri: string) => Json;
  readonly plans: NodePlans;
  /** How lists are written; `undefined` leaves them to jsonld.js. */
  readonly list?: { readonly write: (items: Json[]) => Json; readonly literal: (literal: Term) => Json };
}

/** How literals of one datatype or language are written under a property. */
export interface LiteralUse {
  readonly use: KeyUse;
  readonly write: (literal: Term) => Json;
}

/** How nodes of one class are written. */
export interface NodePlan {
  readonly id: string;
  readonly type: string;
  /** The value of `type`; `undefined` for a node without a class. */
  readonly types: Json | undefined;
  /** Whether its nodes, where they have an `id`, bring the document's `@context` along. */
  readonly standsAlone: boolean;
  /** How an IRI is written as a node's `id`. */
  readonly writeIri: (iri: string) => string;
  property(iri: string): PropertyUse;
}

/** How values of one property are written on nodes of one class. */
export interface PropertyUse {
  readonly nodes: NodeUse;
  literals(literal: Term): LiteralUse;
}

/** Plans for the nodes of one place in documents, by their classes. */
export interface NodePlans {
  /** The plan of nodes with these classes' IRIs, joined by a space. */
  of(classes: string): NodePlan;
}

/** Nodes come with class combinations without end, so only this many plans are kept. */
const MOST_PLANS = 10_000;
/** The rank of keys that no field table names: after all others, in the order of the triples. */
const UNRANKED = 1_000_000;

/**
 * The plan that writes documents with this `@context` (JSON-LD 1.1 Framing, with `@embed: @always`, and compaction).
 * Throws `NotCompiledError` where the context is jsonld.js's to process, `UnknownContextError`.
 */
export function compactPlan(context: Json, environment: ContextEnvironment, layout: Layout): NodePlans {
  const active = ActiveContext.of(context, environment);
  if (active.base !== environment.base) throw new NotCompiledError("ids relative to a @base of the context's own");
  return new PlanFamily(layout).plans(active);
}

/** The plans of all active contexts that one `@context` leads to, so that each is made once. */
class PlanFamily {
  readonly #plans = new Map<ActiveContext, CompactPlans>();
  readonly #compactions = new Map<ActiveContext, Compaction>();

  constructor(readonly layout: Layout) {}

  plans(context: ActiveContext): CompactPlans {
    let plans = this.#plans.get(context);
    if (plans === undefined) {
      plans = new CompactPlans(context, this);
      this.#plans.set(context, plans);
    }
    return plans;
  }

  compaction(context: ActiveContext): Compaction {
    let compaction = this.#compactions.get(context);
    if (compaction === undefined) {
      compaction = new Compaction(context);
      this.#compactions.set(context, compaction);
    }
    return compaction;
  }
}

class CompactPlans implements NodePlans {
  readonly #plans = new Map<string, NodePlan>();

  constructor(
    readonly context: ActiveContext,
    readonly family: PlanFamily,
  ) {}

  of(classes: string): NodePlan {
    let plan = this.#plans.get(classes);
    if (plan === undefined) {
      plan = this.#plan(classes === "" ? [] : classes.split(" "));
      if (this.#plans.size < MOST_PLANS) this.#plans.set(classes, plan);
    }
    return plan;
  }

  #plan(classes: readonly string[]): NodePlan {
    const outer = this.family.compaction(this.context);
    const names = classes.map((iri) => outer.vocab(iri));
    return new CompactNodePlan(this.family, this.family.compaction(this.context.forTypes(names)), names);
  }
}

class CompactNodePlan implements NodePlan {
  readonly id: string;
  readonly type: string;
  readonly types: Json | undefined;
  readonly standsAlone: boolean;
  readonly writeIri: (iri: string) => string;
  readonly #properties = new Map<string, PropertyUse>();
  readonly #uses = new Map<string, KeyUse>();
  readonly #ranks = new Map<string, number>();

  constructor(
    readonly family: PlanFamily,
    readonly compaction: Compaction,
    names: readonly string[],
  ) {
    this.id = compaction.id;
    this.type = compaction.type;
    this.types = names.length === 0 ? undefined : names.length === 1 ? names[0]! : [...names];
    this.standsAlone = names.some((name) => family.layout.standsAlone(name));
    this.writeIri = (iri) => compaction.iri(iri);
    for (const name of names.length === 0 ? [""] : names) {
      for (const property of family.layout.order(name)) {
        if (!this.#ranks.has(property)) this.#ranks.set(property, this.#ranks.size);
      }
    }
  }

  property(iri: string): PropertyUse {
    let property = this.#properties.get(iri);
    if (property === undefined) {
      property = new CompactPropertyUse(this, iri);
      if (this.#properties.size < MOST_PLANS) this.#properties.set(iri, property);
    }
    return property;
  }

  term(iri: string, kind: ValueKind): TermDefinition | undefined {
    return this.compaction.term(iri, kind, this.#ranks);
  }

  use(key: string, definition: TermDefinition | undefined): KeyUse {
    let use = this.#uses.get(key);
    if (use === undefined) {
      const form = definition === undefined ? undefined : this.family.layout.form(key);
      use = {
        key,
        rank: this.#ranks.get(key) ?? UNRANKED,
        isArray: form === undefined ? definition?.isSet === true : form === "array",
      };
      if (this.#uses.size < MOST_PLANS) this.#uses.set(key, use);
    }
    return use;
  }
}

class CompactPropertyUse implements PropertyUse {
  #nodes: NodeUse | undefined;
  #plain: LiteralUse | undefined;
  readonly #literals = new Map<string, LiteralUse>();

  constructor(
    readonly plan: CompactNodePlan,
    readonly iri: string,
  ) {}

  get nodes(): NodeUse {
    this.#nodes ??= this.#nodeUse();
    return this.#nodes;
  }

  literals(literal: Term): LiteralUse {
    if (literal.datatype === XSD.string) {
      this.#plain ??= this.#literalUse({ kind: "plain" });
      return this.#plain;
    }
    const isNative = literal.language === "" && literalToNative(literal.value, literal.datatype) !== undefined;
    const key =
      literal.language !== "" ? `@${literal.language}` : isNative ? `native ${literal.datatype}` : literal.datatype;
    let use = this.#literals.get(key);
    if (use === undefined) {
      use = isNative ? this.#nativeUse(literal.datatype) : this.#literalUse(kindOf(literal));
      if (this.#literals.size < MOST_PLANS) this.#literals.set(key, use);
    }
    return use;
  }

  #nodeUse(): NodeUse {
    const { plan } = this;
    const definition = plan.term(this.iri, { kind: "node" });
    const context = plan.compaction.context;
    const valueCompaction = this.#valueCompaction(definition);
    return {
      use: plan.use(definition?.term ?? plan.compaction.key(this.iri), definition),
      reference:
        definition?.type === "@id"
          ? (iri) => valueCompaction.iri(iri)
          : definition?.type === "@vocab"
            ? (iri) => valueCompaction.vocab(iri)
            : (iri) => ({ [valueCompaction.id]: valueCompaction.iri(iri) }),
      plans: plan.family.plans(context.forProperty(definition)),
    };
  }

  /** A number or boolean: the value object of it has no datatype, so a term without one is looked for. */
  #nativeUse(datatype: string): LiteralUse {
    const { plan } = this;
    const typed = plan.term(this.iri, { kind: "typed", datatype });
    const definition = typed?.type === datatype ? typed : plan.term(this.iri, { kind: "plain" });
    return {
      use: plan.use(definition?.term ?? plan.compaction.key(this.iri), definition),
      write: (literal) => literalToNative(literal.value, datatype)!,
    };
  }

  #literalUse(kind: ValueKind): LiteralUse {
    const { plan } = this;
    const definition = plan.term(this.iri, kind);
    const use = plan.use(definition?.term ?? plan.compaction.key(this.iri), definition);
    return { use, write: literalWriter(kind, definition, this.#valueCompaction(definition)) };
  }

  /** Values are written in the type-scoped context of their node, with the property's own on top. */
  #valueCompaction(definition: TermDefinition | undefined): Compaction {
    const { compaction } = this.plan;
    if (definition?.context === undefined) return compaction;
    return this.plan.family.compaction(compaction.context.step(definition.context, true, true));
  }
}

function kindOf(literal: Term): ValueKind {
  if (literal.language !== "") return { kind: "language", language: literal.language };
  return { kind: "typed", datatype: literal.datatype };
}

/** Value compaction (JSON-LD 1.1 API, 6.4) for literals of one kind under one term. */
function literalWriter(
  kind: ValueKind,
  definition: TermDefinition | undefined,
  compaction: Compaction,
): (literal: Term) => Json {
  const defaultLanguage = compaction.context.language;
  if (kind.kind === "typed") {
    if (definition?.type === kind.datatype) return (literal) => literal.value;
    const type = compaction.vocab(kind.datatype);
    return (literal) => ({ [compaction.type]: type, [compaction.value]: literal.value });
  }
  const language = definition?.language === undefined ? defaultLanguage : definition.language;
  if (kind.kind === "language") {
    // Under the term's own language a plain string says it all, if it says it in the same case.
    if (definition?.type === undefined && language === kind.language) return (literal) => literal.value;
    return (literal) => ({ [compaction.language]: literal.language, [compaction.value]: literal.value });
  }
  if (language === undefined || language === null) return (literal) => literal.value;
  return (literal) => ({ [compaction.value]: literal.value });
}

/** The plan that writes one expanded document: full IRIs, every value an array (JSON-LD 1.1 API, 5.1). */
export function expandedPlan(): NodePlans {
  return new ExpandedPlans();
}

const EXPANDED_LITERAL = (literal: Term): Json => {
  if (literal.language !== "") return { "@language": literal.language, "@value": literal.value };
  if (literal.datatype === XSD.string) return { "@value": literal.value };
  const native = literalToNative(literal.value, literal.datatype);
  return native === undefined ? { "@type": literal.datatype, "@value": literal.value } : { "@value": native };
};

class ExpandedPlans implements NodePlans {
  readonly #properties = new Map<string, PropertyUse>();

  of(classes: string): NodePlan {
    return {
      id: "@id",
      type: "@type",
      types: classes === "" ? undefined : classes.split(" "),
      standsAlone: false,
      writeIri: (iri) => iri,
      property: (iri) => this.#property(iri),
    };
  }

  #property(iri: string): PropertyUse {
    let property = this.#properties.get(iri);
    if (property === undefined) {
      const use = { key: iri, rank: UNRANKED, isArray: true };
      property = {
        nodes: {
          use,
          reference: (id) => ({ "@id": id }),
          plans: this,
          list: { write: (items) => ({ "@list": items }), literal: EXPANDED_LITERAL },
        },
        literals: () => ({ use, write: EXPANDED_LITERAL }),
      };
      this.#properties.set(iri, property);
    }
    return property;
  }
}
