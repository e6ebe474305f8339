/** A document becomes a record graph: one walk over the JSON, along keys compiled once for each active context. */
import { type Json, type RecordGraph, RecordGraphBuilder } from "../rdf/record-graph.js";
import { hasScheme, iriProblem, RDF, XSD } from "../rdf/terms.js";
import { ActiveContext, type ContextEnvironment, NotCompiledError } from "./active-context.js";
import { KeyPlans, MOST_KEYS, type PropertyPlan } from "./key-plan.js";
import { DocumentError, LossCollector } from "./loss.js";
import { nativeToLiteral } from "./native.js";

/** Deeper than any real record, shallow enough for every JSON serializer's stack. */
export const MAX_DEPTH = 500;

type JsonObject = { [key: string]: Json };

/** Turns documents of one `@context` into record graphs. */
export class Expander {
  readonly #plans = new Map<ActiveContext, KeyPlans>();
  readonly #root: KeyPlans;

  /** Throws `NotCompiledError` for a context that is jsonld.js's to process, `UnknownContextError`. */
  constructor(
    readonly context: Json | undefined,
    readonly environment: ContextEnvironment,
  ) {
    this.#root = this.plansOf(ActiveContext.of(context, environment));
  }

  /**
   * The record graph of a document: a node object with an `id` (JSON-LD 1.1 API, 5.1 and 7.1). Losses go to `losses`,
   * which is not checked here. Throws `NotCompiledError`, and `DocumentError` when the document cannot be named.
   */
  record(document: JsonObject, losses: LossCollector): RecordGraph {
    return new Walk(this, losses).record(document, this.#root);
  }

  /**
   * The IRI that a document gives its entity, also where the rest of it cannot be converted; `undefined` when it gives none
   * or no usable one. Throws `NotCompiledError`.
   */
  iriOf(document: JsonObject): string | undefined {
    const id = new Walk(this, new LossCollector(false)).idOf(document, this.#root);
    return id === undefined || iriProblem(id) !== undefined ? undefined : id;
  }

  /** @internal The compiled keys of an active context. */
  plansOf(context: ActiveContext): KeyPlans {
    let plans = this.#plans.get(context);
    if (plans === undefined) {
      plans = new KeyPlans(context);
      if (this.#plans.size < MOST_KEYS) this.#plans.set(context, plans);
    }
    return plans;
  }
}

/** One document's walk. */
class Walk {
  #builder!: RecordGraphBuilder;
  #blankCount = 0;
  readonly #blankLabels = new Map<string, string>();
  #type = -1;

  constructor(
    readonly expander: Expander,
    readonly losses: LossCollector,
  ) {}

  record(document: JsonObject, plans: KeyPlans): RecordGraph {
    const id = this.idOf(document, plans) ?? (this.losses.tolerant ? "" : undefined);
    if (id === undefined) {
      this.losses.lose("is missing: a record needs the IRI of its entity", "id");
      throw new DocumentError(this.losses.losses);
    }
    const problem = id.startsWith("_:") ? "is a blank node: a record needs an IRI" : iriProblem(id);
    if (problem !== undefined && !this.losses.tolerant) {
      throw new DocumentError([{ path: "id", problem: idProblem(id, problem) }]);
    }
    this.#builder = new RecordGraphBuilder(id, this.expander.context);
    this.#type = this.#builder.iri(RDF.type);
    this.#node(document, plans, 1, -1, -1);
    return this.#builder.build();
  }

  /**
   * Add a node's triples, first the one that leads to it when there is one. `plans` are those inside the property that
   * leads here.
   */
  #node(node: JsonObject, plans: KeyPlans, depth: number, parent: number, predicate: number): void {
    checkDepth(depth);
    const outer = depth > 1 && "@context" in node ? this.#ownContext(node, plans) : plans;
    const typed = this.#typedPlans(node, outer);
    const subject = this.#subject(node, typed);
    if (parent !== -1) this.#builder.add(parent, predicate, subject);
    for (const key in node) {
      const value = node[key]!;
      const plan = typed.of(key);
      switch (plan.kind) {
        case "property":
          if (value !== null) {
            this.losses.enter(key);
            this.#values(subject, this.#builder.iri(plan.iri), value, plan, depth);
            this.losses.leave();
          }
          break;
        case "type":
          this.#types(subject, value, outer);
          break;
        case "id":
        case "context":
          break;
        case "included":
          this.#included(value, this.expander.plansOf(typed.context.forProperty(undefined)), depth);
          break;
        case "undefined":
          this.#undefinedKey(key, value);
          break;
        case "illegal":
          if (this.losses.tolerant) throw new NotCompiledError("a key whose IRI is none");
          this.losses.lose(`is a key whose IRI ${plan.problem}`, key);
          break;
        default:
          throw new NotCompiledError(`@${plan.kind} in a node`);
      }
    }
  }

  /** The plans of an embedded node that brings a `@context` (JSON-LD 1.1 API, 5.1.2). */
  #ownContext(node: JsonObject, plans: KeyPlans): KeyPlans {
    return this.expander.plansOf(plans.context.step(node["@context"]!, true));
  }

  /** `@included`: nodes that no property leads to (JSON-LD 1.1, 4.7). */
  #included(value: Json, plans: KeyPlans, depth: number): void {
    for (const node of Array.isArray(value) ? value : [value]) {
      if (!isObject(node)) throw new NotCompiledError("@included of no node");
      this.#node(node, plans, depth + 1, -1, -1);
    }
  }

  #typedPlans(node: JsonObject, plans: KeyPlans): KeyPlans {
    const key = this.#only(node, plans.typeKeys);
    const types = key === undefined ? undefined : node[key];
    if (typeof types === "string") {
      let typed = plans.byType.get(types);
      if (typed === undefined) {
        typed = this.expander.plansOf(plans.context.forTypes([types]));
        if (plans.byType.size < MOST_KEYS) plans.byType.set(types, typed);
      }
      return typed;
    }
    if (!Array.isArray(types)) return plans;
    return this.expander.plansOf(plans.context.forTypes(types.filter((type) => typeof type === "string")));
  }

  /** The one key of a node among aliases of a keyword. */
  #only(node: JsonObject, aliases: readonly string[]): string | undefined {
    let found: string | undefined;
    for (const key of aliases) {
      if (!(key in node)) continue;
      if (found !== undefined) throw new NotCompiledError("two aliases of one keyword in a node");
      found = key;
    }
    return found;
  }

  #subject(node: JsonObject, plans: KeyPlans): number {
    const id = this.idOf(node, plans);
    const subject = id === undefined ? -1 : this.#resource(id, "id");
    return subject === -1 ? this.#builder.blank(`b${this.#blankCount++}`) : subject;
  }

  /** The expanded `id` of a node object, or `undefined` when it has none. */
  idOf(node: JsonObject, plans: KeyPlans): string | undefined {
    const key = this.#only(node, plans.idKeys);
    if (key === undefined) return undefined;
    const id = node[key]!;
    if (typeof id !== "string") {
      if (this.losses.tolerant) throw new NotCompiledError("an id that is no string");
      this.losses.lose(`is ${kindOf(id)} where an IRI must stand`, key);
      return undefined;
    }
    if (id === "" && !this.losses.tolerant) {
      this.losses.lose("is empty: leave it out or write the node's IRI", key);
      return undefined;
    }
    const expanded = plans.context.expandIri(id, { vocab: false, base: true });
    if (expanded === null) throw new NotCompiledError("an id that looks like a keyword");
    return expanded;
  }

  #types(subject: number, value: Json, plans: KeyPlans): void {
    for (const type of Array.isArray(value) ? value : [value]) {
      if (typeof type !== "string") {
        if (this.losses.tolerant) throw new NotCompiledError("a type that is no string");
        this.losses.lose(`is ${kindOf(type)} where the name of a class must stand`, "type");
        continue;
      }
      let iri = plans.typeIris.get(type);
      if (iri === undefined) {
        iri = plans.context.expandIri(type, { vocab: true, base: this.losses.tolerant });
        if (plans.typeIris.size < MOST_KEYS) plans.typeIris.set(type, iri);
      }
      if (iri?.startsWith("@")) throw new NotCompiledError("a keyword as a type");
      if (iri === null || !(hasScheme(iri) || iri.startsWith("_:"))) {
        this.losses.lose(`${quoted(type)} is a class that no context defines`, "type");
        continue;
      }
      const object = this.#resource(iri, "type");
      if (object !== -1) this.#builder.add(subject, this.#type, object);
    }
  }

  /** `depth` counts nodes, and arrays only where one lies in another. */
  #values(subject: number, predicate: number, value: Json, plan: PropertyPlan, depth: number): void {
    if (Array.isArray(value)) {
      checkDepth(depth);
      for (let index = 0; index < value.length; index++) {
        if (value[index] === null) continue;
        this.losses.enter(index);
        this.#values(subject, predicate, value[index]!, plan, Array.isArray(value[index]) ? depth + 1 : depth);
        this.losses.leave();
      }
    } else if (isObject(value)) {
      this.#objectValue(subject, predicate, value, plan, depth);
    } else {
      const literal =
        typeof value === "string" ? this.#string(value, plan) : this.#native(value as number | boolean, plan);
      if (literal !== -1) this.#builder.add(subject, predicate, literal);
    }
  }

  /** A value object, a set object or a node object. */
  #objectValue(subject: number, predicate: number, value: JsonObject, plan: PropertyPlan, depth: number): void {
    const valuePlans = this.expander.plansOf(plan.valueContext);
    if (this.#only(value, valuePlans.valueKeys) !== undefined) {
      const literal = this.#literal(value, plan);
      if (literal !== -1) this.#builder.add(subject, predicate, literal);
      return;
    }
    // A type-scoped context ends where a node begins, but not before a mere reference (JSON-LD 1.1 API, 5.1.2).
    const isReference = plan.valueContext !== plan.nodeContext && isOnlyId(value, valuePlans);
    const plans = isReference ? valuePlans : this.expander.plansOf(plan.nodeContext);
    const set = this.#only(value, plans.setKeys);
    if (set === undefined) {
      this.#node(value, plans, depth + 1, subject, predicate);
    } else {
      if (Object.keys(value).length > 1) throw new NotCompiledError("@set with other keys");
      if (value[set] !== null) this.#values(subject, predicate, value[set]!, plan, depth + 1);
    }
  }

  #native(value: number | boolean, plan: PropertyPlan): number {
    const literal = nativeToLiteral(value, plan.type === "@id" || plan.type === "@vocab" ? undefined : plan.type);
    return this.#builder.literal(literal.value, literal.datatype);
  }

  /** The number of what a string stands for, or -1 when it was lost. */
  #string(value: string, plan: PropertyPlan): number {
    const { type } = plan;
    if (type !== "@id" && type !== "@vocab") return this.#text(value, type, plan.language);
    const tolerant = this.losses.tolerant;
    const iri = plan.valueContext.expandIri(value, { vocab: type === "@vocab", base: tolerant });
    if (iri === null || (!tolerant && !hasScheme(iri) && !iri.startsWith("_:"))) {
      this.losses.lose(
        type === "@id"
          ? `is the text ${quoted(value)} where only a reference can stand: write {"id": ..., "type": ...}`
          : `is ${quoted(value)}, a name that no context defines`,
      );
      return -1;
    }
    return this.#resource(iri, undefined);
  }

  /** The number of a string literal, or -1 when it cannot be written as UTF-8. */
  #text(value: string, datatype: string | undefined, language: string): number {
    if (!value.isWellFormed()) {
      this.losses.lose("has half of a surrogate pair, which is no character");
      return -1;
    }
    if (language !== "" && !LANGUAGE_TAG.test(language)) {
      if (this.losses.tolerant) throw new NotCompiledError("a language that is no tag");
      this.losses.lose(`has the language ${quoted(language)}, which is no language tag`);
      return -1;
    }
    return this.#builder.literal(value, datatype, language);
  }

  /** The number of an IRI or blank node, or -1 when it cannot stand in a triple. */
  #resource(iri: string, key: string | undefined): number {
    if (iri.startsWith("_:")) {
      let label = this.#blankLabels.get(iri);
      if (label === undefined) {
        label = `b${this.#blankCount++}`;
        this.#blankLabels.set(iri, label);
      }
      return this.#builder.blank(label);
    }
    const problem = iriProblem(iri);
    if (problem !== undefined) {
      if (this.losses.tolerant) throw new NotCompiledError("an IRI that is none");
      this.losses.lose(idProblem(iri, problem), key);
      return -1;
    }
    return this.#builder.iri(iri);
  }

  /** A value object (JSON-LD 1.1, 4.2.1): its literal's number, or -1 for null. */
  #literal(value: JsonObject, plan: PropertyPlan): number {
    const plans = this.expander.plansOf(plan.valueContext);
    let content: Json | undefined;
    let datatype: string | undefined;
    let language = "";
    for (const key in value) {
      const entry = value[key]!;
      const { kind } = plans.of(key);
      if (kind === "value") content = entry;
      else if (kind === "language" && (typeof entry === "string" || entry === null)) language = entry ?? "";
      else if (kind === "type" && typeof entry === "string") datatype = this.#datatype(entry, plan.valueContext);
      else throw new NotCompiledError("a value object with other keys");
    }
    if (content === null) return -1;
    if (typeof content === "object" || content === undefined || (language !== "" && typeof content !== "string")) {
      throw new NotCompiledError("a value object that holds no scalar");
    }
    if (language !== "" && datatype !== undefined) throw new NotCompiledError("a value with language and type");
    if (typeof content === "string") return this.#text(content, datatype, language);
    const literal = nativeToLiteral(content, datatype);
    return this.#builder.literal(literal.value, literal.datatype);
  }

  #datatype(type: string, context: ActiveContext): string {
    const iri = context.expandIri(type, { vocab: true, base: false });
    if (iri !== null && !iri.startsWith("@") && !iri.startsWith("_:") && iriProblem(iri) === undefined) return iri;
    if (this.losses.tolerant) throw new NotCompiledError("a datatype that is no IRI");
    this.losses.lose(`has the datatype ${quoted(type)}, which no context defines`);
    return XSD.string;
  }

  #undefinedKey(key: string, value: Json): void {
    if (saysNothing(value)) return;
    if (key.startsWith("_")) this.losses.droppedKeys++;
    else this.losses.lose("is a key that no context defines: its value would be lost", key);
  }
}

/** Language tags as N-Triples has them. */
const LANGUAGE_TAG = /^[A-Za-z]+(?:-[A-Za-z0-9]+)*$/;

function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw new DocumentError([{ path: "", problem: `nested deeper than ${MAX_DEPTH} levels` }]);
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a node object has nothing but an id. */
function isOnlyId(value: JsonObject, plans: KeyPlans): boolean {
  const keys = Object.keys(value);
  return keys.length === 1 && plans.idKeys.includes(keys[0]!);
}

/** Whether a value under an undefined key says nothing: null, or an array of nothing. */
function saysNothing(value: Json): boolean {
  return value === null || (Array.isArray(value) && value.every((item) => item === null));
}

function kindOf(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : String(value);
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

function idProblem(iri: string, problem: string): string {
  if (!hasScheme(iri) && !iri.startsWith("_:")) {
    return `${quoted(iri)} is relative: give --base-url, which it is to be resolved against`;
  }
  return `${quoted(iri)} ${problem}`;
}
