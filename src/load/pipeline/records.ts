/** Records out of sources, whatever their formats: documents as they come, quads grouped by their named graphs. */
import type { Json, RecordGraph } from "../../rdf/record-graph.js";
import { type InputDocument, readJsonFile, readJsonLines } from "../read/json-documents.js";
import type { Source } from "../read/sources.js";
import { holdsQuads, type QuadOptions, readQuadRecords } from "./quad-records.js";

/** A record on its way into the store, and where it begins. */
export type LoadedRecord = { readonly source: string; readonly line: number } & (
  | { readonly document: Json }
  | { readonly graph: RecordGraph }
);

/**
 * The records of all sources, in batches as they come; some are empty and only tell that the reading goes on. First the
 * documents, then the quads. Throws `SyntaxProblem`, `InputError`, and an `AbortError` after `signal`.
 */
export async function* readRecords(
  sources: readonly Source[],
  options: QuadOptions,
): AsyncIterable<readonly LoadedRecord[]> {
  for (const source of sources.filter((candidate) => !holdsQuads(candidate))) {
    for await (const batch of readDocuments(source, options.signal)) {
      const documents = batch.filter(({ document }) => !isContextAlone(document));
      yield documents.map(({ document, line }) => ({ source: source.name, line, document }));
    }
  }
  const quads = sources.filter(holdsQuads);
  if (quads.length > 0) yield* readQuadRecords(quads, options);
}

async function* readDocuments(source: Source, signal: AbortSignal | undefined): AsyncIterable<InputDocument[]> {
  const bytes = source.open(signal);
  if (source.format === "jsonl" || source.format === "ndjson") yield* readJsonLines(bytes, source.name);
  else yield await readJsonFile(bytes, source.name);
}

/** A context document describes nothing: it lies among the records of many collections, and is none. */
function isContextAlone(document: Json): boolean {
  return (
    typeof document === "object" &&
    document !== null &&
    !Array.isArray(document) &&
    Object.keys(document).join() === "@context"
  );
}
