/** Writes the pages of thousands of real records, and names every value that is missing from one. */
import { createReadStream, existsSync, readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/rdf/record-graph.js";
import { timesOf } from "../../extent.js";
import { reader } from "../../jsonld/documents.js";
import { missingFrom, pageOf } from "./told.js";

const VOLUME = "../shared/volume";
const FILES = existsSync(VOLUME) ? readdirSync(VOLUME) : [];

describe.skipIf(FILES.length === 0)("pages (skipped: ../shared/volume is not there)", () => {
  it.each(FILES)("tell every value of the records of %s", async (file) => {
    const most = timesOf(5_000, 100);
    const lines = createInterface({ input: createReadStream(`${VOLUME}/${file}`).pipe(createGunzip()) });
    const lacking: string[] = [];
    let [written, largest] = [0, 0];
    for await (const line of lines) {
      const { graph } = await reader.read(JSON.parse(line) as Json);
      const page = pageOf(graph);
      largest = Math.max(largest, page.length);
      lacking.push(...missingFrom(page, graph).map((missing) => `${graph.iri} lacks ${missing}`));
      if (++written === most) break;
    }
    lines.close();
    console.log(`pages: ${file}, ${written} written, the largest of ${largest} characters`);
    expect(lacking).toEqual([]);
  });
});
