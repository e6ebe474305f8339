/** The service's own image files: the sizes in their headers, and the `info.json` files of images in tiles. */
import { readFile } from "node:fs/promises";
import { resolve, sep } from "node:path";
import type { imageSizeFromFile } from "image-size/fromFile";
import { LRUCache } from "lru-cache";
import { library } from "../../base/lazily.js";
import { unescaped } from "../../base/plain-text.js";
import type { JsonObject } from "../../rdf/record-graph.js";
import { toUri } from "../entity/iri-equivalents.js";
import type { RenderContext } from "../representations/representation.js";
import type { Pictures, Size } from "./pictures.js";

const loadReader = library<{ imageSizeFromFile: typeof imageSizeFromFile }>("image-size/fromFile");

export interface ImageInformation extends Size {
  readonly type?: string;
  readonly profile?: string;
}

type Around = Pick<RenderContext, "addresses" | "reads">;

/** Remembers for ten seconds what `read` gives for a file under `{base}/images/`: pages and manifests ask repeatedly. `undefined` if the file is missing or unreadable. */
function remembered<T>(read: (file: string) => Promise<T | undefined>) {
  const seen = new LRUCache({
    max: 4_096,
    ttl: 10_000,
    fetchMethod: async (file: string) => ({ result: await read(file).catch(() => undefined) }),
  });
  return async (directory: string | undefined, { addresses, reads }: Around, url: string): Promise<T | undefined> => {
    const prefix = `${addresses.base}/images/`;
    const uri = toUri(url);
    if (directory === undefined || !uri.startsWith(prefix)) return undefined;
    const file = resolve(directory, unescaped(uri.slice(prefix.length)));
    const isOwn = file.startsWith(resolve(directory) + sep);
    const readFile = async () => (await seen.fetch(file))?.result;
    return isOwn ? (reads?.note(readFile) ?? readFile()) : undefined;
  };
}

/** The size in the header of an image file; `undefined` if the file is not the service's own or has no size. */
export const sizeOfFile = remembered(async (file): Promise<Size | undefined> => {
  const { width, height } = await loadReader().imageSizeFromFile(file);
  return width && height ? { width, height } : undefined;
});

/** The `info.json` of a IIIF Image service among the service's own files; `undefined` if it does not have the size of the image. */
export const informationAt = remembered(async (file): Promise<(JsonObject & ImageInformation) | undefined> => {
  const read = JSON.parse(await readFile(file, "utf8")) as JsonObject & ImageInformation;
  return read.width > 0 && read.height > 0 ? read : undefined;
});

/** Adds the sizes that records do not state, read from the service's own image files. */
export async function withSizes(pictures: Pictures, directory: string | undefined, around: Around): Promise<Pictures> {
  if (directory === undefined) return pictures;
  const images = pictures.images.map(async (image) => {
    const size = image.size ?? (await sizeOfFile(directory, around, image.source));
    return size === undefined ? image : { ...image, size };
  });
  return { ...pictures, images: await Promise.all(images) };
}
