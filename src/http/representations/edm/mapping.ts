/** The mapping to the Europeana Data Model: the values of a record and the elements that they become, in the order of EDM's schema. */
import type { EndpointName } from "../../../model/tables/names.js";
import { KINDS } from "../../pages/description.js";
import type { MappingRow } from "../mapped-values.js";

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
  /** Whether the path starts at what the object shows or carries and at the records of its pictures, not at the object itself. */
  readonly ofWork?: true;
}

/** A row with values from elsewhere, which `says` describes for the documentation; without `made`, they come from files and settings. */
export interface MadeRow {
  readonly to: string;
  readonly made?: "names" | "other names" | "kind of resource";
  readonly says: string;
}

export type EdmRow = PathRow | MadeRow;

const row = (to: string, from: string, as: PathRow["as"], more: Omit<PathRow, "from" | "to" | "as"> = {}): PathRow => ({
  from: from === "" ? [] : from.split("/"),
  to,
  as,
  ...more,
});

/** Identifiers under `{vocab_base}` besides those of `KINDS`. */
const EXTENT = ["300435430"];
const PROVENANCE = ["300435438", "300055863", ...KINDS.credit];

const NAMES: readonly MadeRow[] = [
  { to: "skos:prefLabel", made: "names", says: "its names, one per language; if it has none, the label" },
  { to: "skos:altLabel", made: "other names", says: "its further names" },
];
const NOTE = row("skos:note", "referred_to_by", "text", { only: KINDS.description });
const ACTOR = { classes: ["Person", "Group"] };
const OF_WORK = { ofWork: true } as const;

/** The statements of EDM and Dublin Core about the object itself. Only its last elements have a fixed order. */
const CHO: readonly EdmRow[] = [
  { to: "dc:title", made: "names", says: "its names, one per language; if it has none, the label" },
  { to: "dcterms:alternative", made: "other names", says: "its further names" },
  row("dc:description", "referred_to_by", "text", { only: KINDS.description }),
  row("dc:identifier", "identified_by", "plain", { classes: ["Identifier"] }),
  row("dc:type", "classified_as", "skos:Concept"),
  {
    to: "dc:type",
    made: "kind of resource",
    says: "if it has no classification: DCMI's type for its kind of record",
  },
  row("dc:creator", "produced_by/part*/carried_out_by", "edm:Agent"),
  row("dc:creator", "created_by/part*/carried_out_by", "edm:Agent"),
  row("dc:publisher", "used_for/carried_out_by", "edm:Agent", { only: KINDS.publishing }),
  row("dcterms:created", "produced_by/timespan", "edm:TimeSpan", { most: 1 }),
  row("dcterms:created", "created_by/timespan", "edm:TimeSpan", { most: 1 }),
  row("dc:date", "encountered_by/timespan", "edm:TimeSpan"),
  row("dcterms:temporal", "produced_by/part*/during", "edm:TimeSpan"),
  row("dcterms:spatial", "produced_by/part*/took_place_at", "edm:Place"),
  row("dcterms:spatial", "encountered_by/took_place_at", "edm:Place"),
  row("dcterms:spatial", "represents", "edm:Place", { classes: ["Place"], ...OF_WORK }),
  row("dcterms:spatial", "about", "edm:Place", { classes: ["Place"], ...OF_WORK }),
  row("dc:subject", "represents", "edm:Agent", { ...ACTOR, ...OF_WORK }),
  row("dc:subject", "represents_instance_of_type", "skos:Concept", OF_WORK),
  row("dc:subject", "about", "edm:Agent", { ...ACTOR, ...OF_WORK }),
  row("dc:subject", "about", "skos:Concept", { except: ["Place", ...ACTOR.classes], ...OF_WORK }),
  row("dc:language", "language", "language"),
  row("dc:language", "language", "language", OF_WORK),
  row("dc:format", "produced_by/part*/technique", "skos:Concept"),
  row("dcterms:medium", "referred_to_by", "text", { only: KINDS.materials }),
  row("dcterms:medium", "made_of", "skos:Concept"),
  row("dcterms:extent", "referred_to_by", "text", { only: EXTENT }),
  row("dcterms:extent", "dimension", "size", { otherwise: true }),
  row("dcterms:provenance", "referred_to_by", "text", { only: PROVENANCE }),
  row("dc:rights", "referred_to_by", "text", { only: KINDS.rights }),
  row("dcterms:isPartOf", "part_of", "reference"),
  row("dcterms:isPartOf", "member_of", "reference"),
  row("edm:currentLocation", "current_location", "edm:Place", { most: 1 }),
  {
    to: "edm:type",
    says: "`VIDEO`, `SOUND` or `3D` by the first file; `TEXT` for an object that carries a text in a known language and shows nothing; else `IMAGE`",
  },
  row("owl:sameAs", "equivalent", "reference"),
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
    row("rdaGr2:dateOfBirth", "born/timespan", "date", { most: 1 }),
    row("rdaGr2:dateOfDeath", "died/timespan", "date", { most: 1 }),
    row("rdaGr2:dateOfEstablishment", "formed_by/timespan", "date", { most: 1 }),
    row("rdaGr2:dateOfTermination", "dissolved_by/timespan", "date", { most: 1 }),
    row("rdaGr2:gender", "classified_as", "plain", { only: KINDS.gender, most: 1 }),
    row("rdaGr2:placeOfBirth", "born/took_place_at", "plain"),
    row("rdaGr2:placeOfDeath", "died/took_place_at", "plain"),
    row("rdaGr2:professionOrOccupation", "classified_as", "plain", { only: KINDS.occupation }),
    row("owl:sameAs", "equivalent", "reference"),
  ],
  "edm:Place": [
    row("wgs84:lat", "defined_by", "latitude", { most: 1 }),
    row("wgs84:long", "defined_by", "longitude", { most: 1 }),
    ...NAMES,
    NOTE,
    row("dcterms:isPartOf", "part_of", "reference"),
    row("owl:sameAs", "equivalent", "reference"),
  ],
  "edm:TimeSpan": [
    ...NAMES,
    NOTE,
    row("edm:begin", "", "begin"),
    row("edm:begin", "timespan", "begin", { most: 1, otherwise: true }),
    row("edm:end", "", "end"),
    row("edm:end", "timespan", "end", { most: 1, otherwise: true }),
    row("owl:sameAs", "equivalent", "reference"),
  ],
  "skos:Concept": [
    ...NAMES,
    NOTE,
    row("skos:broader", "broader", "reference"),
    row("skos:exactMatch", "equivalent", "reference"),
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
