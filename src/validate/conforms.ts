/** The accept-only check: tells records that break no rule, or only lack what is recommended, without asking the judge. */
import type { RuleSet } from "../model/rules/rules.js";
import { type ClassName, classIri } from "../model/vocabulary/vocabulary.js";
import { type RecordGraph, rootOf } from "../rdf/record-graph.js";
import { RDF, type Term } from "../rdf/terms.js";
import {
  compileRuleSet,
  FIRST_CLASS,
  type Inspected,
  NO_CLASS,
  type NodeCheck,
  OTHER_CLASS,
  SEVERAL_CLASSES,
} from "./compiled-rules.js";
import { type Finding, missing } from "./findings.js";
import type { RuleBook } from "./rule-book.js";

/** The check can say nothing of a record; the judge has to look at all of it. */
export const ASK_THE_JUDGE = Symbol("ask the judge");

/** What the check says: what the judge would find, and which nodes the judge has to be asked about. */
export interface Checked {
  /** Warnings that something recommended is missing, and no others. */
  readonly findings: readonly Finding[];
  readonly questions: readonly Question[];
}

/** That the judge should look at a node by the rules of a set. */
export interface Question {
  readonly set: RuleSet["name"];
  /** A term number. */
  readonly node: number;
}

/** Which rule sets a property leads to, as bits. */
interface Lead {
  /** Its values are described by these. */
  readonly to: number;
  /** Its values are described by these as far as the node that has it is. */
  readonly on: number;
}

const NOWHERE: Lead = { to: 0, on: 0 };

const NO_RULES = { name: "part", rules: [], targets: [] } as const;

/** The tables name far fewer. */
const MOST_CLASSES = 256;

/** The bit of the rules of the record's own node, and that of a provenance record's parts. */
const ROOT = 1;
const PART = 2;

/** The check for the records of one endpoint. It holds working memory, so a record is checked at a time. */
export class ConformanceCheck {
  readonly #propertyNumbers = new Map<string, number>();
  readonly #classNumbers = new Map<string, number>();
  readonly #leads: Lead[] = [];
  readonly #checks: readonly NodeCheck[];
  /** The names of the rule sets, by the bits that stand for them. */
  readonly #names: readonly RuleSet["name"][];
  readonly #typeNumber: number;
  /** The number of the property that leads from a provenance record to its parts, or -1. */
  readonly #partNumber: number;
  readonly #mostNodes: number;

  #properties = new Int32Array(64);
  #classes = new Int32Array(64);
  #roles = new Int32Array(64);
  #first = new Int32Array(64);
  #next = new Int32Array(64);
  readonly #seen = new Int32Array(256);
  #visit = 0;

  constructor(book: RuleBook) {
    const { record, structures, nesting } = book;
    const sets: readonly Pick<RuleSet, "name" | "rules" | "targets" | "repeats">[] = [
      record,
      record.nested?.set ?? NO_RULES,
      ...structures,
    ];
    const numbering = {
      propertyNumber: (iri: string) => this.#propertyNumber(iri),
      classTable: (names: readonly ClassName[]) => this.#classTable(names),
    };
    this.#typeNumber = this.#propertyNumber(RDF.type);
    this.#partNumber = record.nested === undefined ? -1 : this.#propertyNumber(record.nested.path);
    this.#names = sets.map(({ name }) => name);
    this.#checks = sets.map((set) => compileRuleSet(set, book, numbering));
    for (const [at, set] of sets.entries()) {
      for (const target of set.targets) this.#lead(target, { to: 1 << at, on: 0 });
      if (set.repeats !== undefined) this.#lead(set.repeats, { to: 0, on: 1 << at });
    }
    this.#mostNodes = nesting.demand.kind === "nesting" ? nesting.demand.most : 0;
  }

  /** Check a record. */
  check(graph: RecordGraph): Checked | typeof ASK_THE_JUDGE {
    const { terms, triples } = graph;
    const root = rootOf(graph);
    if (root === -1) return ASK_THE_JUDGE;
    if (!this.#survey(graph, root)) return ASK_THE_JUDGE;
    const findings: Finding[] = [];
    const questions: Question[] = [];
    const record: Inspected = { terms, classes: this.#classes };
    for (let node = 0; node < terms.length; node++) {
      const roles = this.#roles[node]!;
      if (roles === 0 || terms[node]!.termType === "Literal") continue;
      for (let at = 0; roles >> at !== 0; at++) {
        if (((roles >> at) & 1) === 0) continue;
        const before = findings.length;
        if (this.#checkNode(this.#checks[at]!, node, record, triples, findings)) continue;
        findings.length = before;
        questions.push({ set: this.#names[at]!, node });
      }
    }
    return { findings, questions };
  }

  /** 1 at the numbers of these classes. */
  #classTable(names: readonly ClassName[]): Uint8Array {
    const table = new Uint8Array(MOST_CLASSES);
    for (const name of names) table[this.#classNumber(classIri(name))] = 1;
    return table;
  }

  #propertyNumber(iri: string): number {
    let number = this.#propertyNumbers.get(iri);
    if (number === undefined) {
      number = this.#propertyNumbers.size;
      this.#propertyNumbers.set(iri, number);
      this.#leads.push(NOWHERE);
    }
    return number;
  }

  #classNumber(iri: string): number {
    let number = this.#classNumbers.get(iri);
    if (number === undefined) {
      number = FIRST_CLASS + this.#classNumbers.size;
      this.#classNumbers.set(iri, number);
    }
    return number;
  }

  #lead(iri: string, { to, on }: Lead): void {
    const number = this.#propertyNumber(iri);
    const lead = this.#leads[number]!;
    this.#leads[number] = { to: lead.to | to, on: lead.on | on };
  }

  /** Number properties and classes, list each node's triples, and find out which rules are for which node. */
  #survey(graph: RecordGraph, root: number): boolean {
    const { terms, triples } = graph;
    const count = triples.length / 3;
    this.#reserve(terms.length, count);
    const properties = this.#properties;
    const classes = this.#classes;
    const roles = this.#roles;
    const first = this.#first;
    let nodes = 0;
    let repeats = false;
    for (let triple = count - 1; triple >= 0; triple--) {
      const subject = triples[triple * 3]!;
      const predicate = triples[triple * 3 + 1]!;
      const object = triples[triple * 3 + 2]!;
      if (first[subject] === -1) nodes++;
      this.#next[triple] = first[subject]!;
      first[subject] = triple;
      let property = properties[predicate]!;
      if (property === -2) {
        property = this.#propertyNumbers.get(terms[predicate]!.value) ?? -1;
        properties[predicate] = property;
      }
      if (property === -1) continue;
      if (property === this.#typeNumber) {
        if (terms[object]!.termType !== "NamedNode") return false;
        const known = this.#classNumbers.get(terms[object]!.value) ?? OTHER_CLASS;
        classes[subject] = classes[subject] === NO_CLASS ? known : SEVERAL_CLASSES;
        continue;
      }
      const { to, on } = this.#leads[property]!;
      roles[object]! |= to;
      if (on !== 0) repeats = true;
      if (property === this.#partNumber && subject === root) roles[object]! |= PART;
    }
    roles[root]! |= ROOT;
    if (repeats) this.#spread(triples);
    return nodes <= this.#mostNodes || !this.#isDeep(graph, root, this.#mostNodes);
  }

  /** Clear the working memory, after enlarging it where the record needs more. */
  #reserve(terms: number, triples: number): void {
    if (terms > this.#properties.length) {
      const size = terms * 2;
      this.#properties = new Int32Array(size);
      this.#classes = new Int32Array(size);
      this.#roles = new Int32Array(size);
      this.#first = new Int32Array(size);
    }
    if (triples > this.#next.length) this.#next = new Int32Array(triples * 2);
    for (let term = 0; term < terms; term++) {
      this.#properties[term] = -2;
      this.#classes[term] = NO_CLASS;
      this.#roles[term] = 0;
      this.#first[term] = -1;
    }
  }

  /** Give what is reached by `part` the rules of the nodes that it is part of, to any depth. */
  #spread(triples: ArrayLike<number>): void {
    const roles = this.#roles;
    for (let hasChanged = true; hasChanged; ) {
      hasChanged = false;
      for (let at = 0; at < triples.length; at += 3) {
        const property = this.#properties[triples[at + 1]!]!;
        if (property < 0) continue;
        const object = triples[at + 2]!;
        const given = roles[object]! | (this.#leads[property]!.on & roles[triples[at]!]!);
        if (given === roles[object]) continue;
        roles[object] = given;
        hasChanged = true;
      }
    }
  }

  /** Whether some node is more than `most` steps away from the record. */
  #isDeep({ terms, triples }: RecordGraph, root: number, most: number): boolean {
    const isReached = new Uint8Array(terms.length);
    isReached[root] = 1;
    let level = [root];
    for (let depth = 0; level.length > 0; depth++) {
      if (depth > most) return true;
      const below: number[] = [];
      for (const node of level) {
        for (let triple = this.#first[node]!; triple !== -1; triple = this.#next[triple]!) {
          const object = triples[triple * 3 + 2]!;
          if (isReached[object] === 1 || terms[object]!.termType === "Literal") continue;
          if (this.#properties[triples[triple * 3 + 1]!] === this.#typeNumber) continue;
          isReached[object] = 1;
          below.push(object);
        }
      }
      level = below;
    }
    return false;
  }

  /** Whether a node surely breaks no rule of a set, but for what is recommended: that is added to the findings. */
  #checkNode(
    check: NodeCheck,
    node: number,
    record: Inspected,
    triples: ArrayLike<number>,
    findings: Finding[],
  ): boolean {
    const { properties, presences, isClosed, itself } = check;
    const itsClass = this.#classes[node]!;
    const seen = this.#seen;
    const visit = ++this.#visit;
    for (const isRight of itself) if (!isRight(record, node)) return false;
    for (let triple = this.#first[node]!; triple !== -1; triple = this.#next[triple]!) {
      const number = this.#properties[triples[triple * 3 + 1]!]!;
      const property = number === -1 ? undefined : properties[number];
      if (property === undefined) {
        if (isClosed) return false;
        continue;
      }
      const { slot, isSingle, values, usableBy, marks } = property;
      if (isSingle && seen[slot] === visit) return false;
      seen[slot] = visit;
      if (usableBy !== undefined && usableBy[itsClass] !== 1) return false;
      const object = triples[triple * 3 + 2]!;
      for (const { iri, slot: found } of marks) if (isIri(record.terms[object]!, iri)) seen[found] = visit;
      for (let at = 0; at < values.length; at++) if (!values[at]!(record, object)) return false;
    }
    for (let at = 0; at < presences.length; at++) {
      const { applied, slot, when } = presences[at]!;
      if (seen[slot] === visit || (when !== undefined && when[itsClass] === 0 && itsClass !== SEVERAL_CLASSES))
        continue;
      if (applied.severity === "Violation" || itsClass === SEVERAL_CLASSES) return false;
      findings.push(missing(applied, node));
    }
    return true;
  }
}

function isIri({ termType, value }: Term, iri: string): boolean {
  return termType === "NamedNode" && value === iri;
}
