/** The mapping to the Europeana Data Model: the values of a record and the elements that they become, in the order of EDM's schema. */
import type { EndpointName } from "../../../model/tables/names.js";
import { KINDS } from "../../pages/description.js";
import { type MappingRow, rowMaker } from "../mapped-values.js";

export const EDM_PREFIXES = {
  dc: "http://purl.org/dc/elements/1.1/",
  dcterms: "http://purl.org/dc/terms/",
  edm: "http://www.europeana.eu/schemas/edm/",
  ore: "http://www.openarchives.org/ore/terms/",
  owl: "http://www.w3.org/2002/07/owl#",
  rdaGr2: "http://rdvocab.info/ElementsGr2/",
  rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
  skos: "http://www.w3.org/2004/02/skos/core#",
  svcs: "http://rdfs.org/sioc/services#",
  wgs84: "http://www.w3.org/2003/01/geo/wgs84_pos#",
} as const;

export type ContextClass = "edm:Agent" | "edm:Place" | "edm:TimeSpan" | "skos:Concept";

/** A row with the values at the end of a path. If `as` is a class, a value becomes a named resource with an element of its own, or text if it has no IRI. */
export interface PathRow extends MappingRow<ContextClass | "language" | "latitude" | "longitude"> {
  /** Whether the path starts at what the object shows or carries, and at the records of its pictures, instead of at the object. */
  readonly ofWork?: true;
}

/** A row with values that no path leads to. `says` describes them for the documentation. Without `made`, they come from files and settings. */
export interface MadeRow {
  readonly to: string;
  readonly made?: "names" | "other names" | "kind of resource";
  readonly says: string;
}

export type EdmRow = PathRow | MadeRow;

const row = rowMaker<PathRow>();

/** Identifiers under `{vocab_base}` besides those of `KINDS`. */
const EXTENT = ["300435430"];
const PROVENANCE = ["300435438", "300055863", ...KINDS.credit];

const NAMES: readonly MadeRow[] = [
  { to: "skos:prefLabel", made: "names", says: "its names, one per language; if it has none, the label" },
  { to: "skos:altLabel", made: "other names", says: "its further names" },
];
const NOTE = row("referred_to_by", "skos:note", "text", { only: KINDS.description });
const ACTOR = { classes: ["Person", "Group"] };
const OF_WORK = { ofWork: true } as const;

/** The statements of EDM and Dublin Core about the object itself. Only its last elements have a fixed order. */
const CHO: readonly EdmRow[] = [
  { to: "dc:title", made: "names", says: "its names, one per language; if it has none, the label" },
  { to: "dcterms:alternative", made: "other names", says: "its further names" },
  row("referred_to_by", "dc:description", "text", { only: KINDS.description }),
  row("identified_by", "dc:identifier", "plain", { classes: ["Identifier"] }),
  row("classified_as", "dc:type", "skos:Concept"),
  {
    to: "dc:type",
    made: "kind of resource",
    says: "if it has no classification: DCMI's type for its kind of record",
  },
  row("produced_by/part*/carried_out_by", "dc:creator", "edm:Agent"),
  row("created_by/part*/carried_out_by", "dc:creator", "edm:Agent"),
  row("used_for/carried_out_by", "dc:publisher", "edm:Agent", { only: KINDS.publishing }),
  row("produced_by/timespan", "dcterms:created", "edm:TimeSpan", { most: 1 }),
  row("created_by/timespan", "dcterms:created", "edm:TimeSpan", { most: 1 }),
  row("encountered_by/timespan", "dc:date", "edm:TimeSpan"),
  row("produced_by/part*/during", "dcterms:temporal", "edm:TimeSpan"),
  row("produced_by/part*/took_place_at", "dcterms:spatial", "edm:Place"),
  row("encountered_by/took_place_at", "dcterms:spatial", "edm:Place"),
  row("represents", "dcterms:spatial", "edm:Place", { classes: ["Place"], ...OF_WORK }),
  row("about", "dcterms:spatial", "edm:Place", { classes: ["Place"], ...OF_WORK }),
  row("represents", "dc:subject", "edm:Agent", { ...ACTOR, ...OF_WORK }),
  row("represents_instance_of_type", "dc:subject", "skos:Concept", OF_WORK),
  row("about", "dc:subject", "edm:Agent", { ...ACTOR, ...OF_WORK }),
  row("about", "dc:subject", "skos:Concept", { except: ["Place", ...ACTOR.classes], ...OF_WORK }),
  row("language", "dc:language", "language"),
  row("language", "dc:language", "language", OF_WORK),
  row("produced_by/part*/technique", "dc:format", "skos:Concept"),
  row("referred_to_by", "dcterms:medium", "text", { only: KINDS.materials }),
  row("made_of", "dcterms:medium", "skos:Concept"),
  row("referred_to_by", "dcterms:extent", "text", { only: EXTENT }),
  row("dimension", "dcterms:extent", "size", { otherwise: true }),
  row("referred_to_by", "dcterms:provenance", "text", { only: PROVENANCE }),
  row("referred_to_by", "dc:rights", "text", { only: KINDS.rights }),
  row("part_of", "dcterms:isPartOf", "reference"),
  row("member_of", "dcterms:isPartOf", "reference"),
  row("current_location", "edm:currentLocation", "edm:Place", { most: 1 }),
  {
    to: "edm:type",
    says: "`VIDEO`, `SOUND` or `3D` by the first file; `TEXT` for an object that carries a text in a known language and shows nothing; else `IMAGE`",
  },
  row("equivalent", "owl:sameAs", "reference"),
];

const RIGHTS = "the first rights that Europeana accepts, of the files, the pictures, then the object";

export const EDM_MAPPING = {
  "edm:ProvidedCHO": CHO,
  "edm:WebResource": [
    { to: "dc:format", says: "the media type of the file" },
    { to: "edm:rights", says: "the rights of the file, if its own record states any" },
    { to: "svcs:has_service", says: "the IIIF Image service, as a `svcs:Service`" },
  ],
  "edm:Agent": [
    ...NAMES,
    NOTE,
    row("born/timespan", "rdaGr2:dateOfBirth", "date", { most: 1 }),
    row("died/timespan", "rdaGr2:dateOfDeath", "date", { most: 1 }),
    row("formed_by/timespan", "rdaGr2:dateOfEstablishment", "date", { most: 1 }),
    row("dissolved_by/timespan", "rdaGr2:dateOfTermination", "date", { most: 1 }),
    row("classified_as", "rdaGr2:gender", "plain", { only: KINDS.gender, most: 1 }),
    row("born/took_place_at", "rdaGr2:placeOfBirth", "plain"),
    row("died/took_place_at", "rdaGr2:placeOfDeath", "plain"),
    row("classified_as", "rdaGr2:professionOrOccupation", "plain", { only: KINDS.occupation }),
    row("equivalent", "owl:sameAs", "reference"),
  ],
  "edm:Place": [
    row("defined_by", "wgs84:lat", "latitude", { most: 1 }),
    row("defined_by", "wgs84:long", "longitude", { most: 1 }),
    ...NAMES,
    NOTE,
    row("part_of", "dcterms:isPartOf", "reference"),
    row("equivalent", "owl:sameAs", "reference"),
  ],
  "edm:TimeSpan": [
    ...NAMES,
    NOTE,
    row("", "edm:begin", "begin"),
    row("timespan", "edm:begin", "begin", { most: 1, otherwise: true }),
    row("", "edm:end", "end"),
    row("timespan", "edm:end", "end", { most: 1, otherwise: true }),
    row("equivalent", "owl:sameAs", "reference"),
  ],
  "skos:Concept": [
    ...NAMES,
    NOTE,
    row("broader", "skos:broader", "reference"),
    row("equivalent", "skos:exactMatch", "reference"),
  ],
  "ore:Aggregation": [
    { to: "edm:aggregatedCHO", says: "the object" },
    { to: "edm:dataProvider", says: "`publisher`; without one, `title`" },
    { to: "edm:hasView", says: "its further files" },
    {
      to: "edm:isShownAt",
      says: "the web page that the record names (`subject_of`, classified as such a page); without one, its page here",
    },
    { to: "edm:isShownBy", says: "its first file, whole" },
    { to: "edm:object", says: "its first file in the size of a page, if it is an image" },
    { to: "edm:provider", says: "`edm-provider`; without one, the data provider" },
    { to: "edm:rights", says: `${RIGHTS}; without any, \`edm-rights\`` },
  ],
} as const satisfies Readonly<Record<string, readonly EdmRow[]>>;

/** The DCMI type of each kind of record, for records without a classification. */
export const RESOURCE_TYPES: Readonly<Partial<Record<EndpointName, string>>> = {
  object: "PhysicalObject",
  set: "Collection",
  text: "Text",
  visual: "Image",
  event: "Event",
  provenance: "Event",
};

/** The elements of simple Dublin Core that replace more specific elements (DCMI's dumb-down principle). */
export const DUMBED_DOWN: Readonly<Record<string, string>> = {
  "dcterms:alternative": "dc:title",
  "dcterms:created": "dc:date",
  "dcterms:temporal": "dc:coverage",
  "dcterms:spatial": "dc:coverage",
  "dcterms:medium": "dc:format",
  "dcterms:extent": "dc:format",
  "dcterms:provenance": "dc:description",
  "dcterms:isPartOf": "dc:relation",
};
