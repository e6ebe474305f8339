/** A builder of small graphs of descriptions from prefixed names. */
import { type RecordGraph, RecordGraphBuilder } from "../../rdf/record-graph.js";
import { blank, iri, literal, type Term, XSD } from "../../rdf/terms.js";

const DESCRIPTION_PREFIXES = {
  as: "https://www.w3.org/ns/activitystreams#",
  dcat: "http://www.w3.org/ns/dcat#",
  dct: "http://purl.org/dc/terms/",
  foaf: "http://xmlns.com/foaf/0.1/",
  formats: "http://www.w3.org/ns/formats/",
  ldes: "https://w3id.org/ldes#",
  rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
  rdfs: "http://www.w3.org/2000/01/rdf-schema#",
  schema: "https://schema.org/",
  sd: "http://www.w3.org/ns/sparql-service-description#",
  spdx: "http://spdx.org/rdf/terms#",
  tree: "https://w3id.org/tree#",
  vcard: "http://www.w3.org/2006/vcard/ns#",
  void: "http://rdfs.org/ns/void#",
  xsd: "http://www.w3.org/2001/XMLSchema#",
} as const;

/** Statements about a node. A key has one or more properties as prefixed names: `{ "dct:title schema:name": literal("Checksum") }`. */
export interface Facts {
  readonly [properties: string]: Value | readonly Value[] | undefined;
}

/** A term, a prefixed name for an IRI, or the statements about a blank node; `undefined` states nothing. */
type Value = Term | string | Facts;

export class DescriptionGraph {
  readonly prefixes: Readonly<Record<string, string>> = DESCRIPTION_PREFIXES;
  /** The node that the graph describes. */
  readonly root: Term;
  readonly #builder: RecordGraphBuilder;
  #blanks = 0;

  /** @param ranges the classes that the values of properties are stated to have */
  constructor(
    root: string,
    private readonly ranges: Readonly<Record<string, string>> = {},
  ) {
    this.root = iri(root);
    this.#builder = new RecordGraphBuilder(root);
  }

  add(subject: Term, facts: Facts): void {
    const builder = this.#builder;
    for (const [properties, values] of Object.entries(facts)) {
      for (const value of [values ?? []].flat() as Value[]) {
        const { object, about = {} } = this.#objectOf(value);
        for (const property of properties.split(" ")) {
          builder.add(builder.term(subject), builder.term(this.#iri(property)), builder.term(object));
          this.add(object, { "rdf:type": this.ranges[property] });
        }
        this.add(object, about);
      }
    }
  }

  get graph(): RecordGraph {
    return this.#builder.build();
  }

  #objectOf(value: Value): { readonly object: Term; readonly about?: Facts } {
    if (typeof value === "string") return { object: this.#iri(value) };
    return isTerm(value) ? { object: value } : { object: blank(`d${this.#blanks++}`), about: value };
  }

  #iri(name: string): Term {
    const at = name.indexOf(":");
    return iri(this.prefixes[name.slice(0, at)]! + name.slice(at + 1));
  }
}

function isTerm(value: Term | Facts): value is Term {
  return "termType" in value;
}

/** The term that `make` gives for a value, if there is one. */
export function given<Value>(value: Value | null | undefined, make: (value: Value) => Term): Term | undefined {
  return value === undefined || value === null ? undefined : make(value);
}

/** A literal in a language. */
export function words(text: string, language: string): Term {
  return literal(text, undefined, language);
}

/** A literal of a time. @param time in milliseconds since 1970 */
export function dateTime(time: number): Term {
  return literal(new Date(time).toISOString(), XSD.dateTime);
}
