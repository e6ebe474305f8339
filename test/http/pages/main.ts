/** Writes the pages of thousands of real records and names every value that is missing from one: `npm run pages [COUNT]`, of each file. */
import { createReadStream, existsSync, readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import type { Json } from "../../../src/rdf/record-graph.js";
import { reader } from "../../jsonld/documents.js";
import { missingFrom, pageOf } from "./told.js";

const VOLUME = "../shared/volume";
const count = Number(process.argv[2] ?? 5_000);
if (!existsSync(VOLUME)) {
  console.error(`The records are not at ${VOLUME}: nothing to write.`);
  process.exit(2);
}
let failures = 0;
for (const file of readdirSync(VOLUME)) {
  const lines = createInterface({ input: createReadStream(`${VOLUME}/${file}`).pipe(createGunzip()) });
  let written = 0;
  let largest = 0;
  for await (const line of lines) {
    const { graph } = await reader.read(JSON.parse(line) as Json);
    const page = pageOf(graph);
    largest = Math.max(largest, page.length);
    for (const missing of missingFrom(page, graph)) {
      failures++;
      console.log(`  ${graph.iri} lacks ${missing}`);
    }
    if (++written === count) break;
  }
  lines.close();
  console.log(`${file}: ${written} pages, the largest of ${largest} characters`);
}
console.log(failures === 0 ? "No value is missing." : `${failures} values are missing.`);
process.exit(failures === 0 ? 0 : 1);
