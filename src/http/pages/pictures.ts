/** The images of a record: files, IIIF Image services and manifests, with alternative texts. */
import { withoutDirectionMarks } from "../../base/plain-text.js";
import type { EndpointName } from "../../model/tables/names.js";
import { propertyIri } from "../../model/vocabulary/vocabulary.js";
import { filesShown, IMAGE_FILE } from "../../search/pictures.js";
import type { References } from "../../store/store.js";
import { nodeLabel } from "./caption.js";
import { KINDS, type ResourceDescription } from "./description.js";
import { type Html, html, join, NOTHING, text } from "./markup.js";
import type { Words } from "./words/words.js";

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface ImageService {
  /** The URL of the service, without `info.json`. */
  readonly base: string;
  /** The URI of its protocol, as the record states it. */
  readonly protocol: string;
}

export interface Picture {
  /** The URL of the file, or of the image that a IIIF Image service makes in the size of a page. */
  readonly source: string;
  readonly whole: string;
  readonly service: ImageService | undefined;
  readonly format: string | undefined;
  /** The size in pixels, if the record states it. */
  readonly size: Size | undefined;
  /** The alternative text; empty if the record has none. */
  readonly alternative: string;
  /** The IRI of the Digital Object that it comes from, if that has a record. */
  readonly record: string | undefined;
}

export interface Pictures {
  readonly images: readonly Picture[];
  readonly manifests: readonly string[];
}

const MAX_IMAGES = 6;

const WEB = /^https?:\/\//i;
const IMAGE_API = /iiif\.io\/api\/image/i;
const LEVEL = /level[012]/i;
/** The level of services that have only the sizes and tiles that they list (IIIF Image API 3.0, 6). */
const FIXED_SIZES = /level0/i;
const PRESENTATION_API = /iiif\.io\/api\/presentation/i;

/** The images that the entity's own record describes. */
export function picturesOf(description: ResourceDescription): Pictures {
  const { root } = description;
  const digital = new Set(filesShown(description.graph));
  const isDigital = description.isOf(root, "DigitalObject");
  if (isDigital) digital.add(root);
  const images = [...digital].flatMap((each) => imagesOf(description, each, !isDigital));
  const texts = [...description.along(root, "subject_of", "digitally_carried_by"), ...(isDigital ? [root] : [])];
  const ofManifests = texts.filter((each) => standardsOf(description, each).some((iri) => PRESENTATION_API.test(iri)));
  const manifests = ofManifests.flatMap((each) => webAddresses(description, each));
  return { images: images.slice(0, MAX_IMAGES), manifests };
}

/** The IRIs of the pictures that represent an entity or that it shows; for a picture, its own IRI. */
export function visualsOf(description: ResourceDescription, endpoint: EndpointName | null): string[] {
  return endpoint === "visual"
    ? [description.graph.iri]
    : [...new Set(description.iris(description.root, "representation", "shows", "digitally_shows"))];
}

/** The IRIs of the Digital Objects that show a picture, by their own records. */
export async function filesOf(references: References, picture: string, limit: number): Promise<string[]> {
  const { items } = await references.page(picture, { property: propertyIri("digitally_shows")!, limit });
  return items.map(({ record }) => record);
}

/** Adds the images of the entity from the records of Digital Objects, which say more of a file than the record that names it. */
export function withPictures(own: Pictures, others: readonly ResourceDescription[]): Pictures {
  const all = [own, ...others.map(picturesOf)];
  const images = all.flatMap(({ images }) => images.map((image) => [image.whole, image] as const));
  return {
    images: [...new Map(images).values()].slice(0, MAX_IMAGES),
    manifests: [...new Set(all.flatMap(({ manifests }) => manifests))],
  };
}

/** The images of a Digital Object. @param isShown whether the record says that it shows the entity; its files then count as images, whatever their type or name */
function imagesOf(description: ResourceDescription, digital: number, isShown: boolean): Picture[] {
  const format = description.text(digital, "format");
  if (format !== undefined && !/^image\//i.test(format)) return [];
  const alternative = nodeLabel(description, digital) ?? nodeLabel(description, description.root) ?? "";
  const record = digital === description.root ? description.graph.iri : undefined;
  const urls = webAddresses(description, digital);
  const files = urls.filter((url) => isShown || format !== undefined || IMAGE_FILE.test(url));
  const common = { alternative, record, format, size: pixelsOf(description, digital) };
  const services = imageServices(description, digital);
  if (services.length > 0)
    return services.map((service) => {
      const whole = files[0] ?? serviceImage(service, "max");
      const source = FIXED_SIZES.test(service.protocol) ? whole : serviceImage(service, "!900,900");
      return { source, whole, service, ...common };
    });
  return files.map((file) => ({ source: file, whole: file, service: undefined, ...common }));
}

/** The IIIF Image services of a Digital Object. */
export function imageServices(description: ResourceDescription, digital: number): ImageService[] {
  return description.values(digital, "digitally_available_via").flatMap((service) => {
    const protocols = standardsOf(description, service).filter((each) => IMAGE_API.test(each));
    const protocol = protocols.find((each) => LEVEL.test(each)) ?? protocols[0];
    if (protocol === undefined) return [];
    const urls = webAddresses(description, service);
    return urls.map((url) => ({ base: url.replace(/\/(?:info\.json)?$/, ""), protocol }));
  });
}

/** The URL of the whole image in a size (IIIF Image API 3.0, 4.2). A service with fixed sizes gives the largest. */
export function serviceImage({ base, protocol }: ImageService, size: "max" | "!900,900" | "!400,400"): string {
  return `${base}/full/${FIXED_SIZES.test(protocol) ? "max" : size}/0/default.jpg`;
}

/** The units of pixels, by IRI or label. */
const PIXELS = /\/300266190$|^px$|^pixels?$/i;

function pixelsOf(description: ResourceDescription, digital: number): Size | undefined {
  return extentOf(description, digital, (unit) => {
    const words = [description.terms[unit]!.value, description.text(unit, "_label") ?? ""];
    return words.some((each) => PIXELS.test(each));
  });
}

/** The width and height of a node in the same unit. @param isUnit whether a unit is allowed */
export function extentOf(description: ResourceDescription, node: number, isUnit = (_unit: number) => true) {
  const dimensions = description.values(node, "dimension").flatMap((dimension) => {
    const [unit = -1] = description.values(dimension, "unit");
    const value = Number(description.text(dimension, "value"));
    return unit !== -1 && isUnit(unit) && value > 0 && value < Infinity ? [{ dimension, unit, value }] : [];
  });
  const width = dimensions.find(({ dimension }) => description.isClassified(dimension, ...KINDS.width));
  const height = dimensions.find(
    ({ dimension, unit }) => unit === width?.unit && description.isClassified(dimension, ...KINDS.height),
  );
  return width && height && { width: width.value, height: height.value };
}

/** The standards that a node conforms to, and its formats. */
function standardsOf(description: ResourceDescription, node: number): string[] {
  return ["conforms_to", "format"].flatMap((term) => description.written(node, term));
}

/** The web URLs of a file or a service. */
export function webAddresses(description: ResourceDescription, node: number): string[] {
  return description.written(node, "access_point").filter((url) => WEB.test(url));
}

/** The images as figures. Without JavaScript, a browser shows the image with a link to the whole image. */
export function picturesHtml({ images, manifests }: Pictures, { record }: Words["file"]): Html {
  if (images.length + manifests.length === 0) return NOTHING;
  const figures = images.map(({ source, whole, service, alternative, size }, at) => {
    const alt = text(withoutDirectionMarks(alternative) || record.image);
    const zoom = service === undefined ? NOTHING : html` data-zoom="${text(`${service.base}/info.json`)}"`;
    const loading = at === 0 ? NOTHING : html` loading="lazy"`;
    // The size reserves the space until the image loads.
    const room =
      size === undefined
        ? html` class="unsized"`
        : html` width="${Math.round(size.width)}" height="${Math.round(size.height)}"`;
    return html`<figure${zoom}><a href="${text(whole)}"><img src="${text(source)}" alt="${alt}"${room}${loading}></a><figcaption>${alt}</figcaption></figure>`;
  });
  const links = manifests.map(
    (url) =>
      html`<li><a class="out" href="${text(url)}">${text(record.manifest)}</a> <span class="aside">${text(record.manifestAbout)}</span></li>`,
  );
  return html`<div class="pictures">${join(figures)}${links.length === 0 ? NOTHING : html`<ul class="manifests">${join(links)}</ul>`}</div>`;
}

/** The origins of images and image services. */
export function hostsOf({ images }: Pictures): ReadonlySet<string> {
  return originsOf(images.flatMap(({ source, service }) => (service === undefined ? source : [source, service.base])));
}

/** A source of a Content-Security-Policy. In a URL, a host may also have `;`, `,` and `*`, which would end or widen the policy. */
const SOURCE = /^https?:\/\/[\w.-]+(?::\d+)?$/;

/** The origins of URLs, as sources in a Content-Security-Policy. */
export function originsOf(urls: readonly string[]): ReadonlySet<string> {
  const origins = urls.flatMap((url) => (URL.canParse(url) ? new URL(url).origin : []));
  return new Set(origins.filter((origin) => SOURCE.test(origin)));
}
