/** The images of a record: files, IIIF Image services and manifests, with alternative texts. */
import type { ResourceDescription } from "./description.js";
import { namesOf } from "./languages.js";
import { type Html, html, join, NOTHING, text, unturned } from "./markup.js";

export interface Picture {
  /** Where the file is, or the image that a IIIF Image service makes of it for a page. */
  readonly source: string;
  /** What a reader gets who wants it whole. */
  readonly whole: string;
  /** The base of a IIIF Image service, without `info.json`. */
  readonly service: string | undefined;
  readonly alternative: string;
  /** The Digital Object that it comes from, where that has a record. */
  readonly record: string | undefined;
}

/** What a record has to look at. */
export interface Pictures {
  readonly images: readonly Picture[];
  /** Addresses of IIIF manifests. */
  readonly manifests: readonly string[];
}

/** Images that a page shows; the others are a link away. */
const MAX_IMAGES = 6;

const WEB = /^https?:\/\//i;
const IMAGE_FILE = /\.(?:jpe?g|png|gif|webp|avif|svg)(?:[?#]|$)/i;
const IMAGE_API = /iiif\.io\/api\/image/i;
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
  const files = description
    .values(digital, "access_point")
    .map((file) => description.terms[file]!.value)
    .filter((url) => WEB.test(url) && (isShown || format !== undefined || IMAGE_FILE.test(url)));
  const services = imageServices(description, digital);
  if (services.length > 0) {
    return services.map((service) => ({
      source: serviceImage(service, "!900,900"),
      whole: files[0] ?? serviceImage(service, "max"),
      service,
      alternative,
      record,
    }));
  }
  return files.map((file) => ({ source: file, whole: file, service: undefined, alternative, record }));
}

/** The bases of the IIIF Image services of a Digital Object, without `info.json`. */
export function imageServices(description: ResourceDescription, digital: number): string[] {
  return description
    .values(digital, "digitally_available_via")
    .filter((service) => isService(description, service))
    .flatMap((service) => description.values(service, "access_point"))
    .map((base) => description.terms[base]!.value.replace(/\/(?:info\.json)?$/, ""))
    .filter((base) => WEB.test(base));
}

/** The whole image of a IIIF Image service, in a size (IIIF Image API 3.0, 4.2). */
export function serviceImage(service: string, size: "max" | "!900,900" | "!400,400"): string {
  return `${service}/full/${size}/0/default.jpg`;
}

function isService(description: ResourceDescription, service: number): boolean {
  const said = [...description.values(service, "conforms_to"), ...description.values(service, "format")];
  return said.some((each) => IMAGE_API.test(description.terms[each]!.value));
}

function alternativeOf(description: ResourceDescription, digital: number): string {
  const label = description.text(digital, "_label") ?? namesOf(description, digital)[0]?.text;
  return label ?? description.text(description.root, "_label") ?? "Image";
}

function manifestsOf(description: ResourceDescription, texts: readonly number[]): string[] {
  return texts
    .filter((each) =>
      [...description.values(each, "conforms_to"), ...description.values(each, "format")].some((said) =>
        PRESENTATION_API.test(description.terms[said]!.value),
      ),
    )
    .flatMap((each) => description.values(each, "access_point"))
    .map((file) => description.terms[file]!.value)
    .filter((url) => WEB.test(url));
}

/** The images as figures; what a browser without JavaScript shows is the image and a link to the whole of it. */
export function picturesHtml({ images, manifests }: Pictures): Html {
  if (images.length + manifests.length === 0) return NOTHING;
  const figures = images.map(({ source, whole, service, alternative }, at) => {
    const alt = text(unturned(alternative));
    const zoom = service === undefined ? NOTHING : html` data-zoom="${text(`${service}/info.json`)}"`;
    const loading = at === 0 ? NOTHING : html` loading="lazy"`;
    return html`<figure${zoom}><a href="${text(whole)}"><img src="${text(source)}" alt="${alt}"${loading}></a><figcaption>${alt}</figcaption></figure>`;
  });
  const links = manifests.map(
    (url) =>
      html`<li><a class="out" href="${text(url)}">IIIF manifest</a> <span class="aside">for a viewer of your own</span></li>`,
  );
  return html`<div class="pictures">${join(figures)}${links.length === 0 ? NOTHING : html`<ul class="manifests">${join(links)}</ul>`}</div>`;
}

/** The hosts that a reader's browser is sent to for these images, as sources of a Content-Security-Policy. */
export function hostsOf({ images }: Pictures): ReadonlySet<string> {
  const hosts = new Set<string>();
  for (const { source, service } of images) {
    for (const url of service === undefined ? [source] : [source, service]) {
      if (URL.canParse(url)) hosts.add(new URL(url).origin);
    }
  }
  return hosts;
}
