/** Facets of thousands of real records, compared with the counts of SPARQL. Skipped if ../shared is absent. */
import { createReadStream, existsSync, readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { it, onTestFinished } from "vitest";
import { openSearchedForLoading } from "../../src/search/open.js";
import { IS_SHORT } from "../extent.js";
import { publishDocuments } from "../http/service.js";
import type { JsonObject } from "../jsonld/documents.js";
import { ABSENT } from "../model/corpus.js";
import { forAllAsync } from "../properties.js";
import { seedOf } from "../random.js";
import { temporaryFolder } from "../temporary-folder.js";
import { CountedBySparql } from "./counted-by-sparql.js";
import { expectCounts, queriesOf } from "./facet-cases.js";

const VOLUME = "../shared/volume";
const RECORDS = IS_SHORT ? 1_000 : 20_000;
const SEARCHES = IS_SHORT ? 20 : 100;

/** The same number of documents from each file. */
async function volume(): Promise<JsonObject[]> {
  const files = readdirSync(VOLUME);
  const documents: JsonObject[] = [];
  for (const [at, file] of files.entries()) {
    const most = Math.round((RECORDS * (at + 1)) / files.length);
    const input = createReadStream(`${VOLUME}/${file}`).pipe(createGunzip());
    for await (const line of createInterface({ input })) {
      if (documents.length >= most) break;
      documents.push(JSON.parse(line) as JsonObject);
    }
  }
  return documents;
}

it.skipIf(!existsSync(VOLUME))(`facets of museums' records have the counts of SPARQL ${ABSENT}`, async () => {
  await using store = await openSearchedForLoading({ directory: temporaryFolder(onTestFinished) });
  await publishDocuments(store, ...(await volume()));
  const { records } = await store.stats();
  const snapshot = store.snapshots.take();
  const sparql = new CountedBySparql(snapshot.records(() => {}));
  snapshot.close();
  let estimated = Number(await expectCounts(store.search, sparql, {}));
  await forAllAsync([await queriesOf(store.search)], { numRuns: SEARCHES, seed: seedOf("facets") }, async (query) => {
    estimated += Number(await expectCounts(store.search, sparql, query));
  });
  console.log(`facets: ${SEARCHES + 1} searches of ${records} records, ${estimated} of them estimated`);
});
