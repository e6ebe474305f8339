/** The conversion of a document's values to triples: scalars, value objects, lists, sets and maps (JSON-LD 1.1 API, 5.1.2 and 5.3). */
import { quoted } from "../base/shortened.js";
import { isJsonObject, type Json, type JsonObject, type RecordGraphBuilder } from "../rdf/record-graph.js";
import { hasScheme, iriProblem, RDF, XSD } from "../rdf/terms.js";
import type { NodeExtra, NodeWalk } from "./expand.js";
import type { GraphTerms } from "./graph-terms.js";
import { asList, checkDepth, jsonKind, saysNothing } from "./json-values.js";
import { type KeyPlans, type PropertyPlan, plansOf } from "./key-plan.js";
import { DocumentError, type LossCollector } from "./loss.js";
import { hasBeyondDoubles, jsonToLiteral, type Native } from "./native.js";

/** The place of a value in the graph: the object of a subject and predicate or, for a reverse property, the subject before them. */
export interface Place {
  readonly subject: number;
  readonly predicate: number;
  readonly isReverse: boolean;
}

/** The walk over the values of one document's nodes. */
export class ValueWalk {
  constructor(
    readonly builder: RecordGraphBuilder,
    readonly terms: GraphTerms,
    readonly losses: LossCollector,
    readonly nodes: NodeWalk,
  ) {}

  /** Add all values under a key. `depth` counts nodes, and arrays only inside other arrays. */
  property(subject: number, value: Json, plan: PropertyPlan, depth: number): void {
    const place = { subject, predicate: this.builder.iri(plan.iri), isReverse: plan.isReverse };
    if (plan.isJson) this.add(place, plan.isList ? this.#cell(this.#json(value)) : this.#json(value));
    else if (plan.map !== undefined && (isJsonObject(value) || plan.map === "@graph"))
      this.#map(place, value, plan, depth);
    else if (plan.isList && this.#collection(value, plan)?.kind !== "@list") this.#list(place, value, plan, depth);
    else this.#values(place, value, plan, depth);
  }

  #values(place: Place, value: Json, plan: PropertyPlan, depth: number): void {
    if (value === null) return;
    if (Array.isArray(value)) {
      checkDepth(depth);
      for (let index = 0; index < value.length; index++) {
        const item = value[index]!;
        this.losses.enter(index);
        this.#values(place, item, plan, Array.isArray(item) ? depth + 1 : depth);
        this.losses.leave();
      }
    } else if (isJsonObject(value)) this.#object(place, value, plan, this.#plansFor(value, plan), depth);
    else this.add(place, this.#scalar(value, plan));
  }

  add({ subject, predicate, isReverse }: Place, object: number): void {
    if (object === -1) return;
    if (!isReverse) this.builder.add(subject, predicate, object);
    else if (this.builder.isNode(object)) this.builder.add(object, predicate, subject);
    else this.losses.refuse("is a text or number under a reverse property, where only nodes are allowed");
  }

  /** The plans of an object's keys. A type-scoped context ends where a node begins, but still holds for a bare reference. */
  #plansFor(value: JsonObject, plan: PropertyPlan): KeyPlans {
    const { context, valueContext, nodeContext } = plan;
    const holds = valueContext !== nodeContext && isValueOrReference(value, plansOf(context));
    return this.nodes.withOwnContext(value, plansOf(holds ? valueContext : nodeContext));
  }

  #object(place: Place, value: JsonObject, plan: PropertyPlan, plans: KeyPlans, depth: number, extra?: NodeExtra) {
    const isValue = plans.valueKeys.some((key) => key in value);
    const collection = collectionKey(value, plans);
    if (extra !== undefined && (isValue || collection !== undefined))
      this.losses.refuse("is no node, and the key of its map would be lost");
    if (isValue) {
      this.add(place, this.#literal(value, plans));
      return;
    }
    if (collection === undefined) {
      this.nodes.node(value, plans, depth + 1, place, extra);
      return;
    }
    checkDepth(depth);
    this.#checkCollection(value, collection, plans);
    const inside = plans.within(plan);
    // Under a term with a list container, a set object becomes a list, as an array does.
    const isList = plan.isList || plans.of(collection).kind === "@list";
    this.losses.enter(collection);
    if (isList) this.#list(place, value[collection]!, inside, depth + 1);
    else this.#values(place, value[collection]!, inside, depth + 1);
    this.losses.leave();
  }

  #checkCollection(value: JsonObject, collection: string, plans: KeyPlans): void {
    for (const key in value) {
      if (key === collection || key === "@context") continue;
      if (plans.of(key).kind === "@index") this.lostIndex(key, value[key]!);
      else this.losses.refuse(`stands beside ${collection}, where nothing else is allowed`, key);
    }
  }

  /** A list or set object with its key and the plans of its keys, or `undefined` for other values. */
  #collection(value: Json, plan: PropertyPlan) {
    if (!isJsonObject(value)) return undefined;
    const plans = this.#plansFor(value, plan);
    const key = collectionKey(value, plans);
    return key === undefined ? undefined : { value, key, plans, kind: plans.of(key).kind };
  }

  /** Add an RDF list (JSON-LD 1.1 API, 7.2.3). A cell gets its item before anything leads to the cell, since an item may yield nothing. */
  #list(place: Place, value: Json, plan: PropertyPlan, depth: number): void {
    if (place.isReverse) {
      this.losses.refuse("is a list under a reverse property, where only nodes are allowed");
      return;
    }
    const { builder } = this;
    const [first, rest] = [builder.iri(RDF.first), builder.iri(RDF.rest)];
    let { subject, predicate } = place;
    let cell = -1;
    // Inside a list, arrays and sets are lists of their own only under a term with a list container (5.1.2, step 5.2.2).
    const add = (item: Json, plan: PropertyPlan, depth: number, isOwn: boolean): void => {
      if (item === null) return;
      if (Array.isArray(item) && !isOwn) {
        addAll(item, plan, depth + 1);
        return;
      }
      const set = isOwn ? undefined : this.#collection(item, plan);
      if (set?.kind === "@set") {
        this.#checkCollection(set.value, set.key, set.plans);
        this.losses.enter(set.key);
        addAll(set.value[set.key]!, set.plans.within(plan), depth + 1);
        this.losses.leave();
        return;
      }
      if (cell === -1) cell = this.terms.newBlank();
      const before = builder.size;
      const inCell = { subject: cell, predicate: first, isReverse: false };
      if (Array.isArray(item)) this.#list(inCell, item, plan, depth + 1);
      else this.#values(inCell, item, plan, depth + 1);
      if (builder.size === before) return;
      builder.add(subject, predicate, cell);
      [subject, predicate, cell] = [cell, rest, -1];
    };
    const addAll = (items: Json, plan: PropertyPlan, depth: number): void => {
      checkDepth(depth);
      for (const [index, item] of asList(items).entries()) {
        this.losses.enter(index);
        add(item, plan, depth, plan.isList && Array.isArray(items));
        this.losses.leave();
      }
    };
    addAll(value, plan, depth);
    builder.add(subject, predicate, builder.iri(RDF.nil));
  }

  /** A list of one item. */
  #cell(item: number): number {
    const cell = this.terms.newBlank();
    this.builder.add(cell, this.builder.iri(RDF.first), item);
    this.builder.add(cell, this.builder.iri(RDF.rest), this.builder.iri(RDF.nil));
    return cell;
  }

  /** Add the entries of a map. Whatever its keys say must be expressible in triples. */
  #map(place: Place, value: Json, plan: PropertyPlan, depth: number): void {
    if (plan.map === "@graph")
      throw new DocumentError([{ path: plan.key, problem: "holds graphs of their own: a record is one graph" }]);
    const map = value as JsonObject;
    for (const key in map) {
      const isNone = plan.context.expandIri(key, { vocab: true, base: false }) === "@none";
      this.losses.enter(key);
      for (const item of asList(map[key]!)) {
        if (item === null) continue;
        if (plan.map === "@language") this.add(place, this.#inLanguage(item, isNone ? "" : key, plan));
        else this.#mapped(place, isNone ? undefined : key, item, plan, depth);
      }
      this.losses.leave();
    }
  }

  #inLanguage(item: Json, language: string, { hasDirection }: PropertyPlan): number {
    if (typeof item !== "string") {
      this.losses.refuse(`is ${jsonKind(item)} where a text is expected`);
      return -1;
    }
    if (hasDirection) this.#lostDirection();
    return this.terms.text(item, undefined, language);
  }

  /** Add an entry of an index, id or type map; `key` is undefined for `@none`. */
  #mapped(place: Place, key: string | undefined, item: Json, plan: PropertyPlan, depth: number): void {
    const { map, context } = plan;
    if (map === "@index") {
      const extra = key === undefined ? undefined : this.#indexProperty(key, plan);
      // In an index map, a type-scoped context also holds within nodes (5.1.2, steps 7 and 13.8.3.6).
      const inside = plansOf(plan.valueContext);
      if (isJsonObject(item)) this.#object(place, item, plan, this.nodes.withOwnContext(item, inside), depth, extra);
      else if (extra === undefined) this.#values(place, item, plan, depth);
      else this.#reference(place, item, plan, extra, depth);
      return;
    }
    const outer = context.previous ?? context;
    const scoped = map === "@type" && key !== undefined ? outer.terms.get(key)?.context : undefined;
    const within = plansOf(scoped === undefined ? outer : outer.step(scoped, true));
    const inside = plansOf(within.context.scopedTo(within.context.terms.get(plan.key)));
    const extra = key === undefined ? undefined : this.#nodeExtra(key, plan, plansOf(outer));
    if (isJsonObject(item)) this.#object(place, item, plan, this.nodes.withOwnContext(item, inside), depth, extra);
    else this.#reference(place, item, within.within(plan), extra, depth);
  }

  /** Add a string in a map of nodes, which is the id of a node. */
  #reference(place: Place, item: Json, plan: PropertyPlan, extra: NodeExtra | undefined, depth: number): void {
    const isReference = typeof item === "string" && (plan.type === "@id" || plan.type === "@vocab");
    const iri = isReference ? plan.valueContext.expandIri(item, { vocab: plan.type === "@vocab", base: true }) : null;
    if (iri === null) {
      this.losses.refuse(`is ${jsonKind(item)} where a node is expected`);
      return;
    }
    this.nodes.node({ "@id": iri }, plansOf(plan.nodeContext), depth + 1, place, extra);
  }

  #nodeExtra(key: string, { map }: PropertyPlan, plans: KeyPlans): NodeExtra | undefined {
    if (map === "@id") {
      const id = plans.context.expandIri(key, { vocab: false, base: true });
      return id === null ? undefined : { id };
    }
    const iri = this.nodes.classIri(key, plans);
    if (iri === null) {
      this.losses.lose(`is a class that no context defines`);
      return undefined;
    }
    const type = this.terms.resource(iri, undefined);
    return type === -1 ? undefined : { type };
  }

  /** What the key of an index map says: a property's value, or something that triples cannot express. */
  #indexProperty(key: string, { index, context }: PropertyPlan): NodeExtra | undefined {
    const plan = index === undefined ? undefined : plansOf(context).of(index);
    if (plan?.kind !== "property") {
      this.losses.lose("is a key of an index map, which has no place in triples: it would be lost");
      return undefined;
    }
    const value = this.#scalar(key, plan);
    return value === -1 ? undefined : { property: [this.builder.iri(plan.iri), value] };
  }

  /** The term of a scalar, or -1 when it was lost (5.3). */
  #scalar(value: Json, plan: PropertyPlan): number {
    const { type } = plan;
    const isIri = type === "@id" || type === "@vocab";
    if (type === "@json") return this.#json(value);
    if (typeof value !== "string") return this.terms.native(value as Native, isIri ? undefined : type);
    if (!isIri) {
      if (plan.hasDirection && type === undefined) this.#lostDirection();
      return this.terms.text(value, type, plan.language);
    }
    const { tolerant } = this.losses;
    const iri = plan.valueContext.expandIri(value, { vocab: type === "@vocab", base: tolerant });
    if (iri !== null && !iri.startsWith("@") && (tolerant || hasScheme(iri) || iri.startsWith("_:")))
      return this.terms.resource(iri, undefined);
    this.losses.lose(
      type === "@id"
        ? `is the text ${quoted(value)} where a JSON object is expected: write {"type": ...}, and in a reference also its "id"`
        : `is ${quoted(value)}, a name that no context defines`,
    );
    return -1;
  }

  #json(value: Json): number {
    if (hasBeyondDoubles(value))
      this.losses.lose("has a number too large or too small for any reader of JSON: write it as a text");
    return this.terms.text(jsonToLiteral(value), RDF.JSON, "");
  }

  /** The literal of a value object (JSON-LD 1.1, 4.2.1), or -1 for null. */
  #literal(value: JsonObject, plans: KeyPlans): number {
    let content: Json | undefined;
    let datatype: string | undefined;
    let language = "";
    for (const key in value) {
      const entry = value[key]!;
      const { kind } = plans.of(key);
      if (kind === "@value") content = entry;
      else if (kind === "@language" && (typeof entry === "string" || entry === null)) language = entry ?? "";
      else if (kind === "@type" && (typeof entry === "string" || entry === null))
        datatype = this.#datatype(entry, plans);
      else if (kind === "@index") this.lostIndex(key, entry);
      else if (kind === "@direction") this.#lostDirection(entry);
      else if (kind !== "@context") this.losses.refuse("stands beside @value, where nothing else is allowed", key);
    }
    if (datatype === "@json") return this.#json(content!);
    if (content === null) return -1;
    if (typeof content === "string" && (language === "" || datatype === undefined))
      return this.terms.text(content, datatype, language);
    if (typeof content === "object" || content === undefined || language !== "") {
      this.losses.refuse("is a @value that JSON-LD does not allow");
      return -1;
    }
    return this.terms.native(content as Native, datatype);
  }

  #datatype(type: string | null, { context }: KeyPlans): string | undefined {
    const iri = type === null ? undefined : context.expandIri(type, { vocab: true, base: false });
    if (iri === undefined || iri === "@json") return iri;
    if (iri !== null && !iri.startsWith("@") && !iri.startsWith("_:") && iriProblem(iri) === undefined) return iri;
    this.losses.refuse(`has the datatype ${quoted(type ?? "")}, which no context defines`);
    return XSD.string;
  }

  lostIndex(key: string, value: Json): void {
    if (!saysNothing(value))
      this.losses.lose("is an @index, which has no place in triples: its value would be lost", key);
  }

  #lostDirection(direction: Json = "ltr"): void {
    if (direction !== null) this.losses.lose("has a base direction, which has no place in triples: it would be lost");
  }
}

/** Whether an object is a value object, or has only an id. */
function isValueOrReference(value: JsonObject, plans: KeyPlans): boolean {
  const keys = Object.keys(value);
  return plans.valueKeys.some((key) => key in value) || (keys.length === 1 && plans.idKeys.includes(keys[0]!));
}

/** The key of a list or set object, or `undefined` for any other. */
function collectionKey(value: JsonObject, plans: KeyPlans): string | undefined {
  return plans.collectionKeys.find((key) => key in value);
}
