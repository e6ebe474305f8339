/** The framing plan as text: what is the same in all documents is kept as ready bytes, found by the numbers of names. */
import { remembering } from "../base/bounded-map.js";
import { entryOf } from "../base/entries.js";
import { lazily } from "../base/lazily.js";
import { RECORD_NAMES } from "../rdf/encoded-graph.js";
import { literal, RDF, type Term, XSD } from "../rdf/terms.js";
import { readyBytes } from "./json-bytes.js";
import type { KeyUse, NodePlan, NodePlans, PropertyUse } from "./plan.js";

export interface KeyText {
  readonly use: KeyUse;
  /** `"key":`. */
  readonly key: DataView;
  /** Whether documents with this key are left to `frame`: it is a map, nested, takes a single value, or is a key that JavaScript reorders. */
  readonly isOdd: boolean;
}

/** How values of one kind are written under a property. Without `around`, the plan's own writer decides for each value. */
export interface ValueText {
  readonly key: KeyText;
  readonly around: ReturnType<typeof aroundProbe>;
}

/** The datatypes whose literals are written according to their value: as a number or boolean when nothing is lost. */
const BY_VALUE: ReadonlySet<number> = new Set(
  [XSD.boolean, XSD.integer, XSD.double, RDF.JSON].map((name) => RECORD_NAMES.numberOf(Buffer.from(name))),
);

/** A sample text. It is written once to find out what is written around any text. Nothing in it needs escaping. */
const PROBE = "http://probe.invalid/2f0c1d7e";

/** The JSON around the probe in a value; `undefined` when the value does not contain the unchanged probe exactly once. */
function aroundProbe(value: unknown) {
  const [before, after, ...more] = JSON.stringify(value).split(`"${PROBE}"`);
  if (after === undefined || more.length > 0) return undefined;
  return { before: readyBytes(before!), after: readyBytes(after) };
}

/** JavaScript puts numeric keys before all others, and treats `__proto__` specially. */
const ODD_KEY = /^(?:\d+|__proto__)$/;

/** At most this many plans are kept; nodes may come with any combination of classes. */
const MAX_COMBINATIONS = 10_000;

/** The plans for the nodes at one place, by the numbers of their classes' names. */
export class NodeTexts {
  readonly #byClass: (NodeText | undefined)[] = [];
  /** The texts of nodes with these class IRIs, joined by a space. */
  readonly of = remembering(MAX_COMBINATIONS, (classes: string) => new NodeText(this.plans(classes), this.family));

  constructor(
    readonly plans: NodePlans,
    private readonly family: TextPlans,
  ) {}

  /** The texts of nodes with one class, by the number of its name. */
  ofClass(number: number): NodeText {
    this.#byClass[number] ??= this.of(RECORD_NAMES.text(number));
    return this.#byClass[number]!;
  }
}

export class NodeText {
  /** `"id":` and `"type":...`; the latter is empty for nodes without a class. */
  readonly id: DataView;
  readonly types: DataView;
  readonly #properties: (PropertyText | undefined)[] = [];
  readonly #keys = new Map<KeyUse, KeyText>();

  constructor(
    readonly plan: NodePlan,
    readonly family: TextPlans,
  ) {
    const { id, type, types } = plan;
    this.id = readyBytes(`${JSON.stringify(id)}:`);
    this.types = readyBytes(types === undefined ? "" : `${JSON.stringify(type)}:${JSON.stringify(types)}`);
  }

  /** The text of the property with this name number. */
  property(number: number): PropertyText {
    this.#properties[number] ??= new PropertyText(this.plan.property(RECORD_NAMES.text(number)), this);
    return this.#properties[number]!;
  }

  key(use: KeyUse): KeyText {
    return entryOf(this.#keys, use, () => {
      const { key, isMap, isSingle, nest } = use;
      const isOdd = isMap || isSingle || nest !== undefined || ODD_KEY.test(key);
      return { use, key: readyBytes(`${JSON.stringify(key)}:`), isOdd };
    });
  }
}

/** How values of one property are written on nodes of one class. */
export class PropertyText {
  /** The text of nodes; `around` is for bare references. */
  readonly nodes = lazily(() => {
    const { use, isTerm, reference, plans } = this.use.nodes();
    const around = isTerm ? undefined : aroundProbe(reference(PROBE));
    return { key: this.node.key(use), around, texts: this.node.family.of(plans) };
  });
  /** The text of strings without a language. */
  readonly plain = lazily(() => this.#literals(literal(PROBE)));
  readonly #typed: (ValueText | undefined)[] = [];
  readonly #tagged: (ValueText | undefined)[] = [];

  constructor(
    readonly use: PropertyUse,
    private readonly node: NodeText,
  ) {}

  /** The text of literals of a datatype, by the number of its name; `undefined` when it depends on the value. */
  typed(number: number): ValueText | undefined {
    if (BY_VALUE.has(number)) return undefined;
    this.#typed[number] ??= this.#literals(literal(PROBE, RECORD_NAMES.text(number)));
    return this.#typed[number];
  }

  /** The text of strings in a language, by the number of its tag. */
  tagged(number: number): ValueText {
    this.#tagged[number] ??= this.#literals(literal(PROBE, undefined, RECORD_NAMES.text(number)));
    return this.#tagged[number]!;
  }

  #literals(probe: Term): ValueText {
    const { use, write } = this.use.literals(probe);
    return { key: this.node.key(use), around: aroundProbe(write(probe)) };
  }

  literal(term: Term): KeyText {
    return this.node.key(this.use.literals(term).use);
  }
}

/** The texts of all plans that one `@context` leads to. */
export class TextPlans {
  readonly #texts = new WeakMap<NodePlans, NodeTexts>();
  readonly root: NodeTexts;

  /** @param context the JSON of the `@context` */
  constructor(
    plans: NodePlans,
    readonly context: DataView,
  ) {
    this.root = this.of(plans);
  }

  of(plans: NodePlans): NodeTexts {
    return entryOf(this.#texts, plans, () => new NodeTexts(plans, this));
  }
}
