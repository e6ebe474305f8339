/** Media types in the classes of schema.org: images, other media, and data. */
import { FORMATS } from "../../rdf/formats.js";

/** Media types of data besides those of records; the others are media for people. */
const DATA: ReadonlySet<string> = new Set([
  ...FORMATS.map(({ mediaType }) => mediaType),
  "text/csv",
  "text/tab-separated-values",
  "application/json",
  "application/xml",
  "application/geo+json",
  "application/vnd.ms-excel",
  "application/vnd.oasis.opendocument.spreadsheet",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "application/vnd.sqlite3",
]);

/** Classes of media by the first part of their media type. */
const MEDIA_CLASSES: ReadonlyMap<string, string> = new Map([
  ["image", "ImageObject"],
  ["video", "VideoObject"],
  ["audio", "AudioObject"],
  ["model", "3DModel"],
]);

/**
 * The classes of a file: `DataDownload` of data only, and `MediaObject`, alone or beside the class of such media
 * (SCHEMA-AP-NDE, MediaObject). A IIIF manifest has a type of data, and is none.
 */
export function mediaClasses(format: string): readonly string[] {
  const [type = ""] = format.toLowerCase().split(";");
  if (DATA.has(type.trim()) && !format.includes("iiif.io/")) return ["DataDownload"];
  const media = MEDIA_CLASSES.get(type.split("/")[0]!);
  return media === undefined ? ["MediaObject"] : ["MediaObject", media];
}

/** Properties of a file, and not of the dataset that it is a copy of. */
export const FILE_PROPERTIES: ReadonlySet<string> = new Set([
  "contentUrl",
  "encodingFormat",
  "contentSize",
  "thumbnailUrl",
  "height",
  "width",
]);
