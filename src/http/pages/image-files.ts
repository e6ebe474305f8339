/** What the service's own images say of themselves: the size in their headers, and the `info.json` of one that lies there in tiles. */
import { readFile } from "node:fs/promises";
import { resolve, sep } from "node:path";
import type { imageSizeFromFile } from "image-size/fromFile";
import { library } from "../../base/lazily.js";
import type { JsonObject } from "../../rdf/record-graph.js";
import type { Size } from "./pictures.js";

const loadReader = library<{ imageSizeFromFile: typeof imageSizeFromFile }>("image-size/fromFile");

/** What a IIIF Image service says of itself, as far as it is read here. */
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

/** The size that an image file has in its header; `undefined` where it is not the service's own, or does not say. */
export async function sizeOfFile(directory: string, base: string, url: string): Promise<Size | undefined> {
  try {
    const file = fileAt(directory, base, url);
    const { width = 0, height = 0 } = file === undefined ? {} : await loadReader().imageSizeFromFile(file);
    return width && height ? { width, height } : undefined;
  } catch {
    return undefined;
  }
}

/** What the `info.json` of a IIIF Image service says that lies among the service's own files: at least how large its image is. */
export async function informationAt(
  directory: string,
  base: string,
  service: string,
): Promise<(JsonObject & ImageInformation) | undefined> {
  try {
    const file = fileAt(directory, base, `${service}/info.json`);
    if (file === undefined) return undefined;
    const read = JSON.parse(await readFile(file, "utf8")) as JsonObject & ImageInformation;
    return read.width > 0 && read.height > 0 ? read : undefined;
  } catch {
    return undefined;
  }
}
