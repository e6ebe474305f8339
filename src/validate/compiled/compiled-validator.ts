/** The compiled validator: finds in a few microseconds what the SHACL shapes of an endpoint would report about a record. */
import { entryOf } from "../../base/entries.js";
import type { RuleSet } from "../../model/rules/rule.js";
import { indexBySubject, type RecordGraph, rootOf, type SubjectIndex } from "../../rdf/record-graph.js";
import { iri, RDF, type Term } from "../../rdf/terms.js";
import { RecordPaths } from "../paths.js";
import type { AppliedRule, AppliedRules } from "../severities.js";
import type { ClassTable, NodeConstraints, PropertyConstraints, ValidatedRecord } from "./constraints.js";
import { compileRuleSet, component, FIRST_CLASS, NO_CLASS, OTHER_CLASS, SEVERAL_CLASSES } from "./constraints.js";
import { type Finding, missing } from "./findings.js";

/** The rule sets that a property leads to, as bits. */
interface Lead {
  /** The rule sets that apply to the property's values. */
  readonly to: number;
  /** The rule sets that apply to the values whenever they apply to the node itself. */
  readonly on: number;
}

const NOWHERE: Lead = { to: 0, on: 0 };

const NO_RULES = { rules: [], targets: [] } as const;

/** The bit of the rules for the record's own node, and the bit of those for the parts of a provenance record. */
const ROOT = 1;
const PART = 2;

/** Stand for a property's number that is not looked up yet, and for a property that no rule names. */
const UNKNOWN = -2;
const NO_PROPERTY = -1;

const MAX_COUNT = component("MaxCount");
const OR = component("Or");
const CLOSED = component("Closed");

/** Validates the records of one endpoint. It has working memory, so it validates one record at a time. */
export class CompiledValidator implements ValidatedRecord {
  readonly #propertyNumbers = new Map<string, number>();
  readonly #classNumbers = new Map<string, number>();
  readonly #leads: Lead[] = [];
  /** The rule sets, in the order of their bits. */
  readonly #sets: readonly NodeConstraints[];
  readonly #typeNumber: number;
  /** The number of the property that leads from a provenance record to its parts, or -1. */
  readonly #partNumber: number;
  readonly #nesting: AppliedRule | undefined;
  readonly #maxDepth: number;

  #graph!: RecordGraph;
  #subjects!: SubjectIndex;
  #properties = new Int32Array(64);
  #classes = new Int32Array(64);
  /** The classes of nodes with several. */
  readonly #several = new Map<number, readonly number[]>();
  #roles = new Int32Array(64);
  /** The values counted on the current node, by slot. */
  readonly #counts: Int32Array;
  #findings!: Finding[];

  constructor(rules: AppliedRules) {
    const { record, structures, nesting } = rules;
    const sets: readonly Pick<RuleSet, "rules" | "targets" | "repeats">[] = [
      record,
      record.nested?.set ?? NO_RULES,
      ...structures,
    ];
    const numbering = {
      propertyNumber: (iri: string) => this.#propertyNumber(iri),
      classNumber: (iri: string) => entryOf(this.#classNumbers, iri, () => FIRST_CLASS + this.#classNumbers.size),
    };
    this.#typeNumber = this.#propertyNumber(RDF.type);
    this.#partNumber = record.nested === undefined ? -1 : this.#propertyNumber(record.nested.path);
    this.#sets = sets.map((set) => compileRuleSet(set, rules, numbering));
    this.#counts = new Int32Array(Math.max(...this.#sets.map(({ slots }) => slots)));
    for (const [at, set] of sets.entries()) {
      for (const target of set.targets) this.#lead(target, { to: 1 << at, on: 0 });
      if (set.repeats !== undefined) this.#lead(set.repeats, { to: 0, on: 1 << at });
    }
    this.#nesting = rules.byName.get(nesting.name);
    this.#maxDepth = nesting.demand.kind === "nesting" ? nesting.demand.most : 0;
  }

  validate(graph: RecordGraph): readonly Finding[] {
    const { terms } = graph;
    this.#graph = graph;
    this.#subjects = indexBySubject(graph);
    this.#findings = [];
    this.#several.clear();
    const root = rootOf(graph);
    const nodes = this.#survey(root);
    const tooDeep = this.#nesting === undefined || nodes <= this.#maxDepth ? undefined : this.#tooDeep(this.#nesting);
    if (tooDeep !== undefined) return [tooDeep];
    if (root === -1) this.#validateNode(this.#sets[0]!, -1);
    for (let node = 0; node < terms.length; node++) {
      const roles = this.#roles[node]!;
      if (roles === 0 || terms[node]!.termType === "Literal") continue;
      for (let at = 0; roles >> at !== 0; at++)
        if (((roles >> at) & 1) === 1) this.#validateNode(this.#sets[at]!, node);
    }
    return this.#findings;
  }

  get terms(): readonly Term[] {
    return this.#graph.terms;
  }

  hasClass(node: number, table: ClassTable): boolean {
    const known = node === -1 ? NO_CLASS : this.#classes[node]!;
    if (known !== SEVERAL_CLASSES) return table[known] === 1;
    return entryOf(this.#several, node, () => this.#classesOf(node)).some((each) => table[each] === 1);
  }

  /** The numbers of a node's classes, each once. */
  #classesOf(node: number): readonly number[] {
    const { terms, triples } = this.#graph;
    const { first, next } = this.#subjects;
    const classes = new Set<number>();
    for (let triple = first[node]!; triple !== -1; triple = next[triple]!) {
      if (this.#properties[triples[triple * 3 + 1]!] !== this.#typeNumber) continue;
      classes.add(this.#classOf(terms[triples[triple * 3 + 2]!]!));
    }
    return [...classes];
  }

  hasProperty(node: number, property: number, is?: (value: Term) => boolean): boolean {
    const { triples } = this.#graph;
    const { first, next } = this.#subjects;
    for (let triple = first[node]!; triple !== -1; triple = next[triple]!) {
      if (this.#properties[triples[triple * 3 + 1]!] !== property) continue;
      if (is === undefined || is(this.terms[triples[triple * 3 + 2]!]!)) return true;
    }
    return false;
  }

  #classOf({ termType, value }: Term): number {
    return termType === "NamedNode" ? (this.#classNumbers.get(value) ?? OTHER_CLASS) : OTHER_CLASS;
  }

  #propertyNumber(iri: string): number {
    return entryOf(this.#propertyNumbers, iri, () => this.#leads.push(NOWHERE) - 1);
  }

  #lead(iri: string, { to, on }: Lead): void {
    const number = this.#propertyNumber(iri);
    const lead = this.#leads[number]!;
    this.#leads[number] = { to: lead.to | to, on: lead.on | on };
  }

  /** Number properties and classes, and find the rule sets for each node. Returns the number of nodes with triples. */
  #survey(root: number): number {
    const { terms, triples } = this.#graph;
    const { first } = this.#subjects;
    this.#reserve(terms.length);
    const properties = this.#properties;
    const classes = this.#classes;
    const roles = this.#roles;
    let nodes = 0;
    let repeats = false;
    const count = triples.length / 3;
    for (let triple = 0; triple < count; triple++) {
      const subject = triples[triple * 3]!;
      const predicate = triples[triple * 3 + 1]!;
      const object = triples[triple * 3 + 2]!;
      if (first[subject] === triple) nodes++;
      let property = properties[predicate]!;
      if (property === UNKNOWN) {
        property = this.#propertyNumbers.get(terms[predicate]!.value) ?? NO_PROPERTY;
        properties[predicate] = property;
      }
      if (property === NO_PROPERTY) continue;
      if (property === this.#typeNumber) {
        classes[subject] = classes[subject] === NO_CLASS ? this.#classOf(terms[object]!) : SEVERAL_CLASSES;
        continue;
      }
      const { to, on } = this.#leads[property]!;
      roles[object]! |= to;
      if (on !== 0) repeats = true;
      if (property === this.#partNumber && subject === root) roles[object]! |= PART;
    }
    if (root !== -1) roles[root]! |= ROOT;
    if (repeats) this.#spread(triples);
    return nodes;
  }

  /** Clear the working memory, and enlarge it if the record needs more. */
  #reserve(terms: number): void {
    if (terms > this.#properties.length) {
      const size = terms * 2;
      this.#properties = new Int32Array(size);
      this.#classes = new Int32Array(size);
      this.#roles = new Int32Array(size);
    }
    for (let term = 0; term < terms; term++) {
      this.#properties[term] = UNKNOWN;
      this.#classes[term] = NO_CLASS;
      this.#roles[term] = 0;
    }
  }

  /** Give each node reached by `part` the rules of the node that it is part of, to any depth. */
  #spread(triples: ArrayLike<number>): void {
    const roles = this.#roles;
    const { first, next } = this.#subjects;
    const waiting = Array.from(first.keys());
    for (const node of waiting) {
      for (let triple = first[node]!; triple !== -1; triple = next[triple]!) {
        const property = this.#properties[triples[triple * 3 + 1]!]!;
        if (property < 0) continue;
        const object = triples[triple * 3 + 2]!;
        const given = roles[object]! | (this.#leads[property]!.on & roles[node]!);
        if (given === roles[object]) continue;
        roles[object] = given;
        waiting.push(object);
      }
    }
  }

  /** The finding that structures are nested too deeply, at the first node that is too deep. */
  #tooDeep(applied: AppliedRule): Finding | undefined {
    const focus = new RecordPaths(this.#graph).deeperThan(this.#maxDepth);
    return focus === -1 ? undefined : { applied, focus, value: -1, component: null };
  }

  /** Find what a node breaks in a rule set. Node -1 is the record's own node when no triple mentions it. */
  #validateNode(set: NodeConstraints, node: number): void {
    const { terms, triples } = this.#graph;
    const { properties, itself, closed } = set;
    const { first, next } = this.#subjects;
    this.#counts.fill(0, 0, set.slots);
    for (const { applied, violated } of itself) {
      const broken = violated(node === -1 ? iri(this.#graph.iri) : terms[node]!);
      if (broken !== undefined) this.#find(applied, node, -1, broken);
    }
    for (let triple = node === -1 ? -1 : first[node]!; triple !== -1; triple = next[triple]!) {
      const predicate = triples[triple * 3 + 1]!;
      const object = triples[triple * 3 + 2]!;
      const number = this.#properties[predicate]!;
      if (closed !== undefined && !closed.properties.has(number)) {
        const property = terms[predicate]!.value;
        this.#findings.push({ applied: closed.applied, focus: node, value: object, property, component: CLOSED });
      }
      const property = number === NO_PROPERTY ? undefined : properties[number];
      if (property !== undefined) this.#validateValue(property, node, object);
    }
    this.#findMissing(set, node);
  }

  /** Find what a node's value breaks, by itself or as one value too many. */
  #validateValue(property: PropertyConstraints, node: number, object: number): void {
    const { slot, values, count, absence, usable, wanted } = property;
    const nth = ++this.#counts[slot]!;
    if (nth === 1) {
      if (absence !== undefined) this.#find(absence, node, -1, MAX_COUNT);
      if (usable !== undefined && !this.hasClass(node, usable.by)) this.#find(usable.applied, node, -1, OR);
    } else if (nth === 2 && count !== undefined) this.#find(count, node, -1, MAX_COUNT);
    for (let at = 0; at < values.length; at++) {
      const { applied, violated } = values[at]!;
      const broken = violated(this, object, node, nth);
      if (broken !== undefined) this.#find(applied, node, object, broken);
    }
    for (let at = 0; at < wanted.length; at++) {
      const { termType, value } = this.#graph.terms[object]!;
      if (value === wanted[at]!.iri && termType === "NamedNode") this.#counts[wanted[at]!.slot]!++;
    }
  }

  #findMissing({ presences }: NodeConstraints, node: number): void {
    for (let at = 0; at < presences.length; at++) {
      const { applied, slot, when } = presences[at]!;
      if (this.#counts[slot] !== 0 || (when !== undefined && !this.hasClass(node, when))) continue;
      this.#findings.push(missing(applied, node));
    }
  }

  #find(applied: AppliedRule, focus: number, value: number, broken: string | null): void {
    this.#findings.push({ applied, focus, value, component: broken });
  }
}
