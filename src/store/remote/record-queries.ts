/** The queries for records, referrers and counts on an engine. */
import { BLANK } from "../../engine/canonical.js";
import type { EngineGraphs } from "../../engine/engine-access.js";
import { CLASSIFIED_AS, REFERENCE_PROPERTIES } from "../../model/embedding.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import { iri, RDF, RDFS_LABEL } from "../../rdf/terms.js";

/** The longest chain of blank nodes; the field tables need five (a part's time-span's duration's name's part). */
const MAX_DEPTH = 6;
/** The maximum number of blank nodes between a reference and the entity whose record contains it. */
const MAX_BACK = 3;

const isBlank = (variable: string): string => `(isBlank(${variable}) || STRSTARTS(STR(${variable}), "${BLANK}"))`;

/** The query for a record's triples. In a merged graph, these are the entity's triples, those of its blank nodes to a limited depth, and, of the IRIs that it names, the triples that a reference carries. @param nodes IRIs of embedded nodes, to start from instead of the record's IRI */
export function recordQuery(record: string, graphs: EngineGraphs, nodes: readonly string[] = [record]): string {
  if (graphs === "records") return `CONSTRUCT { ?s ?p ?o } WHERE { GRAPH ${formatTerm(iri(record))} { ?s ?p ?o } }`;
  const carried = [...REFERENCE_PROPERTIES].map((property) => `<${property}>`).join(", ");
  let template = "?n0 ?p1 ?n1";
  let where = "";
  for (let depth = MAX_DEPTH; depth >= 1; depth--) {
    const node = `?n${depth}`;
    template += ` . ${node} ?q${depth} ?v${depth}`;
    const [of, value, by, what] = [`?q${depth}`, `?v${depth}`, `?r${depth}`, `?w${depth}`];
    template += ` . ${value} ${by} ${what}`;
    // A Type may itself refer to a Type.
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

/** The number of triples in a record's named graph. */
export function countQuery(record: string): string {
  return `SELECT (COUNT(*) AS ?n) { GRAPH ${formatTerm(iri(record))} { ?s ?p ?o } }`;
}

/** Patterns that bind ?record and the ?property by which it refers to an IRI. */
function referring(entity: string, graphs: EngineGraphs): string {
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

/** The records that refer to an IRI, sorted by property and record, beyond the cursor `after`. */
export function referrersQuery(
  entity: string,
  graphs: EngineGraphs,
  limit: number,
  property?: string,
  after?: readonly [string, string],
): string {
  const only = property === undefined ? "" : `FILTER(?property = ${formatTerm(iri(property))})`;
  const text = (value: string): string => JSON.stringify(value);
  const beyond =
    after === undefined
      ? ""
      : `FILTER(STR(?property) > ${text(after[0])} || (STR(?property) = ${text(after[0])} && STR(?record) > ${text(after[1])}))`;
  // One sort key, since some engines (Comunica) ignore the second. A space sorts before any character of an IRI.
  const order = 'CONCAT(STR(?property), " ", STR(?record))';
  return `SELECT DISTINCT ?property ?record { ${referring(entity, graphs)} ${only} ${beyond} } ORDER BY ${order} LIMIT ${limit}`;
}

/** The number of records that refer to an entity, by property. */
export function referrerCountsQuery(entity: string, graphs: EngineGraphs): string {
  return `SELECT ?property (COUNT(DISTINCT ?record) AS ?n) { ${referring(entity, graphs)} } GROUP BY ?property`;
}

/** The number of entities by class. */
export function classesQuery(graphs: EngineGraphs): string {
  const pattern = graphs === "records" ? "GRAPH ?s { ?s a ?class }" : "?s a ?class";
  return `SELECT ?class (COUNT(DISTINCT ?s) AS ?n) { ${pattern} } GROUP BY ?class`;
}
