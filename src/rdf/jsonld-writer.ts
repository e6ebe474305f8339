/** The writer of flattened JSON-LD (JSON-LD 1.1): one object for each subject, one to a line. */
import { entryOf } from "../base/entries.js";
import type { Json, JsonObject, RecordGraph } from "./record-graph.js";
import { nodeName, RDF, type Term, XSD } from "./terms.js";
import type { Prefixes } from "./turtle/terms.js";

/** The triples as JSON-LD, subjects in source order. The context declares those of `prefixes` that shorten a property, a class or a datatype. */
export function writeJsonLd({ terms, triples }: RecordGraph, prefixes: Prefixes): string {
  const names = compactNames(terms, prefixes);
  const nodes = new Map<number, JsonObject>();
  for (let at = 0; at < triples.length; at += 3) {
    const [subject, predicate, object] = [triples[at]!, terms[triples[at + 1]!]!, terms[triples[at + 2]!]!];
    const node = entryOf(nodes, subject, () => ({ "@id": nodeName(terms[subject]!) }));
    const isClass = predicate.value === RDF.type && object.termType !== "Literal";
    const key = isClass ? "@type" : names.of(predicate.value);
    const value = isClass ? names.of(nodeName(object)) : objectOf(object, names);
    node[key] ??= [];
    (node[key] as Json[]).push(value);
  }
  const lines = [...nodes.values()].map((node) => JSON.stringify(node)).join(",\n");
  return `{"@context":${JSON.stringify(names.context)},"@graph":[\n${lines}\n]}\n`;
}

function objectOf(term: Term, names: ReturnType<typeof compactNames>): Json {
  if (term.termType !== "Literal") return { "@id": nodeName(term) };
  if (term.language !== "") return { "@value": term.value, "@language": term.language };
  return term.datatype === XSD.string ? term.value : { "@value": term.value, "@type": names.of(term.datatype) };
}

/** A prefix that is also the scheme of an IRI in the record is not declared, since the IRI would be read as a compact one. */
function compactNames(terms: readonly Term[], prefixes: Prefixes) {
  const values = terms.flatMap(({ value, datatype }) => [value, datatype]);
  const schemes = new Set(values.map((value) => value.slice(0, Math.max(value.indexOf(":"), 0))));
  // A term is a prefix only if its IRI ends with one of these characters (JSON-LD 1.1, 9.15.1).
  const usable = Object.entries(prefixes).filter(([prefix, iri]) => !schemes.has(prefix) && /[:/?#[\]@]$/.test(iri));
  const context: JsonObject = {};
  const names = new Map<string, string>();
  const shortened = (iri: string): string => {
    for (const [prefix, namespace] of usable) {
      if (!iri.startsWith(namespace) || !/^\w+$/.test(iri.slice(namespace.length))) continue;
      context[prefix] = namespace;
      return `${prefix}:${iri.slice(namespace.length)}`;
    }
    return iri;
  };
  return { context, of: (iri: string): string => entryOf(names, iri, () => shortened(iri)) };
}
