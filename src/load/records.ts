/** Records out of sources, whatever their formats: documents as they come, quads grouped by their named graphs. */
import type { Json, RecordGraph } from "../rdf/record-graph.js";
import { type InputDocument, readJsonFile, readJsonLines } from "./json-documents.js";
import type { Source } from "./sources.js";

/** A record on its way into the store, and where it begins. */
export type LoadedRecord = { readonly source: string; readonly line: number } & (
  | { readonly document: Json }
  | { readonly graph: RecordGraph }
);

/** The records of all sources, in batches as they come. */
export async function* readRecords(
  sources: readonly Source[],
  { signal }: { readonly signal: AbortSignal },
): AsyncIterable<LoadedRecord[]> {
  for (const source of sources) {
    const bytes = source.open(signal);
    const located = (batch: readonly InputDocument[]): LoadedRecord[] =>
      batch.map(({ document, line }) => ({ source: source.name, line, document }));
    if (source.format === "jsonl" || source.format === "ndjson") {
      for await (const batch of readJsonLines(bytes, source.name)) yield located(batch);
    } else {
      yield located(await readJsonFile(bytes, source.name));
    }
  }
}
