/** Records as schema.org has them: Linked Art's own mapping as data, in the form that SCHEMA-AP-NDE and search engines read. */
import type { EndpointName } from "../../model/tables/endpoints.js";
import type { Json, JsonObject, RecordGraph } from "../../rdf/record-graph.js";
import { descriptionOf, type ResourceDescription } from "../pages/description.js";
import { languageOf, namesOf } from "../pages/languages.js";
import { geometryOf, linesOf, pointOf } from "../pages/maps.js";
import { dateOfSpan } from "../pages/time-spans.js";
import { type Form, type Row, SCHEMA_MAPPING, SHARED } from "./schema-org-mapping.js";

/** What schema.org says of a record besides what the record says itself. */
interface SchemaSettings {
  /** The IRI of the dataset that all records are part of. */
  readonly dataset: string;
  /** The IRI of the licence of the records. Default: none is said. */
  readonly license?: string;
  /** `{vocab_base}`. */
  readonly vocabBase: string;
}

/** The language of text that says none (BCP 47: undetermined), which SCHEMA-AP-NDE wants to see said. */
const UNDETERMINED = "und";

/** `{"@value", "@language"}`. */
function tagged(value: string, language: string | undefined): Json {
  return { "@value": value, "@language": language ?? UNDETERMINED };
}

const NONE: readonly number[] = [];

/** Writes records of one service. */
export class SchemaWriter {
  constructor(readonly settings: SchemaSettings) {}

  /**
   * A record as a schema.org document.
   * @param images addresses of images that other records have of the entity
   */
  document(
    graph: RecordGraph,
    endpoint: EndpointName | null,
    modified: number,
    url: string,
    images: readonly string[] = [],
  ): JsonObject {
    return new SchemaDocument(graph, this.settings).write(endpoint, modified, url, images);
  }
}

/** One document on its way. */
class SchemaDocument {
  readonly #description: ResourceDescription;
  readonly #vocabulary: string;
  /** The terms of the properties that the entity has. */
  readonly #said: ReadonlyMap<string, unknown>;
  /** Entities that were named already: a name given twice would be two names. */
  readonly #named = new Set<string>();

  constructor(
    readonly graph: RecordGraph,
    readonly settings: SchemaSettings,
  ) {
    this.#description = descriptionOf(graph);
    this.#said = this.#description.node(this.#description.root).values;
    this.#vocabulary = `${settings.vocabBase}/`;
  }

  write(endpoint: EndpointName | null, modified: number, url: string, images: readonly string[]): JsonObject {
    const { iri } = this.graph;
    const mapping = endpoint === null ? undefined : SCHEMA_MAPPING[endpoint];
    this.#named.add(iri);
    const document: JsonObject = { "@context": "https://schema.org", "@id": iri, "@type": "Thing" };
    document.url = url;
    Object.assign(document, this.#names());
    for (const each of SHARED) this.#add(document, each);
    for (const each of mapping?.rows ?? []) this.#add(document, each);
    for (const image of images) append(document, "image", image);
    if (endpoint === "place") this.#addGeometry(document);
    if (endpoint === "event" || endpoint === "provenance") this.#addEnd(document);
    const types = typesOf(mapping?.types ?? ["Thing"], document);
    document["@type"] = types.length === 1 ? types[0]! : [...types];
    const { dataset, license } = this.settings;
    const whole = { "@id": dataset, "@type": "Dataset" };
    if (types.includes("CreativeWork")) {
      append(document, "isPartOf", whole);
      document.sdDatePublished = `${new Date(modified).toISOString().slice(0, 19)}Z`;
      if (license !== undefined) document.sdLicense = license;
    } else {
      // Only works are parts of datasets and have licences: of a person, the page is.
      append(document, "subjectOf", { "@type": "WebPage", url, isPartOf: whole, ...(license && { license }) });
    }
    return document;
  }

  /** One name a language, the primary one where there are several, and the others. */
  #names(): JsonObject {
    const description = this.#description;
    const { root } = description;
    const all = namesOf(description, root);
    const label = description.text(root, "_label");
    const first = [...all].sort((left, right) => Number(right.isPrimary) - Number(left.isPrimary));
    const names = new Map<string, string>();
    const alternatives = new Set<string>();
    for (const { text, language = UNDETERMINED } of first) {
      if (names.has(language)) alternatives.add(text);
      else names.set(language, text);
    }
    if (names.size === 0) names.set(UNDETERMINED, label ?? this.graph.iri);
    const name = [...names].map(([language, value]) => tagged(value, language));
    return {
      name: name.length === 1 ? name[0]! : name,
      ...(alternatives.size === 0 ? {} : { alternateName: [...alternatives] }),
    };
  }

  #add(document: JsonObject, { from, to, as, only, classes, except, most = Infinity }: Row): void {
    const description = this.#description;
    let added = 0;
    const values = this.#along(from, only);
    if (values.length === 0) return;
    for (const value of values) {
      const isOf = (name: string): boolean => description.isOf(value, name);
      if (classes !== undefined && !classes.some(isOf)) continue;
      if (except?.some(isOf) === true) continue;
      if (added >= most) return;
      const written = this.#written(value, as);
      if (written === undefined) continue;
      append(document, to, written);
      added++;
    }
  }

  /** The values at the end of a path; where only some kinds are wanted, of the first step's. */
  #along(from: readonly string[], only: readonly string[] | undefined): readonly number[] {
    const description = this.#description;
    // Most rows of the mapping begin with what a record does not say.
    if (!this.#said.has(from[0]!)) return NONE;
    let nodes: number[] = [description.root];
    for (const [at, term] of from.entries()) {
      if (nodes.length === 0) return nodes;
      nodes =
        term === "part*"
          ? nodes.flatMap((node) => this.#withParts(node, 8))
          : nodes.flatMap((node) => description.values(node, term));
      if (at === 0 && only !== undefined) {
        nodes = nodes.filter((node) => only.some((kind) => this.#isOfKind(node, kind)));
      }
    }
    return nodes;
  }

  #isOfKind(node: number, kind: string): boolean {
    return this.#description.values(node, "classified_as").some((type) => {
      const { value } = this.#description.terms[type]!;
      return value === this.#vocabulary + kind;
    });
  }

  /** A node and its parts, as deep as parts are told of. */
  #withParts(node: number, depth: number): number[] {
    if (depth === 0) return [node];
    return [node, ...this.#description.values(node, "part").flatMap((part) => this.#withParts(part, depth - 1))];
  }

  #written(value: number, form: Form): Json | undefined {
    const { termType, value: written } = this.#description.terms[value]!;
    if (typeof form === "object") return this.#term(value, form.term);
    switch (form) {
      case "reference":
        return termType === "NamedNode" ? { "@id": written } : undefined;
      case "url":
        return termType === "NamedNode" ? written : undefined;
      case "actor":
        return this.#nameOf(
          value,
          this.#description.isOf(value, "Group")
            ? "Organization"
            : this.#description.isOf(value, "Person")
              ? "Person"
              : undefined,
        );
      case "place":
        return this.#nameOf(value, "Place");
      case "date":
        return dateOfSpan(this.#bounds(value));
      case "text":
      case "plain":
        return this.#text(value, form);
      default:
        return this.#measure(value, form);
    }
  }

  #bounds(timeSpan: number): { earliest: string | undefined; latest: string | undefined } {
    const description = this.#description;
    return {
      earliest: description.text(timeSpan, "begin_of_the_begin"),
      latest: description.text(timeSpan, "end_of_the_end"),
    };
  }

  /** A literal's text, a statement's or identifier's content, or a concept's code or label. */
  #text(value: number, form: "text" | "plain"): Json | undefined {
    const description = this.#description;
    const { termType, value: written, language } = description.terms[value]!;
    if (termType === "Literal") {
      return form === "plain" ? written : tagged(written, language || languageOf(description, description.root));
    }
    const [content] = description.values(value, "content");
    if (content === undefined) return description.text(value, "notation") ?? description.text(value, "_label");
    const text = description.terms[content]!.value;
    return form === "plain" ? text : tagged(text, languageOf(description, value, content));
  }

  #label(value: number): string | undefined {
    return this.#description.text(value, "_label") ?? namesOf(this.#description, value)[0]?.text;
  }

  /** A term is a node of this document; the vocabulary's own IRI is what makes it the same as others'. */
  #term(value: number, classes: readonly string[]): Json | undefined {
    const { termType, value: iri } = this.#description.terms[value]!;
    const label = this.#label(value);
    if (label === undefined) return undefined;
    return {
      "@type": classes.length === 0 ? "DefinedTerm" : ["DefinedTerm", ...classes],
      name: tagged(label, undefined),
      ...(termType === "NamedNode" ? { sameAs: iri } : {}),
    };
  }

  #nameOf(value: number, type: string | undefined): Json | undefined {
    const { termType, value: iri } = this.#description.terms[value]!;
    const label = this.#label(value);
    if (label === undefined) return undefined;
    const isIri = termType === "NamedNode";
    if (isIri && this.#named.has(iri)) return { "@id": iri };
    if (isIri) this.#named.add(iri);
    return {
      ...(isIri && type !== undefined ? { "@id": iri } : {}),
      ...(type === undefined ? {} : { "@type": type }),
      name: tagged(label, undefined),
    };
  }

  #measure(value: number, form: "measure" | "size"): Json | undefined {
    const description = this.#description;
    const written = description.text(value, "value");
    if (written === undefined || !Number.isFinite(Number(written))) return undefined;
    const [unit] = description.values(value, "unit");
    const unitText = unit === undefined ? undefined : this.#label(unit);
    if (form === "measure") {
      return { "@type": "QuantitativeValue", value: Number(written), ...(unitText === undefined ? {} : { unitText }) };
    }
    const [kind] = description.values(value, "classified_as");
    const kindText = kind === undefined ? undefined : this.#label(kind);
    return `${kindText === undefined ? "" : `${kindText}: `}${Number(written)}${unitText === undefined ? "" : ` ${unitText}`}`;
  }

  /** A point as coordinates, an area as a shape of its outer lines. */
  #addGeometry(document: JsonObject): void {
    const written = this.#description.text(this.#description.root, "defined_by");
    const geometry = written === undefined ? undefined : geometryOf(written);
    if (geometry === undefined) return;
    const point = pointOf(geometry);
    if (point !== undefined) {
      document.geo = { "@type": "GeoCoordinates", latitude: double(point[1]), longitude: double(point[0]) };
      return;
    }
    const [line] = linesOf(geometry);
    if (line === undefined || !/Polygon$/.test(geometry.type)) return;
    document.geo = {
      "@type": "GeoShape",
      polygon: line.map(([longitude, latitude]) => `${latitude} ${longitude}`).join(" "),
    };
  }

  /** The end of an event, where its bounds give one. */
  #addEnd(document: JsonObject): void {
    const [timeSpan] = this.#description.values(this.#description.root, "timespan");
    const latest = timeSpan === undefined ? undefined : this.#bounds(timeSpan).latest;
    const end = latest === undefined ? undefined : dateOfSpan({ earliest: latest, latest });
    if (end !== undefined) document.endDate = end;
    for (const each of [document.location].flat()) {
      // A place without an address is none to those who show events; its name is what is known of it.
      if (typeof each === "object" && each !== null && !Array.isArray(each) && each.name !== undefined) {
        each.address = { "@type": "PostalAddress", name: each.name };
      }
    }
  }
}

/** Numbers of JSON without a fraction become integers in RDF, and coordinates are none. */
function double(value: number): Json {
  return Number.isInteger(value)
    ? { "@value": String(value), "@type": "http://www.w3.org/2001/XMLSchema#double" }
    : value;
}

function append(document: JsonObject, property: string, value: Json): void {
  const before = document[property];
  if (before === undefined) document[property] = value;
  else if (Array.isArray(before)) before.push(value);
  else document[property] = [before, value];
}

/** Characters that a description of a dataset has at least, for those who list datasets. */
const MIN_DATASET_DESCRIPTION = 50;

/** The types that a document may bear: an event needs a date and a place, a dataset a description, or nobody lists them. */
function typesOf(types: readonly string[], document: JsonObject): readonly string[] {
  if (types.includes("Event") && (document.startDate === undefined || document.location === undefined))
    return ["Thing"];
  const described = [document.description].flat().some((each) => {
    const text = (each as { "@value"?: string } | undefined)?.["@value"];
    return text !== undefined && text.length >= MIN_DATASET_DESCRIPTION;
  });
  return document.distribution !== undefined && described ? [...types, "Dataset"] : types;
}
