/** IIIF Presentation 3.0: the Manifest of an entity with pictures, and the Collection of a Set whose members have pictures. */
import { groupBy } from "../../base/entries.js";
import { unescapeHtml } from "../../base/html.js";
import { loadSanitizer, withoutDirectionMarks } from "../../base/plain-text.js";
import type { EndpointName } from "../../model/tables/names.js";
import { expandIri } from "../../model/vocabulary/vocabulary.js";
import type { Json, JsonObject } from "../../rdf/record-graph.js";
import { picturesShown } from "../../search/pictures.js";
import type { StoredRecord } from "../../store/record.js";
import { isLarge } from "../entity/large-records.js";
import { fromStore } from "../message/problems/problems.js";
import { bylineOf } from "../pages/caption.js";
import { descriptionOf, KINDS, type ResourceDescription, take } from "../pages/description.js";
import { glanceOf, statementsOf } from "../pages/entity-page.js";
import { labelsOf } from "../pages/entries.js";
import { gatherShown } from "../pages/gather.js";
import { type ImageInformation, informationAt, sizeOfFile } from "../pages/image-files.js";
import { HELD, Known } from "../pages/known.js";
import { nameFor, namesOf, type TextInLanguage } from "../pages/languages.js";
import type { Html } from "../pages/markup.js";
import { extentOf, type ImageService, type Picture, picturesOf, type Size, withPictures } from "../pages/pictures.js";
import { Renderer } from "../pages/renderer.js";
import { ENGLISH_WORDS } from "../pages/words/words.js";
import { rightsIris } from "./mapped-values.js";
import { onceForAnswer, type RenderContext, type RenderSettings, type RepresentationMaker } from "./representation.js";

const PRESENTATION = "http://iiif.io/api/presentation/3/context.json";

const SUFFIX = ".manifest.json";

/** How many members of a Set its Collection considers, and how many members of a nested Set to search for pictures. */
const MAX_MEMBERS = 200;
const MAX_NESTED = 20;

/** The longer side of a canvas that has only the proportions of the object. */
const CANVAS_SIDE = 1_000;

type Painted = NonNullable<Awaited<ReturnType<typeof paintedOf>>>;

export const manifestRepresentation: RepresentationMaker = (settings) => {
  const written = onceForAnswer((record, context) =>
    fromStore(async () => `${JSON.stringify(await manifest(record, context, settings))}\n`),
  );
  return {
    version: 9,
    mediaType: "application/ld+json",
    contentType: `application/ld+json;profile="${PRESENTATION}"`,
    profiles: [PRESENTATION],
    suffix: SUFFIX,
    label: "IIIF",
    dependsOn: {
      settings: JSON.stringify([settings.site.title, settings.images ?? null]),
      state: written,
    },
    appliesTo: (record, context) => mayShow(record) && fromStore(() => showsAnything(record, context, settings)),
    write: written,
  };
};

/** Whether a record may have pictures at all. Most cannot, and this check reads no other records. */
function mayShow({ graph, meta: { endpoint } }: StoredRecord): boolean {
  if (endpoint === "set" || endpoint === "visual" || endpoint === "digital") return true;
  return picturesShown(graph).length > 0;
}

/** Writes a record as a Manifest or a Collection (5.1, 5.2). */
async function manifest(record: StoredRecord, context: RenderContext, settings: RenderSettings): Promise<Json> {
  const { addresses, taken } = context;
  const { site, linked } = settings;
  const url = addresses.url(record.graph.iri);
  const view = await viewOf(record, context, settings);
  const { items, type } = await itemsOf(record, context, settings, view.painted);
  const href = (iri: string) =>
    /^https?:/i.test(iri) ? { url: addresses.has(iri) ? addresses.url(iri) : iri, isHere: false } : undefined;
  const description = descriptionOf(record.graph);
  const labels = await labelsOf(context.store, description, description.named());
  const renderer = new Renderer(description, href, record.graph.iri, ENGLISH_WORDS, labels);
  const words = manifestWords(renderer, record.meta.endpoint, view.around);
  const home = `${addresses.base}/`;
  const label = { none: [site.title] };
  const seeAlso = linked(taken).flatMap(({ label: name, suffix, mediaType, profiles: [profile] }) =>
    name === undefined || suffix === SUFFIX
      ? []
      : [{ id: url + suffix, type: "Dataset", label: english(name), format: mediaType, ...(profile && { profile }) }],
  );
  return {
    "@context": PRESENTATION,
    id: url + SUFFIX,
    type,
    ...words,
    ...thumbnailOf(view.painted),
    provider: [{ id: home, type: "Agent", label, homepage: [{ id: home, type: "Text", label, format: "text/html" }] }],
    homepage: [{ id: url, type: "Text", label: english("Page"), format: "text/html" }],
    seeAlso,
    items,
  };
}

async function showsAnything(record: StoredRecord, context: RenderContext, settings: RenderSettings) {
  const { painted } = await viewOf(record, context, settings);
  const { endpoint, sequence } = record.meta;
  if (painted.length > 0 || endpoint !== "set") return painted.length > 0;
  const { collections } = await Known.of(context.store);
  const key = `${settings.images} ${record.graph.iri}`;
  const isCollection = collections.get(key) ?? !(await membersOf(record, context, settings).next()).done;
  return sequence === HELD ? isCollection : collections.put(key, isCollection);
}

/** The items of a Manifest or a Collection. A Set whose members have no pictures is a Manifest of its own pictures. */
async function itemsOf(
  record: StoredRecord,
  context: RenderContext,
  settings: RenderSettings,
  painted: readonly Painted[],
) {
  const members: Json[] = [];
  if (record.meta.endpoint === "set") for await (const each of membersOf(record, context, settings)) members.push(each);
  if (members.length > 0) return { type: "Collection", items: members };
  const id = context.addresses.url(record.graph.iri) + SUFFIX;
  return { type: "Manifest", items: painted.map((picture, at) => canvasOf(picture, `${id}/canvas/${at + 1}`)) };
}

/** The pictures of an entity, as on its page, except those for which no canvas size is known. */
async function viewOf(record: StoredRecord, context: RenderContext, { images }: Pick<RenderSettings, "images">) {
  const description = descriptionOf(record.graph);
  const { digital, visuals, pictured } = await gatherShown(record, context);
  const shape = extentOf(description, description.root);
  const pictures = withPictures(picturesOf(description), pictured).images;
  const all = pictures.map((picture) => paintedOf(picture, shape, context, images));
  return {
    painted: (await Promise.all(all)).filter((picture) => picture !== undefined),
    /** The records that may state rights of the pictures. */
    around: [...visuals, ...digital],
  };
}

/** A picture with its canvas. The canvas has the picture's size in pixels or, since it has no unit (5.3), the object's proportions; `undefined` if neither is known. */
async function paintedOf(picture: Picture, shape: Size | undefined, context: RenderContext, images?: string) {
  const { service, whole } = picture;
  const ownService = service && (await informationAt(images, context, `${service.base}/info.json`));
  const ownFile = await sizeOfFile(images, context, whole);
  const canvas = ownService ?? picture.size ?? ownFile ?? (shape && scaled(shape));
  if (canvas === undefined) return undefined;
  const { width, height } = canvas;
  return {
    ...picture,
    size: ownFile ?? picture.size,
    canvas: { width: Math.max(1, Math.round(width)), height: Math.max(1, Math.round(height)) },
    services: service === undefined ? [] : [serviceOf(service, ownService)],
  };
}

function scaled({ width, height }: Size): Size {
  const scale = CANVAS_SIDE / Math.max(width, height);
  return { width: width * scale, height: height * scale };
}

/** An image service of a picture (4.4), with the version and level that it states. The default is level 0, which all services have. */
function serviceOf({ base, protocol }: ImageService, own: ImageInformation | undefined): Json {
  const level = own?.profile ?? /level[012]/i.exec(protocol)?.[0].toLowerCase() ?? "level0";
  if (own?.type === "ImageService3" || /image\/3/i.test(protocol))
    return { id: base, type: "ImageService3", profile: level };
  return { "@id": base, "@type": "ImageService2", profile: `http://iiif.io/api/image/2/${level}.json` };
}

function canvasOf(picture: Painted, id: string): Json {
  const { alternative, canvas, size, service } = picture;
  const isFile = service === undefined && size !== undefined;
  const body = { ...imageOf(picture, picture.whole), ...(isFile && size) };
  const annotation = { id: `${id}/image`, type: "Annotation", motivation: "painting", body, target: id };
  return {
    id,
    type: "Canvas",
    label: { none: [withoutDirectionMarks(alternative) || ENGLISH_WORDS.file.record.image] },
    ...canvas,
    ...thumbnailOf([picture]),
    items: [{ id: `${id}/page`, type: "AnnotationPage", items: [annotation] }],
  };
}

function imageOf({ format, services }: Painted, url: string): JsonObject {
  const type = url.endsWith("/default.jpg") ? "image/jpeg" : format;
  return { id: url, type: "Image", ...(type && { format: type }), ...(services.length > 0 && { service: services }) };
}

function thumbnailOf([first]: readonly Painted[]): JsonObject {
  return first === undefined ? {} : { thumbnail: [imageOf(first, first.source)] };
}

/** Yields the members of a Set that have manifests, as items of its Collection. @param most how many members to consider */
async function* membersOf(
  { graph: { iri } }: StoredRecord,
  context: RenderContext,
  settings: RenderSettings,
  most = MAX_MEMBERS,
): AsyncGenerator<Json> {
  const { store, addresses } = context;
  const page = await store.references?.page(iri, { property: expandIri("la:member_of"), limit: most });
  const known = await Known.of(store);
  for (const { record: member } of page?.items ?? []) {
    const found = await store.find(member);
    if (found === undefined || isLarge(found)) continue;
    const record = await known.record(member, found);
    if (!mayShow(record)) continue;
    const { painted } = await viewOf(record, context, settings);
    // A nested Set is listed if members of its own have pictures. Sets nested more deeply are not searched.
    const isSet = record.meta.endpoint === "set" && most > MAX_NESTED;
    const isCollection = isSet && !(await membersOf(record, context, settings, MAX_NESTED).next()).done;
    if (painted.length === 0 && !isCollection) continue;
    yield {
      id: addresses.url(member) + SUFFIX,
      type: isCollection ? "Collection" : "Manifest",
      label: labelOf(descriptionOf(record.graph)),
      ...thumbnailOf(painted),
    };
  }
}

type LanguageMap = Record<string, string[]>;

/** The rights that a manifest may name (3.1, `rights`); their canonical URLs begin with `http:`. */
const RIGHTS = /^https?:\/\/(creativecommons\.org\/(?:licenses|publicdomain)|rightsstatements\.org\/vocab)\//i;

const ALLOWED = {
  allowedTags: ["a", "b", "br", "i", "p", "small", "span", "sub", "sup"],
  allowedAttributes: { a: ["href"] },
  allowedSchemes: ["http", "https", "mailto"],
};

/** A language map of a text of the service. */
function english(words: string): LanguageMap {
  return { en: [words] };
}

/** A language map of texts (`{"nl": ["Zelfportret"]}`), with `none` for those without a language. */
function languageMap(texts: readonly TextInLanguage[]): LanguageMap {
  const byLanguage = groupBy(texts, ({ language = "none" }) => language);
  return Object.fromEntries([...byLanguage].map(([language, all]) => [language, all.map(({ text }) => text)]));
}

/** The label of an entity: for each language, the name that a reader of that language sees. */
function labelOf(description: ResourceDescription): LanguageMap {
  const { root } = description;
  const names = namesOf(description, root);
  const label = description.text(root, "_label");
  const languages = new Set(names.flatMap(({ language }) => language ?? []));
  const spoken = [...languages].map((language) => nameFor(names, undefined, [language])!);
  if (spoken.length > 0) return languageMap(spoken);
  return { none: [nameFor(names, label, [])?.text ?? description.graph.iri] };
}

/** The descriptive properties of a Manifest or Collection. @param rightsOf records whose rights apply if the entity has none */
function manifestWords(renderer: Renderer, endpoint: EndpointName | null, rightsOf: readonly ResourceDescription[]) {
  const { description } = renderer;
  const summary = languageMap(statementsOf(description, ...KINDS.summary));
  const credits = languageMap(statementsOf(description, ...KINDS.credit));
  const metadata = metadataOf(renderer, endpoint);
  const rights = [description, ...rightsOf].flatMap((each) => rightsIris(each, each.root));
  const named = rights.find((iri) => RIGHTS.test(iri));
  return {
    label: labelOf(description),
    ...(Object.keys(summary).length > 0 && { summary }),
    ...(metadata.length > 0 && { metadata }),
    ...(named !== undefined && { rights: named.replace(/^https:/i, "http:") }),
    ...(Object.keys(credits).length > 0 && {
      requiredStatement: { label: english(ENGLISH_WORDS.file.record.creditLine), value: credits },
    }),
  };
}

/** The metadata: the maker and date of an entity, then the rows at the head of its page, then its rights. */
function metadataOf(renderer: Renderer, endpoint: EndpointName | null): Json[] {
  const { description, words, labels } = renderer;
  const node = description.node(description.root);
  const making = ["produced_by", "created_by"].find((term) => node.values.has(term));
  const byline = (making === undefined ? [] : bylineOf(description, words, labels)).map(({ text }) => text).join(", ");
  const rows = [
    ...glanceOf(description, node, endpoint, words),
    { words: words.propertyHtml("subject_to"), term: "subject_to", values: take(node, "subject_to") },
  ];
  return [
    ...(byline === "" ? [] : [{ label: english(words.property(making!)), value: { none: [byline] } }]),
    ...rows
      .filter(({ values }) => values.length > 0)
      .map(({ words: heading, term, values }) => ({
        label: english(unescapeHtml(heading)),
        value: { none: values.map((value) => shownAs(renderer.whole(() => renderer.value(term, value)))) },
      })),
  ];
}

/** Converts a value of a page to what a manifest allows: plain text or, if it has links, HTML in one element. */
function shownAs(rendered: Html): string {
  const apart = rendered.replace(/<\/?(?:dd|dt|div|dl|li|ol|p|tr|ul)\b/g, " $&");
  const links = loadSanitizer()(apart, rendered.includes("<a ") ? ALLOWED : { allowedTags: [] });
  const value = links.replace(/\s+/g, " ").trim();
  return value.includes("<") ? `<span>${value}</span>` : unescapeHtml(value);
}
