/** Records as schema.org by Linked Art's mapping, in the form that SCHEMA-AP-NDE and search engines read. */
import { remembering } from "../../base/bounded-map.js";
import { plainText } from "../../base/plain-text.js";
import type { EndpointName } from "../../model/tables/names.js";
import { isJsonObject, type Json, type JsonObject } from "../../rdf/record-graph.js";
import { XSD } from "../../rdf/terms.js";
import { picturesShown } from "../../search/pictures.js";
import type { RecordMeta, StoredRecord } from "../../store/record.js";
import { digitsOf } from "../pages/amounts.js";
import { nodeLabel } from "../pages/caption.js";
import { descriptionOf, KINDS, type ResourceDescription } from "../pages/description.js";
import type { Gathered } from "../pages/gather.js";
import { languageOf, namesByLanguage } from "../pages/languages.js";
import { geometryOf, linesOf, pointOf } from "../pages/maps.js";
import { imageServices, picturesOf, serviceImage } from "../pages/pictures.js";
import { boundsOf, dateOfSpan, endsOfSpan } from "../pages/time-spans.js";
import { sizeInWords, valuesOfRow } from "./mapped-values.js";
import { LICENSE, MEDIA, mediaClasses, SCHEMA_MAPPING, type SchemaRow, SHARED } from "./schema-org-mapping.js";

interface SchemaSettings {
  readonly dataset: string;
  readonly license?: string | undefined;
  readonly vocabBase: string;
}

/** A text with its language tag, which SCHEMA-AP-NDE requires: `und` without a language (BCP 47: undetermined). */
function tagged(value: string, language = "und"): Json {
  return { "@value": value, "@language": language };
}

/** What other records say: of an entity's pictures, the files that show them and the pictures themselves with their rights; and labels. */
export type Shown = Pick<Gathered, "digital" | "visuals" | "labels">;

/** Properties that describe a file, and not the dataset that it is a copy of. */
const FILE_PROPERTIES = new Set(["contentUrl", "encodingFormat", "contentSize", "thumbnailUrl", "height", "width"]);

const ACTORS = [
  ["Group", "Organization"],
  ["Person", "Person"],
] as const;

/** Writes a record as a schema.org document. @param shown what other records say */
export function schemaOrgOf(
  { graph, meta }: Pick<StoredRecord, "graph"> & { readonly meta: Pick<RecordMeta, "endpoint" | "modified"> },
  settings: SchemaSettings,
  url: string,
  shown: Shown = { digital: [], visuals: [], labels: new Map() },
): JsonObject {
  return new SchemaDocument(descriptionOf(graph), settings, shown).write(meta.endpoint, meta.modified, url);
}

/** A time to the second, remembered since most records share the time of their publication. */
const published = remembering(64, (moment: number) => `${new Date(moment).toISOString().slice(0, 19)}Z`);

class SchemaDocument {
  readonly #vocabulary: string;
  readonly #properties: ReadonlyMap<string, unknown>;
  /** @param named the entities that the document already names; naming one again would state its name twice */
  constructor(
    readonly description: ResourceDescription,
    readonly settings: SchemaSettings,
    readonly shown: Shown,
    readonly named = new Set<string>(),
  ) {
    this.#properties = description.node(description.root).values;
    this.#vocabulary = `${settings.vocabBase}/`;
  }

  write(endpoint: EndpointName | null, modified: number, url: string): JsonObject {
    const { root, graph } = this.description;
    const { iri } = graph;
    const mapping = endpoint === null ? undefined : SCHEMA_MAPPING[endpoint];
    this.named.add(iri);
    const head = { "@context": "https://schema.org", "@id": iri, "@type": "Thing", url };
    const document: JsonObject = { ...head, ...this.#names() };
    for (const each of SHARED) this.#add(document, each);
    for (const each of mapping?.rows ?? []) this.#add(document, each);
    if (endpoint !== "digital") this.#addMedia(document);
    const geometry = endpoint === "place" ? this.description.text(root, "defined_by") : undefined;
    const geo = geometry === undefined ? undefined : geoOf(geometry);
    if (geo !== undefined) document.geo = geo;
    const types = endpoint === "digital" ? this.#addFile(document) : [...(mapping?.types ?? ["Thing"])];
    if (types.includes("Event")) {
      // Services that show events ignore places without an address, so their names become addresses.
      for (const each of [document.location].flat())
        if (isJsonObject(each) && each.name !== undefined) each.address = { "@type": "PostalAddress", name: each.name };
      const kinds = this.description.written(root, "classified_as");
      if (kinds.includes(this.#vocabulary + KINDS.exhibition[0])) types.push("ExhibitionEvent");
    }
    if (document.holdingArchive !== undefined || document.itemLocation !== undefined) types.push("ArchiveComponent");
    document["@type"] = types.length === 1 ? types[0]! : types;
    const { dataset, license } = this.settings;
    const whole = { "@id": dataset, "@type": "Dataset" };
    if (types.includes("CreativeWork")) {
      append(document, "isPartOf", whole);
      document.sdDatePublished = published(modified);
      if (license !== undefined) document.sdLicense = license;
    } else {
      // Only a work can be part of a dataset and have a licence. Anything else, such as a person, is the subject of a page that does.
      append(document, "subjectOf", { "@type": "WebPage", url, isPartOf: whole, ...(license && { license }) });
    }
    return document;
  }

  /** One name per language, the primary one if there are several, and the other names as alternatives. */
  #names(): JsonObject {
    const { description } = this;
    const { root, graph } = description;
    const { first, others } = namesByLanguage(description, root);
    const label = { text: nodeLabel(description, root) ?? graph.iri, language: undefined };
    const name = (first.length === 0 ? [label] : first).map(({ text, language }) => tagged(text, language));
    return {
      name: name.length === 1 ? name[0]! : name,
      ...(others.length === 0 ? {} : { alternateName: others.map(({ text }) => text) }),
    };
  }

  #add(document: JsonObject, row: SchemaRow, node = this.description.root): void {
    const { from, to, as, most = Infinity, otherwise = false } = row;
    if (otherwise && document[to] !== undefined) return;
    const { description } = this;
    // Most rows begin with a property that the record does not have.
    if (node === description.root && !this.#properties.has(from[0]!)) return;
    let added = 0;
    for (const value of valuesOfRow(description, node, row, this.#vocabulary)) {
      if (added >= most) return;
      const written = typeof as === "object" ? this.#term(value, as.term) : SchemaDocument.#forms[as](this, value);
      if (written === undefined) continue;
      append(document, to, written);
      added++;
    }
  }

  /** The writers of values, by form. */
  static readonly #forms: Readonly<
    Record<Exclude<SchemaRow["as"], object>, (document: SchemaDocument, value: number) => Json | undefined>
  > = {
    reference: ({ description }, value) => {
      const iri = description.iri(value);
      return iri && { "@id": iri };
    },
    url: ({ description }, value) => description.iri(value),
    actor: (document, value) =>
      document.#nameOf(value, ACTORS.find(([name]) => document.description.isOf(value, name))?.[1]),
    archive: (document, value) => document.#nameOf(value, "Organization", "ArchiveOrganization"),
    license: (document, value) => document.#license(value),
    place: (document, value) => document.#nameOf(value, "Place"),
    date: ({ description }, value) => dateOfSpan(boundsOf(description, value)),
    begin: ({ description }, value) => endsOfSpan(boundsOf(description, value)).begin,
    end: ({ description }, value) => endsOfSpan(boundsOf(description, value)).end,
    text: (document, value) => document.#text(value, "text"),
    plain: (document, value) => document.#text(value, "plain"),
    size: ({ description }, value) => sizeInWords(description, value),
    measure: ({ description }, value) => {
      const digits = digitsOf(description.text(value, "value") ?? "");
      if (digits === undefined) return undefined;
      // A number of JSON keeps 15 digits; schema.org also allows a text.
      const number =
        digits.replace(/\D/g, "").length > 15 && String(Number(digits)) !== digits ? digits : Number(digits);
      const [unit = -1] = description.values(value, "unit");
      const unitText = nodeLabel(description, unit);
      return { "@type": "QuantitativeValue", value: number, ...(unitText !== undefined && { unitText }) };
    },
  };

  /** The IRI of a licence, or that of its equivalent, if the institution's own concept has one. A type of right from the vocabulary is not a licence. */
  #license(value: number): string | undefined {
    const [better = value] = this.description.values(value, "equivalent");
    const iri = this.description.iri(better);
    return iri?.startsWith(this.#vocabulary) ? undefined : iri;
  }

  /** The text of a literal, the content of a statement or an identifier, or the notation or label of a concept. */
  #text(value: number, form: "text" | "plain"): Json | undefined {
    const { description } = this;
    const { termType, value: written, language } = description.terms[value]!;
    if (termType === "Literal")
      return form === "plain" ? written : tagged(written, language || languageOf(description, description.root));
    const [content] = description.values(value, "content");
    if (content === undefined) return description.text(value, "notation") ?? this.#label(value);
    const text = plainText(description.terms[content]!.value, description.text(value, "format"));
    return form === "plain" ? text : tagged(text, languageOf(description, value, content));
  }

  /** The label of a node in this record, or else that of its own record here. */
  #label(value: number): string | undefined {
    return nodeLabel(this.description, value) ?? this.shown.labels.get(this.description.terms[value]!.value);
  }

  /** A term as a node of this document, linked by `sameAs` to its IRI in the vocabulary. */
  #term(value: number, classes: readonly string[]): Json | undefined {
    const label = this.#label(value);
    if (label === undefined) return undefined;
    const iri = this.description.iri(value);
    return {
      "@type": classes.length === 0 ? "DefinedTerm" : ["DefinedTerm", ...classes],
      name: tagged(label),
      ...(iri && { sameAs: iri }),
    };
  }

  /** An entity with its name, or just a reference if it was named before. @param role a further class in this place */
  #nameOf(value: number, type: string | undefined, role?: string): Json | undefined {
    const iri = this.description.iri(value);
    const label = this.#label(value);
    if (label === undefined) return undefined;
    if (iri !== undefined && this.named.has(iri)) return { "@id": iri, ...(role && { "@type": role }) };
    if (iri !== undefined) this.named.add(iri);
    return {
      ...(iri && type && { "@id": iri }),
      ...(type && { "@type": role === undefined ? type : [type, role] }),
      name: tagged(label),
    };
  }

  /** Adds the files that show the entity: images as `image`, others as `subjectOf`. */
  #addMedia(document: JsonObject): void {
    const { settings, shown, named } = this;
    // The record of a file says more of it than that of a picture.
    const others = [...shown.digital, ...shown.visuals].map((each) => new SchemaDocument(each, settings, shown, named));
    const files = [this, ...others].flatMap((each) => {
      const { description } = each;
      if (shown.digital.includes(description)) return [each.media(description.root)];
      return [description.root, ...picturesShown(description.graph)].flatMap((picture) =>
        description.values(picture, "digitally_shown_by").map((file) => each.media(file, picture)),
      );
    });
    const known = new Set<Json>();
    for (const { "@type": types, ...file } of files) {
      if (file.contentUrl === undefined || known.has(file.contentUrl)) continue;
      known.add(file.contentUrl);
      const isImage = Array.isArray(types) && types.includes("ImageObject");
      append(document, isImage ? "image" : "subjectOf", { "@type": types!, ...file });
    }
  }

  /** Adds the properties of a file by its own record, and returns its classes. Data with a description become a dataset, and the file its distribution. */
  #addFile(document: JsonObject): string[] {
    const { "@id": _id, "@type": types, ...file } = this.media(this.description.root);
    const classes = types as readonly string[];
    if (!classes.includes("DataDownload") || file.contentUrl === undefined || !isDescribed(document)) {
      Object.assign(document, file);
      return ["CreativeWork", ...classes];
    }
    const copy: JsonObject = { "@type": "DataDownload" };
    for (const [property, value] of Object.entries(file))
      (FILE_PROPERTIES.has(property) ? copy : document)[property] = value;
    document.distribution = copy;
    return ["CreativeWork", "Dataset"];
  }

  /** A file, with its own licence or that of what it shows. @param visual the picture that it shows, in this record */
  media(file: number, visual?: number): JsonObject {
    const { description } = this;
    const iri = description.iri(file);
    const media: JsonObject = {
      ...(iri && { "@id": iri }),
      "@type": [...mediaClasses(description.text(file, "format") ?? (this.#isImage(file) ? "image/" : ""))],
    };
    for (const each of MEDIA) this.#add(media, each, file);
    const [service] = imageServices(description, file);
    if (service !== undefined) {
      media.contentUrl ??= serviceImage(service, "max");
      media.thumbnailUrl = serviceImage(service, "!900,900");
    }
    if (visual !== undefined && media.license === undefined) this.#add(media, LICENSE, visual);
    const pictures = [...description.values(file, "digitally_shows"), ...(visual === undefined ? [] : [visual])];
    const pictured = pictures.map((each) => description.terms[each]!.value);
    for (const picture of this.shown.visuals.filter(({ graph }) => pictured.includes(graph.iri)))
      if (media.license === undefined) new SchemaDocument(picture, this.settings, this.shown).#add(media, LICENSE);
    return media;
  }

  /** Whether a file without a media type is an image: because a record says that it shows a picture, or by its name. */
  #isImage(file: number): boolean {
    const { description } = this;
    if (file !== description.root || description.values(file, "digitally_shows").length > 0) return true;
    return picturesOf(description).images.length > 0;
  }
}

function append(document: JsonObject, property: string, value: Json): void {
  const before = document[property];
  if (before === undefined) document[property] = value;
  else if (Array.isArray(before)) before.push(value);
  else document[property] = [before, value];
}

/** The shortest description of a dataset, in characters, that directories of datasets accept. */
const MIN_DATASET_DESCRIPTION = 50;

function isDescribed({ description }: JsonObject): boolean {
  return [description].flat().some((each) => {
    const text = (each as { "@value"?: string } | undefined)?.["@value"];
    return text !== undefined && text.length >= MIN_DATASET_DESCRIPTION;
  });
}

/** The coordinates of a point, or the shape of an area by its outer line. @param written WKT or GeoJSON (specification, 2.3: `defined_by`) */
function geoOf(written: string): JsonObject | undefined {
  const geometry = geometryOf(written);
  const point = geometry && pointOf(geometry);
  if (point !== undefined)
    return { "@type": "GeoCoordinates", latitude: double(point[1]), longitude: double(point[0]) };
  const [line] = geometry && /Polygon$/.test(geometry.type) ? linesOf(geometry) : [];
  const polygon = line?.map(([longitude, latitude]) => `${latitude} ${longitude}`).join(" ");
  return polygon === undefined ? undefined : { "@type": "GeoShape", polygon };
}

/** Writes a coordinate so that it stays a double in RDF, where a JSON number without a fraction would become an integer. */
function double(value: number): Json {
  return Number.isInteger(value) ? { "@value": String(value), "@type": XSD.double } : value;
}
