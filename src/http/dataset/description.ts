/** The description of the collection as a dataset: VoID, DCAT and schema.org, as one small graph. */

import { type DumpFile, type DumpManifest, dumpUrl } from "../../harvest/dumps/manifest.js";
import type { CollectionCounts } from "../../harvest/partitions.js";
import { PREFIXES } from "../../model/vocabulary/prefixes.js";
import { FORMATS } from "../../rdf/formats.js";
import { iri, literal, type Term } from "../../rdf/terms.js";
import type { StoreStats } from "../../store/store.js";
import { type Access, addAccess, addCoverage } from "./coverage.js";
import { DescriptionGraph } from "./graph.js";
import { dateTime, integer, words } from "./literals.js";

/** What whoever runs the service says of the collection as a dataset. */
export interface DatasetSettings {
  /** The IRI of the licence of the records. */
  readonly license?: string | undefined;
  readonly publisher?: string | undefined;
  /** Default: an IRI of the service's own. */
  readonly publisherUri?: string | undefined;
  /** An e-mail address, or the address of a page. */
  readonly contact?: string | undefined;
  /** The language of title, text and publisher, as BCP 47 has it. */
  readonly language: string;
  readonly keywords: readonly string[];
  /** The IRIs of what the records are about in space. Default: the places that they name. */
  readonly spatial?: readonly string[];
  /** A date, or two with a slash between (ISO 8601; `..` for an open end). Default: the years that they name. */
  readonly temporal?: string | undefined;
  /** Default: `public`. */
  readonly accessRights?: Access;
}

/** What the description is made of. */
export interface Described {
  /** `{base_url}` without a final slash. */
  readonly base: string;
  readonly title: string;
  readonly text: string | undefined;
  readonly settings: DatasetSettings;
  readonly stats: StoreStats;
  /** When the first record was loaded, in milliseconds since 1970. */
  readonly begun: number | undefined;
  readonly counts: CollectionCounts | undefined;
  readonly dump: DumpManifest | undefined;
  readonly examples: readonly string[];
  readonly offers: {
    readonly sparql: boolean;
    readonly activity: boolean;
    readonly context: string;
    readonly vocabBase: string;
  };
}

const DATASET_PREFIXES = {
  dcat: "http://www.w3.org/ns/dcat#",
  dct: "http://purl.org/dc/terms/",
  foaf: "http://xmlns.com/foaf/0.1/",
  rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
  rdfs: "http://www.w3.org/2000/01/rdf-schema#",
  schema: "https://schema.org/",
  sd: "http://www.w3.org/ns/sparql-service-description#",
  spdx: "http://spdx.org/rdf/terms#",
  vcard: "http://www.w3.org/2006/vcard/ns#",
  void: "http://rdfs.org/ns/void#",
  xsd: "http://www.w3.org/2001/XMLSchema#",
} as const;

const MEDIA_TYPES = "https://www.iana.org/assignments/media-types/";
const SPARQL_PROTOCOL = "https://www.w3.org/TR/sparql11-protocol/";
const CHANGE_DISCOVERY = "https://iiif.io/api/discovery/1.0/";
const FORMATS_URI = "http://www.w3.org/ns/formats/";

/** The IRI of the collection as a dataset: records say that they are part of it. */
export function datasetIri(base: string): string {
  return `${base}/#dataset`;
}

/** The whole description: its first subject is the dataset. */
export function describeDataset(described: Described): DescriptionGraph {
  const { base, stats, counts, dump, offers } = described;
  const graph = new DescriptionGraph(datasetIri(base), DATASET_PREFIXES);
  const dataset = iri(datasetIri(base));
  graph.add(dataset, "rdf:type", ...["void:Dataset", "dcat:Dataset", "schema:Dataset"].map((name) => graph.iri(name)));
  addWords(graph, dataset, described);
  addTimes(graph, dataset, described);
  addCoverage(graph, dataset, described);
  addAccess(graph, dataset, described);
  graph.add(dataset, "void:triples", integer(stats.triples));
  graph.add(dataset, "void:entities", integer(stats.records));
  graph.add(dataset, "dcat:landingPage", iri(`${base}/`));
  graph.add(dataset, "foaf:homepage", iri(`${base}/`));
  if (stats.baseUrl !== null) graph.add(dataset, "void:uriSpace", literal(stats.baseUrl));
  for (const example of described.examples) graph.add(dataset, "void:exampleResource", iri(example));
  for (const { write, w3cName } of FORMATS) {
    if (write !== undefined && w3cName !== undefined) graph.add(dataset, "void:feature", iri(FORMATS_URI + w3cName));
  }
  graph.add(dataset, "dct:conformsTo", iri("https://linked.art/api/1.0/"), iri(offers.context));
  addVocabularies(graph, dataset, counts, offers.vocabBase);
  if (counts !== undefined) addPartitions(graph, dataset, counts);
  for (const file of dump?.files ?? []) addDistribution(graph, dataset, described, file);
  if (offers.sparql) addSparql(graph, dataset, described);
  if (offers.activity) addStream(graph, dataset, described);
  addCatalog(graph, dataset, described);
  addRanges(graph);
  return graph;
}

/** The classes that DCAT-AP wants the values of properties to have (DCAT-AP 3.0, `range.ttl`). */
const RANGES: Readonly<Record<string, string>> = {
  "dct:license": "dct:LicenseDocument",
  "dct:language": "dct:LinguisticSystem",
  "dct:conformsTo": "dct:Standard",
  "dct:accessRights": "dct:RightsStatement",
  "dct:format": "dct:MediaTypeOrExtent",
  "dcat:mediaType": "dct:MediaType",
  "dcat:compressFormat": "dct:MediaType",
  "dcat:landingPage": "foaf:Document",
  "foaf:homepage": "foaf:Document",
  "spdx:algorithm": "spdx:ChecksumAlgorithm",
};

function addRanges(graph: DescriptionGraph): void {
  for (const [property, range] of Object.entries(RANGES)) {
    for (const value of graph.values(property)) graph.add(value, "rdf:type", graph.iri(range));
  }
}

/** Title, text, keywords, licence, publisher and contact: for the dataset, in the words of both vocabularies. */
function addWords(graph: DescriptionGraph, dataset: Term, { base, title, text, settings }: Described): void {
  const { language, license, keywords } = settings;
  graph.add(dataset, "dct:title", words(title, language));
  graph.add(dataset, "schema:name", words(title, language));
  if (text !== undefined) {
    graph.add(dataset, "dct:description", words(text, language));
    graph.add(dataset, "schema:description", words(text, language));
  }
  for (const keyword of keywords) {
    graph.add(dataset, "dcat:keyword", words(keyword, language));
    graph.add(dataset, "schema:keywords", words(keyword, language));
  }
  graph.add(dataset, "dct:language", iri(languageIri(language)));
  graph.add(dataset, "schema:inLanguage", literal(language));
  if (license !== undefined) {
    graph.add(dataset, "dct:license", iri(license));
    graph.add(dataset, "schema:license", iri(license));
  }
  const publisher = addPublisher(graph, base, settings);
  if (publisher === undefined) return;
  for (const role of ["dct:publisher", "dct:creator", "schema:publisher", "schema:creator"]) {
    graph.add(dataset, role, publisher);
  }
  const contact = addContact(graph, settings);
  if (contact !== undefined) graph.add(dataset, "dcat:contactPoint", contact);
}

function publisherIri(base: string, { publisherUri }: DatasetSettings): Term {
  return iri(publisherUri ?? `${base}/#publisher`);
}

function addPublisher(graph: DescriptionGraph, base: string, settings: DatasetSettings): Term | undefined {
  const { publisher: name, contact, language } = settings;
  if (name === undefined) return undefined;
  const publisher = publisherIri(base, settings);
  graph.add(
    publisher,
    "rdf:type",
    graph.iri("foaf:Organization"),
    graph.iri("foaf:Agent"),
    graph.iri("schema:Organization"),
  );
  graph.add(publisher, "foaf:name", words(name, language));
  graph.add(publisher, "schema:name", words(name, language));
  if (contact !== undefined) {
    const point = graph.blank();
    graph.add(publisher, "schema:contactPoint", point);
    graph.add(point, "rdf:type", graph.iri("schema:ContactPoint"));
    graph.add(point, "schema:name", words(name, language));
    if (isAddress(contact)) graph.add(point, "schema:email", literal(contact));
    else graph.add(point, "schema:url", iri(contact));
  }
  return publisher;
}

function addContact(graph: DescriptionGraph, { publisher, contact, language }: DatasetSettings): Term | undefined {
  if (contact === undefined) return undefined;
  const point = graph.blank();
  graph.add(point, "rdf:type", graph.iri("vcard:Organization"), graph.iri("vcard:Kind"));
  graph.add(point, "vcard:fn", words(publisher!, language));
  if (isAddress(contact)) graph.add(point, "vcard:hasEmail", iri(`mailto:${contact}`));
  else graph.add(point, "vcard:hasURL", iri(contact));
  return point;
}

function addTimes(graph: DescriptionGraph, dataset: Term, { stats, begun }: Described): void {
  if (begun !== undefined) {
    const time = dateTime(begun);
    for (const property of ["dct:issued", "dct:created", "schema:datePublished", "schema:dateCreated"]) {
      graph.add(dataset, property, time);
    }
  }
  if (stats.lastChange === null) return;
  const time = dateTime(stats.lastChange);
  graph.add(dataset, "dct:modified", time);
  graph.add(dataset, "schema:dateModified", time);
}

/** The namespaces that properties come from, and the vocabulary of classifications. */
function addVocabularies(
  graph: DescriptionGraph,
  dataset: Term,
  counts: CollectionCounts | undefined,
  vocabBase: string,
): void {
  const used = Object.keys(counts?.properties ?? {});
  const namespaces = Object.values(PREFIXES).filter((namespace) =>
    used.some((property) => property.startsWith(namespace)),
  );
  for (const namespace of namespaces) graph.add(dataset, "void:vocabulary", iri(namespace));
  graph.add(dataset, "void:vocabulary", iri(`${vocabBase}/`));
}

function addPartitions(graph: DescriptionGraph, dataset: Term, { classes, properties }: CollectionCounts): void {
  graph.add(dataset, "void:classes", integer(Object.keys(classes).length));
  graph.add(dataset, "void:properties", integer(Object.keys(properties).length));
  for (const [name, count] of Object.entries(classes)) {
    const part = graph.blank();
    graph.add(dataset, "void:classPartition", part);
    graph.add(part, "void:class", iri(name));
    graph.add(part, "void:entities", integer(count));
  }
  for (const [name, count] of Object.entries(properties)) {
    const part = graph.blank();
    graph.add(dataset, "void:propertyPartition", part);
    graph.add(part, "void:property", iri(name));
    graph.add(part, "void:triples", integer(count));
  }
}

function addDistribution(graph: DescriptionGraph, dataset: Term, described: Described, file: DumpFile): void {
  const { base, settings, title } = described;
  const dump = described.dump!;
  const { license, language } = settings;
  const url = iri(dumpUrl(base, dump, file.name));
  const of = file.of === "all" ? "all records" : `the records of the endpoint ${file.of}`;
  // No media type of JSON lines is registered (DCAT 3, 6.8.15): they are JSON-LD, and how lies in their format.
  const isLines = file.format === "jsonl";
  const mediaType = isLines ? "application/ld+json" : file.mediaType;
  const name = words(`${title}: ${of}, ${isLines ? "JSON Lines" : mediaType}`, language);
  if (file.of === "all" && !isLines) graph.add(dataset, "void:dataDump", url);
  graph.add(dataset, "dcat:distribution", url);
  graph.add(dataset, "schema:distribution", url);
  graph.add(url, "rdf:type", graph.iri("dcat:Distribution"), graph.iri("schema:DataDownload"));
  graph.add(url, "dct:title", name);
  graph.add(url, "schema:name", name);
  graph.add(url, "dcat:accessURL", url);
  graph.add(url, "dcat:downloadURL", url);
  graph.add(url, "schema:contentUrl", url);
  graph.add(url, "dct:description", name);
  graph.add(url, "dcat:mediaType", iri(MEDIA_TYPES + mediaType));
  if (isLines) graph.add(url, "dct:format", iri("https://jsonlines.org/"));
  graph.add(url, "dcat:compressFormat", iri(`${MEDIA_TYPES}application/gzip`));
  graph.add(url, "schema:encodingFormat", literal(`${mediaType}+gzip`));
  graph.add(url, "dcat:byteSize", literal(String(file.bytes), `${DATASET_PREFIXES.xsd}nonNegativeInteger`));
  graph.add(url, "schema:contentSize", literal(`${file.bytes} B`));
  graph.add(url, "dct:modified", dateTime(Date.parse(dump.lastChange ?? dump.made)));
  graph.add(url, "dct:issued", dateTime(Date.parse(dump.made)));
  graph.add(url, "schema:dateModified", dateTime(Date.parse(dump.made)));
  if (license !== undefined) {
    graph.add(url, "dct:license", iri(license));
    graph.add(url, "schema:license", iri(license));
  }
  const checksum = graph.blank();
  graph.add(url, "spdx:checksum", checksum);
  graph.add(checksum, "rdf:type", graph.iri("spdx:Checksum"));
  graph.add(checksum, "spdx:algorithm", graph.iri("spdx:checksumAlgorithm_sha256"));
  graph.add(checksum, "spdx:checksumValue", literal(file.sha256, `${DATASET_PREFIXES.xsd}hexBinary`));
}

function addSparql(graph: DescriptionGraph, dataset: Term, described: Described): void {
  const endpoint = iri(`${described.base}/sparql`);
  const name = `${described.title}: SPARQL`;
  const service = addService(graph, dataset, described, "sparql", {
    name,
    endpoint,
    description: endpoint,
    protocol: SPARQL_PROTOCOL,
  });
  graph.add(dataset, "void:sparqlEndpoint", endpoint);
  graph.add(service, "rdf:type", graph.iri("schema:DataDownload"));
  graph.add(service, "schema:name", words(name, described.settings.language));
  graph.add(dataset, "schema:distribution", service);
  graph.add(service, "schema:contentUrl", endpoint);
  graph.add(service, "schema:usageInfo", iri(SPARQL_PROTOCOL));
}

function addStream(graph: DescriptionGraph, dataset: Term, described: Described): void {
  const { base, title } = described;
  addService(graph, dataset, described, "activity", {
    name: `${title}: changes`,
    endpoint: iri(`${base}/activity`),
    description: iri(`${base}/openapi.json`),
    protocol: CHANGE_DISCOVERY,
  });
}

/** A way to the data other than its files; `id` is what its IRI ends in. */
function addService(
  graph: DescriptionGraph,
  dataset: Term,
  described: Described,
  id: "sparql" | "activity",
  about: { readonly name: string; readonly endpoint: Term; readonly description: Term; readonly protocol: string },
): Term {
  const { base, settings } = described;
  const service = iri(`${base}/#${id}`);
  graph.add(service, "rdf:type", graph.iri("dcat:DataService"));
  graph.add(service, "dct:title", words(about.name, settings.language));
  graph.add(service, "dcat:endpointURL", about.endpoint);
  graph.add(service, "dcat:endpointDescription", about.description);
  graph.add(service, "dct:conformsTo", iri(about.protocol));
  graph.add(service, "dcat:servesDataset", dataset);
  addAccess(graph, service, described);
  addProvider(graph, service, described);
  return service;
}

/** Who answers for a resource, under what licence it is, and what it is found by. */
function addProvider(graph: DescriptionGraph, resource: Term, { base, settings }: Described): void {
  const { publisher, license, keywords, language } = settings;
  if (publisher !== undefined) graph.add(resource, "dct:publisher", publisherIri(base, settings));
  const contact = publisher === undefined ? undefined : addContact(graph, settings);
  if (contact !== undefined) graph.add(resource, "dcat:contactPoint", contact);
  if (license !== undefined) graph.add(resource, "dct:license", iri(license));
  for (const keyword of keywords) graph.add(resource, "dcat:keyword", words(keyword, language));
}

function addCatalog(graph: DescriptionGraph, dataset: Term, described: Described): void {
  const { base, title, text, settings, offers, stats, begun } = described;
  const { language, publisher } = settings;
  const catalog = iri(`${base}/#catalog`);
  graph.add(catalog, "rdf:type", graph.iri("dcat:Catalog"), graph.iri("schema:DataCatalog"));
  for (const property of ["dct:title", "schema:name"]) graph.add(catalog, property, words(title, language));
  if (text !== undefined) {
    for (const property of ["dct:description", "schema:description"])
      graph.add(catalog, property, words(text, language));
  }
  if (publisher !== undefined) graph.add(catalog, "schema:publisher", publisherIri(base, settings));
  addProvider(graph, catalog, described);
  graph.add(catalog, "dct:language", iri(languageIri(language)));
  if (begun !== undefined) graph.add(catalog, "dct:issued", dateTime(begun));
  if (stats.lastChange !== null) graph.add(catalog, "dct:modified", dateTime(stats.lastChange));
  graph.add(catalog, "foaf:homepage", iri(`${base}/`));
  graph.add(catalog, "dcat:dataset", dataset);
  graph.add(catalog, "schema:dataset", dataset);
  graph.add(dataset, "schema:includedInDataCatalog", catalog);
  if (offers.sparql) graph.add(catalog, "dcat:service", iri(`${base}/#sparql`));
  if (offers.activity) graph.add(catalog, "dcat:service", iri(`${base}/#activity`));
}

/** ISO 639-3 codes of the European Publications Office's languages, which DCAT-AP names them by. */
const LANGUAGES: Readonly<Record<string, string>> = {
  da: "DAN",
  de: "DEU",
  en: "ENG",
  es: "SPA",
  fi: "FIN",
  fr: "FRA",
  it: "ITA",
  nl: "NLD",
  no: "NOR",
  pl: "POL",
  pt: "POR",
  sv: "SWE",
};

function languageIri(language: string): string {
  const [primary = ""] = language.toLowerCase().split("-");
  const code = LANGUAGES[primary];
  return code === undefined
    ? `http://id.loc.gov/vocabulary/iso639-1/${primary}`
    : `http://publications.europa.eu/resource/authority/language/${code}`;
}

function isAddress(contact: string): boolean {
  return !/^https?:/i.test(contact);
}
