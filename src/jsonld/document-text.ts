/** The text of a document, made directly from an encoded record in one walk over its bytes that makes no terms, graph or objects. The output must equal that of `frame`; a record that needs more than a walk down a tree is left to `frame`. */
import { type EncodedGraph, RECORD_NAMES, TERM_KIND } from "../rdf/encoded-graph.js";
import { literal, RDF, type Term } from "../rdf/terms.js";
import { lengthOf, MAX_REPEATS } from "./frame.js";
import { JsonBytes, readyBytes } from "./json-bytes.js";
import { hasKey, MAX_DEPTH } from "./json-values.js";
import type { KeyText, NodeText, NodeTexts, PropertyText, TextPlans, ValueText } from "./text-plan.js";

/** Thrown and caught here: `frame` must write the document. */
class LeftToFrame extends Error {}

const [NEWLINE, COMMA, COLON, SMALL_L] = [0x0a, 0x2c, 0x3a, 0x6c];
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
const CONTEXT = readyBytes('"@context":');
const [TYPE, FIRST, REST] = [RDF.type, RDF.first, RDF.rest].map((name) => RECORD_NAMES.numberOf(Buffer.from(name)));
const HTTP = Buffer.from("http://");
const HTTPS = Buffer.from("https://");

/** Shared by all walks: a walk is synchronous, so only one runs at a time. */
const out = new JsonBytes();

/** The JSON text of a record's compact document, with a newline. `undefined` for a record that has lists, labelled blank nodes, cycles, nodes that nothing leads to, or other rare features: `frame` writes those. Throws `ConfusedIriError`. */
export function documentText(graph: EncodedGraph, plans: TextPlans): string | undefined {
  out.clear();
  try {
    new TextWalk(graph, plans).run();
  } catch (error) {
    if (error instanceof LeftToFrame) return undefined;
    throw error;
  }
  return out.text();
}

/** The keys of all open nodes; the keys of a node follow those of its parent. */
const keys: KeyText[] = [];
/** The first and last triple of each key. */
const firsts: number[] = [];
const lasts: number[] = [];
/** For each triple: how its value is written (`undefined` where the property decides for each value), its property, the next triple of the same key. */
const values: (ValueText | undefined)[] = [];
const properties: PropertyText[] = [];
const followers: number[] = [];
/** How often each node was described, and whether it is open, that is, being described. */
const described: number[] = [];
const isOpen: boolean[] = [];

/** A literal that is written as a JSON number: the index of its key, the number, and the node's own context if the number needs one. */
interface NumberText {
  readonly at: number;
  readonly value: string;
  readonly context: string | undefined;
}

const NOTHING: Readonly<Record<string, true>> = {};

class TextWalk {
  #written = 0;
  #whole: number | undefined;
  /** The number of keys of the open nodes. */
  #keys = 0;
  /** The keys that open nodes define in contexts of their own, which must not hold in nodes within them. */
  #defined: Readonly<Record<string, true>> = NOTHING;

  constructor(
    readonly graph: EncodedGraph,
    readonly plans: TextPlans,
  ) {
    for (let number = 0; number < graph.termCount; number++) {
      described[number] = 0;
      isOpen[number] = false;
    }
  }

  run(): void {
    const { graph } = this;
    this.#describe(0, this.plans.root, 1);
    for (let number = 0; number < graph.termCount; number++) {
      const isStray = graph.first[number] !== -1 && described[number] === 0;
      // A blank node that is written more than once needs a label.
      if (isStray || (described[number]! > 1 && graph.kinds[number] === TERM_KIND.blank)) throw new LeftToFrame();
    }
    out.byte(NEWLINE);
  }

  #describe(subject: number, texts: NodeTexts, depth: number): void {
    if (depth > MAX_DEPTH) throw new LeftToFrame();
    described[subject]!++;
    isOpen[subject] = true;
    const isIri = this.graph.kinds[subject] === TERM_KIND.iri;
    const node = this.#nodeText(subject, texts);
    const base = this.#keys;
    this.#gather(subject, node);
    const end = this.#keys;
    const hasContext = depth === 1 || (isIri && node.plan.standsAlone);
    const number = depth === 1 ? undefined : this.#number(base, hasContext);
    const defined = this.#defined;
    if (defined !== NOTHING)
      for (let at = base; at < end; at++) if (Object.hasOwn(defined, keys[at]!.use.key)) throw new LeftToFrame();
    out.byte(OPEN);
    if (hasContext) {
      out.raw(CONTEXT);
      out.raw(this.plans.context);
    } else if (number?.context !== undefined) {
      out.raw(CONTEXT);
      out.json(number.context);
      this.#defined = { ...defined, [keys[number.at]!.use.key]: true };
    }
    if (isIri) {
      out.key(node.id);
      this.#id(subject, node);
    }
    if (node.types.byteLength > 0) out.key(node.types);
    for (let at = base; at < end; at++) {
      out.key(keys[at]!.key);
      if (at === number?.at) out.json(number.value);
      else this.#values(at, depth);
    }
    out.byte(CLOSE);
    this.#keys = base;
    this.#defined = defined;
    isOpen[subject] = false;
  }

  /** Count a written value. A record that repeats too much is left to `frame`. */
  #count(object: number): void {
    this.#written += this.#lengthOf(object);
    if (this.#written <= this.graph.tripleCount * MAX_REPEATS) return;
    this.#whole ??= this.#length();
    if (this.#written > this.#whole * MAX_REPEATS) throw new LeftToFrame();
  }

  #length(): number {
    const { triples, tripleCount } = this.graph;
    let length = 0;
    for (let triple = 0; triple < tripleCount; triple++) length += this.#lengthOf(triples[triple * 3 + 2]!);
    return length;
  }

  #lengthOf(object: number): number {
    const { starts } = this.graph;
    return lengthOf(starts[object + 1]! - starts[object]!);
  }

  /** The text plan for the subject's classes. */
  #nodeText(subject: number, texts: NodeTexts): NodeText {
    const { graph } = this;
    const { triples, next } = graph;
    let [one, several] = [-1, ""];
    for (let triple = graph.first[subject]!; triple !== -1; triple = next[triple]!) {
      const object = triples[triple * 3 + 2]!;
      if (graph.kinds[object] !== TERM_KIND.iri || graph.nameNumber(triples[triple * 3 + 1]!) !== TYPE) continue;
      if (one !== -1) several = `${several === "" ? graph.name(one) : several} ${graph.name(object)}`;
      one = object;
    }
    if (one === -1) return texts.of("");
    if (several !== "") return texts.of(several);
    const number = graph.nameNumber(one);
    return number === -1 ? texts.of(graph.value(one)) : texts.ofClass(number);
  }

  /** Group the subject's triples by key, with the keys in order of rank. */
  #gather(subject: number, node: NodeText): void {
    const { graph } = this;
    const { triples, next } = graph;
    const base = this.#keys;
    for (let triple = graph.first[subject]!; triple !== -1; triple = next[triple]!) {
      const object = triples[triple * 3 + 2]!;
      this.#count(object);
      const number = graph.nameNumber(triples[triple * 3 + 1]!);
      if (number === TYPE && graph.kinds[object] === TERM_KIND.iri) continue;
      if (number === -1 || number === FIRST || number === REST) throw new LeftToFrame();
      const property = node.property(number);
      const value = this.#value(object, property);
      const key = value === undefined ? property.literal(this.#literal(object)) : value.key;
      if (key.isOdd) throw new LeftToFrame();
      values[triple] = value;
      properties[triple] = property;
      this.#put(triple, key, base);
    }
  }

  #put(triple: number, key: KeyText, base: number): void {
    followers[triple] = -1;
    let place = this.#keys - 1;
    while (place >= base && keys[place] !== key) place--;
    if (place >= base) {
      followers[lasts[place]!] = triple;
      lasts[place] = triple;
      return;
    }
    // Insertion sort by rank; most triples are already in the order of the field table.
    place = this.#keys++;
    for (; place > base && keys[place - 1]!.use.rank > key.use.rank; place--) {
      keys[place] = keys[place - 1]!;
      firsts[place] = firsts[place - 1]!;
      lasts[place] = lasts[place - 1]!;
    }
    keys[place] = key;
    firsts[place] = triple;
    lasts[place] = triple;
  }

  /** How an object is written, or `undefined` for a literal whose value decides. */
  #value(object: number, property: PropertyText): ValueText | undefined {
    const { graph } = this;
    const kind = graph.kinds[object];
    if (kind === TERM_KIND.string) return property.plain();
    if (kind === TERM_KIND.iri || kind === TERM_KIND.blank) return property.nodes();
    const tag = graph.termCount + graph.tags[object]!;
    const number = graph.nameNumber(tag);
    if (number === -1) return undefined;
    return kind === TERM_KIND.typed ? property.typed(number) : property.tagged(number);
  }

  #literal(object: number): Term {
    const { graph } = this;
    const tag = graph.name(graph.termCount + graph.tags[object]!);
    return graph.kinds[object] === TERM_KIND.typed
      ? literal(graph.value(object), tag)
      : literal(graph.value(object), undefined, tag);
  }

  /** The node's literal that would be a JSON number if it had another datatype, or `undefined`. A node with several is left to `frame`. */
  #number(base: number, hasContext: boolean): NumberText | undefined {
    let found: NumberText | undefined;
    for (let at = base; at < this.#keys; at++) {
      const { key, number } = keys[at]!.use;
      const triple = firsts[at]!;
      const object = this.graph.triples[triple * 3 + 2]!;
      if (number === undefined || lasts[at] !== triple || this.graph.kinds[object] !== TERM_KIND.typed) continue;
      const term = this.#literal(object);
      if (typeof properties[triple]!.use.literals(term).write(term) !== "object") continue;
      const typed = number(term);
      if (typed === undefined || (hasContext && typed.definition !== undefined)) continue;
      if (found !== undefined) throw new LeftToFrame();
      const context = typed.definition === undefined ? undefined : JSON.stringify({ [key]: typed.definition });
      found = { at, value: JSON.stringify(typed.value), context };
    }
    return found;
  }

  #values(at: number, depth: number): void {
    const { triples } = this.graph;
    const first = firsts[at]!;
    const isList = keys[at]!.use.isArray || followers[first] !== -1;
    if (isList) out.byte(OPEN_LIST);
    for (let triple = first; triple !== -1; triple = followers[triple]!) {
      if (triple !== first) out.byte(COMMA);
      this.#object(triple, triples[triple * 3 + 2]!, depth);
    }
    if (isList) out.byte(CLOSE_LIST);
  }

  #object(triple: number, object: number, depth: number): void {
    const { kinds, first } = this.graph;
    const kind = kinds[object]!;
    if (kind === TERM_KIND.iri || kind === TERM_KIND.blank) {
      const nodes = properties[triple]!.nodes();
      const isRare = kind === TERM_KIND.blank ? this.graph.mentions[object]! > 1 : this.#isNil(object);
      if (isRare || isOpen[object]) throw new LeftToFrame();
      if (first[object] !== -1 || kind === TERM_KIND.blank) this.#describe(object, nodes.texts, depth + 1);
      else this.#reference(object, properties[triple]!);
      return;
    }
    const around = values[triple]?.around;
    if (around !== undefined) return void this.#text(object, around);
    const term = kind === TERM_KIND.string ? literal(this.graph.value(object)) : this.#literal(object);
    const value = properties[triple]!.use.literals(term).write(term);
    if (hasKey(value, this.#defined)) throw new LeftToFrame();
    out.json(JSON.stringify(value));
  }

  /** Write a bare reference, which has only the node's name. */
  #reference(object: number, { nodes, use }: PropertyText): void {
    const { around } = nodes();
    if (around !== undefined && this.#isPlainIri(object)) return void this.#text(object, around);
    out.json(JSON.stringify(use.nodes().reference(this.graph.value(object))));
  }

  /** Write the text of a term between what stands around it. */
  #text(term: number, { before, after }: NonNullable<ValueText["around"]>): void {
    const { bytes, starts } = this.graph;
    out.raw(before);
    out.string(bytes, starts[term]!, starts[term + 1]!);
    out.raw(after);
  }

  #id(subject: number, { plan }: NodeText): void {
    const { bytes, starts } = this.graph;
    if (this.#isPlainIri(subject)) out.string(bytes, starts[subject]!, starts[subject + 1]!);
    else out.json(JSON.stringify(plan.writeIri(this.graph.value(subject))));
  }

  /** Whether an IRI begins with `http://` or `https://`, so that no context can mistake it for another. */
  #isPlainIri(term: number): boolean {
    const { bytes, starts } = this.graph;
    const start = starts[term]!;
    const scheme = bytes[start + 4] === COLON ? HTTP : HTTPS;
    if (starts[term + 1]! - start < scheme.length) return false;
    for (let at = 0; at < scheme.length; at++) if (bytes[start + at] !== scheme[at]) return false;
    return true;
  }

  /** Whether a node is `rdf:nil`, the empty list or the end of one. */
  #isNil(term: number): boolean {
    const { bytes, starts } = this.graph;
    const end = starts[term + 1]!;
    // Cheap checks first: few IRIs have this length and this last letter.
    return end - starts[term]! === RDF.nil.length && bytes[end - 1] === SMALL_L && this.graph.value(term) === RDF.nil;
  }
}
