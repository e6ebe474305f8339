/** The writer of chunks: records of an archive in the formats of a dump, in a thread or, where there are few, in the command itself. */
import { entryOf } from "../../base/entries.js";
import { DocumentWriter, documentSettings } from "../../jsonld/documents.js";
import type { ModelSettings } from "../../model/settings.js";
import type { FormatName } from "../../rdf/formats.js";
import type { Json } from "../../rdf/record-graph.js";
import type { EndpointKey } from "../../store/record.js";
import type { Archive, ArchivedRecord, Chunk } from "../../store/snapshots.js";
import { PartitionCounter } from "../collection-counts.js";
import { GzipMembers } from "./gzip-file.js";
import { RECORD_FORMATS } from "./manifest.js";

/** How records are written, as data that can go to other threads. */
export interface WritingSettings {
  readonly formats: readonly FormatName[];
  readonly model: ModelSettings;
  /** Contexts that records may have, by URI. */
  readonly contexts: readonly (readonly [uri: string, context: Json])[];
}

export type WrittenChunk = ReturnType<ChunkWriter["write"]>;

export class ChunkWriter {
  readonly #documents: DocumentWriter;
  /** The files of each endpoint's records that are being written. */
  readonly #endpoints = new Map<EndpointKey, ReadonlyMap<FormatName, GzipMembers>>();
  /** Records that no document can express. */
  #leftOut: { iri: string; problem: string }[] = [];

  constructor(private readonly settings: WritingSettings) {
    this.#documents = new DocumentWriter(documentSettings(settings.model, settings.contexts), { exactNumbers: true });
  }

  /** Members come in the same order in each format. Throws `RecordDamagedError`, `TableDamagedError`. */
  write(archive: Archive, chunk: Chunk) {
    const counter = new PartitionCounter();
    for (const record of archive.records(chunk)) {
      counter.add(record.graph);
      this.#add(record);
    }
    const leftOut = this.#leftOut;
    this.#leftOut = [];
    return { members: [...this.#take()], partitions: counter.partitions, leftOut };
  }

  #add({ endpoint, number, graph }: ArchivedRecord): void {
    const { formats } = this.settings;
    const files = entryOf(
      this.#endpoints,
      endpoint ?? "none",
      () => new Map(formats.map((format) => [format, new GzipMembers()])),
    );
    // In a file of quads a label means one node in all graphs, so each record gets labels of its own.
    const labels = `r${number}b`;
    for (const { name, writeAmong } of RECORD_FORMATS) {
      if (writeAmong !== undefined) files.get(name)?.add(writeAmong(graph, labels));
    }
    const documents = files.get("jsonl");
    const leftOut = (problem: string): void => void this.#leftOut.push({ iri: graph.iri, problem });
    const document = documents && this.#documents.documentIfAny(graph, leftOut);
    if (document !== undefined) documents!.add(`${JSON.stringify(document)}\n`);
  }

  *#take() {
    for (const [of, formats] of this.#endpoints) {
      for (const [format, members] of formats) for (const member of members.take()) yield { of, format, ...member };
    }
  }
}
