/** The triples of a load that are in no graph, collected until they are divided among records. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { grouped } from "../../base/counted.js";
import { makeTemporaryDirectory } from "../../base/temporary.js";
import { LineReader } from "../../rdf/ntriples/reader.js";
import { formatTerm, tripleLine } from "../../rdf/ntriples/writer.js";
import type { Statement } from "../../rdf/statement.js";
import { blank, RDF, type Term } from "../../rdf/terms.js";
import { TripleSlots } from "../../rdf/triple-slots.js";
import { InputError } from "../errors.js";
import type { Grouper } from "../group/group.js";
import { Partition } from "../group/partitions.js";
import { checkExpansion, MAX_DEFAULT_GRAPH_TRIPLES } from "../limits.js";
import { type Dataset, divide } from "./divide.js";
import { Integers, NodeNumbers } from "./node-numbers.js";

/** A node that is described, but belongs to no record. */
export interface UnownedNode {
  /** The place of its first triple. */
  readonly source: string;
  readonly line: number;
  /** The node as an N-Triples term. */
  readonly node: string;
}

type OnStray = (ntriples: string) => Promise<void> | void;
type Node = Pick<Term, "termType" | "value">;

/** Only predicates and classes need their names. All other nodes share these. */
const SOME_IRI: Node = { termType: "NamedNode", value: "" };
const SOME_BLANK: Node = { termType: "BlankNode", value: "" };
const SOME_LITERAL: Node = { termType: "Literal", value: "" };

/** The triples without a graph in a load. Their texts are in a temporary file; memory holds only numbers, which say how nodes are connected. */
export class DefaultGraphTriples {
  #directory: string | undefined;
  /** The texts of the triples in input order. */
  #log: Partition | undefined;
  readonly #inputs: string[] = [];
  readonly #numbers = new NodeNumbers();
  /** The nodes by number: a term whose name matters, or a placeholder for the kind of node. */
  readonly #nodes: Node[] = [];
  /** Three numbers for each distinct triple. */
  readonly #triples = new Integers();
  readonly #slots = new TripleSlots(4096);
  /** Two numbers for each node: the input plus 1 (0 means no triple yet) and the line of the first triple of which it is the subject. */
  readonly #places = new Integers();

  constructor(
    private readonly temporary: string,
    private readonly maxTriples = MAX_DEFAULT_GRAPH_TRIPLES,
  ) {}

  /** Begin an input and return its number for `add`. Blank node labels belong to one input. */
  addInput(name: string): number {
    return this.#inputs.push(name) - 1;
  }

  /** Add a statement's triple, without its graph, and return the bytes it takes. Throws `InputError` for too many triples, `TemporaryFileError`. */
  add(input: number, statement: Statement): number {
    const [subject, predicate, object] = [statement.subject(), statement.predicate(), statement.object()];
    const number = this.#number(input, subject);
    const predicateNumber = this.#named(input, predicate);
    const objectNumber = predicate.value === RDF.type ? this.#named(input, object) : this.#number(input, object);
    const triples = this.#triples;
    const place = this.#slots.placeOf(triples.room, this.#count, number, predicateNumber, objectNumber);
    if (place < this.#count) return 0;
    triples.push(number, predicateNumber, objectNumber);
    const places = this.#places.room;
    if (places[number * 2] === 0) places.set([input + 1, statement.line], number * 2);
    if (this.#log === undefined) {
      this.#directory = makeTemporaryDirectory(this.temporary, "group");
      this.#log = new Partition(join(this.#directory, "triples"));
    }
    if (this.#count > this.maxTriples)
      throw new InputError(
        `more than ${grouped(this.maxTriples)} triples without a graph, more than can be divided at once: ` +
          "put each record into the named graph of its entity (N-Quads, TriG), or load in parts",
      );
    return this.#log.log.add("", input, statement);
  }

  /** Divide the triples and pass each record's share to `grouper`. Returns the nodes that no record owns. Throws `TemporaryFileError`, and `InputError` if there is no record, not even in a named graph, or if all shares together are too large. @param expansion replaces the number of times that triples may grow @param onStray takes the triples of those nodes as N-Triples, a part at a time. Labels of blank nodes are those of no other input, and of no record */
  async divideAmong(grouper: Grouper, expansion?: number, onStray?: OnStray): Promise<UnownedNode[]> {
    this.#log?.log.flush();
    const owners = new Owners();
    const dataset: Dataset = { terms: this.#nodes, triples: this.#triples.items };
    const bytes = this.#log?.size ?? 0;
    let owned = 0;
    const left = divide(dataset, (entity, triples) => {
      owners.add(entity, triples);
      owned += triples.length;
      // Each record that refers to a node takes what a reference carries.
      checkExpansion("the triples without a graph", bytes, (owned / this.#count) * bytes, expansion);
    });
    const names = await this.#namesOf([...owners.records, ...left], new Set(onStray && left), onStray);
    const unowned = left.map((node) => {
      const [input = 0, line = 0] = this.#places.room.subarray(node * 2);
      return { source: this.#inputs[input - 1]!, line, node: formatTerm(names.get(node)!) };
    });
    const [first] = unowned;
    // Beside records in named graphs, each such node is refused by itself.
    if (owners.records.size === 0 && grouper.isEmpty && first !== undefined) throw noRecord(first);
    await this.#handOn(grouper, owners, names);
    return unowned;
  }

  /** Delete the temporary file; must always be called, after errors too. */
  close(): void {
    if (this.#directory !== undefined) rmSync(this.#directory, { recursive: true, force: true });
  }

  async #handOn(grouper: Grouper, owners: Owners, names: ReadonlyMap<number, Term>): Promise<void> {
    const { starts, owners: all } = owners.byTriple(this.#count);
    // Separate inputs, so that these blank nodes are never taken for those of named graphs.
    const inputs = this.#inputs.map((name) => grouper.addInput(name));
    await this.#read((triple, input, statement) => {
      for (let at = starts[triple]!; at < starts[triple + 1]!; at++) {
        const owner = all[at]!;
        grouper.add(names.get(owner)!.value, inputs[input]!, statement, this.#places.room[owner * 2 + 1]);
      }
    });
  }

  /** The terms of some subjects, read from the log since memory has only their numbers. `onStray` takes the triples of `strays`. */
  async #namesOf(nodes: readonly number[], strays: ReadonlySet<number>, onStray?: OnStray): Promise<Map<number, Term>> {
    const wanted = new Uint8Array(this.#nodes.length);
    for (const node of nodes) wanted[node] = 1;
    const names = new Map<number, Term>();
    const lines: string[] = [];
    const after = async () => lines.length > 0 && onStray?.(lines.splice(0).join(""));
    await this.#read((triple, input, statement) => {
      const subject = this.#triples.room[triple * 3]!;
      if (wanted[subject] === 1 && !names.has(subject)) names.set(subject, statement.subject());
      if (!strays.has(subject)) return;
      const own = (term: Term) => (term.termType === "BlankNode" ? blank(`u${input}-${term.value}`) : term);
      lines.push(tripleLine(own(statement.subject()), statement.predicate(), own(statement.object())));
    }, after);
    return names;
  }

  /** Pass all triples on by number, with the number of their input, and wait for `after` now and then. Their lines are not kept. */
  async #read(sink: (triple: number, input: number, statement: Statement) => void, after?: () => Promise<unknown>) {
    if (this.#log === undefined) return;
    let [triple, input] = [0, 0];
    const reader = new LineReader({ source: "log", graphs: false }, (statement) => sink(triple++, input, statement));
    for await (const entry of this.#log.entries()) {
      input = entry.input;
      reader.readAgain(entry.bytes.subarray(entry.triplesStart, entry.end));
      await after?.();
    }
  }

  get #count(): number {
    return this.#triples.length / 3;
  }

  #number(input: number, { termType, value, datatype, language }: Term): number {
    if (termType === "Literal") return this.#numberOf(`"${datatype}"${language}"${value}`, SOME_LITERAL);
    if (termType === "NamedNode") return this.#numberOf(value, SOME_IRI);
    return this.#numberOf(`_:${input}:${value}`, SOME_BLANK);
  }

  /** As `#number`, for a node whose name matters. */
  #named(input: number, term: Term): number {
    const number = this.#number(input, term);
    if (this.#nodes[number] === SOME_IRI) this.#nodes[number] = term;
    return number;
  }

  #numberOf(text: string, node: Node): number {
    const number = this.#numbers.of(text);
    if (number === this.#nodes.length) {
      this.#nodes.push(node);
      this.#places.push(0, 0);
    }
    return number;
  }
}

/** The error for triples that describe no record. */
function noRecord({ source, line, node }: UnownedNode): InputError {
  const isXml = /\.xml(?:\.gz)?$/i.test(source);
  return new InputError(
    `${source}:${line}: none of the triples without a graph describes a record: no class of ${node}, or of any other IRI, ` +
      `belongs to an endpoint${isXml ? ". If this is LIDO or other XML, and not RDF/XML, see docs/publish/prepare.md" : ""}`,
  );
}

class Owners {
  readonly records = new Set<number>();
  /** Two numbers for each triple that a record owns: the triple and the record. */
  readonly #pairs = new Integers();

  add(record: number, triples: readonly number[]): void {
    this.records.add(record);
    for (const triple of triples) this.#pairs.push(triple, record);
  }

  /** The records that own each triple: those of triple n are at `starts[n]` up to `starts[n + 1]`. */
  byTriple(count: number): { readonly starts: Uint32Array; readonly owners: Int32Array } {
    const pairs = this.#pairs.items;
    const starts = new Uint32Array(count + 1);
    for (let at = 0; at < pairs.length; at += 2) starts[pairs[at]! + 1]!++;
    for (let triple = 0; triple < count; triple++) starts[triple + 1]! += starts[triple]!;
    const owners = new Int32Array(pairs.length / 2);
    const next = starts.slice();
    for (let at = 0; at < pairs.length; at += 2) owners[next[pairs[at]!]!++] = pairs[at + 1]!;
    return { starts, owners };
  }
}
