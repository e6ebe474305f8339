/** The Europeana Data Model: an object as one RDF/XML document, for Europeana and national portals. */
import { XML_DECLARATION, xmlElement, xmlText } from "../../../base/xml.js";
import { filesShown, picturesShown } from "../../../search/pictures.js";
import type { StoredRecord } from "../../../store/record.js";
import { fromStore } from "../../message/problems/problems.js";
import { descriptionOf, type ResourceDescription } from "../../pages/description.js";
import type { Gathered } from "../../pages/gather.js";
import { type Picture, picturesOf, webAddresses, withPictures } from "../../pages/pictures.js";
import { rightsIris } from "../mapped-values.js";
import { onceForAnswer, type RenderContext, type RenderSettings, type RepresentationMaker } from "../representation.js";
import { describedAs, type EdmStatement, type Resource } from "./described.js";
import { EDM_MAPPING, EDM_PREFIXES } from "./mapping.js";
import { europeanaRights, NOT_EVALUATED } from "./rights.js";

const EDM_SUFFIX = ".edm.rdf";

/** `{vocab_base}/300264578`, "Web pages". */
const WEB_PAGE = "300264578";

const MEDIA_TYPES: Readonly<Record<string, string>> = { image: "IMAGE", video: "VIDEO", audio: "SOUND", model: "3D" };

export const edmRepresentation: RepresentationMaker = (settings) => {
  const written = onceForAnswer((record, context) => fromStore(() => edmDocument(record, context, settings)));
  return {
    version: 11,
    mediaType: "application/rdf+xml",
    contentType: `application/rdf+xml;profile="${EDM_PREFIXES.edm}"`,
    profiles: [EDM_PREFIXES.edm],
    suffix: EDM_SUFFIX,
    label: "EDM",
    dependsOn: {
      settings: JSON.stringify([settings.site.title, settings.edm ?? null]),
      state: written,
    },
    // A digital object has no description of its own: it is described with the object that it shows.
    appliesTo: ({ meta }) => meta.endpoint === "object",
    write: async (record, context) => XML_DECLARATION + (await written(record, context)),
  };
};

async function edmDocument(record: StoredRecord, context: RenderContext, settings: RenderSettings): Promise<string> {
  const { graph } = record;
  const place = context.addresses.url(graph.iri) + EDM_SUFFIX;
  const described = await describedAs(record, context, settings.model.vocabBase, place);
  const { entity, around, digital: files, visuals } = described;
  const media = mediaOf(descriptionOf(graph), [...visuals, ...files]);
  const type: EdmStatement = { element: "edm:type", text: kindOfMedia(descriptionOf(graph), entity, media) };
  const statements = [...entity, type].sort((left, right) => ORDER.get(left.element)! - ORDER.get(right.element)!);
  const resources: readonly Resource[] = [
    { element: "edm:ProvidedCHO", iri: graph.iri, statements },
    ...media.map((each) => webResource(each, files)),
    ...around,
    aggregation(record, context, settings, media, shownRights(descriptionOf(graph), described)),
    ...services(media),
  ];
  const declared = Object.entries(EDM_PREFIXES).map(([prefix, iri]): [string, string] => [`xmlns:${prefix}`, iri]);
  const content = resources.map((each) => `\n${elementOf(each)}`).join("");
  return `${xmlElement("rdf:RDF", Object.fromEntries(declared), `${content}\n`)}\n`;
}

function elementOf({ element, iri, statements }: Resource): string {
  const content = statements.map(({ element: name, text, language, iri: resource }) => {
    if (resource !== undefined) return `\n  ${xmlElement(name, { "rdf:resource": resource })}`;
    return text === undefined ? "" : `\n  ${xmlElement(name, { "xml:lang": language }, xmlText(text))}`;
  });
  return xmlElement(element, { "rdf:about": iri }, `${content.join("")}\n`);
}

/** The order of an object's elements in the schema, in which `edm:type` comes before `owl:sameAs`. */
const ORDER = new Map(EDM_MAPPING["edm:ProvidedCHO"].map(({ to }, at) => [to as string, at]));

interface Media extends Pick<Picture, "whole" | "service" | "record" | "format"> {
  /** The URL of an image in the size of a page. */
  readonly preview?: string;
}

/** The images, as on the page, and other media, each file once. */
function mediaOf(own: ResourceDescription, around: readonly ResourceDescription[]): readonly Media[] {
  const images = withPictures(picturesOf(own), around).images.map((each) => ({ ...each, preview: each.source }));
  const described = [own, ...around].flatMap((each) =>
    [...filesShown(each.graph), each.root].map((node) => ({ each, node })),
  );
  const others = described.flatMap(({ each, node }) => {
    const format = each.text(node, "format");
    if (format === undefined || !/^(?:video|audio|model)\//i.test(format)) return [];
    const record = node === each.root ? each.graph.iri : undefined;
    return webAddresses(each, node).map((whole) => ({ whole, service: undefined, record, format }));
  });
  return [...new Map([...images, ...others].map((each): [string, Media] => [each.whole, each])).values()];
}

/** The `edm:type`. Europeana requires the language of a text, so a text without one is an image. */
function kindOfMedia(description: ResourceDescription, entity: readonly EdmStatement[], [first]: readonly Media[]) {
  const { root } = description;
  const isText = description.values(root, "carries").length > 0 && description.values(root, "shows").length === 0;
  if (isText && entity.some(({ element }) => element === "dc:language")) return "TEXT";
  return MEDIA_TYPES[first?.format?.toLowerCase().split("/")[0] ?? "image"] ?? "IMAGE";
}

function webResource({ whole, format, service, record }: Media, files: readonly ResourceDescription[]): Resource {
  const file = files.find(({ graph }) => graph.iri === record);
  const rights = file && rightsOf(file, file.root);
  return {
    element: "edm:WebResource",
    iri: whole,
    statements: [
      { element: "dc:format", text: format },
      { element: "edm:rights", iri: rights },
      { element: "svcs:has_service", iri: service?.base },
    ],
  };
}

function services(media: readonly Media[]): readonly Resource[] {
  const bases = new Set(media.flatMap(({ service }) => service?.base ?? []));
  const statements = [{ element: "dcterms:conformsTo", iri: "http://iiif.io/api/image" }];
  return [...bases].map((iri) => ({ element: "svcs:Service", iri, statements }));
}

/** The aggregation of an object. @param rights those of its files, its pictures or itself, if Europeana accepts any */
function aggregation(
  { graph }: StoredRecord,
  { addresses, taken }: RenderContext,
  { site, edm = {} }: RenderSettings,
  [first, ...further]: readonly Media[],
  rights: string | undefined,
): Resource {
  const description = descriptionOf(graph);
  const { dataProvider = site.title, provider = dataProvider, language, rights: otherwise = NOT_EVALUATED } = edm;
  const url = addresses.url(graph.iri);
  const page = webPageOf(description) ?? (taken?.has(".html") === true ? url : `${url}.html`);
  return {
    element: "ore:Aggregation",
    iri: `${url}${EDM_SUFFIX}#aggregation`,
    statements: [
      { element: "edm:aggregatedCHO", iri: graph.iri },
      { element: "edm:dataProvider", text: dataProvider, language },
      ...further.map(({ whole }) => ({ element: "edm:hasView", iri: whole })),
      { element: "edm:isShownAt", iri: page },
      { element: "edm:isShownBy", iri: first?.whole },
      { element: "edm:object", iri: first?.preview },
      { element: "edm:provider", text: provider, language },
      { element: "edm:rights", iri: rights ?? otherwise },
    ],
  };
}

function webPageOf(description: ResourceDescription): string | undefined {
  return description
    .along(description.root, "subject_of", "digitally_carried_by")
    .filter((each) => description.isClassified(each, WEB_PAGE))
    .flatMap((each) => webAddresses(description, each))[0];
}

/** The rights of the files, whichever record describes them, else those of the pictures, else those of the object. */
function shownRights(own: ResourceDescription, { digital, visuals }: Pick<Gathered, "digital" | "visuals">) {
  const rights = [
    ...digital.map((each) => rightsOf(each, each.root)),
    ...[...visuals, own].map((each) => rightsOf(each, ...filesShown(each.graph))),
    ...visuals.map((each) => rightsOf(each, each.root)),
  ];
  return rights.find((each) => each !== undefined) ?? rightsOf(own, ...picturesShown(own.graph), own.root);
}

/** The first of the nodes' rights, or of their equivalents, that Europeana accepts. */
function rightsOf(description: ResourceDescription, ...nodes: readonly number[]): string | undefined {
  return nodes.flatMap((node) => rightsIris(description, node)).flatMap((iri) => europeanaRights(iri) ?? [])[0];
}
