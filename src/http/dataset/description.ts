/** The description of the collection as a dataset, in VoID, DCAT and schema.org, as one small graph. */
import type { CollectionCounts } from "../../harvest/collection-counts.js";
import { type DumpFile, type DumpManifest, dumpUrl } from "../../harvest/dumps/manifest.js";
import type { ModelSettings } from "../../model/settings.js";
import { PREFIXES } from "../../model/vocabulary/vocabulary.js";
import { FORMATS } from "../../rdf/formats.js";
import { integer, iri, literal, type Term, XSD } from "../../rdf/terms.js";
import type { StoreStats } from "../../store/record.js";
import { DescriptionGraph, dateTime, type Facts, given, words } from "./graph.js";

export interface DatasetSettings {
  readonly license?: string | undefined;
  readonly publisher?: string | undefined;
  /** The IRI of the publisher. Default: an IRI of this service. */
  readonly publisherUri?: string | undefined;
  /** An e-mail address, or the URL of a page. */
  readonly contact?: string | undefined;
  /** The language tag of title, text and publisher (BCP 47). */
  readonly language: string;
  readonly keywords: readonly string[];
  /** The IRIs of the places that the records cover. Default: the places that the records name. */
  readonly spatial?: readonly string[];
  /** The period that the records cover: a date, or two with a slash between (ISO 8601; `..` for an open end). Default: the years that the records name. */
  readonly temporal?: string | undefined;
  /** Who may read the records, in the terms of the European Publications Office (DCAT-AP). Default: `public`. */
  readonly accessRights?: "public" | "restricted" | "non-public";
}

interface DescribedDataset {
  readonly base: string;
  readonly title: string;
  readonly text: string | undefined;
  readonly settings: DatasetSettings;
  readonly stats: StoreStats;
  /** The time of the first change, in milliseconds since 1970. */
  readonly firstChange: number | undefined;
  readonly counts: CollectionCounts | undefined;
  readonly dump: DumpManifest | undefined;
  readonly examples: readonly string[];
  readonly offers: { readonly sparql: boolean; readonly activity: boolean };
  /** The names of the formats of records. */
  readonly formats: readonly string[];
  readonly model: ModelSettings;
}

const MEDIA_TYPES = "https://www.iana.org/assignments/media-types/";

/** The IRI of the collection as a dataset. Records are parts of it. */
export function datasetIri(base: string): string {
  return `${base}/#dataset`;
}

/** Describes the dataset, which is the root of the graph. */
export function describeDataset(described: DescribedDataset): DescriptionGraph {
  const { base, stats, counts, dump, offers, settings, firstChange, model } = described;
  const graph = new DescriptionGraph(datasetIri(base), RANGES);
  graph.add(graph.root, {
    "rdf:type": ["void:Dataset", "dcat:Dataset", "schema:Dataset"],
    ...titlesOf(described),
    "schema:keywords": settings.keywords.map((keyword) => words(keyword, settings.language)),
    "schema:inLanguage": literal(settings.language),
    ...providerOf(described),
    "schema:license": given(settings.license, iri),
    "dct:creator schema:publisher schema:creator": publisherOf(described),
    "dct:issued dct:created schema:datePublished schema:dateCreated": given(firstChange, dateTime),
    "dct:modified schema:dateModified": given(stats.lastChange, dateTime),
  });
  addPublisher(graph, described);
  addCoverage(graph, described);
  const used = Object.keys(counts?.properties ?? {});
  const namespaces = Object.values(PREFIXES).filter((namespace) => used.some((each) => each.startsWith(namespace)));
  graph.add(graph.root, {
    ...accessOf(settings),
    // An engine that is filled from outside does not count its triples.
    "void:triples": given(stats.triples || undefined, integer),
    "void:entities": integer(stats.records),
    "dcat:landingPage foaf:homepage": iri(`${base}/`),
    "void:uriSpace": given(stats.baseUrl, literal),
    "void:exampleResource": described.examples.map((example) => iri(example)),
    "void:feature": FORMATS.flatMap(({ name, w3cName }) =>
      w3cName && described.formats.includes(name) ? `formats:${w3cName}` : [],
    ),
    "dct:conformsTo": [iri("https://linked.art/api/1.0/"), iri(model.contextUri)],
    // The vocabularies of the properties that records use, and of their classifications.
    "void:vocabulary": [...namespaces, `${model.vocabBase}/`].map((namespace) => iri(namespace)),
    ...(counts && partitionsOf(counts)),
  });
  for (const file of dump?.files ?? []) addDistribution(graph, described, dump!, file);
  if (offers.sparql) addSparql(graph, described);
  if (offers.activity) addStream(graph, described);
  addCatalog(graph, described);
  return graph;
}

/** The classes that DCAT-AP requires of the values of properties (DCAT-AP 3.0, `range.ttl`). */
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

function titlesOf({ title, text, settings: { language } }: DescribedDataset): Facts {
  return {
    "dct:title schema:name": words(title, language),
    "dct:description schema:description": given(text, (each) => words(each, language)),
    "dct:language": iri(languageIri(language)),
  };
}

/** The publisher, contact, licence and keywords of a resource. */
function providerOf(described: DescribedDataset): Facts {
  const { license, keywords, language } = described.settings;
  return {
    "dct:publisher": publisherOf(described),
    "dcat:contactPoint": contactOf(described.settings),
    "dct:license": given(license, iri),
    "dcat:keyword": keywords.map((keyword) => words(keyword, language)),
  };
}

function publisherOf({ base, settings: { publisher, publisherUri } }: DescribedDataset): Term | undefined {
  return given(publisher, () => iri(publisherUri ?? `${base}/#publisher`));
}

function addPublisher(graph: DescriptionGraph, described: DescribedDataset): void {
  const { publisher, contact, language } = described.settings;
  if (publisher === undefined) return;
  const name = words(publisher, language);
  graph.add(publisherOf(described)!, {
    "rdf:type": ["foaf:Organization", "foaf:Agent", "schema:Organization"],
    "foaf:name schema:name": name,
    "schema:contactPoint": contact && {
      "rdf:type": "schema:ContactPoint",
      "schema:name": name,
      [isAddress(contact) ? "schema:email" : "schema:url"]: isAddress(contact) ? literal(contact) : iri(contact),
    },
  });
}

function contactOf({ publisher, contact, language }: DatasetSettings): Facts | undefined {
  if (publisher === undefined || contact === undefined) return undefined;
  return {
    "rdf:type": ["vcard:Organization", "vcard:Kind"],
    "vcard:fn": words(publisher, language),
    [isAddress(contact) ? "vcard:hasEmail" : "vcard:hasURL"]: iri(isAddress(contact) ? `mailto:${contact}` : contact),
  };
}

function partitionsOf({ classes, properties }: CollectionCounts): Facts {
  const partitions = (counts: CollectionCounts["classes"], by: string, amount: string): Facts[] =>
    Object.entries(counts).map(([name, count]) => ({ [by]: iri(name), [amount]: integer(count) }));
  return {
    "void:classes": integer(Object.keys(classes).length),
    "void:properties": integer(Object.keys(properties).length),
    "void:classPartition": partitions(classes, "void:class", "void:entities"),
    "void:propertyPartition": partitions(properties, "void:property", "void:triples"),
  };
}

function addDistribution(graph: DescriptionGraph, described: DescribedDataset, dump: DumpManifest, file: DumpFile) {
  const { base, settings, title } = described;
  const { made, lastChange } = dump;
  const url = iri(dumpUrl(base, dump, file.name));
  const of = file.of === "all" ? "all records" : `the records of the endpoint ${file.of}`;
  // JSON lines have no registered media type (DCAT 3, 6.8.15): the media type is JSON-LD, and `dct:format` says JSON lines.
  const isLines = file.format === "jsonl";
  const mediaType = isLines ? "application/ld+json" : file.mediaType;
  const { license, language } = settings;
  graph.add(graph.root, {
    "void:dataDump": file.of === "all" && !isLines ? url : undefined,
    "dcat:distribution schema:distribution": url,
  });
  graph.add(url, {
    "rdf:type": ["dcat:Distribution", "schema:DataDownload"],
    "dct:title schema:name dct:description": words(`${title}: ${of}, ${isLines ? "JSON Lines" : mediaType}`, language),
    "dcat:accessURL dcat:downloadURL schema:contentUrl": url,
    "dcat:mediaType": iri(MEDIA_TYPES + mediaType),
    "dct:format": isLines ? iri("https://jsonlines.org/") : undefined,
    "dcat:compressFormat": iri(`${MEDIA_TYPES}application/gzip`),
    "schema:encodingFormat": literal(`${mediaType}+gzip`),
    "dcat:byteSize": literal(String(file.bytes), XSD.nonNegativeInteger),
    "schema:contentSize": literal(`${file.bytes} B`),
    "dct:modified": dateTime(Date.parse(lastChange ?? made)),
    "dct:issued schema:dateModified": dateTime(Date.parse(made)),
    "dct:license schema:license": given(license, iri),
    "spdx:checksum": {
      "rdf:type": "spdx:Checksum",
      "spdx:algorithm": "spdx:checksumAlgorithm_sha256",
      "spdx:checksumValue": literal(file.sha256, XSD.hexBinary),
    },
  });
}

function addSparql(graph: DescriptionGraph, described: DescribedDataset): void {
  const endpoint = iri(`${described.base}/sparql`);
  const name = words(`${described.title}: SPARQL`, described.settings.language);
  const service = addService(graph, described, "sparql", {
    "rdf:type": ["dcat:DataService", "schema:DataDownload"],
    "dct:title schema:name": name,
    "dcat:endpointURL dcat:endpointDescription schema:contentUrl": endpoint,
    "dct:conformsTo schema:usageInfo": iri("https://www.w3.org/TR/sparql11-protocol/"),
  });
  graph.add(graph.root, { "void:sparqlEndpoint": endpoint, "schema:distribution": service });
}

function addStream(graph: DescriptionGraph, described: DescribedDataset): void {
  const { base, title, settings } = described;
  addService(graph, described, "activity", {
    "rdf:type": "dcat:DataService",
    "dct:title": words(`${title}: changes`, settings.language),
    "dcat:endpointURL": iri(`${base}/activity`),
    "dcat:endpointDescription": iri(`${base}/openapi.json`),
    "dct:conformsTo": iri("https://iiif.io/api/discovery/1.0/"),
  });
}

/** Adds a service that gives access to the data. @param id the end of its IRI */
function addService(graph: DescriptionGraph, described: DescribedDataset, id: string, facts: Facts): Term {
  const service = iri(`${described.base}/#${id}`);
  const provided = { ...accessOf(described.settings), ...providerOf(described) };
  graph.add(service, { ...facts, "dcat:servesDataset": graph.root, ...provided });
  return service;
}

function addCatalog(graph: DescriptionGraph, described: DescribedDataset): void {
  const { base, offers, stats, firstChange } = described;
  const catalog = iri(`${base}/#catalog`);
  graph.add(catalog, {
    "rdf:type": ["dcat:Catalog", "schema:DataCatalog"],
    ...titlesOf(described),
    "schema:publisher": publisherOf(described),
    ...providerOf(described),
    "dct:issued": given(firstChange, dateTime),
    "dct:modified": given(stats.lastChange, dateTime),
    "foaf:homepage": iri(`${base}/`),
    "dcat:dataset schema:dataset": graph.root,
    "dcat:service": (["sparql", "activity"] as const).filter((id) => offers[id]).map((id) => iri(`${base}/#${id}`)),
  });
  graph.add(graph.root, { "schema:includedInDataCatalog": catalog });
}

/** The codes (ISO 639-3) of languages at the European Publications Office, whose IRIs DCAT-AP uses. */
const LANGUAGES = new Map(
  "da DAN, de DEU, en ENG, es SPA, fi FIN, fr FRA, it ITA, nl NLD, no NOR, pl POL, pt POR, sv SWE"
    .split(", ")
    .map((each) => each.split(" ") as [string, string]),
);

function languageIri(language: string): string {
  const [primary = ""] = language.toLowerCase().split("-");
  const code = LANGUAGES.get(primary);
  return code === undefined
    ? `http://id.loc.gov/vocabulary/iso639-1/${primary}`
    : `http://publications.europa.eu/resource/authority/language/${code}`;
}

function isAddress(contact: string): boolean {
  return !/^https?:/i.test(contact);
}

/** Adds the coverage in space and time: that of the settings, or else that of the records. */
function addCoverage(graph: DescriptionGraph, { settings, counts }: DescribedDataset): void {
  const { language, spatial = [], temporal } = settings;
  const { places = [], years } = counts?.coverage ?? {};
  const named = spatial.length > 0 ? spatial.map((each) => ({ iri: each, label: undefined })) : places;
  for (const { iri: name, label } of named) {
    const place = iri(name);
    graph.add(graph.root, { "dct:spatial schema:spatialCoverage": place });
    graph.add(place, {
      "rdf:type": ["dct:Location", "schema:Place"],
      "rdfs:label schema:name": given(label, (text) => words(text, language)),
    });
  }
  const interval = temporal ?? (years && `${years.first}/${years.last}`);
  if (interval === undefined) return;
  const [first = "", last = first] = interval.split("/");
  graph.add(graph.root, {
    "schema:temporalCoverage": literal(interval),
    "dct:temporal": {
      "rdf:type": "dct:PeriodOfTime",
      "dcat:startDate": first === ".." ? undefined : date(first),
      "dcat:endDate": last === ".." ? undefined : date(last),
    },
  });
}

/** A literal of a date: year, month or day, as written. */
function date(written: string): Term {
  const { length } = written.replace(/^[+-]?\d+/, "");
  if (length === 0) return literal(written, XSD.gYear);
  return literal(written, length === "-01".length ? XSD.gYearMonth : XSD.date);
}

function accessOf({ accessRights: access = "public" }: DatasetSettings): Facts {
  const name = access.replace("-", "_").toUpperCase();
  return {
    "dct:accessRights": iri(`http://publications.europa.eu/resource/authority/access-right/${name}`),
    "schema:isAccessibleForFree": access === "public" ? literal("true", XSD.boolean) : undefined,
  };
}
