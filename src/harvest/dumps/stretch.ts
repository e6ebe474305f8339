/** Writes stretches of an archive in the formats of a dump: what a thread does, or the command itself where there is little. */
import { UnknownContextError } from "../../jsonld/contexts.js";
import { documentSettings } from "../../jsonld/document-settings.js";
import { DocumentWriter } from "../../jsonld/documents.js";
import { UnwritableError } from "../../jsonld/frame.js";
import type { ModelSettings } from "../../model/settings.js";
import type { FormatName } from "../../rdf/formats.js";
import type { Json, RecordGraph } from "../../rdf/record-graph.js";
import type { Archive, ArchivedRecord, Stretch } from "../../store/snapshots.js";
import type { EndpointKey } from "../../store/store.js";
import { PartitionCounter, type Partitions } from "../partitions.js";
import { type GzipMember, GzipMembers } from "./gzip-file.js";
import { type DumpFormat, RECORD_FORMATS } from "./manifest.js";

/** How records are written, as data that can go to other threads. */
export interface WritingSettings {
  readonly formats: readonly FormatName[];
  readonly model: ModelSettings;
  /** Contexts that records may have, by URI. */
  readonly contexts: readonly (readonly [uri: string, context: Json])[];
}

/** Part of a file. */
export interface WrittenMember extends GzipMember {
  /** The endpoint of the records; `undefined` for changes. */
  readonly of: EndpointKey | undefined;
  readonly format: DumpFormat;
}

/** What becomes of a stretch. */
export interface WrittenStretch {
  /** Those of records stand in the same order in each format. */
  readonly members: readonly WrittenMember[];
  readonly partitions: Partitions;
  /** Records that no document can tell. */
  readonly leftOut: readonly { readonly iri: string; readonly problem: string }[];
}

/** What is being written of an endpoint's records. */
type Formats = ReadonlyMap<DumpFormat, GzipMembers>;

/** Writes one stretch after the other. */
export class StretchWriter {
  readonly #settings: WritingSettings;
  readonly #documents: DocumentWriter;
  readonly #endpoints = new Map<EndpointKey, Formats>();
  readonly #changes = new GzipMembers();
  #leftOut: { iri: string; problem: string }[] = [];

  constructor(settings: WritingSettings) {
    this.#settings = settings;
    this.#documents = new DocumentWriter(documentSettings(settings.model, settings.contexts), { exactNumbers: true });
  }

  /** Throws `RecordDamagedError`, `TableDamagedError`, `EntryDamagedError`. */
  write(archive: Archive, stretch: Stretch): WrittenStretch {
    const counter = new PartitionCounter();
    if (stretch.of === "changes") {
      for (const entry of archive.changes(stretch)) this.#changes.add(`${JSON.stringify(entry)}\n`);
    } else {
      for (const record of archive.records(stretch)) {
        counter.add(record.graph);
        this.#add(record);
      }
    }
    const leftOut = this.#leftOut;
    this.#leftOut = [];
    return { members: [...this.#take()], partitions: counter.partitions, leftOut };
  }

  #add({ endpoint, number, graph, entry }: ArchivedRecord): void {
    const files = this.#formatsOf(endpoint ?? "none");
    // In a file of quads a label means one node in all graphs, so each record gets labels of its own.
    const labels = `r${number}b`;
    for (const { name, writeAmong } of RECORD_FORMATS) {
      if (writeAmong !== undefined) files.get(name)?.add(writeAmong(graph, labels));
    }
    files.get("ledger")!.add(`${JSON.stringify(entry)}\n`);
    const documents = files.get("jsonl");
    if (documents !== undefined) this.#addDocument(graph, documents);
  }

  /** A record that no document can tell is passed over. */
  #addDocument(graph: RecordGraph, lines: GzipMembers): void {
    try {
      lines.add(`${JSON.stringify(this.#documents.document(graph))}\n`);
    } catch (error) {
      if (!(error instanceof UnwritableError || error instanceof UnknownContextError)) throw error;
      this.#leftOut.push({ iri: graph.iri, problem: error.message });
    }
  }

  #formatsOf(of: EndpointKey): Formats {
    let formats = this.#endpoints.get(of);
    if (formats === undefined) {
      formats = new Map([...this.#settings.formats, "ledger" as const].map((format) => [format, new GzipMembers()]));
      this.#endpoints.set(of, formats);
    }
    return formats;
  }

  *#take(): Iterable<WrittenMember> {
    for (const [of, formats] of this.#endpoints) {
      for (const [format, members] of formats) {
        for (const member of members.take()) yield { of, format, ...member };
      }
    }
    for (const member of this.#changes.take()) yield { of: undefined, format: "ledger", ...member };
  }
}
