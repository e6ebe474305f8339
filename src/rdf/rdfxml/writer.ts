/** The writer of RDF/XML (RDF 1.1 XML Syntax). It keeps every lexical form, and refuses what RDF/XML cannot express. */
import { entryOf } from "../../base/entries.js";
import { escapeXml, XML_DECLARATION, xmlProblem } from "../../base/xml.js";
import { NAME_ONLY, NAME_START } from "../characters.js";
import { InexpressibleError } from "../inexpressible.js";
import { indexBySubject, type RecordGraph, rootOf, subjectsOf } from "../record-graph.js";
import { RDF_NAMESPACE, type Term, XSD } from "../terms.js";
import type { Prefixes } from "../turtle/terms.js";
import { SYNTAX, XMLNS } from "./xml-literal.js";

const NAME = `[-.\\w${NAME_ONLY}${NAME_START}]`;
/** The longest end of an IRI that can be an element's local name, an NCName (Namespaces in XML 1.0, section 3). It is sought only after other characters, so in linear time. */
const LOCAL_NAME = new RegExp(`(?<!${NAME})[-.\\d${NAME_ONLY}]*([A-Z_a-z${NAME_START}]${NAME}*)$`, "u");

/**
 * The record as RDF/XML: an `rdf:Description` for each subject, the entity's first, the others and all properties in source order.
 * Only the used ones of `prefixes` are declared; other namespaces get the prefixes `ns0`, `ns1` and so on.
 * @throws InexpressibleError when a property has no local name, or a text has characters that XML does not allow.
 * @example
 * import { RecordGraphBuilder } from "#rdf/record-graph";
 * const graph = new RecordGraphBuilder("urn:x");
 * graph.add(graph.iri("urn:x"), graph.iri("urn:ns#title"), graph.literal("View of Delft", undefined, "en"));
 * writeRdfXml(graph.build(), { ns: "urn:ns#" }).includes('<ns:title xml:lang="en">View of Delft</ns:title>'); // => true
 */
export function writeRdfXml(graph: RecordGraph, prefixes: Prefixes): string {
  const names = new ElementNames(graph.iri, prefixes);
  const labels = new Map<string, string>();
  const nodeId = ({ value }: Term): string => {
    return `rdf:nodeID="${entryOf(labels, value, () => `b${labels.size}`)}"`;
  };
  const text = (value: string): string => escaped(value, graph.iri);
  const { terms, triples } = graph;
  const { first, next } = indexBySubject(graph);
  let nodes = "";
  const root = rootOf(graph);
  const all = subjectsOf(graph);
  const subjects = [...all.filter((each) => each === root), ...all.filter((each) => each !== root)];
  for (const subject of subjects) {
    const node = terms[subject]!;
    nodes += `  <rdf:Description ${node.termType === "BlankNode" ? nodeId(node) : `rdf:about="${text(node.value)}"`}>\n`;
    for (let triple = first[subject]!; triple !== -1; triple = next[triple]!) {
      const name = names.of(terms[triples[triple * 3 + 1]!]!.value);
      const object = terms[triples[triple * 3 + 2]!]!;
      if (object.termType === "BlankNode") nodes += `    <${name} ${nodeId(object)}/>\n`;
      else if (object.termType === "NamedNode") nodes += `    <${name} rdf:resource="${text(object.value)}"/>\n`;
      else nodes += `    <${name}${literalAttribute(object, text)}>${text(object.value)}</${name}>\n`;
    }
    nodes += "  </rdf:Description>\n";
  }
  return `${XML_DECLARATION}<rdf:RDF${names.declarations(text)}>\n${nodes}</rdf:RDF>\n`;
}

/** Whether `writeRdfXml` can write a record, told from its terms without writing them. */
export function expressesInRdfXml({ terms, triples }: RecordGraph): boolean {
  const isText = ({ termType, value, datatype, language }: Term): boolean =>
    termType === "BlankNode" || [value, datatype, language].every((each) => xmlProblem(each) === undefined);
  const properties = new Set<number>();
  for (let at = 1; at < triples.length; at += 3) properties.add(triples[at]!);
  return terms.every(isText) && [...properties].every((each) => localName(terms[each]!.value) !== undefined);
}

function literalAttribute({ datatype, language }: Term, text: (value: string) => string): string {
  if (language !== "") return ` xml:lang="${text(language)}"`;
  return datatype === XSD.string ? "" : ` rdf:datatype="${text(datatype)}"`;
}

function escaped(value: string, iri: string): string {
  const problem = xmlProblem(value);
  if (problem !== undefined) throw new InexpressibleError("RDF/XML", iri, problem);
  return escapeXml(value);
}

/** The part of a property that is the local name of its element; `undefined` if it cannot be an element. */
function localName(property: string): string | undefined {
  const local = LOCAL_NAME.exec(property)?.[1];
  const isSyntax = local !== undefined && SYNTAX.includes(local) && property === RDF_NAMESPACE + local;
  return isSyntax || property === `${XMLNS}${local}` ? undefined : local;
}

/** The element names of properties, and the namespaces that they need. */
class ElementNames {
  readonly #declared = new Map<string, string>([[RDF_NAMESPACE, "rdf"]]);
  readonly #names = new Map<string, string>();

  constructor(
    private readonly iri: string,
    private readonly prefixes: Prefixes,
  ) {}

  /** The element name of a property. Throws `InexpressibleError`. */
  of(property: string): string {
    return entryOf(this.#names, property, () => {
      const local = localName(property);
      if (local === undefined) {
        const problem = `the property <${property}> cannot be the name of an element`;
        throw new InexpressibleError("RDF/XML", this.iri, problem);
      }
      const namespace = property.slice(0, -local.length);
      return `${entryOf(this.#declared, namespace, () => this.#prefixOf(namespace))}:${local}`;
    });
  }

  #prefixOf(namespace: string): string {
    const [prefix] = Object.entries(this.prefixes).findLast(([, each]) => each === namespace) ?? [];
    return prefix ?? `ns${this.#declared.size - 1}`;
  }

  /** The attributes that declare the used namespaces. */
  declarations(text: (value: string) => string): string {
    return [...this.#declared].map(([namespace, prefix]) => `\n    xmlns:${prefix}="${text(namespace)}"`).join("");
  }
}
