/** The framing plan: under which key and in which form the values of each class and property are written; also the plan of expanded documents. */
import { BoundedMap, remembering } from "../base/bounded-map.js";
import { entryOf } from "../base/entries.js";
import { lazily } from "../base/lazily.js";
import type * as layout from "../model/layout.js";
import type { Json } from "../rdf/record-graph.js";
import { RDF, type Term, XSD } from "../rdf/terms.js";
import { ActiveContext, type ContextEnvironment } from "./active-context.js";
import { type CompactedValueKind, Compaction, ConfusedIriError } from "./compaction.js";
import type { TermDefinition } from "./context-definition.js";
import { literalWriter, nativeWriter, typedNumber } from "./literal-plan.js";
import { literalToJson, literalToNative } from "./native.js";

/** The form of documents beyond what their context says, from the field tables. */
type Layout = Pick<typeof layout, "fieldForm" | "fieldOrder" | "isNumberProperty" | "standsAlone">;

/** A key of a node and the form of its values; a node plan has one object for each key. */
export interface KeyUse {
  readonly key: string;
  /** Orders the keys of a node. */
  readonly rank: number;
  readonly isArray: boolean;
  /** Whether the key takes only one value, such as a list; further values are written as `apart` says. */
  readonly isSingle: boolean;
  /** Whether values are written as pairs of a key in a map and the value under it. */
  readonly isMap: boolean;
  /** The key of the `@nest` object that holds this key. */
  readonly nest: string | undefined;
  /** Turns a literal into a JSON number, with the definition of the key under which the number is read as the same literal. */
  readonly number?: (literal: Term) => ReturnType<typeof typedNumber>;
}

/** How nodes are written under a property. */
export interface NodeUse {
  readonly use: KeyUse;
  /** Writes a bare reference, which has only the node's name. */
  readonly reference: (iri: string) => Json;
  /** Whether a node that is described elsewhere is written as a vocabulary term or a full IRI, without an object around it. */
  readonly isTerm: boolean;
  readonly plans: NodePlans;
}

/** How literals of one datatype or language are written under a property. */
interface LiteralUse {
  readonly use: KeyUse;
  readonly write: (literal: Term) => Json;
  readonly apart?: LiteralUse;
}

export interface ListUse {
  readonly use: KeyUse;
  readonly write: (items: Json[]) => Json;
  readonly inner: (items: Json[]) => Json;
  readonly nodes: NodeUse;
  readonly literal: (literal: Term) => Json;
  readonly apart?: ListUse;
}

export interface NodePlan {
  readonly id: string;
  readonly type: string;
  /** The value of `type`; `undefined` for a node without a class. */
  readonly types: Json | undefined;
  /** Whether these nodes repeat the document's `@context` if they have an `id`. */
  readonly standsAlone: boolean;
  /** Writes an IRI as a node's `id`. */
  readonly writeIri: (iri: string) => string;
  /** The plans of nodes that no property leads to, in a document about such a node. */
  readonly included: NodePlans;
  property(iri: string): PropertyUse;
}

/** How values of one property are written on nodes of one class. */
export interface PropertyUse {
  nodes(): NodeUse;
  lists(): ListUse;
  literals(literal: Term): LiteralUse;
}

/** Gives the plan of nodes at one place in documents, by the IRIs of their classes, joined by a space. */
export type NodePlans = (classes: string) => NodePlan;

/** At most this many plans are kept; nodes may come with any combination of classes. */
const MAX_PLANS = 10_000;
/** The rank of keys that no field table names: after all others, in the order of the triples. */
const UNRANKED = 1_000_000;

interface PlanOptions {
  readonly layout: Layout;
  /** Whether a JSON number is written only where it is read as the same lexical form, rather than as the same value. */
  readonly exactNumbers: boolean;
}

/** The plan that writes documents with this `@context` (JSON-LD 1.1 Framing, with `@embed: @always`, and compaction). Throws `ContextError`, `UnknownContextError`; the plan's methods throw `ConfusedIriError`. */
export function compactPlan(context: Json, environment: ContextEnvironment, options: PlanOptions): NodePlans {
  return new PlanFamily(options).plans(ActiveContext.of(context, environment));
}

/** The plans of all active contexts that one `@context` leads to, each made only once. */
class PlanFamily {
  readonly plans = remembering(MAX_PLANS, (context: ActiveContext): NodePlans => {
    const { compaction } = this;
    return remembering(MAX_PLANS, (classes) => {
      const names = classes === "" ? [] : classes.split(" ").map((iri) => compaction(context).vocab(iri));
      return new CompactNodePlan(this, compaction(context.forTypes(names)), names);
    });
  });
  readonly compaction = remembering(MAX_PLANS, (context: ActiveContext) => new Compaction(context));

  constructor(readonly options: PlanOptions) {}
}

class CompactNodePlan implements NodePlan {
  readonly id: string;
  readonly type: string;
  readonly types: Json | undefined;
  readonly standsAlone: boolean;
  readonly writeIri = (iri: string): string => this.compaction.iri(iri);
  readonly property = remembering(MAX_PLANS, (iri: string) => new CompactPropertyUse(this, iri));
  readonly #uses = new BoundedMap<string, KeyUse>(MAX_PLANS);
  readonly #ranks = new Map<string, number>();

  constructor(
    readonly family: PlanFamily,
    readonly compaction: Compaction,
    names: readonly string[],
  ) {
    this.id = compaction.keyword("@id");
    this.type = compaction.keyword("@type");
    const isArray = names.length > 1 || compaction.isTypeSet;
    this.types = names.length === 0 ? undefined : isArray ? [...names] : names[0]!;
    const { layout } = family.options;
    this.standsAlone = names.some((name) => layout.standsAlone(name));
    for (const name of names.length === 0 ? [""] : names)
      for (const property of layout.fieldOrder(name)) entryOf(this.#ranks, property, () => this.#ranks.size);
  }

  get included(): NodePlans {
    return this.family.plans(this.compaction.context.forProperty(undefined));
  }

  /** The term for a property's values of one kind, or `undefined` when the property is not written under a term. */
  term(iri: string, kind: CompactedValueKind): TermDefinition | undefined {
    const term = this.compaction.term(iri, kind, this.#ranks);
    if (term !== undefined) return term;
    // The IRI itself may be a term; its definition then applies to what is written under it.
    const own = this.compaction.context.terms.get(this.compaction.key(iri));
    if (own === undefined) return undefined;
    const isUsable = !own.isReverse && own.type !== "@json" && own.container.every((each) => each === "@set");
    if (!isUsable) throw new ConfusedIriError(iri);
    return own;
  }

  use(iri: string, definition: TermDefinition | undefined): KeyUse {
    const key = definition?.term ?? this.compaction.key(iri);
    return this.#uses.get(key) ?? this.#uses.put(key, this.#newUse(key, iri, definition));
  }

  #newUse(key: string, iri: string, definition: TermDefinition | undefined): KeyUse {
    const { layout, exactNumbers } = this.family.options;
    const form = definition === undefined ? undefined : layout.fieldForm(key);
    const isSingle = definition?.type === "@json" || (definition?.container.includes("@list") ?? false);
    const isNumber = definition !== undefined && layout.isNumberProperty(key) && !definition.isProtected;
    return {
      key,
      rank: this.#ranks.get(key) ?? UNRANKED,
      isArray: !isSingle && (form === undefined ? (definition?.container.includes("@set") ?? false) : form === "array"),
      isSingle,
      isMap: definition?.container.includes("@language") ?? false,
      nest: definition?.nest,
      ...(isNumber ? { number: (literal) => typedNumber(literal, iri, this.compaction, exactNumbers) } : {}),
    };
  }
}

class CompactPropertyUse implements PropertyUse {
  readonly nodes = lazily(() => this.#nodeUse(this.plan.term(this.iri, { kind: "node" })));
  readonly lists = lazily(() => this.#listUse(this.plan.term(this.iri, { kind: "list" })));
  readonly #plain = lazily(() => this.#literalUse({ kind: "plain" }, this.plan.term(this.iri, { kind: "plain" })));
  readonly #literals = new BoundedMap<string, LiteralUse>(MAX_PLANS);

  constructor(
    readonly plan: CompactNodePlan,
    readonly iri: string,
  ) {}

  literals(literal: Term): LiteralUse {
    if (literal.datatype === XSD.string) return this.#plain();
    const kind = kindOf(literal);
    const isNative = kind.kind === "typed" && literalToNative(literal.value, literal.datatype) !== undefined;
    const key =
      kind.kind === "language" ? `@${kind.language}` : `${isNative ? "native" : kind.kind} ${literal.datatype}`;
    const known = this.#literals.get(key);
    if (known !== undefined) return known;
    const use = isNative ? this.#nativeUse(literal.datatype) : this.#literalUse(kind, this.plan.term(this.iri, kind));
    return this.#literals.put(key, use);
  }

  #nodeUse(definition: TermDefinition | undefined): NodeUse {
    const { plan, iri } = this;
    const [compaction, inner] = this.#inside(definition);
    const use = plan.use(iri, definition);
    const type = inner?.type;
    const idKey = compaction.keyword("@id");
    // Of the terms in the tables, only those of strings have IRIs as text; references are objects (specification, 2.1).
    const isObject = type === "@id" && plan.family.options.layout.fieldForm(use.key) !== undefined;
    return {
      use,
      reference:
        type === "@id" && !isObject
          ? (id) => compaction.iri(id)
          : type === "@vocab"
            ? (id) => compaction.vocab(id)
            : (id) => ({ [idKey]: compaction.iri(id) }),
      isTerm: type === "@vocab",
      plans: plan.family.plans(plan.compaction.context.forProperty(definition)),
    };
  }

  #listUse(definition: TermDefinition | undefined): ListUse {
    const [compaction, inner] = this.#inside(definition);
    const nodes = this.#nodeUse(definition);
    const { use } = nodes;
    const isContainer = definition?.container.includes("@list") ?? false;
    // Inside a list object, which is not a node, the node's type-scoped context no longer holds.
    const within = isContainer
      ? compaction
      : this.plan.family.compaction(this.plan.compaction.context.forProperty(definition));
    // Its items are read under the term as it is defined there, which may have a context of its own again.
    const [reading, coercion] = isContainer
      ? [compaction, inner]
      : this.#inside(within.context.terms.get(use.key), within);
    const [idKey, listKey] = [reading.keyword("@id"), within.keyword("@list")];
    const object = (items: Json[]): Json => ({ [listKey]: items });
    return {
      use,
      write: isContainer ? (items) => items : object,
      inner: object,
      nodes: isContainer ? nodes : { ...nodes, reference: (id) => ({ [idKey]: reading.iri(id) }) },
      literal: (literal) => explicitOr(literal, coercion, reading),
      ...(isContainer ? { apart: this.#listUse(this.#apart()) } : {}),
    };
  }

  /** The term for values that the best-fitting term cannot hold. */
  #apart(): TermDefinition | undefined {
    return this.plan.term(this.iri, { kind: "node" });
  }

  /** A number or boolean, whose value object has no datatype, so a term without one is searched for as well. */
  #nativeUse(datatype: string): LiteralUse {
    const { plan, iri } = this;
    const typed = plan.term(iri, { kind: "typed", datatype });
    const definition = typed?.type === datatype ? typed : plan.term(iri, { kind: "plain" });
    const use = plan.use(iri, definition);
    if (use.isMap) return { use: plan.use(iri, typed), write: nativeWriter(datatype, ...this.#inside(typed)) };
    return { use, write: nativeWriter(datatype, ...this.#inside(definition)) };
  }

  #literalUse(kind: CompactedValueKind, definition: TermDefinition | undefined): LiteralUse {
    const use = this.plan.use(this.iri, definition);
    const [compaction, inner] = this.#inside(definition);
    const none = this.plan.compaction.keyword("@none");
    // Strings in a language map cannot be without the base direction of its term, which literals in triples do not have.
    if (use.isMap && compaction.context.hasDirectionUnder(inner)) return this.#literalUse(kind, this.#apart());
    if (use.isMap) return { use, write: ({ value, language }) => [language === "" ? none : language, value] };
    const write = literalWriter(kind, kind.kind === "json" ? definition : inner, compaction);
    return use.isSingle ? { use, write, apart: this.#literalUse(kind, this.#apart()) } : { use, write };
  }

  /** How values under a term are read: in their node's type-scoped context with the property's own on top, which may redefine the term. */
  #inside(
    definition: TermDefinition | undefined,
    compaction = this.plan.compaction,
  ): [Compaction, TermDefinition | undefined] {
    if (definition?.context === undefined) return [compaction, definition];
    const context = compaction.context.scopedTo(definition);
    return [this.plan.family.compaction(context), context.terms.get(definition.term)];
  }
}

function kindOf({ value, language, datatype }: Term): CompactedValueKind {
  if (language !== "") return { kind: "language", language };
  if (datatype === XSD.string) return { kind: "plain" };
  const isJson = datatype === RDF.JSON && literalToJson(value) !== undefined;
  return isJson ? { kind: "json" } : { kind: "typed", datatype };
}

/** A literal as an item of a list, in its shortest form under the list's term. */
function explicitOr(literal: Term, definition: TermDefinition | undefined, compaction: Compaction): Json {
  if (literalToNative(literal.value, literal.datatype) !== undefined)
    return nativeWriter(literal.datatype, compaction, definition)(literal);
  const kind = kindOf(literal);
  return literalWriter(kind, kind.kind === "json" ? undefined : definition, compaction)(literal);
}

const EXPANDED_LITERAL = (literal: Term): Json => {
  if (literal.language !== "") return { "@language": literal.language, "@value": literal.value };
  if (literal.datatype === XSD.string) return { "@value": literal.value };
  const json = literal.datatype === RDF.JSON ? literalToJson(literal.value) : undefined;
  if (json !== undefined) return { "@type": "@json", "@value": json };
  const native = literalToNative(literal.value, literal.datatype);
  return native === undefined ? { "@type": literal.datatype, "@value": literal.value } : { "@value": native };
};

/** The plan of expanded documents, which have IRIs for keys, and an array for every value (JSON-LD 1.1 API, 5.1). */
export function expandedPlan(): NodePlans {
  const properties = new Map<string, PropertyUse>();
  const plans: NodePlans = (classes) => ({
    id: "@id",
    type: "@type",
    types: classes === "" ? undefined : classes.split(" "),
    standsAlone: false,
    writeIri: (iri) => iri,
    included: plans,
    property: (iri) => entryOf(properties, iri, () => propertyUse(iri, plans)),
  });
  return plans;
}

function propertyUse(iri: string, plans: NodePlans): PropertyUse {
  const use = { key: iri, rank: UNRANKED, isArray: true, isSingle: false, isMap: false, nest: undefined };
  const nodes: NodeUse = { use, reference: (id) => ({ "@id": id }), isTerm: true, plans };
  const write = (items: Json[]): Json => ({ "@list": items });
  return {
    nodes: () => nodes,
    lists: () => ({ use, write, inner: write, nodes, literal: EXPANDED_LITERAL }),
    literals: () => ({ use, write: EXPANDED_LITERAL }),
  };
}
