/** The documents that benchmarks use: the corpus beside the repository, or else the sample collection. */
import { createReadStream, existsSync, readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { ContextRegistry } from "../src/jsonld/contexts.js";
import { DocumentReader, DocumentWriter } from "../src/jsonld/documents.js";
import { DEFAULT_MODEL } from "../src/model/settings.js";
import { contextDocument } from "../src/model/vocabulary/context.js";
import type { Json } from "../src/rdf/record-graph.js";

export type JsonObject = { [key: string]: Json };

const CORPUS = "../shared/corpus";
export const VOLUME = "../shared/volume";
const SAMPLE = "data/records";

export const registry = new ContextRegistry();
registry.add(DEFAULT_MODEL.contextUri, contextDocument());

const settings: ConstructorParameters<typeof DocumentReader>[0] = {
  model: DEFAULT_MODEL,
  contexts: registry,
  baseUrl: "http://localhost:3000/",
};

export const reader = new DocumentReader(settings);
export const writer = new DocumentWriter(settings);

/** The real documents of the corpus, or else those of the sample, and their name for reports. */
export function corpus(): { name: string; documents: JsonObject[] } {
  if (!existsSync(CORPUS)) return { name: SAMPLE, documents: sample() };
  const files = ["official.jsonl", "museums.jsonl"];
  const lines = files.flatMap((file) => readFileSync(`${CORPUS}/${file}`, "utf8").trimEnd().split("\n"));
  return { name: files.join(", "), documents: lines.map((line) => JSON.parse(line) as JsonObject) };
}

export function sample(): JsonObject[] {
  const files = readdirSync(SAMPLE, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));
  return files.map((file) => JSON.parse(readFileSync(`${SAMPLE}/${file}`, "utf8")) as JsonObject);
}

/** As many different documents: from the volume, or else copies of the sample under new ids. */
export async function many(count: number): Promise<JsonObject[]> {
  const documents: JsonObject[] = [];
  if (existsSync(VOLUME)) {
    for (const file of readdirSync(VOLUME)) {
      const lines = createInterface({ input: createReadStream(`${VOLUME}/${file}`).pipe(createGunzip()) });
      for await (const line of lines) {
        if (documents.length < count && line.length > 0) documents.push(JSON.parse(line) as JsonObject);
      }
    }
    return documents;
  }
  const originals = sample();
  for (let at = 0; at < count; at++) {
    const original = originals[at % originals.length]!;
    documents.push({ ...original, id: `${String(original.id)}-${at}` });
  }
  return documents;
}

/** The documents of the volume, one a line, or those of the sample if there is no volume. */
export async function* documentLines(): AsyncIterable<string> {
  if (!existsSync(VOLUME)) {
    for (const document of sample()) yield JSON.stringify(document);
    return;
  }
  for (const file of readdirSync(VOLUME)) {
    yield* createInterface({ input: createReadStream(`${VOLUME}/${file}`).pipe(createGunzip()) });
  }
}
