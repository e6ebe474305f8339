/** Work: a piece of input becomes batches of records, examined and encoded for the store; in threads, or at once where there is little. */
import { readFile, rm } from "node:fs/promises";
import { writeJson } from "../../jsonld/native.js";
import { type RecordGraph, tripleCount } from "../../rdf/record-graph.js";
import { textHash } from "../../rdf/text-hash.js";
import { RecordTooLargeError, UnstorableRecordError } from "../../store/errors.js";
import { recordEncoder } from "../../store/open.js";
import type { EncodedRecords } from "../../store/writable-store.js";
import { isValid, type RecordResults, type Result, resultWithoutShape } from "../../validate/results.js";
import type { GroupedEntries } from "../group/group.js";
import { groupedRecords } from "../group/grouped-records.js";
import { type InputLimits, MAX_GRAPH_BYTES } from "../limits.js";
import { documentsOf } from "../read/json-documents.js";
import type { JsonTexts } from "../read/json-texts.js";
import { formatOf } from "../read/sources.js";
import {
  type Examined,
  type Examiner,
  type ExaminerSettings,
  examine,
  type LoadedRecord,
  makeExaminer,
} from "./examine.js";
import { type HoldRules, holder } from "./hold.js";

/** A piece of the input, of whole records. */
export type InputChunk = JsonTexts | GroupedEntries;

/** The treatment of records with violations: left out, loaded all the same, or nothing is loaded. */
export type OnInvalid = "refuse" | "accept" | "abort";

export interface StagingSettings {
  readonly onInvalid: OnInvalid;
  /** Whether triples of quads in another order make a record another. */
  readonly ordered?: boolean | undefined;
  /** Which records are held: a rule holds those that were not released since. Default: none. */
  readonly hold?: HoldRules | undefined;
}

/** The settings of work, as data that can go to other threads. */
export interface WorkSettings {
  readonly examining: ExaminerSettings;
  /** Without them records are examined and no more. */
  readonly staging?: StagingSettings | undefined;
  /** Whether records in which nothing was found are to be named, too. */
  readonly namesAll: boolean;
  /** The name of the format in which records are written down again, one of many that a file can hold, for those who copy the input. */
  readonly writes?: string | undefined;
  readonly limits: InputLimits;
}

/** How many of a batch, or of a whole input. */
export interface RecordCounts {
  /** Records read, the refused ones included. */
  readonly records: number;
  readonly triples: number;
  readonly refused: number;
  /** Records with a violation, the refused ones included. */
  readonly invalid: number;
  /** Keys beginning with `_` that no context defines, such as `_links`: no part of any record. */
  readonly droppedKeys: number;
  /** Records whose class belongs to no endpoint, without the refused ones. */
  readonly withoutEndpoint: number;
  /** Records whose IRIs lie under the base URL but for its scheme: http and https are two addresses. */
  readonly otherScheme: number;
}

export const NO_RECORDS: RecordCounts = {
  records: 0,
  triples: 0,
  refused: 0,
  invalid: 0,
  droppedKeys: 0,
  withoutEndpoint: 0,
  otherScheme: 0,
};

interface FoundRecord extends RecordResults {
  readonly isRefused: boolean;
  /** The record, mended where it was, as it is written down again. */
  readonly written?: string;
}

/** An IRI that so many documents give their entity: the last is taken. */
export interface SharedIri {
  readonly iri: string;
  readonly documents: number;
}

/** Records in input order. */
export interface Batch {
  readonly counts: RecordCounts;
  readonly found: readonly FoundRecord[];
  /** IRIs that several documents share, and how many. */
  readonly shared?: readonly SharedIri[];
  /** Numbers that stand for the IRIs of the records, by which those that come again are known; absent where the store knows them. */
  readonly keys?: Float64Array;
  /** Those that were not refused, in the form in which the store takes them; absent when nothing is staged. */
  readonly encoded?: EncodedRecords;
}

export class Work {
  readonly #settings: WorkSettings;
  readonly #examiner: Examiner;
  readonly #encoder;
  readonly #hold: ReturnType<typeof holder> | undefined;

  private constructor(settings: WorkSettings, examiner: Examiner) {
    this.#settings = settings;
    this.#examiner = examiner;
    this.#encoder = recordEncoder(settings.limits.recordBytes);
    this.#hold = settings.staging?.hold && holder(settings.staging.hold);
  }

  /** Rejects as `makeExaminer` does. */
  static async make(settings: WorkSettings): Promise<Work> {
    return new Work(settings, await makeExaminer(settings.examining, settings.limits));
  }

  /** Throws `SyntaxProblem`, `InputError`, and what reading a temporary file throws. */
  async *batches(piece: InputChunk): AsyncIterable<Batch> {
    for (const records of await this.#read(piece)) {
      const examined = records.map((record) => examine(record, this.#examiner));
      const { writes } = this.#settings;
      const written =
        writes === undefined ? [] : records.map((record, at) => writtenAgain(record, examined[at]!, writes));
      yield this.batch(examined, written);
    }
  }

  /** The batch of records that were examined, and written again where that is asked for. */
  batch(records: readonly Examined[], written: readonly string[] = []): Batch {
    const counts = { ...NO_RECORDS };
    const other = otherSchemeOf(this.#settings.examining.baseUrl);
    const found: FoundRecord[] = [];
    const documents = new Map<string, number>();
    const keys: number[] = [];
    for (const [at, record] of records.entries()) {
      const problem = this.#stage(record);
      const results = problem instanceof Object ? [...record.results, problem] : record.results;
      const isRefused = problem !== undefined;
      counts.records++;
      if (record.iri !== null) {
        documents.set(record.iri, (documents.get(record.iri) ?? 0) + 1);
        keys.push(keyOf(record.iri));
      }
      if (record.graph !== undefined) counts.triples += tripleCount(record.graph);
      counts.droppedKeys += record.droppedKeys;
      if (other !== undefined && record.iri?.startsWith(other)) counts.otherScheme++;
      if (!isValid(results)) counts.invalid++;
      if (isRefused) counts.refused++;
      else if (record.endpoint === null) counts.withoutEndpoint++;
      if (results.length > 0 || record.changes !== undefined || this.#settings.namesAll) {
        found.push({ ...withoutGraph(record, results, isRefused), ...some("written", written[at]) });
      }
    }
    const encoded = this.#encoder.take();
    const shared = [...documents].flatMap(([iri, documents]) => (documents > 1 ? [{ iri, documents }] : []));
    return {
      counts,
      found,
      ...(shared.length > 0 ? { shared } : {}),
      ...(this.#settings.staging === undefined ? { keys: Float64Array.from(keys) } : {}),
      ...(this.#settings.staging === undefined ? {} : { encoded }),
    };
  }

  async #read(piece: InputChunk): Promise<Iterable<readonly LoadedRecord[]>> {
    if (piece.kind === "json") return [documentsOf(piece)];
    const { entries, inputs, size } = piece;
    const bytes = typeof entries === "string" ? await readFile(entries) : Buffer.from(entries.buffer);
    if (typeof entries === "string") await rm(entries);
    const limits = { graphBytes: MAX_GRAPH_BYTES, recordTriples: this.#settings.limits.recordTriples };
    return groupedRecords(bytes, inputs, limits, size - bytes.length);
  }

  /** Encode a record for the store. `undefined` when all is well, else why it is refused: what was found, or what this adds to it. */
  #stage({ graph, endpoint, label, results }: Examined): Result | "found" | undefined {
    const { staging } = this.#settings;
    const valid = isValid(results);
    if (graph === undefined || (!valid && staging?.onInvalid !== "accept")) return "found";
    // A record that is not staged is only encoded to see whether it could be.
    if (staging === undefined && mostBytes(graph) < this.#settings.limits.recordBytes) return undefined;
    try {
      // Documents have an order, and quads have none but by chance.
      const unordered = graph.context === undefined && staging?.ordered !== true;
      this.#encoder.add({ graph, endpoint, label, valid, unordered, ...some("hold", this.#hold?.(graph, endpoint)) });
      return undefined;
    } catch (error) {
      if (!(error instanceof UnstorableRecordError)) throw error;
      const rule = error instanceof RecordTooLargeError ? "record.limit" : "record.document";
      return resultWithoutShape(rule, "Violation", "", `the record ${error.problem}`);
    }
  }
}

/** 53 bits of an IRI's hash. */
function keyOf(iri: string): number {
  const { a, b } = textHash(iri);
  return a * 2 ** 21 + (b >>> 11);
}

/** A base URL with http in place of https, or the other way around. */
export function otherSchemeOf(baseUrl: string | undefined): string | undefined {
  return baseUrl?.replace(/^http(s?):/, (_, s) => (s === "" ? "https:" : "http:"));
}

function withoutGraph(record: Examined, results: readonly Result[], isRefused: boolean): FoundRecord {
  const { iri, endpoint, label, identifiers, source, changes, mendable } = record;
  const more = { ...some("changes", changes), ...some("mendable", mendable) };
  return { iri, endpoint, label, identifiers, source, results, isRefused, ...more };
}

/** A member of an object, where there is a value for it. */
function some<Key extends string, Value>(key: Key, value: Value | undefined): { [key in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [key in Key]: Value });
}

/** A record as it is written down again: as it was read where nothing was mended. */
function writtenAgain(read: LoadedRecord, { changes, document, graph }: Examined, format: string): string {
  if ("document" in read) {
    if (changes === undefined) return read.text?.trim() ?? writeJson(read.document);
    return writeJson(document ?? read.document);
  }
  // A record that was too large to be read cannot be written either; it is reported.
  if ("refusal" in read) return "";
  const record = changes === undefined || graph === undefined ? read.graph : graph;
  const { a, b } = textHash(record.iri);
  return formatOf(format)!.writeAmong!(record, `r${a.toString(36)}${b.toString(36)}b`);
}

/** More bytes than a record can take in the store, whatever its texts. */
function mostBytes({ terms, triples, context }: RecordGraph): number {
  const texts = terms.reduce((sum, { value, datatype }) => sum + value.length + datatype.length, 0);
  const most = 3 * texts + 40 * terms.length + 40 * triples.length;
  return context === undefined ? most : most + 3 * JSON.stringify(context).length;
}

const MAX_IRIS = 10_000;

/**
 * Counts documents by the IRI that they share: a number that a script did not find makes one record of many. An IRI that many share is
 * shared within most batches, and the others cost nothing.
 */
export class SharedIris {
  readonly #documents = new Map<string, number>();
  readonly #keys: Float64Array[] = [];

  add({ shared = [], keys }: Pick<Batch, "shared" | "keys">): void {
    if (keys !== undefined) this.#keys.push(keys);
    for (const { iri, documents } of shared) {
      const known = this.#documents.get(iri);
      if (known === undefined && this.#documents.size >= MAX_IRIS) continue;
      this.#documents.set(iri, (known ?? 0) + documents);
    }
  }

  /** The one that the most documents share, and how many do at least. */
  get most(): SharedIri | undefined {
    let most: SharedIri | undefined;
    for (const [iri, documents] of this.#documents) if (documents > (most?.documents ?? 0)) most = { iri, documents };
    return most;
  }

  /** How many IRIs came more than once, wherever in the input; 0 where batches have no keys. */
  get repeated(): number {
    const keys = new Float64Array(this.#keys.reduce((sum, { length }) => sum + length, 0));
    let end = 0;
    for (const each of this.#keys) {
      keys.set(each, end);
      end += each.length;
    }
    keys.sort();
    return keys.reduce((sum, key, at) => (key === keys[at - 1] && key !== keys[at - 2] ? sum + 1 : sum), 0);
  }
}
