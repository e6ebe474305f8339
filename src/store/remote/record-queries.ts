/** The queries by which an engine is asked for a record, and for who refers to it. */
import { BLANK } from "../../engine/canonical.js";
import { CLASSIFIED_AS, REFERENCE_PROPERTIES } from "../../model/embedding.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import { iri, RDF, RDFS_LABEL } from "../../rdf/terms.js";

/** How an engine holds records: each in the named graph of its IRI, or all in one graph. */
export type RemoteGraphs = "records" | "merged";

/** How many blank nodes may follow one another: the field tables need five (a part's time-span's duration's name's part). */
const MAX_DEPTH = 6;
/** How many blank nodes are gone back from a reference to the record that it stands in. */
const MAX_BACK = 3;

const isBlank = (variable: string): string => `(isBlank(${variable}) || STRSTARTS(STR(${variable}), "${BLANK}"))`;

/**
 * A record's triples. Of one large graph: what the entity says, its blank nodes to a depth, and of the IRIs that it
 * names what references carry.
 * @param nodes IRIs in the place of the record's: embedded nodes that have IRIs
 */
export function recordQuery(record: string, graphs: RemoteGraphs, nodes: readonly string[] = [record]): string {
  if (graphs === "records") return `CONSTRUCT { ?s ?p ?o } WHERE { GRAPH ${formatTerm(iri(record))} { ?s ?p ?o } }`;
  const carried = [...REFERENCE_PROPERTIES].map((property) => `<${property}>`).join(", ");
  let template = "?n0 ?p1 ?n1";
  let where = "";
  for (let depth = MAX_DEPTH; depth >= 1; depth--) {
    const node = `?n${depth}`;
    template += ` . ${node} ?q${depth} ?v${depth}`;
    const [of, value, by, what] = [`?q${depth}`, `?v${depth}`, `?r${depth}`, `?w${depth}`];
    template += ` . ${value} ${by} ${what}`;
    // A Type's own Type is a reference in its turn.
    const further = `OPTIONAL { ${value} ${by} ${what} FILTER(${of} = <${CLASSIFIED_AS}> && ${by} IN (<${RDF.type}>, <${RDFS_LABEL}>)) }`;
    const reference = `OPTIONAL { ${node} ${of} ${value} FILTER(isIRI(${node}) && ${of} IN (${carried})) ${further} }`;
    if (depth === MAX_DEPTH) where = reference;
    else {
      const next = `?n${depth + 1}`;
      template += ` . ${node} ?p${depth + 1} ${next}`;
      where = `${reference} OPTIONAL { ${node} ?p${depth + 1} ${next} FILTER${isBlank(node)} ${where} }`;
    }
  }
  const values = nodes.map((node) => formatTerm(iri(node))).join(" ");
  return `CONSTRUCT { ${template} } WHERE { VALUES ?n0 { ${values} } ?n0 ?p1 ?n1 ${where} }`;
}

/** How many triples a record's named graph has. */
export function countQuery(record: string): string {
  return `SELECT (COUNT(*) AS ?n) { GRAPH ${formatTerm(iri(record))} { ?s ?p ?o } }`;
}

/** Patterns that find ?record and the ?property by which it refers to an IRI. */
function referring(entity: string, graphs: RemoteGraphs): string {
  const named = formatTerm(iri(entity));
  const isReference = `FILTER(?property != <${RDF.type}>)`;
  if (graphs === "records") return `GRAPH ?record { ?s ?property ${named} } ${isReference}`;
  const ways = [`{ ?record ?property ${named} FILTER(!${isBlank("?record")}) }`];
  for (let back = 1; back <= MAX_BACK; back++) {
    let way = `?b1 ?property ${named} FILTER${isBlank("?b1")}`;
    for (let step = 1; step < back; step++)
      way += ` ?b${step + 1} ?x${step} ?b${step} FILTER${isBlank(`?b${step + 1}`)}`;
    ways.push(`{ ${way} ?record ?x${back} ?b${back} FILTER(!${isBlank("?record")}) }`);
  }
  return `${ways.join(" UNION ")} ${isReference}`;
}

/** Who refers to an IRI, in the order of properties and records, after one of them. */
export function referrersQuery(
  entity: string,
  graphs: RemoteGraphs,
  page: {
    readonly property?: string | undefined;
    readonly after?: readonly [string, string] | undefined;
    readonly limit: number;
  },
): string {
  const { property, after, limit } = page;
  const only = property === undefined ? "" : `FILTER(?property = ${formatTerm(iri(property))})`;
  const text = (value: string): string => JSON.stringify(value);
  const beyond =
    after === undefined
      ? ""
      : `FILTER(STR(?property) > ${text(after[0])} || (STR(?property) = ${text(after[0])} && STR(?record) > ${text(after[1])}))`;
  // By one key: there are engines (Comunica) that lose the order of the second. No IRI has a space, nor what sorts before it.
  const order = 'CONCAT(STR(?property), " ", STR(?record))';
  return `SELECT DISTINCT ?property ?record { ${referring(entity, graphs)} ${only} ${beyond} } ORDER BY ${order} LIMIT ${limit}`;
}

/** How many records refer to an entity, by property. */
export function referrerCountsQuery(entity: string, graphs: RemoteGraphs): string {
  return `SELECT ?property (COUNT(DISTINCT ?record) AS ?n) { ${referring(entity, graphs)} } GROUP BY ?property`;
}

/** How many entities there are, by class. */
export function classesQuery(graphs: RemoteGraphs): string {
  const pattern = graphs === "records" ? "GRAPH ?s { ?s a ?class }" : "?s a ?class";
  return `SELECT ?class (COUNT(DISTINCT ?s) AS ?n) { ${pattern} } GROUP BY ?class`;
}
