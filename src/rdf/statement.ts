/** The statement: one triple or quad with its place in the input, as every reader of RDF text delivers it. */
import type { ByteLog } from "./byte-log.js";
import { tripleLine } from "./ntriples/writer.js";
import type { Term } from "./terms.js";

/** One triple or quad. A reader reuses the object, so it is valid only during the call of the sink; its terms may be kept. */
export interface Statement {
  /** The line of the input, from 1. */
  readonly line: number;
  subject(): Term;
  predicate(): Term;
  object(): Term;
  /** The named graph, or `undefined` in the default graph. */
  graph(): Term | undefined;
  /** Append subject, predicate and object to `log` as one line of N-Triples. */
  appendTriple(log: ByteLog): void;
}

export interface ReadingOptions {
  readonly source: string;
  /** The base of relative IRIs, unless the text declares its own. */
  readonly baseIri?: string;
  /** The maximum length of the IRI of a prefix, a namespace or the base, in characters: every IRI made from it would be as long. */
  readonly maxIriLength?: number;
}

/** Receives statements in input order. An error that it throws stops the reader and reaches the caller unchanged. */
export type StatementSink = (statement: Statement) => void;

/** A push reader: call `push` with chunks of any size, which must not be changed afterwards, then `end`. Statements reach the sink during these calls. Both throw `SyntaxProblem` and the sink's errors; after an error the reader must not be used again. Statements must be complete, but the last may lack its newline. */
export interface StatementReader {
  push(chunk: Uint8Array): void;
  end(): void;
}

/** A statement whose terms a library has parsed. A reader uses one object for all its statements. */
export class TermStatement implements Statement {
  line = 0;
  #terms!: [subject: Term, predicate: Term, object: Term, graph: Term | undefined];

  set(line: number, ...terms: [subject: Term, predicate: Term, object: Term, graph: Term | undefined]): this {
    this.line = line;
    this.#terms = terms;
    return this;
  }

  readonly subject = (): Term => this.#terms[0];
  readonly predicate = (): Term => this.#terms[1];
  readonly object = (): Term => this.#terms[2];
  readonly graph = (): Term | undefined => this.#terms[3];

  appendTriple(log: ByteLog): void {
    log.text(tripleLine(this.#terms[0], this.#terms[1], this.#terms[2]));
  }
}
