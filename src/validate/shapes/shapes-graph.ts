/** The shapes graph of an institution: the triples of its Turtle files for look-up, each with its place for errors. */
import { entryOf } from "../../base/entries.js";
import { SH } from "../../model/rules/shapes.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import { blank, nodeName, RDF, type Term } from "../../rdf/terms.js";
import { TurtleReader } from "../../rdf/turtle/reader.js";

/** A file of shapes, as data that can be sent to other threads. */
export interface ShapesFile {
  readonly name: string;
  readonly text: string;
}

export interface Triple {
  readonly subject: Term;
  readonly predicate: Term;
  readonly object: Term;
}

interface PlacedTriple extends Triple {
  /** The place as `file:line`. */
  readonly place: string;
}

export class ShapesGraph {
  readonly triples: PlacedTriple[] = [];
  /** The triples as text: several files may state the same one. */
  readonly #known = new Set<string>();
  readonly #bySubject = new Map<string, PlacedTriple[]>();

  /** Throws `SyntaxProblem` for text that is not Turtle. */
  constructor(files: readonly ShapesFile[]) {
    for (const [number, file] of files.entries()) this.#read(file, `shapes${number}-`);
  }

  get subjects(): readonly Term[] {
    return [...this.#bySubject.values()].map(([first]) => first!.subject);
  }

  about(subject: Term): readonly PlacedTriple[] {
    return this.#bySubject.get(nodeName(subject)) ?? [];
  }

  objects(subject: Term, predicate: string): readonly Term[] {
    return this.about(subject).flatMap((triple) => (triple.predicate.value === predicate ? triple.object : []));
  }

  /** The first value of a SHACL property, given by its local name. */
  value(subject: Term, name: string): Term | undefined {
    return this.objects(subject, SH + name)[0];
  }

  list(head: Term): readonly Term[] | undefined {
    const items: Term[] = [];
    const seen = new Set<string>();
    for (let cell = head; cell.value !== RDF.nil; ) {
      const [first] = this.objects(cell, RDF.first);
      const [rest] = this.objects(cell, RDF.rest);
      if (first === undefined || rest === undefined || seen.has(nodeName(cell))) return undefined;
      seen.add(nodeName(cell));
      items.push(first);
      cell = rest;
    }
    return items;
  }

  #read({ name, text }: ShapesFile, labels: string): void {
    const relabelled = (term: Term): Term => (term.termType === "BlankNode" ? blank(labels + term.value) : term);
    const reader = new TurtleReader({ source: name, format: "turtle" }, (statement) => {
      const triple = {
        subject: relabelled(statement.subject()),
        predicate: statement.predicate(),
        object: relabelled(statement.object()),
        place: `${name}:${statement.line}`,
      };
      const text = [triple.subject, triple.predicate, triple.object].map(formatTerm).join(" ");
      if (this.#known.has(text)) return;
      this.#known.add(text);
      this.triples.push(triple);
      entryOf(this.#bySubject, nodeName(triple.subject), () => []).push(triple);
    });
    reader.push(Buffer.from(text));
    reader.end();
  }
}
