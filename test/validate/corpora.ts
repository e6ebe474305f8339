/** Records to validate: the sample, and real records if they are available. */
import { existsSync, readFileSync } from "node:fs";
import { DocumentError } from "../../src/jsonld/loss.js";
import { describe as describeRecord } from "../../src/load/pipeline/describe.js";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import type { EndpointName } from "../../src/model/tables/names.js";
import type { Json, RecordGraph } from "../../src/rdf/record-graph.js";
import { SAMPLE } from "../data/sample.js";
import { firstOfEach, shareOf } from "../extent.js";
import { readingAt } from "../jsonld/documents.js";

const FOLDER = "../shared/corpus";

export const BASE = "http://localhost:3000/";

export interface Corpus {
  readonly name: string;
  readonly isThere: boolean;
  records(): readonly Json[];
}

export const CORPORA: readonly Corpus[] = [
  { name: "the sample", isThere: true, records: () => [...SAMPLE.values()].map(({ document }) => document as Json) },
  ...["official", "museums", "messy"].map((name) => ({
    name: `${name}.jsonl`,
    isThere: existsSync(FOLDER),
    records: () => linesOf(`${FOLDER}/${name}.jsonl`),
  })),
];

function linesOf(file: string): readonly Json[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Json);
}

/** One record in ten, but at least one of each class; in a campaign, all. */
export function someOf(records: readonly Json[]): readonly Json[] {
  const classOf = (record: Json): string => JSON.stringify((record as { readonly type?: Json }).type);
  const some = new Set([...shareOf(records), ...firstOfEach(records, 1, classOf)]);
  return records.filter((record) => some.has(record));
}

const read = readingAt(BASE);

/** The graphs of the documents that can become records. */
export function* graphsOf(documents: readonly Json[]): Iterable<{ graph: RecordGraph; endpoint: EndpointName | null }> {
  for (const document of documents) {
    try {
      const graph = read(document);
      yield { graph, endpoint: describeRecord(graph, DEFAULT_MODEL.vocabBase).endpoint };
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
    }
  }
}
