/** The images of a record: files, IIIF Image services and manifests, with alternative texts. */
import type { EndpointName } from "../../model/tables/names.js";
import { propertyIri } from "../../model/vocabulary/vocabulary.js";
import type { References } from "../../store/store.js";
import { KINDS, type ResourceDescription } from "./description.js";
import { namesOf } from "./languages.js";
import { type Html, html, join, NOTHING, text, unturned } from "./markup.js";
import type { Words } from "./words/words.js";

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface ImageService {
  /** Its address, without `info.json`. */
  readonly base: string;
  /** The URI of what it is said to follow. */
  readonly protocol: string;
}

export interface Picture {
  /** Where the file is, or the image that a IIIF Image service makes of it for a page. */
  readonly source: string;
  readonly whole: string;
  readonly service: ImageService | undefined;
  readonly format: string | undefined;
  /** In pixels, where the record gives them. */
  readonly size: Size | undefined;
  /** Empty where the record gives none. */
  readonly alternative: string;
  /** The Digital Object that it comes from, where that has a record. */
  readonly record: string | undefined;
}

export interface Pictures {
  readonly images: readonly Picture[];
  readonly manifests: readonly string[];
}

/** Images that a page shows; the others are a link away. */
const MAX_IMAGES = 6;

const WEB = /^https?:\/\//i;
const IMAGE_FILE = /\.(?:jpe?g|png|gif|webp|avif|svg)(?:[?#]|$)/i;
const IMAGE_API = /iiif\.io\/api\/image/i;
const LEVEL = /level[012]/i;
/** Services of this level have the sizes and tiles that they list, and no others (IIIF Image API 3.0, 6). */
const FIXED_SIZES = /level0/i;
const PRESENTATION_API = /iiif\.io\/api\/presentation/i;

/** The images of an entity that its own record describes. */
export function picturesOf(description: ResourceDescription): Pictures {
  const { root } = description;
  const visuals = [...description.values(root, "representation"), ...description.values(root, "shows"), root];
  const digital = new Set(visuals.flatMap((visual) => description.values(visual, "digitally_shown_by")));
  const isDigital = description.isOf(root, "DigitalObject");
  if (isDigital) digital.add(root);
  const images = [...digital].flatMap((each) => imagesOf(description, each, !isDigital));
  const texts = [...description.along(root, "subject_of", "digitally_carried_by"), ...(isDigital ? [root] : [])];
  return { images: images.slice(0, MAX_IMAGES), manifests: manifestsOf(description, texts) };
}

const DIGITALLY_SHOWS = propertyIri("digitally_shows")!;

/** The IRIs of the pictures that an entity has as its own, or shows as a file; a picture is its own. */
export function visualsOf(description: ResourceDescription, endpoint: EndpointName | null): string[] {
  return endpoint === "visual"
    ? [description.graph.iri]
    : description.iris(description.root, "representation", "shows", "digitally_shows");
}

/** The IRIs of Digital Objects whose records say that they show a picture. */
export async function filesOf(references: References, picture: string, limit: number): Promise<string[]> {
  const { items } = await references.page(picture, { property: DIGITALLY_SHOWS, limit });
  return items.map(({ record }) => record);
}

/** The same with the images that other records, Digital Objects, have of the entity. */
export function withPictures(own: Pictures, others: readonly ResourceDescription[]): Pictures {
  const found = others.map(picturesOf);
  return {
    images: [...own.images, ...found.flatMap(({ images }) => images)].slice(0, MAX_IMAGES),
    manifests: [...new Set([...own.manifests, ...found.flatMap(({ manifests }) => manifests)])],
  };
}

/** @param isShown whether something says that the file is an image of it, so that no more need prove it */
function imagesOf(description: ResourceDescription, digital: number, isShown: boolean): Picture[] {
  const format = description.text(digital, "format");
  if (format !== undefined && !format.startsWith("image/")) return [];
  const alternative = alternativeOf(description, digital);
  const record = digital === description.root ? description.graph.iri : undefined;
  const urls = webAddresses(description, digital);
  const files = urls.filter((url) => isShown || format !== undefined || IMAGE_FILE.test(url));
  const said = { alternative, record, format, size: pixelsOf(description, digital) };
  const services = imageServices(description, digital);
  if (services.length > 0) {
    return services.map((service) => {
      const whole = files[0] ?? serviceImage(service, "max");
      const source = FIXED_SIZES.test(service.protocol) ? whole : serviceImage(service, "!900,900");
      return { source, whole, service, ...said };
    });
  }
  return files.map((file) => ({ source: file, whole: file, service: undefined, ...said }));
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

/** The whole image of a IIIF Image service, in a size (IIIF Image API 3.0, 4.2); one that has few sizes has the largest. */
export function serviceImage({ base, protocol }: ImageService, size: "max" | "!900,900" | "!400,400"): string {
  return `${base}/full/${FIXED_SIZES.test(protocol) ? "max" : size}/0/default.jpg`;
}

/** The units of pictures. */
const PIXELS = /\/300266190$|^px$|^pixels?$/i;

function pixelsOf(description: ResourceDescription, digital: number): Size | undefined {
  return extentOf(description, digital, (unit) => {
    const words = [description.terms[unit]!.value, description.text(unit, "_label") ?? ""];
    return words.some((each) => PIXELS.test(each));
  });
}

/** Width and height as a node states them in one unit. @param isUnit whether it may be this one */
export function extentOf(
  description: ResourceDescription,
  node: number,
  isUnit: (unit: number) => boolean = () => true,
): Size | undefined {
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

function alternativeOf(description: ResourceDescription, digital: number): string {
  const label = description.text(digital, "_label") ?? namesOf(description, digital)[0]?.text;
  return label ?? description.text(description.root, "_label") ?? "";
}

function manifestsOf(description: ResourceDescription, texts: readonly number[]): string[] {
  return texts
    .filter((each) => standardsOf(description, each).some((said) => PRESENTATION_API.test(said)))
    .flatMap((each) => webAddresses(description, each));
}

/** What a node is said to conform to, and its formats. */
function standardsOf(description: ResourceDescription, node: number): string[] {
  const said = ["conforms_to", "format"].flatMap((term) => description.values(node, term));
  return said.map((each) => description.terms[each]!.value);
}

/** Where a file or a service is to be had on the web. */
export function webAddresses(description: ResourceDescription, node: number): string[] {
  const urls = description.values(node, "access_point").map((each) => description.terms[each]!.value);
  return urls.filter((url) => WEB.test(url));
}

/** The images as figures; what a browser without JavaScript shows is the image and a link to the whole of it. */
export function picturesHtml({ images, manifests }: Pictures, { record }: Words["file"]): Html {
  if (images.length + manifests.length === 0) return NOTHING;
  const figures = images.map(({ source, whole, service, alternative, size }, at) => {
    const alt = text(unturned(alternative) || record.image);
    const zoom = service === undefined ? NOTHING : html` data-zoom="${text(`${service.base}/info.json`)}"`;
    const loading = at === 0 ? NOTHING : html` loading="lazy"`;
    // Room for it is kept free until it arrives.
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

/** The hosts that a reader's browser is sent to for these images. */
export function hostsOf({ images }: Pictures): ReadonlySet<string> {
  return originsOf(images.flatMap(({ source, service }) => (service === undefined ? source : [source, service.base])));
}

/** The origins of addresses, as sources of a Content-Security-Policy. */
export function originsOf(urls: readonly string[]): ReadonlySet<string> {
  return new Set(urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin));
}
