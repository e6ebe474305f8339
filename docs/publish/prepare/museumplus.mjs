/** N-Quads from a list that MuseumPlus exports as CSV with semicolons: node museumplus.mjs EXPORT BASE-URL > museumplus.nq */
import { AAT, idOf, readCsv, slug, stop, year } from "./parts.mjs";

const [path, base] = process.argv.slice(2);
if (!base?.endsWith("/")) stop("name the export and the base URL, which ends in a slash");

const CRM = "http://www.cidoc-crm.org/cidoc-crm/";
const XSD = "http://www.w3.org/2001/XMLSchema#";
const A = iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#type");
const LABEL = iri("http://www.w3.org/2000/01/rdf-schema#label");
const crm = (name) => iri(CRM + name);

function iri(text) {
  return `<${text}>`;
}

/** A literal (N-Triples 1.1, 2.4): quotation marks, backslashes and line ends are escaped. */
function text(value, datatype) {
  const escaped = value.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  return `"${escaped}"${datatype === undefined ? "" : `^^<${XSD}${datatype}>`}`;
}

/** Every quad of a record stands in the graph of its IRI: that is what makes it one. */
function write(record, triples) {
  for (const [subject, predicate, object] of triples) {
    process.stdout.write(`${subject} ${predicate} ${object} ${record} .\n`);
  }
}

function classified(node, number, label) {
  const type = iri(AAT + number);
  return [
    [node, crm("P2_has_type"), type],
    [type, A, crm("E55_Type")],
    [type, LABEL, text(label)],
  ];
}

for (const row of readCsv(path, ";")) {
  const object = iri(base + idOf("object", row.Id && `mp-${row.Id}`));
  const triples = [
    [object, A, crm("E22_Human-Made_Object")],
    [object, LABEL, text(row.Titel)],
    ...classified(object, 300133025, "works of art"),
    [object, crm("P1_is_identified_by"), "_:name"],
    ["_:name", A, crm("E33_E41_Linguistic_Appellation")],
    ["_:name", crm("P190_has_symbolic_content"), text(row.Titel)],
    ...classified("_:name", 300404670, "preferred terms"),
    [object, crm("P1_is_identified_by"), "_:number"],
    ["_:number", A, crm("E42_Identifier")],
    ["_:number", crm("P190_has_symbolic_content"), text(row.Inventarnummer)],
    ...classified("_:number", 300312355, "accession numbers"),
    [object, crm("P108i_was_produced_by"), "_:production"],
    ["_:production", A, crm("E12_Production")],
  ];
  const material = row["Material/Technik"];
  if (material !== "") {
    triples.push(
      [object, crm("P67i_is_referred_to_by"), "_:material"],
      ["_:material", A, crm("E33_Linguistic_Object")],
      ["_:material", crm("P190_has_symbolic_content"), text(material)],
      ...classified("_:material", 300435429, "material statement"),
      ...classified("_:material", 300418049, "brief texts"),
    );
  }
  const [from, to] = [Number(row["Datierung von"]), Number(row["Datierung bis"])];
  if (from || to)
    triples.push(["_:production", crm("P4_has_time-span"), "_:dates"], ["_:dates", A, crm("E52_Time-Span")]);
  if (from)
    triples.push(["_:dates", crm("P82a_begin_of_the_begin"), text(`${year(from)}-01-01T00:00:00Z`, "dateTime")]);
  if (to) triples.push(["_:dates", crm("P82b_end_of_the_end"), text(`${year(to)}-12-31T23:59:59Z`, "dateTime")]);
  const maker = row.Beteiligte;
  if (maker !== "") {
    const person = iri(base + idOf("person", slug(maker)));
    const described = [
      [person, A, crm("E21_Person")],
      [person, LABEL, text(maker)],
    ];
    triples.push(["_:production", crm("P14_carried_out_by"), person], ...described);
    write(person, described);
  }
  write(object, triples);
}
