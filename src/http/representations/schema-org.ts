/** Records as schema.org has them: Linked Art's own mapping as data, in the form that SCHEMA-AP-NDE and search engines read. */
import { remembering } from "../../base/bounded-map.js";
import type { EndpointName } from "../../model/tables/names.js";
import type { Json, JsonObject } from "../../rdf/record-graph.js";
import { XSD } from "../../rdf/terms.js";
import type { RecordMeta, StoredRecord } from "../../store/record.js";
import { boundsOf, nodeLabel } from "../pages/caption.js";
import { descriptionOf, KINDS, type ResourceDescription } from "../pages/description.js";
import { languageOf, namesByLanguage } from "../pages/languages.js";
import { geometryOf, linesOf, pointOf } from "../pages/maps.js";
import { imageServices, picturesOf, serviceImage } from "../pages/pictures.js";
import { dateOfSpan, endsOfSpan } from "../pages/time-spans.js";
import { isOfKind, sizeInWords, valuesOfRow } from "./mapped-values.js";
import { LICENSE, MEDIA, mediaClasses, SCHEMA_MAPPING, type SchemaRow, SHARED } from "./schema-org-mapping.js";

interface SchemaSettings {
  readonly dataset: string;
  readonly license?: string | undefined;
  readonly vocabBase: string;
}

/** The language of text that says none (BCP 47: undetermined), which SCHEMA-AP-NDE wants to see said. */
const UNDETERMINED = "und";

function tagged(value: string, language: string | undefined): Json {
  return { "@value": value, "@language": language ?? UNDETERMINED };
}

/** Other records of an entity's pictures: files that show them, and the pictures with their rights. */
export interface Shown {
  readonly digital: readonly ResourceDescription[];
  readonly visuals: readonly ResourceDescription[];
}

/** Properties of a file, and not of the dataset that it is a copy of. */
const FILE_PROPERTIES = new Set(["contentUrl", "encodingFormat", "contentSize", "thumbnailUrl", "height", "width"]);

const ACTORS = [
  ["Group", "Organization"],
  ["Person", "Person"],
] as const;

/** A record as a schema.org document. @param shown what other records have of its pictures */
export function schemaOrgOf(
  { graph, meta }: Pick<StoredRecord, "graph"> & { readonly meta: Pick<RecordMeta, "endpoint" | "modified"> },
  settings: SchemaSettings,
  url: string,
  shown: Shown = { digital: [], visuals: [] },
): JsonObject {
  return new SchemaDocument(descriptionOf(graph), settings).write(meta.endpoint, meta.modified, url, shown);
}

/** A moment to the second; most records were published at the same one. */
const published = remembering(64, (moment: number) => `${new Date(moment).toISOString().slice(0, 19)}Z`);

class SchemaDocument {
  readonly #vocabulary: string;
  /** The terms of the properties that the entity has. */
  readonly #said: ReadonlyMap<string, unknown>;
  /** @param named entities that were named already: a name given twice would be two names */
  constructor(
    readonly description: ResourceDescription,
    readonly settings: SchemaSettings,
    readonly named = new Set<string>(),
  ) {
    this.#said = description.node(description.root).values;
    this.#vocabulary = `${settings.vocabBase}/`;
  }

  write(endpoint: EndpointName | null, modified: number, url: string, shown: Shown): JsonObject {
    const { root, graph } = this.description;
    const { iri } = graph;
    const mapping = endpoint === null ? undefined : SCHEMA_MAPPING[endpoint];
    this.named.add(iri);
    const document: JsonObject = { "@context": "https://schema.org", "@id": iri, "@type": "Thing" };
    document.url = url;
    Object.assign(document, this.#names());
    for (const each of SHARED) this.#add(document, each);
    for (const each of mapping?.rows ?? []) this.#add(document, each);
    if (endpoint !== "digital") this.#addMedia(document, shown);
    const geometry = endpoint === "place" ? this.description.text(root, "defined_by") : undefined;
    const geo = geometry === undefined ? undefined : geoOf(geometry);
    if (geo !== undefined) document.geo = geo;
    const types = endpoint === "digital" ? this.#addFile(document, shown) : [...(mapping?.types ?? ["Thing"])];
    if (types.includes("Event")) {
      addAddresses(document);
      if (isOfKind(this.description, root, this.#vocabulary + KINDS.exhibition[0])) types.push("ExhibitionEvent");
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
      // Only works are parts of datasets and have licences: of a person, the page is.
      append(document, "subjectOf", { "@type": "WebPage", url, isPartOf: whole, ...(license && { license }) });
    }
    return document;
  }

  /** One name a language, the primary one where there are several, and the others. */
  #names(): JsonObject {
    const { description } = this;
    const { root, graph } = description;
    const { first, others } = namesByLanguage(description, root);
    const label = { text: description.text(root, "_label") ?? graph.iri, language: undefined };
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
    // Most rows of the mapping begin with what a record does not say.
    if (node === description.root && !this.#said.has(from[0]!)) return;
    let added = 0;
    for (const value of valuesOfRow(description, node, row, this.#vocabulary)) {
      if (added >= most) return;
      const written = this.#written(value, as);
      if (written === undefined) continue;
      append(document, to, written);
      added++;
    }
  }

  #written(value: number, form: SchemaRow["as"]): Json | undefined {
    const { termType, value: written } = this.description.terms[value]!;
    if (typeof form === "object") return this.#term(value, form.term);
    switch (form) {
      case "reference":
        return termType === "NamedNode" ? { "@id": written } : undefined;
      case "url":
        return termType === "NamedNode" ? written : undefined;
      case "actor":
        return this.#nameOf(value, ACTORS.find(([name]) => this.description.isOf(value, name))?.[1]);
      case "archive":
        return this.#nameOf(value, "Organization", "ArchiveOrganization");
      case "license":
        return this.#license(value);
      case "place":
        return this.#nameOf(value, "Place");
      case "date":
        return dateOfSpan(boundsOf(this.description, value));
      case "begin":
      case "end":
        return endsOfSpan(boundsOf(this.description, value))[form];
      case "text":
      case "plain":
        return this.#text(value, form);
      default:
        return this.#measure(value, form);
    }
  }

  /** A kind of right under the vocabulary is no licence, and one of the institution's own is known by what it is equivalent to. */
  #license(value: number): string | undefined {
    const [better = value] = this.description.values(value, "equivalent");
    const { termType, value: iri } = this.description.terms[better]!;
    return termType === "NamedNode" && !iri.startsWith(this.#vocabulary) ? iri : undefined;
  }

  /** A literal's text, a statement's or identifier's content, or a concept's code or label. */
  #text(value: number, form: "text" | "plain"): Json | undefined {
    const { description } = this;
    const { termType, value: written, language } = description.terms[value]!;
    if (termType === "Literal") {
      return form === "plain" ? written : tagged(written, language || languageOf(description, description.root));
    }
    const [content] = description.values(value, "content");
    if (content === undefined) return description.text(value, "notation") ?? description.text(value, "_label");
    const text = description.terms[content]!.value;
    return form === "plain" ? text : tagged(text, languageOf(description, value, content));
  }

  /** A term is a node of this document; the vocabulary's own IRI is what makes it the same as others'. */
  #term(value: number, classes: readonly string[]): Json | undefined {
    const { termType, value: iri } = this.description.terms[value]!;
    const label = nodeLabel(this.description, value);
    if (label === undefined) return undefined;
    return {
      "@type": classes.length === 0 ? "DefinedTerm" : ["DefinedTerm", ...classes],
      name: tagged(label, undefined),
      ...(termType === "NamedNode" ? { sameAs: iri } : {}),
    };
  }

  /** @param role a class that it has besides in this place */
  #nameOf(value: number, type: string | undefined, role?: string): Json | undefined {
    const { termType, value: iri } = this.description.terms[value]!;
    const label = nodeLabel(this.description, value);
    if (label === undefined) return undefined;
    const isIri = termType === "NamedNode";
    if (isIri && this.named.has(iri)) return { "@id": iri, ...(role && { "@type": role }) };
    if (isIri) this.named.add(iri);
    return {
      ...(isIri && type !== undefined ? { "@id": iri } : {}),
      ...(type === undefined ? {} : { "@type": role === undefined ? type : [type, role] }),
      name: tagged(label, undefined),
    };
  }

  #measure(value: number, form: "measure" | "size"): Json | undefined {
    const { description } = this;
    const written = description.text(value, "value");
    if (written === undefined || !Number.isFinite(Number(written))) return undefined;
    if (form === "size") return sizeInWords(description, value);
    const [unit] = description.values(value, "unit");
    const unitText = unit === undefined ? undefined : nodeLabel(description, unit);
    return { "@type": "QuantitativeValue", value: Number(written), ...(unitText === undefined ? {} : { unitText }) };
  }

  /** The files that show the entity: images, and others as what is about it. */
  #addMedia(document: JsonObject, shown: Shown): void {
    const { description } = this;
    const { root } = description;
    const visuals = [root, ...description.values(root, "representation"), ...description.values(root, "shows")];
    const files = visuals.flatMap((visual) =>
      description.values(visual, "digitally_shown_by").map((file) => this.media(file, shown, visual)),
    );
    for (const other of shown.digital) {
      files.push(new SchemaDocument(other, this.settings, this.named).media(other.root, shown));
    }
    const known = new Set<Json>();
    for (const { "@type": types, ...file } of files) {
      if (file.contentUrl === undefined || known.has(file.contentUrl)) continue;
      known.add(file.contentUrl);
      const isImage = Array.isArray(types) && types.includes("ImageObject");
      append(document, isImage ? "image" : "subjectOf", { "@type": types!, ...file });
    }
  }

  /** The properties of a file by its own record; data that are described are a dataset of which it is a copy. */
  #addFile(document: JsonObject, shown: Shown): string[] {
    const { "@id": _id, "@type": types, ...file } = this.media(this.description.root, shown);
    const classes = types as readonly string[];
    if (!classes.includes("DataDownload") || file.contentUrl === undefined || !isDescribed(document)) {
      Object.assign(document, file);
      return ["CreativeWork", ...classes];
    }
    const copy: JsonObject = { "@type": "DataDownload" };
    for (const [property, value] of Object.entries(file)) {
      (FILE_PROPERTIES.has(property) ? copy : document)[property] = value;
    }
    document.distribution = copy;
    return ["CreativeWork", "Dataset"];
  }

  /** A file, with the licence of what it shows where it has none. @param visual the picture that it is of, as this record has it */
  media(file: number, { visuals }: Shown, visual?: number): JsonObject {
    const { description } = this;
    const { termType, value: iri } = description.terms[file]!;
    const media: JsonObject = {
      ...(termType === "NamedNode" ? { "@id": iri } : {}),
      "@type": [...mediaClasses(description.text(file, "format") ?? (this.#isImage(file) ? "image/" : ""))],
    };
    for (const each of MEDIA) this.#add(media, each, file);
    const [service] = imageServices(description, file);
    if (service !== undefined) {
      media.contentUrl ??= serviceImage(service, "max");
      media.thumbnailUrl = serviceImage(service, "!900,900");
    }
    if (visual !== undefined && media.license === undefined) this.#add(media, LICENSE, visual);
    const shows = [...description.values(file, "digitally_shows"), ...(visual === undefined ? [] : [visual])];
    for (const picture of visuals) {
      if (media.license !== undefined) break;
      if (!shows.some((each) => description.terms[each]!.value === picture.graph.iri)) continue;
      new SchemaDocument(picture, this.settings).#add(media, LICENSE);
    }
    return media;
  }

  /** Whether a file without a media type is an image: something says that it shows a picture, or its name does. */
  #isImage(file: number): boolean {
    const { description } = this;
    if (file !== description.root || description.values(file, "digitally_shows").length > 0) return true;
    return picturesOf(description).images.length > 0;
  }
}

/** A place without an address is none to those who show events; its name is what is known of it. */
function addAddresses(document: JsonObject): void {
  for (const each of [document.location].flat()) {
    if (typeof each === "object" && each !== null && !Array.isArray(each) && each.name !== undefined) {
      each.address = { "@type": "PostalAddress", name: each.name };
    }
  }
}

function append(document: JsonObject, property: string, value: Json): void {
  const before = document[property];
  if (before === undefined) document[property] = value;
  else if (Array.isArray(before)) before.push(value);
  else document[property] = [before, value];
}

/** Characters that a description of a dataset has at least, for those who list datasets. */
const MIN_DATASET_DESCRIPTION = 50;

function isDescribed({ description }: JsonObject): boolean {
  return [description].flat().some((each) => {
    const text = (each as { "@value"?: string } | undefined)?.["@value"];
    return text !== undefined && text.length >= MIN_DATASET_DESCRIPTION;
  });
}

/** A point as coordinates, an area as a shape of its outer lines. @param written WKT or GeoJSON (specification, 2.3: `defined_by`) */
function geoOf(written: string): JsonObject | undefined {
  const geometry = geometryOf(written);
  const point = geometry && pointOf(geometry);
  if (point !== undefined)
    return { "@type": "GeoCoordinates", latitude: double(point[1]), longitude: double(point[0]) };
  const [line] = geometry && /Polygon$/.test(geometry.type) ? linesOf(geometry) : [];
  const polygon = line?.map(([longitude, latitude]) => `${latitude} ${longitude}`).join(" ");
  return polygon === undefined ? undefined : { "@type": "GeoShape", polygon };
}

/** Numbers of JSON without a fraction become integers in RDF, and coordinates are none. */
function double(value: number): Json {
  return Number.isInteger(value) ? { "@value": String(value), "@type": XSD.double } : value;
}
