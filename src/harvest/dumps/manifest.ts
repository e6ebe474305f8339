/** The manifest of a dump, and the list of dumps in a folder. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { jsonFile } from "../../base/json.js";
import { FORMATS, type FormatName } from "../../rdf/formats.js";
import type { EndpointKey, StoreStats } from "../../store/record.js";
import type { CollectionPartitions } from "../collection-counts.js";

/** The formats of records: those whose files can be cut and joined. */
export const RECORD_FORMATS = FORMATS.filter(({ isLines }) => isLines === true);

export interface DumpFile {
  /** Its name in the dump's folder. */
  readonly name: string;
  /** Whether it has all records or those of one endpoint; `none` are those that belong to no endpoint. */
  readonly of: EndpointKey | "all";
  readonly format: FormatName;
  readonly mediaType: string;
  /** As it lies there: gzipped. */
  readonly bytes: number;
  /** Hexadecimal, of the same. */
  readonly sha256: string;
  readonly records: number;
}

/** One dump: complete files of one state of the store. Times are ISO 8601. */
export interface DumpManifest
  extends CollectionPartitions,
    Pick<StoreStats, "records" | "triples" | "sequence" | "baseUrl"> {
  readonly folder: string;
  /** The collection's name in the names of the files. */
  readonly name: string;
  readonly made: string;
  /** The time of the last change that is in it. */
  readonly lastChange: string | null;
  /** Records that no document can express, and which the JSON lines lack. */
  readonly leftOut: readonly string[];
  readonly files: readonly DumpFile[];
}

/** The names of the files beside those with records. */
export const MANIFEST = "dump.json";
export const CHECKSUMS = "SHA256SUMS";

/** A dump's folder is called by the time when it was made, so that names sort as times do. */
const FOLDER = /^\d{4}-\d{2}-\d{2}T\d{6}Z$/;

/** The name of the folder of a dump that is made at a time. */
export function dumpFolder(made: Date): string {
  return made.toISOString().replace(/:/g, "").replace(/\.\d+/, "");
}

/** The dumps in a folder, the newest first; none where there is no such folder. What is not whole is none. */
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

/** `12.3 MB`. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
}
