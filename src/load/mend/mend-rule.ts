/** A rule that mends records, and the document nodes that it changes. Each change is recorded. */
import { asList } from "../../jsonld/json-values.js";
import { isJsonObject, type Json, type JsonObject } from "../../rdf/record-graph.js";
import type { DocumentChange } from "../../validate/results.js";

export interface MendRule {
  readonly name: string;
  /** The fault that the rule repairs, in one line. */
  readonly repairs: string;
  /** A document before and after the rule, which changes nothing else in it. */
  readonly example: { readonly before: JsonObject; readonly after: JsonObject };
  /** Whether the rule runs only on request, because its assumption is for the institution to make. */
  readonly isAsked?: true;
  mend(node: MendNode): void;
}

export interface MendedDocument {
  readonly contextUri: string;
  /** Whether some date in the document makes sense only with the day before the month, such as `1939-18-10`. */
  readonly hasSwappedDays: boolean;
  /** Whether its context is the model's alone, so that no other context can define a prefix or a key. */
  readonly hasPlainContext: boolean;
  /** The first label that the document gives each id. */
  readonly firstLabels: ReadonlyMap<string, string>;
  /** Actors that have these IRIs, or are classified as these, are Groups. */
  readonly groups: ReadonlySet<string>;
}

/** A node as rules read and change it. */
export class MendNode {
  rule = "";
  #defined: ReadonlySet<string> | undefined;

  constructor(
    readonly object: JsonObject,
    readonly document: MendedDocument,
    private readonly changes: DocumentChange[],
    readonly parent?: MendNode,
    /** The key that leads to the node, or the empty string. */
    readonly key = "",
    /** The keys on the way to the node, joined by `/`; the empty string for the document itself. */
    private readonly path = "",
  ) {}

  /** A node among the values of a key. */
  below(key: string, object: JsonObject): MendNode {
    return new MendNode(object, this.document, this.changes, this, key, this.#pathTo(key));
  }

  #pathTo(key: string): string {
    return this.path === "" ? key : `${this.path}/${key}`;
  }

  /** The node's class as the document writes it, if it has exactly one. */
  get type(): string | undefined {
    const { type } = this.object;
    const first = Array.isArray(type) && type.length === 1 ? type[0] : type;
    return typeof first === "string" ? first : undefined;
  }

  /** Whether a context of the document, other than the model's, may define a term. If so, its name does not show its meaning. */
  mayDefine(term: string): boolean {
    this.#defined ??= definedBy(this.object["@context"], this.document.contextUri);
    return this.#defined.has(ANY_TERM) || this.#defined.has(term) || this.parent?.mayDefine(term) === true;
  }

  set(key: string, value: Json): void {
    this.#note(key, this.object[key], value);
    this.object[key] = value;
  }

  remove(key: string): void {
    this.#note(key, this.object[key], undefined);
    delete this.object[key];
  }

  /** Give a key another name and keep its place in the order. */
  rename(key: string, name: string): void {
    const entries = Object.entries(this.object);
    this.#note(key, { [key]: this.object[key]! }, { [name]: this.object[key]! });
    for (const [each] of entries) delete this.object[each];
    const renamed = Object.fromEntries(entries.map(([each, value]) => [each === key ? name : each, value]));
    // An assignment to `__proto__` would set no key.
    Object.defineProperties(this.object, Object.getOwnPropertyDescriptors(renamed));
  }

  #note(key: string, before: Json | undefined, after: Json | undefined): void {
    this.changes.push({ path: this.#pathTo(key), before: copy(before), after: copy(after), rule: this.rule });
  }
}

/** The addresses of Linked Art's context documents, also former ones. */
const LINKED_ART = /^https?:\/\/linked\.art\/ns\//;

/** Stands for any term among those that a context may define. */
const ANY_TERM = "@vocab";

/** The terms that a context may define. One at another address may define any term, and so may one with `@vocab` or `@import`. */
function definedBy(context: Json = null, modelContext: string, terms = new Set<string>()): ReadonlySet<string> {
  for (const each of asList(context)) {
    if (!isJsonObject(each)) {
      if (each !== null && each !== modelContext && !LINKED_ART.test(String(each))) terms.add(ANY_TERM);
      continue;
    }
    for (const [term, definition] of Object.entries(each)) {
      terms.add(term === "@import" ? ANY_TERM : term);
      if (isJsonObject(definition)) definedBy(definition["@context"], modelContext, terms);
    }
  }
  return terms;
}

/** The characters and items of a value that a report has; rules may change a value that holds others that they change. */
const MAX_COPIED = 10_000;

/** A copy for a report, unaffected by later changes to the value. What is beyond the limit is `...`, and a long integer, which readers of JSON would round, a text. */
function copy(value: Json | bigint = null, room = { left: MAX_COPIED }): Json {
  room.left -= typeof value === "string" ? value.length : 1;
  if (room.left < 0) return "...";
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  const entries: [string, Json][] = [];
  for (const [key, item] of Object.entries(value)) {
    entries.push([key, copy(item, room)]);
    if (room.left < 0) break;
  }
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}
