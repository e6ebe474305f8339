/** Writes a dump: complete files of one state of a store, whole and per endpoint, in one walk over its records. */
import { existsSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UnknownContextError } from "../../jsonld/contexts.js";
import type { DocumentWriter } from "../../jsonld/documents.js";
import { UnwritableError } from "../../jsonld/frame.js";
import { EXPORT_BEGINS, exportEnds } from "../../rdf/export-marks.js";
import type { RecordGraph } from "../../rdf/record-graph.js";
import type { Archive, ArchivedRecord, EndpointKey } from "../../store/store.js";
import { PartitionCounter } from "../partitions.js";
import { GzipFile } from "./gzip-file.js";
import {
  CHECKSUMS,
  type DumpFile,
  type DumpFormat,
  type DumpManifest,
  dumpFolder,
  MANIFEST,
  RECORD_FORMATS,
} from "./manifest.js";

export interface DumpOptions {
  /** The folder of all dumps; each has one of its own in it. */
  readonly directory: string;
  /** What the collection is called in the names of the files. */
  readonly name: string;
  readonly formats: readonly (keyof typeof RECORD_FORMATS)[];
  /** Writes the JSON lines. */
  readonly documents: DocumentWriter;
  readonly made: Date;
  readonly signal: AbortSignal;
  /** Told of each record that no document can tell. */
  onLeftOut(iri: string, problem: string): void;
}

/** The folder of a dump that is not whole yet; the next dump removes it. */
const UNFINISHED = ".unfinished-";

/** What is read of a file at a time when files are joined. */
const CHUNK = 2 ** 20;

/**
 * Write a dump of an archive. Its folder appears when all of it is on disk, and not at all when it fails. Rejects with the signal's reason,
 * `RecordDamagedError`, and what the system says of a full disk.
 */
export async function writeDump(archive: Archive, options: DumpOptions): Promise<DumpManifest> {
  const { directory } = options;
  await mkdir(directory, { recursive: true });
  for (const name of await readdir(directory)) {
    if (name.startsWith(UNFINISHED)) await rm(join(directory, name), { recursive: true, force: true });
  }
  // Folders are called by seconds.
  let { made } = options;
  while (existsSync(join(directory, dumpFolder(made)))) made = new Date(made.getTime() + 1_000);
  const folder = dumpFolder(made);
  const unfinished = join(directory, `${UNFINISHED}${folder}`);
  await mkdir(unfinished);
  try {
    const manifest = await new DumpWriter(archive, { ...options, made }, unfinished).write(folder);
    await rename(unfinished, join(directory, folder));
    return manifest;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

/** The files of one endpoint. */
interface Part {
  readonly of: EndpointKey;
  readonly files: ReadonlyMap<DumpFormat, GzipFile>;
  /** Bytes of the first member, which begins a file of quads and not what files are joined of. */
  readonly heads: ReadonlyMap<DumpFormat, number>;
  records: number;
  documents: number;
}

class DumpWriter {
  readonly #archive: Archive;
  readonly #options: DumpOptions;
  readonly #folder: string;
  readonly #date: string;
  readonly #parts = new Map<EndpointKey, Part>();
  readonly #counter = new PartitionCounter();
  readonly #leftOut: string[] = [];
  #records = 0;

  constructor(archive: Archive, options: DumpOptions, folder: string) {
    this.#archive = archive;
    this.#options = options;
    this.#folder = folder;
    this.#date = options.made.toISOString().slice(0, 10);
  }

  async write(folder: string): Promise<DumpManifest> {
    const { name, made, formats } = this.#options;
    for (const record of this.#archive.records()) {
      this.#options.signal.throwIfAborted();
      // Most of the time there is room at once, and to wait for nothing two hundred thousand times adds up.
      const of = record.endpoint ?? "none";
      const isFull = this.#add(record, this.#parts.get(of) ?? (await this.#begin(of)));
      if (isFull !== undefined) await isFull;
    }
    const files: DumpFile[] = [];
    for (const format of formats) files.push(...(await this.#endFormat(format)));
    files.push(await this.#ledger());
    const { sequence, lastChange, baseUrl, records, triples } = this.#archive.stats;
    const manifest: DumpManifest = {
      folder,
      name,
      made: made.toISOString(),
      sequence,
      lastChange: lastChange === null ? null : new Date(lastChange).toISOString(),
      baseUrl,
      records,
      triples,
      leftOut: this.#leftOut,
      files,
      ...this.#counter.partitions,
    };
    const sums = files.map((file) => `${file.sha256}  ${file.name}\n`).join("");
    await writeFile(join(this.#folder, CHECKSUMS), sums, { flush: true });
    await writeFile(join(this.#folder, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`, { flush: true });
    return manifest;
  }

  /** Where there is a promise, the files have room for more when it resolves. */
  #add(record: ArchivedRecord, part: Part): Promise<unknown> | undefined {
    const { files } = part;
    this.#counter.addArchived(record);
    // In a file of quads a label means one node in all graphs, so each record gets labels of its own.
    const labels = `r${this.#records}b`;
    part.records++;
    this.#records++;
    const waiting = [
      files.get("nq")?.add(record.lines("nq", labels)),
      files.get("nt")?.add(record.lines("nt", labels)),
      files.get("ledger")!.add(`${JSON.stringify(record.entry)}\n`),
      files.has("jsonl") ? this.#addDocument(record.graph(), part) : undefined,
    ].filter((each) => each !== undefined);
    return waiting.length === 0 ? undefined : Promise.all(waiting);
  }

  async #addDocument(graph: RecordGraph, part: Part): Promise<void> {
    const line = await this.#documentLine(graph);
    if (line === "") return;
    part.documents++;
    await part.files.get("jsonl")!.add(line);
  }

  async #begin(of: EndpointKey): Promise<Part> {
    const files = new Map<DumpFormat, GzipFile>();
    const heads = new Map<DumpFormat, number>();
    for (const format of [...this.#options.formats, "ledger"] as const) {
      const file = await GzipFile.create(join(this.#folder, this.#nameOf(of, format)));
      if (format === "nq") {
        await file.add(EXPORT_BEGINS);
        await file.flush();
      }
      files.set(format, file);
      heads.set(format, file.bytes);
    }
    const part = { of, files, heads, records: 0, documents: 0 };
    this.#parts.set(of, part);
    return part;
  }

  /** A record that no document can tell is passed over. */
  async #documentLine(graph: RecordGraph): Promise<string> {
    try {
      return `${JSON.stringify(await this.#options.documents.document(graph))}\n`;
    } catch (error) {
      if (!(error instanceof UnwritableError || error instanceof UnknownContextError)) throw error;
      this.#leftOut.push(graph.iri);
      this.#options.onLeftOut(graph.iri, error.message);
      return "";
    }
  }

  /** End the files of a format, and join them to the one with all records. */
  async #endFormat(format: keyof typeof RECORD_FORMATS): Promise<DumpFile[]> {
    const name = this.#nameOf("all", format);
    const all = await GzipFile.create(join(this.#folder, name));
    if (format === "nq") await all.add(EXPORT_BEGINS);
    const files: DumpFile[] = [];
    const total = { records: 0 };
    for (const { of, files: ofPart, heads, records, documents } of this.#parts.values()) {
      const file = ofPart.get(format)!;
      await file.flush();
      await this.#append(all, file.path, heads.get(format)!);
      if (format === "nq") await file.add(exportEnds(records));
      const sha256 = await file.close();
      const held = format === "jsonl" ? documents : records;
      total.records += held;
      const { bytes } = file;
      files.push({
        name: this.#nameOf(of, format),
        of,
        format,
        mediaType: RECORD_FORMATS[format],
        bytes,
        sha256,
        records: held,
      });
    }
    if (format === "nq") await all.add(exportEnds(total.records));
    const sha256 = await all.close();
    return [
      { name, of: "all", format, mediaType: RECORD_FORMATS[format], bytes: all.bytes, sha256, ...total },
      ...files,
    ];
  }

  /** Make the ledger of the lines that were written with the records, and those around them. */
  async #ledger(): Promise<DumpFile> {
    const name = this.#nameOf("all", "ledger");
    const ledger = await GzipFile.create(join(this.#folder, name));
    // How many lines there are is told by the archive at the end, so that these count, too.
    for (const entry of this.#archive.head()) await ledger.add(`${JSON.stringify(entry)}\n`);
    for (const { files } of this.#parts.values()) {
      const file = files.get("ledger")!;
      await file.close();
      await this.#append(ledger, file.path, 0);
      await rm(file.path);
    }
    for (const entry of this.#archive.tail()) await ledger.add(`${JSON.stringify(entry)}\n`);
    const sha256 = await ledger.close();
    const mediaType = "application/x-ndjson";
    return { name, of: "all", format: "ledger", mediaType, bytes: ledger.bytes, sha256, records: this.#records };
  }

  /** Append a file's members, from an offset on, to another. */
  async #append(to: GzipFile, path: string, from: number): Promise<void> {
    const handle = await open(path, "r");
    try {
      for (let at = from; ; ) {
        this.#options.signal.throwIfAborted();
        const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, at);
        if (bytesRead === 0) return;
        await to.addCompressed(buffer.subarray(0, bytesRead));
        at += bytesRead;
      }
    } finally {
      await handle.close();
    }
  }

  #nameOf(of: EndpointKey | "all", format: DumpFormat): string {
    const { name } = this.#options;
    return format === "ledger"
      ? `${name}-${of}-${this.#date}.ledger.jsonl.gz`
      : `${name}-${of}-${this.#date}.${format}.gz`;
  }
}
