/** The manifest of a dump, and the list of dumps in a folder. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { jsonFile } from "../../base/json.js";
import { FORMATS, type FormatName } from "../../rdf/formats.js";
import type { EndpointKey, StoreStats } from "../../store/record.js";
import type { CollectionPartitions } from "../collection-counts.js";

/** The formats of records whose files can be cut and concatenated. */
export const RECORD_FORMATS = FORMATS.filter(({ isLines }) => isLines === true);

export interface DumpFile {
  /** The file's name in the dump's folder. */
  readonly name: string;
  /** The endpoint whose records the file has, or `all`; `none` is for records that belong to no endpoint. */
  readonly of: EndpointKey | "all";
  readonly format: FormatName;
  readonly mediaType: string;
  /** The size of the gzip file. */
  readonly bytes: number;
  /** The SHA-256 of the gzip file, in hexadecimal. */
  readonly sha256: string;
  readonly records: number;
}

/** A dump: complete files of one state of the store. Times are in ISO 8601. */
export interface DumpManifest
  extends CollectionPartitions,
    Pick<StoreStats, "records" | "triples" | "sequence" | "baseUrl"> {
  readonly folder: string;
  /** The collection's name, as used in file names. */
  readonly name: string;
  readonly made: string;
  /** The time of the last change in the dump. */
  readonly lastChange: string | null;
  /** The records that no document can express, and that are missing from the JSON lines. */
  readonly leftOut: readonly string[];
  readonly files: readonly DumpFile[];
}

export const MANIFEST = "dump.json";

/** The name of a dump's folder is the time when it was made, so that names sort by time. */
const TIME = /(\d{4}-\d{2}-\d{2}T\d{2})(\d{2})(\d{2})Z/;
const FOLDER = new RegExp(`^${TIME.source}$`);

/** The folder name for a dump made at a time. */
export function dumpFolder(made: Date): string {
  return made.toISOString().replace(/:/g, "").replace(/\.\d+/, "");
}

/** The time in the name of a folder, in milliseconds since 1970; `NaN` if there is none. */
export function dumpTime(folder: string): number {
  return Date.parse(`${TIME.exec(folder)?.slice(1).join(":")}Z`);
}

/** The complete dumps in a folder, newest first; none when there is no such folder. */
export async function dumpsIn(directory: string): Promise<readonly DumpManifest[]> {
  const names = await readdir(directory).catch(() => []);
  const folders = names.filter((name) => FOLDER.test(name)).sort();
  const read = await Promise.all(
    folders.reverse().map((folder) => jsonFile<DumpManifest>(join(directory, folder, MANIFEST))),
  );
  return read.filter((each) => each !== undefined);
}

/** The address of a file of a dump. */
export function dumpUrl(base: string, { folder }: DumpManifest, file: string): string {
  return `${base}/dumps/${folder}/${encodeURIComponent(file)}`;
}

/** A size such as `12.3 MB`. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
}
