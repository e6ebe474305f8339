/** The conversion of a document into a record graph, in one walk over the JSON with keys that are compiled once for each active context. */
import { quoted } from "../base/shortened.js";
import { isJsonObject, type Json, type JsonObject, type RecordGraph, RecordGraphBuilder } from "../rdf/record-graph.js";
import { hasScheme, iriProblem, RDF } from "../rdf/terms.js";
import { ActiveContext, type ContextEnvironment } from "./active-context.js";
import { GraphTerms, idProblem } from "./graph-terms.js";
import { asList, checkDepth, jsonKind, saysNothing } from "./json-values.js";
import { type KeyPlans, plansOf } from "./key-plan.js";
import { DocumentError, type LossCollector } from "./loss.js";
import { type Place, ValueWalk } from "./values.js";

/** The IRI of a record that lacks one, so that its other errors can be reported: the nil UUID (RFC 9562, 5.9). */
export const NAMELESS = "urn:uuid:00000000-0000-0000-0000-000000000000";

/** What the map around a node says about it. */
export interface NodeExtra {
  /** The `id` of a node that has none itself. */
  readonly id?: string;
  /** A further class. */
  readonly type?: number;
  readonly property?: readonly [predicate: number, value: number];
}

/** The walk over the nodes of one document; `ValueWalk` walks over their values. */
export class NodeWalk {
  #builder!: RecordGraphBuilder;
  #terms!: GraphTerms;
  #values!: ValueWalk;
  #type!: number;

  constructor(readonly losses: LossCollector) {}

  /** The record graph of a document: a node object with an `id` (JSON-LD 1.1 API, 5.1 and 7.1). Losses are collected, and the caller checks them. Throws `DocumentError` when the document cannot be named or holds several graphs, `ContextError` and `UnknownContextError`. */
  record(document: JsonObject, environment: ContextEnvironment): RecordGraph {
    const context = document["@context"];
    const plans = plansOf(ActiveContext.of(context, environment));
    const typed = this.#typedPlans(document, plans);
    const given = this.idOf(document, typed);
    const id = given ?? (this.losses.tolerant ? "" : undefined);
    if (id === undefined && !typed.idKeys.some((key) => key in document))
      this.losses.lose("is missing: a record needs the IRI of its entity", "id");
    const problem = id?.startsWith("_:")
      ? "is a blank node: give it an IRI, or nest it in the record that refers to it"
      : id && iriProblem(id);
    const isNamed = id !== undefined && (problem === undefined || this.losses.tolerant);
    if (id !== undefined && !isNamed) this.losses.lose(idProblem(id, problem!), "id");
    this.#builder = new RecordGraphBuilder(isNamed ? id : NAMELESS, context);
    this.#terms = new GraphTerms(this.#builder, this.losses);
    this.#values = new ValueWalk(this.#builder, this.#terms, this.losses, this);
    this.#type = this.#builder.iri(RDF.type);
    this.#entries(this.#subject(isNamed ? given : NAMELESS), document, typed, plans, 1);
    return this.#builder.build();
  }

  /** Add a node's triples, after the one that leads to it if it has a place. @param plans those inside that property, with the node's own context */
  node(node: JsonObject, plans: KeyPlans, depth: number, place?: Place, extra?: NodeExtra): void {
    checkDepth(depth);
    const typed = this.#typedPlans(node, plans);
    const subject = this.#subject(this.idOf(node, typed) ?? extra?.id);
    if (place !== undefined) this.#values.add(place, subject);
    if (extra?.type !== undefined) this.#builder.add(subject, this.#type, extra.type);
    if (extra?.property !== undefined) this.#builder.add(subject, ...extra.property);
    this.#entries(subject, node, typed, plans, depth);
  }

  /** Add the triples of a node's keys. `plans` are without its type-scoped contexts, since its types are read without them. */
  #entries(subject: number, node: JsonObject, typed: KeyPlans, plans: KeyPlans, depth: number): void {
    for (const key in node) {
      const value = node[key]!;
      const plan = typed.of(key);
      if (plan.kind === "property") {
        if (value === null && !plan.isJson) continue;
        this.losses.enter(key);
        this.#values.property(subject, value, plan, depth);
        this.losses.leave();
      } else if (plan.kind === "@type") this.#types(subject, value, plans);
      else if (plan.kind === "@id" || plan.kind === "@context") continue;
      else if (plan.kind === "@included") this.#included(key, value, typed, depth);
      else if (plan.kind === "@reverse") this.#reverse(key, subject, value, typed, depth);
      else if (plan.kind === "@nest") this.#nest(key, subject, value, typed, plans, depth);
      else if (plan.kind === "@graph")
        throw new DocumentError([{ path: key, problem: "holds a graph of its own: a record is one graph" }]);
      else if (plan.kind === "undefined") this.#undefinedKey(key, value, typed, { node, plans });
      else if (plan.kind === "illegal") this.losses.refuse(`is a key whose IRI ${plan.problem}`, key);
      else if (plan.kind === "@index") this.#values.lostIndex(key, value);
      else this.#misplaced(plan.kind, key);
    }
  }

  /** `@included`: nodes that no property leads to (JSON-LD 1.1, 4.7). */
  #included(key: string, value: Json, typed: KeyPlans, depth: number): void {
    const plans = plansOf(typed.context.forProperty(undefined));
    for (const node of asList(value)) {
      if (isJsonObject(node) && !plans.valueKeys.some((each) => each in node)) {
        this.node(node, this.withOwnContext(node, plans), depth + 1);
      } else this.losses.refuse("holds something other than nodes", key);
    }
  }

  /** `@reverse`: properties of other nodes whose value is this node (JSON-LD 1.1, 4.8). */
  #reverse(key: string, subject: number, value: Json, typed: KeyPlans, depth: number): void {
    if (!isJsonObject(value)) {
      this.losses.refuse("holds no properties", key);
      return;
    }
    // Terms of the node's type do not reach into it.
    const outer = plansOf(typed.context.forProperty(undefined));
    this.losses.enter(key);
    for (const property in value) {
      const plan = outer.of(property);
      if (plan.kind === "property") {
        this.losses.enter(property);
        this.#values.property(subject, value[property]!, { ...plan, isReverse: !plan.isReverse }, depth);
        this.losses.leave();
      } else if (plan.kind === "undefined") this.#undefinedKey(property, value[property]!, outer);
      else this.losses.refuse("is not a property, and only properties can be reversed", property);
    }
    this.losses.leave();
  }

  /** `@nest`: an object that only groups properties of the node (JSON-LD 1.1, 4.5). */
  #nest(key: string, subject: number, value: Json, typed: KeyPlans, plans: KeyPlans, depth: number): void {
    checkDepth(depth);
    const inside = plansOf(typed.context.scopedTo(typed.context.terms.get(key)));
    this.losses.enter(key);
    for (const nested of asList(value)) {
      if (!isJsonObject(nested) || inside.valueKeys.some((each) => each in nested)) {
        this.losses.refuse("holds something other than properties");
      } else {
        if (this.#only(nested, inside.idKeys) !== undefined) this.#misplaced("@id");
        this.#entries(subject, nested, inside, plans, depth + 1);
      }
    }
    this.losses.leave();
  }

  /** The plans of an object, with its own `@context` if it has one (JSON-LD 1.1 API, 5.1.2). */
  withOwnContext(node: JsonObject, plans: KeyPlans): KeyPlans {
    const context = node["@context"];
    return context === undefined ? plans : plansOf(plans.context.step(context, true));
  }

  #typedPlans(node: JsonObject, plans: KeyPlans): KeyPlans {
    let types: Json | undefined;
    for (const key of plans.typeKeys) {
      if (!(key in node)) continue;
      types = types === undefined ? node[key]! : [...asList(types), ...asList(node[key]!)];
    }
    if (typeof types === "string") return plans.ofType(types);
    if (!Array.isArray(types)) return plans;
    return plansOf(plans.context.forTypes(types.filter((type) => typeof type === "string")));
  }

  /** The key of a node that is one of the aliases of a keyword; a second one is refused. */
  #only(node: JsonObject, aliases: readonly string[]): string | undefined {
    let found: string | undefined;
    for (const key of aliases) {
      if (!(key in node)) continue;
      if (found !== undefined)
        this.losses.refuse(`means the same as ${JSON.stringify(found)}: use only one of them`, key);
      found ??= key;
    }
    return found;
  }

  /** The term of a node with this `id`; a blank node without one, or if it is lost. */
  #subject(id: string | undefined): number {
    const subject = id === undefined ? -1 : this.#terms.resource(id, "id");
    return subject === -1 ? this.#terms.newBlank() : subject;
  }

  /** The expanded `id` of a node object, or `undefined` when it has none. */
  idOf(node: JsonObject, plans: KeyPlans): string | undefined {
    const key = this.#only(node, plans.idKeys);
    if (key === undefined) return undefined;
    const id = node[key]!;
    if (typeof id !== "string") {
      this.losses.refuse(`is ${jsonKind(id)} where an IRI is expected`, key);
      return undefined;
    }
    if (id === "" && !this.losses.tolerant) {
      this.losses.lose("is empty: write the node's IRI, or leave it out in a structure", key);
      return undefined;
    }
    const expanded = plans.context.expandIri(id, { vocab: false, base: true });
    if (expanded !== null && !expanded.startsWith("@")) return expanded;
    this.losses.refuse(`is ${quoted(id)}, which looks like a keyword of JSON-LD`, key);
    return undefined;
  }

  #types(subject: number, value: Json, plans: KeyPlans): void {
    for (const type of asList(value)) {
      if (typeof type !== "string") {
        this.losses.refuse(`is ${jsonKind(type)} where the name of a class is expected`, "type");
        continue;
      }
      const iri = this.classIri(type, plans);
      if (iri === null) {
        const suggestion = this.losses.isFull ? undefined : plans.suggestedClass(type);
        const hint = suggestion === undefined ? "" : `: did you mean ${suggestion}?`;
        this.losses.lose(`${quoted(type)} is a class that no context defines${hint}`, "type");
        continue;
      }
      const object = this.#terms.resource(iri, "type");
      if (object !== -1) this.#builder.add(subject, this.#type, object);
    }
  }

  /** The IRI of a class name in a document; `null` when no context defines it. */
  classIri(type: string, plans: KeyPlans): string | null {
    const known = plans.classIris.get(type);
    if (known !== undefined) return known;
    const iri = plans.context.expandIri(type, { vocab: true, base: this.losses.tolerant });
    const isDefined = iri !== null && (hasScheme(iri) || iri.startsWith("_:"));
    return plans.classIris.put(type, isDefined ? iri : null);
  }

  /** Report a key that no context defines. `of` is the node that has it, with the plans in which its types are read. */
  #undefinedKey(key: string, value: Json, typed: KeyPlans, of?: { node: JsonObject; plans: KeyPlans }): void {
    if (saysNothing(value)) return;
    if (of?.plans.elsewhere().has(key)) {
      this.#keyOfOthers(key, of.node, of.plans);
      return;
    }
    const isOwn = key.startsWith("_");
    // Searching all names costs more than reading the value, so only the first unknown keys of a document get a suggestion.
    if (this.losses.isFull && !isOwn) return;
    const suggestion = typed.suggestedProperty(key);
    if (isOwn && suggestion === undefined) {
      this.losses.droppedKeys++;
      return;
    }
    const hint = suggestion === undefined ? "" : `: did you mean ${suggestion}?`;
    this.losses.lose(`is a key that no context defines, and its value would be lost${hint}`, key, suggestion);
  }

  /** Report a key that is defined only in nodes of other classes. */
  #keyOfOthers(key: string, node: JsonObject, plans: KeyPlans): void {
    const classes = plans.typeKeys.flatMap((each) => asList(node[each] ?? []));
    const known = classes.filter((each) => typeof each === "string" && this.classIri(each, plans) !== null);
    if (known.length > 0) this.losses.lose(`is not a property of ${known.join(", ")}: its value would be lost`, key);
    // Unknown classes are reported by themselves.
    else if (classes.length === 0)
      this.losses.lose(`is missing; without it ${key} and similar keys have no meaning`, "type");
  }

  #misplaced(keyword: string, key?: string): void {
    this.losses.refuse(`${key === keyword ? "" : `is ${keyword}, which `}is not allowed here`, key);
  }
}
