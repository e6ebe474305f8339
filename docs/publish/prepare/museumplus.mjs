/** N-Quads from a list that MuseumPlus exports as CSV: node museumplus.mjs EXPORT BASE-URL > museumplus.nq */
import { instants } from "./dates.mjs";
import { addressOf, formatOf, rightsIri } from "./images.mjs";
import { AAT, idOf, leaveOut, optional, readCsv, slug, stop, write } from "./parts.mjs";

const [path, base] = process.argv.slice(2);
if (!base?.endsWith("/")) stop("name the export and the base URL, which ends in a slash");

const CRM = "http://www.cidoc-crm.org/cidoc-crm/";
const LINKED_ART = "https://linked.art/ns/terms/";
const DIGITAL_OBJECT = iri("http://www.ics.forth.gr/isl/CRMdig/D1_Digital_Object");
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

/** The lines of a record. Every quad of it stands in the graph of its IRI: that is what makes it one. */
function quads(record, triples) {
  return triples.map(([subject, predicate, object]) => `${subject} ${predicate} ${object} ${record} .`);
}

function classified(node, number, label) {
  const type = iri(AAT + number);
  return [
    [node, crm("P2_has_type"), type],
    [type, A, crm("E55_Type")],
    [type, LABEL, text(label)],
  ];
}

/** A name, number or text of a node, with what classifies it; nothing where there is none. */
function described(node, property, part, type, content, ...kinds) {
  if (content === "") return [];
  return [
    [node, crm(property), part],
    [part, A, crm(type)],
    [part, crm("P190_has_symbolic_content"), text(content)],
    ...kinds.flatMap(([number, label]) => classified(part, number, label)),
  ];
}

function labelled(node, label) {
  return label === "" ? [] : [[node, LABEL, text(label)]];
}

/** The rights in an object or an image: a right if they have an IRI, otherwise a statement. */
function rights(node, part, words) {
  const id = words === "" ? undefined : rightsIri(words);
  const [statement, brief] = [
    [300435434, "copyright/licensing statements"],
    [300418049, "brief texts"],
  ];
  if (id === undefined)
    return described(node, "P67i_is_referred_to_by", part, "E33_Linguistic_Object", words, statement, brief);
  return [
    [node, crm("P104_is_subject_to"), part],
    [part, A, crm("E30_Right")],
    ...labelled(part, words),
    ...described(part, "P1_is_identified_by", `${part}Name`, "E33_E41_Linguistic_Appellation", words),
    [part, crm("P2_has_type"), iri(id)],
    [iri(id), A, crm("E55_Type")],
    ...labelled(iri(id), words),
  ];
}

/** An image of an object, with the rights in it. */
function image(object, url, words) {
  if (url === "" && words !== "") leaveOut("rights in images that have no address");
  if (url === "") return [];
  const address = addressOf(object, url);
  const format = formatOf(address);
  return [
    [object, crm("P138i_has_representation"), "_:picture"],
    ["_:picture", A, crm("E36_Visual_Item")],
    ["_:picture", iri(`${LINKED_ART}digitally_shown_by`), "_:file"],
    ["_:file", A, DIGITAL_OBJECT],
    ...classified("_:file", 300215302, "digital images"),
    ...(format ? [["_:file", iri("http://purl.org/dc/elements/1.1/format"), text(format)]] : []),
    ...rights("_:file", "_:imageRight", words),
    ["_:file", iri(`${LINKED_ART}access_point`), iri(address)],
    [iri(address), A, DIGITAL_OBJECT],
  ];
}

function quadsOf(row) {
  const object = iri(base + idOf("object", row.Id && `mp-${row.Id}`));
  const [name, number] = [
    [300404670, "preferred terms"],
    [300312355, "accession numbers"],
  ];
  const material = [
    [300435429, "material statement"],
    [300418049, "brief texts"],
  ];
  const triples = [
    [object, A, crm("E22_Human-Made_Object")],
    ...labelled(object, row.Titel),
    ...classified(object, 300133025, "works of art"),
    ...described(object, "P1_is_identified_by", "_:name", "E33_E41_Linguistic_Appellation", row.Titel, name),
    ...described(object, "P1_is_identified_by", "_:number", "E42_Identifier", row.Inventarnummer, number),
    ...described(
      object,
      "P67i_is_referred_to_by",
      "_:material",
      "E33_Linguistic_Object",
      row["Material/Technik"],
      ...material,
    ),
    ...rights(object, "_:right", optional(row, "Rechte")),
    ...image(object, optional(row, "Bild"), optional(row, "Bildrechte")),
    [object, crm("P108i_was_produced_by"), "_:production"],
    ["_:production", A, crm("E12_Production")],
  ];
  const words = row.Datierung;
  const { begin, end } = instants(object, words, row["Datierung von"], row["Datierung bis"]);
  if (words || begin || end) {
    triples.push(
      ["_:production", crm("P4_has_time-span"), "_:dates"],
      ["_:dates", A, crm("E52_Time-Span")],
      ...described("_:dates", "P1_is_identified_by", "_:words", "E33_E41_Linguistic_Appellation", words),
    );
  }
  if (begin) triples.push(["_:dates", crm("P82a_begin_of_the_begin"), text(begin, "dateTime")]);
  if (end) triples.push(["_:dates", crm("P82b_end_of_the_end"), text(end, "dateTime")]);
  const names = row.Beteiligte.split(";").map((name) => name.trim());
  const people = names.filter(Boolean).flatMap((maker) => {
    const person = iri(base + idOf("person", slug(maker)));
    const reference = [[person, A, crm("E21_Person")], ...labelled(person, maker)];
    triples.push(["_:production", crm("P14_carried_out_by"), person], ...reference);
    return quads(person, reference);
  });
  return [...people, ...quads(object, triples)];
}

write(readCsv(path).flatMap(quadsOf));
