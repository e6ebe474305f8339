/** The pages of thousands of real records, and every value that a page lacks, shows by its address, or repeats. */
import { createReadStream, existsSync, readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Json, RecordGraph } from "../../../src/rdf/record-graph.js";
import { timesOf } from "../../extent.js";
import { reader } from "../../jsonld/documents.js";
import { randomFrom, seedOf } from "../../random.js";
import { wrongWith } from "./told.js";

const VOLUME = "../shared/volume";
const FILES = existsSync(VOLUME) ? readdirSync(VOLUME) : [];
const CORPUS = "../shared/corpus";
const DOCUMENTS = existsSync(CORPUS) ? readdirSync(CORPUS).filter((file) => file.endsWith(".jsonl")) : [];

/** One record in this many is tried. */
const SHARE = 20;

describe.skipIf(FILES.length === 0)("pages (skipped: ../shared/volume is not there)", () => {
  const random = randomFrom(seedOf("pages"));

  it.each(FILES)("show every value of the records of %s, once and by its name", async (file) => {
    const most = timesOf(2_000, 50);
    const lines = createInterface({ input: createReadStream(`${VOLUME}/${file}`).pipe(createGunzip()) });
    const wrong: string[] = [];
    let written = 0;
    for await (const line of lines) {
      if (random() * SHARE >= 1) continue;
      wrong.push(...wrongWith((await reader.read(JSON.parse(line) as Json)).graph));
      if (++written === most) break;
    }
    lines.close();
    console.log(`pages: ${file}, ${written} written`);
    expect(wrong).toEqual([]);
  });
});

describe.skipIf(DOCUMENTS.length === 0)("pages (skipped: ../shared/corpus is not there)", () => {
  it.each(DOCUMENTS)("show every value of all records of %s that can be loaded", async (file) => {
    const lines = createInterface({ input: createReadStream(`${CORPUS}/${file}`) });
    const wrong: string[] = [];
    let [written, refused] = [0, 0];
    for await (const line of lines) {
      let graph: RecordGraph;
      try {
        graph = (await reader.read(JSON.parse(line) as Json)).graph;
      } catch {
        // A document that cannot be loaded has no page.
        refused++;
        continue;
      }
      wrong.push(...wrongWith(graph));
      written++;
    }
    console.log(`pages: ${file}, ${written} written, ${refused} refused`);
    expect(written).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
  });
});
