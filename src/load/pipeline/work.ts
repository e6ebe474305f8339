/** Turns a piece of input into batches of records, examined and encoded for the store. Runs in a thread of the pool or, for small inputs, in the main thread. */
import { readFile, rm } from "node:fs/promises";
import { joinedBytes, withMoved } from "../../base/worker-client.js";
import { writeJson } from "../../jsonld/native.js";
import { shapeIri } from "../../model/rules/shapes.js";
import { type RecordGraph, tripleCount } from "../../rdf/record-graph.js";
import { textHash } from "../../rdf/text-hash.js";
import { RecordTooLargeError, UnstorableRecordError } from "../../store/errors.js";
import { recordEncoder } from "../../store/open.js";
import type { EncodedRecords } from "../../store/writable-store.js";
import { isValid, type RecordResults, type Result, resultWithoutShape } from "../../validate/results.js";
import { InputError } from "../errors.js";
import type { GroupedEntries } from "../group/group.js";
import { groupedRecords } from "../group/grouped-records.js";
import { type InputLimits, MAX_GRAPH_BYTES } from "../limits.js";
import { documentsOf } from "../read/json-documents.js";
import type { JsonTexts } from "../read/json-texts.js";
import { formatOf } from "../read/sources.js";
import { type Examined, Examiner, type ExaminerSettings, type LoadedRecord } from "./examine.js";
import { type HoldRule, holder } from "./hold.js";

/** A piece of the input, made of whole records. */
export type InputChunk = JsonTexts | GroupedEntries;

/** What happens to records with violations: they are left out, they are loaded, or nothing is loaded. */
export type OnInvalid = "refuse" | "accept" | "abort";

export interface StagingSettings {
  readonly onInvalid: OnInvalid;
  /** Whether the order of triples counts when a record read from quads is compared with the stored one. */
  readonly ordered?: boolean | undefined;
  /** Which records are held. A rule does not hold records that were released since. Default: none. */
  readonly hold?: readonly HoldRule[] | undefined;
}

/** The settings of work, as data that can be sent to other threads. */
export interface WorkSettings {
  readonly examining: ExaminerSettings;
  /** Without these, records are only examined. */
  readonly staging?: StagingSettings | undefined;
  /** Whether records without results are listed, too. */
  readonly namesAll: boolean;
  /** The name of the format in which commands that copy the input write records out again. A file of it must hold many records. */
  readonly writes?: string | undefined;
  readonly limits: InputLimits;
}

/** The counts from which those of a batch, or of a whole input, begin. */
export const NO_RECORDS = {
  /** Records read, the refused ones included. */
  records: 0,
  triples: 0,
  refused: 0,
  /** Records with a violation, the refused ones included. */
  invalid: 0,
  /** Keys beginning with `_` that no context defines, such as `_links`. They are not part of any record. */
  droppedKeys: 0,
  /** Records whose class belongs to no endpoint, without the refused ones. */
  withoutEndpoint: 0,
  /** Records whose IRIs would lie under the base URL with the other scheme: http and https are different addresses. */
  otherScheme: 0,
};

export type RecordCounts = Readonly<typeof NO_RECORDS>;

interface FoundRecord extends RecordResults {
  readonly isRefused: boolean;
  /** The record, after any mending, as it is written out again. */
  readonly written?: string;
}

/** An IRI that several documents give their entity, and their number; only the last document is loaded. */
interface SharedIri {
  readonly iri: string;
  readonly documents: number;
}

/** Records in input order. */
export interface Batch {
  readonly counts: RecordCounts;
  readonly found: readonly FoundRecord[];
  /** Triples that belong to no record, as N-Triples, for a copy. */
  readonly strays?: string;
  /** The IRIs that several documents of the batch share. */
  readonly shared?: readonly SharedIri[];
  /** The IRIs of the records that several inputs of quads describe. */
  readonly merged?: readonly string[];
  /** The hashes of the records' IRIs, by which repeated IRIs are counted; absent when records are staged, since the store knows them. */
  readonly keys?: Float64Array;
  /** The records that were not refused, encoded for the store; absent when nothing is staged. */
  readonly encoded?: EncodedRecords;
}

export class Work {
  readonly #encoder;
  readonly #hold: ReturnType<typeof holder> | undefined;

  private constructor(
    private readonly settings: WorkSettings,
    private readonly examiner: Examiner,
  ) {
    this.#encoder = recordEncoder(settings.limits.recordBytes);
    this.#hold = settings.staging?.hold && holder(settings.staging.hold);
  }

  /** Rejects as `Examiner.make` does. */
  static async make(settings: WorkSettings): Promise<Work> {
    return new Work(settings, await Examiner.make(settings.examining, settings.limits));
  }

  /** Throws `SyntaxProblem`, `InputError`, and what reading a temporary file throws. */
  async *batches(piece: InputChunk): AsyncIterable<Batch> {
    for (const records of await this.#read(piece)) yield this.#batch(records);
  }

  #batch(read: readonly LoadedRecord[]): Batch {
    const counts = { ...NO_RECORDS };
    const { writes, namesAll } = this.settings;
    const other = otherSchemeOf(this.settings.examining.baseUrl);
    const found: FoundRecord[] = [];
    const documents = new Map<string, number>();
    const keys: number[] = [];
    const merged: string[] = [];
    for (const loaded of read) {
      const record = this.examiner.examine(loaded);
      const problem = this.#stage(record);
      const results = problem instanceof Object ? [...record.results, problem] : record.results;
      const isRefused = problem !== undefined;
      counts.records++;
      if ("graph" in loaded && loaded.isMerged) merged.push(loaded.graph.iri);
      if (record.iri !== null) {
        documents.set(record.iri, (documents.get(record.iri) ?? 0) + 1);
        const { a, b } = textHash(record.iri);
        // The first 53 bits of the hash.
        keys.push(a * 2 ** 21 + (b >>> 11));
      }
      if (record.graph !== undefined) counts.triples += tripleCount(record.graph);
      counts.droppedKeys += record.droppedKeys;
      if (other !== undefined && record.iri?.startsWith(other)) counts.otherScheme++;
      if (!isValid(results)) counts.invalid++;
      if (isRefused) counts.refused++;
      else if (record.endpoint === null) counts.withoutEndpoint++;
      if (results.length > 0 || record.changes !== undefined || namesAll) {
        const { iri, endpoint, label, identifiers, source, changes, mendable } = record;
        const mending = { ...(changes && { changes }), ...(mendable && { mendable }) };
        const again = writes === undefined ? {} : { written: writtenAgain(loaded, record, writes) };
        found.push({ iri, endpoint, label, identifiers, source, results, isRefused, ...mending, ...again });
      }
    }
    const encoded = this.#encoder.take();
    const shared = [...documents].flatMap(([iri, documents]) => (documents > 1 ? [{ iri, documents }] : []));
    const more = this.settings.staging === undefined ? { keys: Float64Array.from(keys) } : { encoded };
    return withMoved({ counts, found, shared, merged, ...more }, encoded.bytes);
  }

  async #read(piece: InputChunk): Promise<Iterable<readonly LoadedRecord[]>> {
    if (piece.kind === "json") return [documentsOf(piece)];
    const { entries, inputs, size } = piece;
    const bytes = typeof entries === "string" ? await readFile(entries) : Buffer.from(entries.buffer);
    if (typeof entries === "string") await rm(entries);
    const limits = { graphBytes: MAX_GRAPH_BYTES, recordTriples: this.settings.limits.recordTriples };
    return groupedRecords(bytes, inputs, limits, size - bytes.length);
  }

  /** Encode a record for the store. Returns `undefined`, or why it is refused: `found` for its own results, or a further result. */
  #stage({ graph, endpoint, label, results }: Examined): Result | "found" | undefined {
    const { staging } = this.settings;
    const valid = isValid(results);
    if (graph === undefined || (!valid && staging?.onInvalid !== "accept")) return "found";
    // A record that is not staged is encoded only to see whether it could be stored.
    if (staging === undefined && mostBytes(graph) < this.settings.limits.recordBytes) return undefined;
    try {
      // The order in a document is intended, the order of quads is accidental.
      const unordered = graph.context === undefined && staging?.ordered !== true;
      const hold = this.#hold?.(graph, endpoint);
      this.#encoder.add({ graph, endpoint, label, valid, unordered, ...(hold && { hold }) });
      return undefined;
    } catch (error) {
      if (!(error instanceof UnstorableRecordError)) throw error;
      const rule = error instanceof RecordTooLargeError ? "record.limit" : "record.document";
      return resultWithoutShape(rule, "Violation", "", `the record ${error.problem}`);
    }
  }
}

/** A base URL with http instead of https, or https instead of http. */
export function otherSchemeOf(baseUrl: string | undefined): string | undefined {
  return baseUrl?.replace(/^http(s?):/, (_, s) => (s === "" ? "https:" : "http:"));
}

/** A record as it is written out again: unchanged unless it was mended. */
function writtenAgain(read: LoadedRecord, { changes, document, graph, results, source }: Examined, format: string) {
  if ("document" in read && changes === undefined) return read.text?.trim() ?? writeJson(read.document);
  if ("document" in read) return writeJson(document ?? read.document);
  const limit = results.find(({ rule }) => rule === shapeIri("record.limit"));
  // Only a part of it was read, which must not pass for the whole.
  if ("refusal" in read || limit !== undefined)
    throw new InputError(`${source}: mend cannot copy what is beyond a limit (docs/run/limits.md): ${limit?.message}`);
  const record = changes === undefined || graph === undefined ? read.graph : graph;
  const { a, b } = textHash(record.iri);
  return formatOf(format)!.writeAmong!(record, `r${a.toString(36)}${b.toString(36)}b`);
}

/** An upper bound for the bytes of a record in the store, whatever its texts. */
function mostBytes({ terms, triples, context }: RecordGraph): number {
  const texts = terms.reduce((sum, { value, datatype }) => sum + value.length + datatype.length, 0);
  const most = 3 * texts + 40 * terms.length + 40 * triples.length;
  return context === undefined ? most : most + 3 * JSON.stringify(context).length;
}

const MAX_IRIS = 10_000;

/** Counts the documents that share an IRI, and the records that inputs of quads share. A script that finds no identifiers gives many documents the same IRI, in most batches. */
export class SharedIris {
  readonly #documents = new Map<string, number>();
  readonly #keys: Float64Array[] = [];
  /** The number of records that several inputs of quads describe, and the first of them. */
  merged: { readonly iri: string; readonly records: number } | undefined;

  add({ shared = [], merged = [], keys }: Pick<Batch, "shared" | "merged" | "keys">): void {
    for (const iri of merged) this.merged = { iri: this.merged?.iri ?? iri, records: (this.merged?.records ?? 0) + 1 };
    if (keys !== undefined) this.#keys.push(keys);
    for (const { iri, documents } of shared) {
      const known = this.#documents.get(iri);
      if (known === undefined && this.#documents.size >= MAX_IRIS) continue;
      this.#documents.set(iri, (known ?? 0) + documents);
    }
  }

  /** The IRI that the most documents share, with a lower bound of their number. */
  get most(): SharedIri | undefined {
    let most: SharedIri | undefined;
    for (const [iri, documents] of this.#documents) if (documents > (most?.documents ?? 0)) most = { iri, documents };
    return most;
  }

  /** The number of IRIs that occur more than once in the whole input; 0 when batches have no keys. */
  get repeated(): number {
    const bytes = joinedBytes(this.#keys.map(({ buffer }) => new Uint8Array(buffer)));
    const keys = new Float64Array(bytes.buffer).sort();
    return keys.reduce((sum, key, at) => (key === keys[at - 1] && key !== keys[at - 2] ? sum + 1 : sum), 0);
  }
}
