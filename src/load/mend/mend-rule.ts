/** A rule by which records are mended, and the nodes of documents that it mends: each change is noted. */
import type { Json, JsonObject } from "../../rdf/record-graph.js";
import type { DocumentChange } from "../../validate/results.js";

export interface MendRule {
  readonly name: string;
  /** The fault that it repairs, in a line. */
  readonly repairs: string;
  /** A document before and after, of which the rule changes nothing else. */
  readonly example: { readonly before: JsonObject; readonly after: JsonObject };
  /** Only where it is asked for: what it takes for granted is for the institution to say. */
  readonly isAsked?: true;
  mend(node: MendNode): void;
}

export interface MendedDocument {
  readonly contextUri: string;
  /** Some date of it can be read only with the day before the month, where months belong. */
  readonly hasSwappedDays: boolean;
  /** Its context is the model's alone, so that no other can define a prefix or a key. */
  readonly hasPlainContext: boolean;
  /** By id, the first label that the document gives it. */
  readonly firstLabels: ReadonlyMap<string, string>;
  /** Actors of these IRIs, or classified as these, are Groups. */
  readonly groups: ReadonlySet<string>;
}

/** What rules read of a node, and change. */
export class MendNode {
  rule = "";

  constructor(
    readonly object: JsonObject,
    /** The keys on the way to it, joined by `/`; the empty string for the document itself. */
    readonly path: string,
    /** The key that leads to it, or the empty string. */
    readonly key: string,
    readonly parent: MendNode | undefined,
    readonly document: MendedDocument,
    readonly changes: DocumentChange[],
  ) {}

  /** The node's class as its document writes it, where it has one. */
  get type(): string | undefined {
    const { type } = this.object;
    const first = Array.isArray(type) && type.length === 1 ? type[0] : type;
    return typeof first === "string" ? first : undefined;
  }

  set(key: string, value: Json): void {
    this.#note(key, this.object[key], value);
    this.object[key] = value;
  }

  remove(key: string): void {
    this.#note(key, this.object[key], undefined);
    delete this.object[key];
  }

  /** Give a key another name, at its place. */
  rename(key: string, name: string): void {
    const entries = Object.entries(this.object);
    this.#note(key, { [key]: this.object[key]! }, { [name]: this.object[key]! });
    for (const [each] of entries) delete this.object[each];
    for (const [each, value] of entries) this.object[each === key ? name : each] = value;
  }

  #note(key: string, before: Json | undefined, after: Json | undefined): void {
    const path = this.path === "" ? key : `${this.path}/${key}`;
    this.changes.push({ path, before: copy(before), after: copy(after), rule: this.rule });
  }
}

/** A value for a report, which stays as it was, whatever is changed further down. */
function copy(value: Json | undefined): Json {
  return value === undefined ? null : structuredClone(value);
}
