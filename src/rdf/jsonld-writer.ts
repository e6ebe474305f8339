/** The writer of flattened JSON-LD: one object for each subject, on a line of its own (JSON-LD 1.1). */
import { entryOf } from "../base/entries.js";
import type { Json, JsonObject, RecordGraph } from "./record-graph.js";
import { RDF, type Term, XSD } from "./terms.js";
import type { Prefixes } from "./turtle/terms.js";

/** The triples, subjects in source order. The context has those of `prefixes` that shorten a property, a class or a datatype. */
export function writeJsonLd({ terms, triples }: RecordGraph, prefixes: Prefixes): string {
  const names = new CompactNames(terms, prefixes);
  const nodes = new Map<number, JsonObject>();
  for (let at = 0; at < triples.length; at += 3) {
    const [subject, predicate, object] = [triples[at]!, terms[triples[at + 1]!]!, terms[triples[at + 2]!]!];
    const node = entryOf(nodes, subject, () => ({ "@id": idOf(terms[subject]!) }));
    const isClass = predicate.value === RDF.type && object.termType !== "Literal";
    const key = isClass ? "@type" : names.of(predicate.value);
    const value = isClass ? names.of(idOf(object)) : objectOf(object, names);
    const values = node[key] as Json[] | undefined;
    if (values === undefined) node[key] = [value];
    else values.push(value);
  }
  const lines = [...nodes.values()].map((node) => JSON.stringify(node)).join(",\n");
  return `{"@context":${JSON.stringify(names.context)},"@graph":[\n${lines}\n]}\n`;
}

function idOf({ termType, value }: Term): string {
  return termType === "BlankNode" ? `_:${value}` : value;
}

function objectOf(term: Term, names: CompactNames): Json {
  if (term.termType !== "Literal") return { "@id": idOf(term) };
  if (term.language !== "") return { "@value": term.value, "@language": term.language };
  return term.datatype === XSD.string ? term.value : { "@value": term.value, "@type": names.of(term.datatype) };
}

class CompactNames {
  /** The prefixes that were used. */
  readonly context: JsonObject = {};
  readonly #prefixes: readonly (readonly [prefix: string, namespace: string])[];
  readonly #names = new Map<string, string>();

  /** An IRI whose scheme is a prefix would be taken for a short one, so that prefix is not declared. */
  constructor(terms: readonly Term[], prefixes: Prefixes) {
    const schemes = new Set(terms.map(({ value }) => value.slice(0, Math.max(value.indexOf(":"), 0))));
    // A term whose IRI ends otherwise is no prefix (JSON-LD 1.1, 9.15.1).
    this.#prefixes = Object.entries(prefixes).filter(
      ([prefix, iri]) => !schemes.has(prefix) && /[:/?#[\]@]$/.test(iri),
    );
  }

  of(iri: string): string {
    return entryOf(this.#names, iri, () => this.#shortened(iri));
  }

  #shortened(iri: string): string {
    for (const [prefix, namespace] of this.#prefixes) {
      if (!iri.startsWith(namespace) || !/^\w+$/.test(iri.slice(namespace.length))) continue;
      this.context[prefix] = namespace;
      return `${prefix}:${iri.slice(namespace.length)}`;
    }
    return iri;
  }
}
