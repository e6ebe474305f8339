/** Linked Art's mapping to schema.org as data: the values of a record, the properties that they become, and their form. */
import type { EndpointName } from "../../model/tables/names.js";
import { FORMATS } from "../../rdf/formats.js";
import { KINDS } from "../pages/description.js";
import { type MappingRow, rowMaker } from "./mapped-values.js";

/** The namespace of schema.org, which is also the profile of the representation. */
export const SCHEMA = "https://schema.org/";

/** A row of the mapping; a `reference` becomes an object with `@id`. */
export type SchemaRow = MappingRow<
  | "url"
  /** A term of a vocabulary: a node with a name and the IRI as `sameAs`, with further classes besides `DefinedTerm`. */
  | { readonly term: readonly string[] }
  /** A Person, Organization or Place with its name; an `archive` is an organisation that keeps things. */
  | "actor"
  | "archive"
  | "place"
  /** The IRI of a licence: the equivalent of the institution's own concept, if it has one. Types of right from the vocabulary are left out. */
  | "license"
  /** A number with its unit, as a node. */
  | "measure"
>;

const row = rowMaker<SchemaRow>();

export const SHARED: readonly SchemaRow[] = [
  row("referred_to_by", "description", "text", { only: KINDS.description }),
  row("classified_as", "additionalType", { term: ["URL"] }),
  row("identified_by", "identifier", "plain", { classes: ["Identifier"] }),
  row("equivalent", "sameAs", "url"),
  row("subject_of/digitally_carried_by/access_point", "mainEntityOfPage", "url"),
];

const ACTIVE: readonly SchemaRow[] = [
  row("residence", "homeLocation", "place"),
  row("member_of", "memberOf", "actor"),
  row("contact_point", "email", "plain", { only: KINDS.email }),
];

const SIZE: readonly SchemaRow[] = [row("dimension", "size", "size")];
const SIDES: readonly SchemaRow[] = [
  row("dimension", "height", "measure", { only: KINDS.height, most: 1 }),
  row("dimension", "width", "measure", { only: KINDS.width, most: 1 }),
];
/** The licence of a work, and of the files of a picture. */
export const LICENSE = row("subject_to/classified_as", "license", "license", { most: 1 });

/** The rows of a file, whether it has a record itself or shows another entity. */
export const MEDIA: readonly SchemaRow[] = [
  row("access_point", "contentUrl", "url", { most: 1 }),
  row("format", "encodingFormat", "plain"),
  ...SIDES,
  row("dimension", "contentSize", "size", { only: KINDS.fileSize, most: 1 }),
  LICENSE,
  row("referred_to_by", "creditText", "plain", { only: KINDS.credit }),
  row("referred_to_by", "copyrightNotice", "text", { only: KINDS.rights }),
  row("created_by/part*/carried_out_by", "creator", "actor"),
];
const PUBLISHER = row("used_for/carried_out_by", "publisher", "actor", { only: KINDS.publishing });

const SUBJECTS: readonly SchemaRow[] = [
  row("about", "about", { term: [] }, { except: ["Place", "Person", "Group"] }),
  row("about", "about", "actor", { classes: ["Person", "Group"] }),
  row("about", "contentLocation", "place", { classes: ["Place"] }),
];

const WORK: readonly SchemaRow[] = [
  ...SUBJECTS,
  row("represents", "contentLocation", "place", { classes: ["Place"] }),
  row("represents", "mainEntity", "reference"),
  row("represents_instance_of_type", "about", { term: [] }),
  row("language", "inLanguage", "plain"),
  row("classified_as", "genre", { term: [] }, { only: KINDS.typeOfWork }),
  row("created_by/part*/carried_out_by", "creator", "actor"),
  PUBLISHER,
  row("content", "text", "text"),
  ...SIZE,
  row("format", "encodingFormat", "plain"),
  row("part_of", "isPartOf", "reference"),
  LICENSE,
];

const EVENT: readonly SchemaRow[] = [
  row("carried_out_by", "organizer", "actor"),
  row("participant", "contributor", "actor"),
  row("took_place_at", "location", "place"),
  row("part_of", "superEvent", "reference"),
  row("timespan", "startDate", "begin", { most: 1 }),
  row("timespan", "endDate", "end", { most: 1 }),
  row("used_specific_object", "workFeatured", "reference"),
  row("influenced_by", "about", { term: [] }),
];

/** Linked Art's mapping to schema.org: the types of an endpoint's records, the most specific last, and its own rows. docs/run/pages.md has the differences from Linked Art. */
export const SCHEMA_MAPPING: Readonly<
  Record<EndpointName, { readonly types: readonly string[]; readonly rows: readonly SchemaRow[] }>
> = {
  person: {
    types: ["Person"],
    rows: [
      row("born/timespan", "birthDate", "date", { most: 1 }),
      row("born/took_place_at", "birthPlace", "place", { most: 1 }),
      row("died/timespan", "deathDate", "date", { most: 1 }),
      row("died/took_place_at", "deathPlace", "place", { most: 1 }),
      row("classified_as", "gender", "plain", { only: KINDS.gender }),
      row("classified_as", "hasOccupation", { term: ["Occupation"] }, { only: KINDS.occupation }),
      row("classified_as", "nationality", { term: ["Country"] }, { only: KINDS.nationality }),
      ...ACTIVE,
    ],
  },
  group: {
    types: ["Organization"],
    rows: [
      row("contact_point", "address", "plain", { only: KINDS.address }),
      row("dissolved_by/timespan", "dissolutionDate", "date", { most: 1 }),
      row("formed_by/timespan", "foundingDate", "date", { most: 1 }),
      row("formed_by/took_place_at", "foundingLocation", "place"),
      row("formed_by/carried_out_by", "founder", "actor"),
      row("residence", "location", "place", { most: 1 }),
      ...ACTIVE.filter(({ to }) => to !== "homeLocation"),
    ],
  },
  place: { types: ["Place"], rows: [row("part_of", "containedInPlace", "place")] },
  concept: {
    types: ["CreativeWork", "DefinedTerm"],
    rows: [row("broader", "isPartOf", "reference"), row("member_of", "inDefinedTermSet", "reference")],
  },
  object: {
    types: ["CreativeWork", "VisualArtwork"],
    rows: [
      row("classified_as", "artform", "plain"),
      row("referred_to_by", "abstract", "text", { only: KINDS.description }),
      row("referred_to_by", "copyrightNotice", "plain", { only: KINDS.rights }),
      row("referred_to_by", "conditionsOfAccess", "plain", { only: KINDS.access }),
      row("referred_to_by", "creditText", "plain", { only: KINDS.credit }),
      row("referred_to_by", "artMedium", "plain", { only: KINDS.materials }),
      row("produced_by/part*/carried_out_by", "creator", "actor"),
      row("produced_by/timespan", "dateCreated", "date", { most: 1 }),
      row("produced_by/took_place_at", "locationCreated", "place"),
      row("part_of", "isPartOf", "reference"),
      row("shows", "exampleOfWork", "reference"),
      row("carries", "exampleOfWork", "reference"),
      row("made_of", "material", { term: ["URL"] }),
      ...SIDES,
      row("dimension", "depth", "measure", { only: KINDS.depth, most: 1 }),
      row("current_custodian", "holdingArchive", "archive", { classes: ["Group"] }),
      row("current_permanent_custodian", "holdingArchive", "archive", { classes: ["Group"], otherwise: true }),
      row("current_owner", "owner", "actor", { classes: ["Group", "Person"] }),
      row("current_location", "itemLocation", "place"),
    ],
  },
  digital: {
    types: ["CreativeWork", "MediaObject"],
    rows: [
      row("digitally_shows", "exampleOfWork", "reference"),
      row("digitally_carries", "exampleOfWork", "reference"),
      ...SIZE,
      row("part_of", "isPartOf", "reference"),
      PUBLISHER,
    ],
  },
  visual: { types: ["CreativeWork"], rows: WORK },
  text: { types: ["CreativeWork"], rows: WORK },
  abstract: { types: ["CreativeWork"], rows: WORK },
  event: { types: ["Event"], rows: EVENT },
  provenance: { types: ["Event"], rows: EVENT },
  set: {
    types: ["CreativeWork", "Collection"],
    rows: [
      row("member_of", "isPartOf", "reference"),
      row("created_by/part*/carried_out_by", "creator", "actor"),
      PUBLISHER,
      ...SUBJECTS,
      ...SIZE,
    ],
  },
};

/** The media types of data; all others are media for people. */
const DATA: ReadonlySet<string> = new Set([
  ...FORMATS.map(({ mediaType }) => mediaType),
  "text/csv",
  "text/tab-separated-values",
  "application/json",
  "application/xml",
  "application/geo+json",
  "application/vnd.ms-excel",
  "application/vnd.oasis.opendocument.spreadsheet",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "application/vnd.sqlite3",
]);

/** The classes of media by the first part of their media type. */
const MEDIA_CLASSES: ReadonlyMap<string, string> = new Map([
  ["image", "ImageObject"],
  ["video", "VideoObject"],
  ["audio", "AudioObject"],
  ["model", "3DModel"],
]);

/** The classes of a file: `DataDownload` for data, else `MediaObject` (SCHEMA-AP-NDE). A IIIF manifest is not data, despite its media type. */
export function mediaClasses(format: string): readonly string[] {
  const [type = ""] = format.toLowerCase().split(";");
  if (DATA.has(type.trim()) && !format.includes("iiif.io/")) return ["DataDownload"];
  const media = MEDIA_CLASSES.get(type.split("/")[0]!);
  return media === undefined ? ["MediaObject"] : ["MediaObject", media];
}
