/** Writes the sample collection as one N-Quads file for the default base URL: `npm run data`. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DocumentReader, documentSettings } from "../src/jsonld/documents.js";
import { DEFAULT_MODEL } from "../src/model/settings.js";
import { writeNQuads } from "../src/rdf/ntriples/writer.js";
import type { Json } from "../src/rdf/record-graph.js";

const BASE = "http://localhost:3000/";
const RECORDS = "data/records";
const QUADS = "data/sample.nq";

/** Write the collection to a file; resolves to how many records it has. */
export async function writeSample(path: string): Promise<number> {
  const reader = new DocumentReader(documentSettings(DEFAULT_MODEL, [], BASE));
  const files = readdirSync(RECORDS, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));
  let quads = "";
  for (const [index, file] of files.sort().entries()) {
    const { graph } = await reader.read(JSON.parse(readFileSync(`${RECORDS}/${file}`, "utf8")) as Json);
    // A blank node label means one node in the whole file, so each record has labels of its own.
    quads += writeNQuads(graph, `r${index}b`);
  }
  writeFileSync(path, quads);
  return files.length;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.error(`${await writeSample(QUADS)} records in ${QUADS}`);
