/** The dump writer: complete files of one state of a store, as a whole and by endpoint, in one pass over its records. */
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../base/folders.js";
import { isAlive } from "../../base/living-process.js";
import { withPath } from "../../base/whole-file.js";
import type { FormatName } from "../../rdf/formats.js";
import { EXPORT_BEGINS, exportEnds } from "../../rdf/ntriples/writer.js";
import { type EndpointKey, isoTime } from "../../store/record.js";
import type { StoreWith } from "../../store/store.js";
import { PartitionCounter } from "../collection-counts.js";
import { beginWriting, type SnapshotWriting, type WritingSettings, type WrittenChunk } from "./chunks.js";
import { GzipFile, gzipMember } from "./gzip-file.js";
import { type DumpFile, type DumpManifest, dumpFolder, dumpTime, MANIFEST, RECORD_FORMATS } from "./manifest.js";

interface DumpOptions extends WritingSettings {
  /** Where threads open the store, so that all processors share the work; without it, this thread does it all. */
  readonly storeDirectory?: string;
  /** The folder of all dumps, in which each dump has its own folder. */
  readonly directory: string;
  /** The collection's name, as used in file names. */
  readonly name: string;
  readonly made: Date;
  readonly signal: AbortSignal;
  /** Called for each record that no document can express. */
  onLeftOut(iri: string, problem: string): void;
}

/** The file with the SHA-256 of the others, as `sha256sum --check` reads it. */
const CHECKSUMS = "SHA256SUMS";
/** The beginning of the name of an incomplete dump's folder. It ends with the number of the process that writes it. */
const UNFINISHED = ".unfinished-";

/** Write a dump of a store. Its folder appears when everything is on disk. Rejects with the signal's reason, `RecordDamagedError`, and system errors. */
export async function writeDump(store: StoreWith<"snapshots">, options: DumpOptions): Promise<DumpManifest> {
  const { directory } = options;
  await makeFolder(directory);
  const names = await readdir(directory);
  for (const name of names.filter(isAbandoned)) await rm(join(directory, name), { recursive: true, force: true });
  const made = laterThan(names, options.made);
  const folder = dumpFolder(made);
  const unfinished = join(directory, `${UNFINISHED}${folder}-${process.pid}`);
  await mkdir(unfinished);
  try {
    const { formats, model, contexts } = options;
    const writing = await beginWriting(store, { formats, model, contexts }, options.storeDirectory);
    const writer = new DumpWriter(writing, { ...options, made }, unfinished);
    const manifest = await writer.write(folder).finally(() => writing.close());
    await rename(unfinished, join(directory, folder));
    return manifest;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw withPath(error, directory);
  }
}

/** Whether a folder is of a dump whose process has ended. */
function isAbandoned(name: string): boolean {
  const [, pid] = /Z-(\d+)$/.exec(name) ?? [];
  const isOver = pid === undefined || Number(pid) === process.pid || !isAlive(Number(pid));
  return name.startsWith(UNFINISHED) && isOver;
}

/** A time whose folder sorts after all others. It may differ from now: folders are named to the second, and the clock may have been set back. */
function laterThan(names: readonly string[], time: Date): Date {
  const times = names.map(dumpTime).filter((each) => !Number.isNaN(each));
  return new Date(Math.max(time.getTime(), ...times.map((each) => each + 1_000)));
}

/** A file of the dump that is being written, with its contents. */
interface Written extends Pick<DumpFile, "of" | "format" | "name"> {
  readonly file: GzipFile;
}

class DumpWriter {
  readonly #files = new Map<string, Written>();
  readonly #counter = new PartitionCounter();
  readonly #leftOut: string[] = [];

  constructor(
    private readonly writing: SnapshotWriting,
    private readonly options: DumpOptions,
    private readonly folder: string,
  ) {}

  async write(folder: string): Promise<DumpManifest> {
    // The files of an endpoint begin with its first record.
    for (const format of this.options.formats) await this.#file("all", format);
    for await (const chunk of this.writing.written()) {
      this.options.signal.throwIfAborted();
      await this.#append(chunk);
    }
    const files = await this.#end();
    const manifest = this.#manifest(folder, files);
    const sums = files.map((file) => `${file.sha256}  ${file.name}\n`).join("");
    await writeFile(join(this.folder, CHECKSUMS), sums, { flush: true });
    await writeFile(join(this.folder, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`, { flush: true });
    return manifest;
  }

  async #append({ members, partitions, leftOut }: WrittenChunk): Promise<void> {
    for (const member of members) {
      const { of, format } = member;
      await (await this.#file("all", format)).file.append(member);
      // An endpoint has all its files, even when no document can express its records.
      for (const each of this.options.formats) await this.#file(of, each);
      await (await this.#file(of, format)).file.append(member);
    }
    this.#counter.addCounted(partitions);
    for (const { iri, problem } of leftOut) {
      this.#leftOut.push(iri);
      this.options.onLeftOut(iri, problem);
    }
  }

  /** End all files, sorted by format; in each format the file of all records comes first. */
  async #end(): Promise<readonly DumpFile[]> {
    const ended: DumpFile[] = [];
    for (const format of this.options.formats)
      for (const { file, ...about } of this.#files.values()) {
        if (about.format !== format) continue;
        const { entries: records } = file;
        if (format === "nq") await file.append(gzipMember(exportEnds(records)));
        const sha256 = await file.close();
        const { mediaType } = RECORD_FORMATS.find((each) => each.name === format)!;
        ended.push({ ...about, mediaType, bytes: file.bytes, sha256, records });
      }
    return ended;
  }

  #manifest(folder: string, files: readonly DumpFile[]): DumpManifest {
    const { name, made } = this.options;
    const { sequence, lastChange, baseUrl, records, triples } = this.writing.snapshot.stats;
    return {
      folder,
      name,
      made: made.toISOString(),
      sequence,
      lastChange: isoTime(lastChange),
      baseUrl,
      records,
      triples,
      leftOut: this.#leftOut,
      files,
      ...this.#counter.partitions,
    };
  }

  /** The file of a format, for all records or one endpoint; it is created on first use. */
  async #file(of: EndpointKey | "all", format: FormatName): Promise<Written> {
    const { name: collection, made } = this.options;
    const name = `${collection}-${of}-${made.toISOString().slice(0, 10)}.${format}.gz`;
    const known = this.#files.get(name);
    if (known !== undefined) return known;
    const begun = { name, of, format, file: new GzipFile(join(this.folder, name)) };
    this.#files.set(name, begun);
    if (format === "nq") await begun.file.append(gzipMember(EXPORT_BEGINS));
    return begun;
  }
}
