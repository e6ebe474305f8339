/** The service's own image files: their sizes, from their headers, and the `info.json` of one that lies there in tiles. */
import { readFile } from "node:fs/promises";
import { resolve, sep } from "node:path";
import type { imageSizeFromFile } from "image-size/fromFile";
import { LRUCache } from "lru-cache";
import { library } from "../../base/lazily.js";
import type { JsonObject } from "../../rdf/record-graph.js";
import type { Pictures, Size } from "./pictures.js";

const loadReader = library<{ imageSizeFromFile: typeof imageSizeFromFile }>("image-size/fromFile");

export interface ImageInformation extends Size {
  readonly type?: string;
  readonly profile?: string;
}

/** The file behind an address below `{base}/images/`; `undefined` for every other address. Throws where it does not decode. */
function fileAt(directory: string, base: string, url: string): string | undefined {
  const prefix = `${base}/images/`;
  if (!url.startsWith(prefix)) return undefined;
  const file = resolve(directory, decodeURIComponent(url.slice(prefix.length)));
  return file.startsWith(resolve(directory) + sep) ? file : undefined;
}

/** What files say, believed for ten seconds, as pages and manifests ask again and again; `undefined` where there is none, or it does not say. */
function remembered<T>(read: (file: string) => Promise<T | undefined>) {
  const seen = new LRUCache({
    max: 4_096,
    ttl: 10_000,
    fetchMethod: async (file: string) => ({ said: await read(file).catch(() => undefined) }),
  });
  return async (directory: string, base: string, url: string): Promise<T | undefined> => {
    try {
      const file = fileAt(directory, base, url);
      return file === undefined ? undefined : (await seen.fetch(file))?.said;
    } catch {
      return undefined;
    }
  };
}

/** The size that an image file has in its header; `undefined` where it is not the service's own, or does not say. */
export const sizeOfFile = remembered(async (file): Promise<Size | undefined> => {
  const { width, height } = await loadReader().imageSizeFromFile(file);
  return width && height ? { width, height } : undefined;
});

/** The `info.json` of a IIIF Image service that lies among the service's own files: at least how large its image is. */
export const informationAt = remembered(async (file): Promise<(JsonObject & ImageInformation) | undefined> => {
  const read = JSON.parse(await readFile(file, "utf8")) as JsonObject & ImageInformation;
  return read.width > 0 && read.height > 0 ? read : undefined;
});

/** Pictures with the sizes of those that lie among the service's own files and whose records do not say them. */
export async function withSizes(pictures: Pictures, directory: string | undefined, base: string): Promise<Pictures> {
  if (directory === undefined || pictures.images.every(({ size }) => size !== undefined)) return pictures;
  const images = pictures.images.map(async (image) => {
    const size = image.size ?? (await sizeOfFile(directory, base, image.source));
    return size === undefined ? image : { ...image, size };
  });
  return { ...pictures, images: await Promise.all(images) };
}
