/** Collects triples without a graph, and hands them on to the records that they are divided among. */
import { formatTerm } from "../../rdf/ntriples-writer.js";
import type { Statement } from "../../rdf/statement.js";
import type { Term } from "../../rdf/terms.js";
import { RDF } from "../../rdf/terms.js";
import { TripleSlots } from "../../rdf/triple-slots.js";
import { NoRecordError, TooManyTriplesError } from "../errors.js";
import type { Grouper } from "../group/group.js";
import { type Dataset, divide } from "./divide.js";
import { Integers } from "./integers.js";
import { NodeNumbers } from "./node-numbers.js";
import { StatementLog } from "./statement-log.js";

/** So many triples are divided; of each, some 100 bytes are in memory. */
export const MAX_UNGRAPHED_TRIPLES = 10_000_000;

/** Bytes of triples that are kept in memory; what is more goes to a temporary file. */
const MEMORY_BYTES = 64 * 2 ** 20;

/** A node that is described, but belongs to no record. */
export interface UnownedNode {
  /** Where its first triple stands. */
  readonly source: string;
  readonly line: number;
  /** An N-Triples term. */
  readonly node: string;
}

export interface UngraphedOptions {
  /** An existing directory for temporary files. */
  readonly temporary: string;
  readonly maxTriples?: number;
  readonly memoryBytes?: number;
}

type Node = Pick<Term, "termType" | "value">;

/** What a node is called matters only where it is a predicate or a class. */
const SOME_IRI: Node = { termType: "NamedNode", value: "" };
const SOME_BLANK: Node = { termType: "BlankNode", value: "" };
const SOME_LITERAL: Node = { termType: "Literal", value: "" };

/**
 * The triples without a graph of all inputs of a load. Their texts lie in a log; in memory are numbers alone, which say how
 * nodes hang together.
 */
export class UngraphedTriples {
  readonly #maxTriples: number;
  readonly #log: StatementLog;
  readonly #inputs: string[] = [];
  readonly #numbers = new NodeNumbers();
  /** By number: a node whose name matters, or what kind of node it is. */
  readonly #nodes: Node[] = [];
  /** Three numbers a triple, each triple once. */
  readonly #triples = new DistinctTriples();
  /** Where a subject's first triple stands, by its number; the input's number is 1 more. */
  readonly #placeInputs = new Integers();
  readonly #placeLines = new Integers();

  constructor({ temporary, maxTriples = MAX_UNGRAPHED_TRIPLES, memoryBytes = MEMORY_BYTES }: UngraphedOptions) {
    this.#maxTriples = maxTriples;
    this.#log = new StatementLog(temporary, memoryBytes);
  }

  /** Begin an input: the number for `add`. Blank node labels belong to one input. */
  addInput(name: string): number {
    return this.#inputs.push(name) - 1;
  }

  /** Add a statement's triple; its graph does not count. Throws `TooManyTriplesError`, `TemporaryFileError`. */
  add(input: number, statement: Statement): void {
    const [subject, predicate, object] = [statement.subject(), statement.predicate(), statement.object()];
    const number = this.#number(input, subject);
    const isNew = this.#triples.add(
      number,
      this.#named(input, predicate),
      predicate.value === RDF.type ? this.#named(input, object) : this.#number(input, object),
    );
    if (!isNew) return;
    if (this.#placeInputs.at(number) === 0) {
      this.#placeInputs.set(number, input + 1);
      this.#placeLines.set(number, statement.line);
    }
    this.#log.add(input, statement);
    if (this.#triples.count > this.#maxTriples) throw new TooManyTriplesError(this.#maxTriples);
  }

  /**
   * Add each record's share to the record of its IRI; gives the nodes that no record owns.
   * Throws `NoRecordError` when there are triples, but no record among them.
   */
  divideAmong(grouper: Grouper): UnownedNode[] {
    const owners = new Owners();
    const dataset: Dataset = { terms: this.#nodes, triples: this.#triples.items };
    const left = divide(dataset, (entity, triples) => owners.add(entity, triples));
    const names = this.#namesOf([...owners.records, ...left]);
    const unowned = left.map((node) => this.#unowned(names.get(node)!, node));
    if (owners.records.size === 0 && unowned.length > 0)
      throw new NoRecordError(unowned[0]!.node, placeOf(unowned[0]!));
    this.#handOn(grouper, owners, names);
    return unowned;
  }

  /** Delete the temporary files; needed in any case, after errors too. */
  close(): void {
    this.#log.close();
  }

  /** Read all triples once more, and add each to the records that own it. */
  #handOn(grouper: Grouper, owners: Owners, names: ReadonlyMap<number, Term>): void {
    const ofTriples = owners.byTriple(this.#triples.count);
    // Inputs of their own, so that these blank nodes never meet those of named graphs.
    const inputs = this.#inputs.map((name) => grouper.addInput(name));
    const placed = new PlacedStatement();
    let triple = 0;
    this.#log.read((input, statement) => {
      for (let at = ofTriples.starts[triple]!; at < ofTriples.starts[triple + 1]!; at++) {
        const owner = ofTriples.owners[at]!;
        grouper.add(names.get(owner)!.value, inputs[input]!, placed.set(statement, this.#placeLines.at(owner)));
      }
      triple++;
    });
  }

  /** The terms of some nodes, which only the log has. */
  #namesOf(nodes: readonly number[]): Map<number, Term> {
    const wanted = new Uint8Array(this.#nodes.length);
    for (const node of nodes) wanted[node] = 1;
    const names = new Map<number, Term>();
    let at = 0;
    const { items } = this.#triples;
    this.#log.read((_, statement) => {
      const subject = items[at]!;
      if (wanted[subject] === 1) {
        names.set(subject, statement.subject());
        wanted[subject] = 0;
      }
      at += 3;
    });
    return names;
  }

  #number(input: number, term: Term): number {
    if (term.termType === "Literal") {
      return this.#numberOf(`"${term.datatype}"${term.language}"${term.value}`, SOME_LITERAL);
    }
    return term.termType === "NamedNode"
      ? this.#numberOf(term.value, SOME_IRI)
      : this.#numberOf(`_:${input}:${term.value}`, SOME_BLANK);
  }

  /** As `#number`, for a node whose IRI says what it is for. */
  #named(input: number, term: Term): number {
    const number = this.#number(input, term);
    if (this.#nodes[number] === SOME_IRI) this.#nodes[number] = term;
    return number;
  }

  #numberOf(text: string, node: Node): number {
    const number = this.#numbers.of(text);
    if (number === this.#nodes.length) {
      this.#nodes.push(node);
      this.#placeInputs.push(0);
      this.#placeLines.push(0);
    }
    return number;
  }

  #unowned(term: Term, node: number): UnownedNode {
    const source = this.#inputs[this.#placeInputs.at(node) - 1]!;
    return { source, line: this.#placeLines.at(node), node: formatTerm(term) };
  }
}

function placeOf({ source, line }: UnownedNode): string {
  return `${source}:${line}`;
}

/** Triples of numbers, in order, each once. */
class DistinctTriples {
  readonly #items = new Integers();
  readonly #slots = new TripleSlots(4096);

  get count(): number {
    return this.#items.length / 3;
  }

  get items(): Int32Array {
    return this.#items.items;
  }

  /** Add a triple; `false` when it was there. */
  add(subject: number, predicate: number, object: number): boolean {
    const items = this.#items;
    if (!this.#slots.add(items.room, this.count, subject, predicate, object)) return false;
    items.push(subject);
    items.push(predicate);
    items.push(object);
    return true;
  }
}

/** Which records own which triples. */
class Owners {
  readonly records = new Set<number>();
  readonly #triples = new Integers();
  readonly #records = new Integers();

  add(record: number, triples: readonly number[]): void {
    this.records.add(record);
    for (const triple of triples) {
      this.#triples.push(triple);
      this.#records.push(record);
    }
  }

  /** The owners of triple n are those from `starts[n]` to `starts[n + 1]`. */
  byTriple(count: number): { readonly starts: Uint32Array; readonly owners: Int32Array } {
    const starts = new Uint32Array(count + 1);
    for (const triple of this.#triples.items) starts[triple + 1]!++;
    for (let triple = 0; triple < count; triple++) starts[triple + 1]! += starts[triple]!;
    const owners = new Int32Array(this.#triples.length);
    const next = starts.slice();
    for (let at = 0; at < owners.length; at++) owners[next[this.#triples.at(at)]!++] = this.#records.at(at);
    return { starts, owners };
  }
}

/** A statement that stands where the record begins that it goes to. */
class PlacedStatement implements Statement {
  line = 0;
  #statement!: Statement;

  set(statement: Statement, line: number): this {
    this.#statement = statement;
    this.line = line;
    return this;
  }

  subject(): Term {
    return this.#statement.subject();
  }

  predicate(): Term {
    return this.#statement.predicate();
  }

  object(): Term {
    return this.#statement.object();
  }

  graph(): Term | undefined {
    return undefined;
  }

  appendTriple(log: Parameters<Statement["appendTriple"]>[0]): void {
    this.#statement.appendTriple(log);
  }
}
