/** The namespaces of the data model and their prefixes. */

export const PREFIXES = {
  crm: "http://www.cidoc-crm.org/cidoc-crm/",
  sci: "http://www.ics.forth.gr/isl/CRMsci/",
  rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
  rdfs: "http://www.w3.org/2000/01/rdf-schema#",
  dc: "http://purl.org/dc/elements/1.1/",
  dcterms: "http://purl.org/dc/terms/",
  schema: "http://schema.org/",
  skos: "http://www.w3.org/2004/02/skos/core#",
  foaf: "http://xmlns.com/foaf/0.1/",
  xsd: "http://www.w3.org/2001/XMLSchema#",
  dig: "http://www.ics.forth.gr/isl/CRMdig/",
  la: "https://linked.art/ns/terms/",
  archaeo: "http://www.cidoc-crm.org/cidoc-crm/CRMarchaeo/",
} as const;
