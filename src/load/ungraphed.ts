/** Collects triples without a graph, and hands them on to the records that they are divided among. */
import { formatTerm } from "../rdf/ntriples-writer.js";
import { type RecordGraph, RecordGraphBuilder } from "../rdf/record-graph.js";
import { type Statement, TermStatement } from "../rdf/statement.js";
import type { Term } from "../rdf/terms.js";
import { divide } from "./divide.js";
import { NoRecordError, TooManyTriplesError } from "./errors.js";
import type { Grouper } from "./group.js";

/** So many triples are divided in memory. */
export const MAX_UNGRAPHED_TRIPLES = 3_000_000;

/** A node that is described, but belongs to no record. */
export interface UnownedNode {
  /** Where its first triple stands. */
  readonly source: string;
  readonly line: number;
  /** An N-Triples term. */
  readonly node: string;
}

/** Where a subject's first triple stands. */
interface Place {
  readonly input: number;
  readonly line: number;
}

/** The triples without a graph of all inputs of a load. */
export class UngraphedTriples {
  readonly #maxTriples: number;
  readonly #builder = new RecordGraphBuilder("");
  readonly #inputs: string[] = [];
  /** By the subject's number. */
  readonly #places = new Map<number, Place>();

  constructor(maxTriples = MAX_UNGRAPHED_TRIPLES) {
    this.#maxTriples = maxTriples;
  }

  /** Begin an input: the number for `add`. Blank node labels belong to one input. */
  addInput(name: string): number {
    return this.#inputs.push(name) - 1;
  }

  /** Add a statement's triple; its graph does not count. Throws `TooManyTriplesError`. */
  add(input: number, statement: Statement): void {
    const builder = this.#builder;
    const subject = this.#number(input, statement.subject());
    if (!this.#places.has(subject)) this.#places.set(subject, { input, line: statement.line });
    builder.add(subject, builder.term(statement.predicate()), this.#number(input, statement.object()));
    if (builder.size > this.#maxTriples) throw new TooManyTriplesError(this.#maxTriples);
  }

  /**
   * Add each record's share to the record of its IRI; gives the nodes that no record owns.
   * Throws `NoRecordError` when there are triples, but no record among them.
   */
  divideAmong(grouper: Grouper): UnownedNode[] {
    const dataset = this.#builder.build();
    // Inputs of their own, so that these blank nodes never meet those of named graphs.
    const inputs = this.#inputs.map((name) => grouper.addInput(name));
    const statement = new TermStatement();
    let records = 0;
    const left = divide(dataset, (entity, triples) => {
      const { input, line } = this.#places.get(entity)!;
      const recordIri = dataset.terms[entity]!.value;
      for (const triple of triples) {
        grouper.add(recordIri, inputs[input]!, statement.set(line, ...termsOf(dataset, triple), undefined));
      }
      records++;
    });
    const unowned = left.map((node) => this.#unowned(dataset, node));
    if (records === 0 && unowned.length > 0) throw new NoRecordError(unowned[0]!.node, placeOf(unowned[0]!));
    return unowned;
  }

  #number(input: number, term: Term): number {
    return term.termType === "BlankNode" ? this.#builder.blank(`i${input}x${term.value}`) : this.#builder.term(term);
  }

  #unowned({ terms }: RecordGraph, node: number): UnownedNode {
    const { input, line } = this.#places.get(node)!;
    const term = terms[node]!;
    const label = term.value.slice(term.value.indexOf("x") + 1);
    return {
      source: this.#inputs[input]!,
      line,
      node: term.termType === "BlankNode" ? `_:${label}` : formatTerm(term),
    };
  }
}

function placeOf({ source, line }: UnownedNode): string {
  return `${source}:${line}`;
}

function termsOf({ terms, triples }: RecordGraph, triple: number): [Term, Term, Term] {
  const at = triple * 3;
  return [terms[triples[at]!]!, terms[triples[at + 1]!]!, terms[triples[at + 2]!]!];
}
