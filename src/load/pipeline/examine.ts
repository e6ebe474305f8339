/** Examining: what is read becomes record graphs, described and validated. The one way to a record, for loading and for validating. */
import { documentSettings } from "../../jsonld/document-settings.js";
import { DocumentReader, DocumentWriter } from "../../jsonld/documents.js";
import { MAX_DEPTH } from "../../jsonld/expand.js";
import { UnwritableError } from "../../jsonld/frame.js";
import { DocumentError } from "../../jsonld/loss.js";
import type { ModelSettings } from "../../model/settings.js";
import type { Json, RecordGraph } from "../../rdf/record-graph.js";
import type { Staged } from "../../store/store.js";
import { lossResults } from "../../validate/document.js";
import { isValid, type RecordResults, type Result, resultWithoutShape } from "../../validate/results.js";
import type { ShapesFile } from "../../validate/shapes/shapes-graph.js";
import { Validator } from "../../validate/validator.js";
import type { Source } from "../read/sources.js";
import { describe, identifiersOf } from "./describe.js";
import type { QuadOptions, UnownedNode } from "./quad-records.js";
import { type LoadedRecord, readRecords } from "./records.js";

/** What examining depends on, as data that can go to other threads. */
export interface ExaminerSettings {
  readonly model: ModelSettings;
  /** Contexts besides the model's own, by URI. */
  readonly contexts: readonly (readonly [uri: string, context: Json])[];
  /** Relative ids are resolved against it. */
  readonly baseUrl?: string;
  /** What an institution has decided about rules. */
  readonly decisions: readonly string[];
  /** An institution's own shapes. */
  readonly shapes: readonly ShapesFile[];
}

/** What examines. */
export interface Examiner {
  readonly reader: DocumentReader;
  /** The documents of records must be writable too, or nobody could dereference them. */
  readonly writer: DocumentWriter;
  readonly validator: Validator;
  readonly vocabBase: string;
}

/** Make an examiner. Throws `SeverityError`, `SyntaxProblem`, `ShapesError`. */
export function makeExaminer({ model, contexts, baseUrl, decisions, shapes }: ExaminerSettings): Examiner {
  const documents = documentSettings(model, contexts, baseUrl);
  return {
    reader: new DocumentReader(documents),
    writer: new DocumentWriter(documents),
    validator: new Validator({ model, decisions, shapes }),
    vocabBase: model.vocabBase,
  };
}

/** A record that was examined. */
export interface Examined extends RecordResults {
  /** `undefined` when it could not be converted or named: such a record is refused whatever was decided. */
  readonly graph: RecordGraph | undefined;
  /** Keys beginning with `_` that no context defines, such as `_links`: no part of any record. */
  readonly droppedKeys: number;
}

/** Examine the records of all sources, in batches as they come. Throws what reading throws (`InputError`, `SyntaxProblem`). */
export async function* examineRecords(
  sources: readonly Source[],
  examiner: Examiner,
  options: QuadOptions,
): AsyncIterable<readonly Examined[]> {
  let unowned: Examined[] = [];
  const onUnowned = (node: UnownedNode): void => {
    unowned.push(examinedUnowned(node));
  };
  for await (const batch of readRecords(sources, { ...options, onUnowned })) {
    options.signal?.throwIfAborted();
    yield [...unowned, ...(await examineBatch(batch, examiner))];
    unowned = [];
  }
  if (unowned.length > 0) yield unowned;
}

/** Examine records that were read. */
export function examineBatch(batch: readonly LoadedRecord[], examiner: Examiner): Promise<Examined[]> {
  return Promise.all(batch.map((record) => examine(record, examiner)));
}

/** What becomes of records with violations: left out, loaded all the same, or nothing is loaded. */
export type OnInvalid = "refuse" | "accept" | "abort";

/** What decides how an examined record is staged. */
export interface StagingSettings {
  readonly onInvalid: OnInvalid;
  /** Whether triples of quads in another order make a record another. */
  readonly ordered: boolean;
}

/** An examined record as it is staged, or `undefined` for one that is refused. */
export function toStage({ graph, endpoint, label, results }: Examined, settings: StagingSettings): Staged | undefined {
  const valid = isValid(results);
  if (graph === undefined || (!valid && settings.onInvalid !== "accept")) return undefined;
  // Documents have an order, and quads have none but by chance.
  return { graph, endpoint, label, valid, unordered: graph.context === undefined && !settings.ordered };
}

function examinedUnowned({ source, line, node }: UnownedNode): Examined {
  const message = "is described by triples without a graph, but belongs to no record";
  const result = resultWithoutShape("input.owner", "Violation", "", message, node);
  const [, iri = null] = /^<(.*)>$/.exec(node) ?? [];
  return refused(`${source}:${line}`, iri, [result]);
}

async function examine(record: LoadedRecord, examiner: Examiner): Promise<Examined> {
  const { reader, writer, validator, vocabBase } = examiner;
  const source = `${record.source}:${record.line}`;
  const ofDocument = "document" in record ? validator.document(record.document) : [];
  try {
    const converted = "graph" in record ? { graph: record.graph, droppedKeys: 0 } : reader.read(record.document);
    const { graph, droppedKeys } = converted instanceof Promise ? await converted : converted;
    if (isSuspect(graph)) await writer.document(graph);
    const { endpoint, label } = describe(graph, vocabBase);
    const results = [...ofDocument, ...validator.record(graph, endpoint)];
    const identifiers = results.length === 0 ? [] : identifiersOf(graph);
    return { source, iri: graph.iri, endpoint, label, identifiers, results, graph, droppedKeys };
  } catch (error) {
    if (error instanceof DocumentError) {
      return refused(source, iriOf(record, reader), [...ofDocument, ...lossResults(error.losses)]);
    }
    if (error instanceof UnwritableError) {
      return refused(source, error.iri, [resultWithoutShape("record.document", "Violation", "", error.problem)]);
    }
    throw error;
  }
}

function refused(source: string, iri: string | null, results: readonly Result[]): Examined {
  return { source, iri, endpoint: null, label: "", identifiers: [], results, graph: undefined, droppedKeys: 0 };
}

/**
 * Whether a record might be loaded and never be dereferenced. Only a graph of more nodes than a document may have levels
 * can be nested too deep, and only an IRI of another scheme can be taken for a compact one, so only such are tried.
 */
function isSuspect({ terms }: RecordGraph): boolean {
  return (
    terms.length > MAX_DEPTH ||
    terms.some(({ termType, value }) => termType === "NamedNode" && !value.startsWith("http"))
  );
}

/** The record's IRI, or what stands in its place. */
function iriOf(record: LoadedRecord, reader: DocumentReader): string | null {
  if ("graph" in record) return record.graph.iri;
  const { document } = record;
  if (typeof document !== "object" || document === null || Array.isArray(document)) return null;
  const id = reader.iriOf(document) ?? document.id ?? document["@id"];
  return typeof id === "string" ? id : null;
}
