/** Virtuoso with faults during a thousand changes, in both forms, and as the source of every document of the corpus. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RecordGraph } from "../../../src/rdf/record-graph.js";
import { openStore } from "../../../src/store/open.js";
import { run } from "../../cli/run.js";
import { timesOf } from "../../extent.js";
import { seedOf } from "../../random.js";
import { difference, putAll, remoteStore } from "../../store/remote/published.js";
import { testStore } from "../records.js";
import { seeded } from "./changes.js";
import { isPutRight, staysEqual, withStore } from "./kept.js";
import { HAS_VIRTUOSO, startVirtuoso, type Virtuoso } from "./virtuoso.js";

const CORPUS = "../shared/corpus";
const HAS_CORPUS = existsSync(CORPUS);

/** Do work with a new engine: after faults, one may still run what a lost client had begun. */
async function withVirtuoso(work: (virtuoso: Virtuoso) => Promise<void>): Promise<void> {
  const virtuoso = await startVirtuoso(10_000);
  await using _ = { [Symbol.asyncDispose]: () => virtuoso.stop() };
  await work(virtuoso);
}

describe.skipIf(!HAS_VIRTUOSO)("Virtuoso (skipped: it is not installed)", () => {
  it.each(["merged", "records"] as const)("is repaired, and equals the records in the end (%s)", (graphs) =>
    withVirtuoso((virtuoso) =>
      withStore(virtuoso, graphs, async (store) => {
        await isPutRight(store, virtuoso, graphs);
        const random = seeded(String(seedOf(`engines, ${graphs}`)));
        let asked = 0;
        const { begun, faults, triples } = await staysEqual(store, virtuoso, graphs, {
          changes: timesOf(1_000, 100),
          random,
          restart: () => virtuoso.restart(),
          meanwhile: async () => {
            // Dereferencing reads the store, so it works whatever the engine does.
            await (await store.find(`http://data.example/record/${Math.floor(random() * 30)}`))?.record();
            asked++;
          },
        });
        const { sequence } = await store.stats();
        console.log(
          [
            `engines: ${graphs}, ${sequence} changes, ${triples} triples, follower started ${begun} times, ${asked} records read meanwhile`,
            `  faults: ${JSON.stringify(faults)}`,
          ].join("\n"),
        );
      }),
    ),
  );

  it.skipIf(!HAS_CORPUS)("gives back every document of the corpus (skipped: ../shared/corpus is not there)", () =>
    withVirtuoso(async ({ addresses }) => {
      const records = await corpus();
      await putAll(addresses, "records", records);
      const remote = remoteStore(addresses, "records");
      const counts = { none: 0, known: 0 };
      const others: string[] = [];
      for (const graph of records) {
        const found = await difference(remote, graph);
        if (found === "none" || found === "known") counts[found]++;
        else others.push(found);
      }
      await remote.close();
      console.log(
        `engines: ${records.length} records, ${counts.none} the same, ${counts.known} except for listed quirks, ${others.length} different`,
      );
      expect(others).toEqual([]);
    }),
  );
});

async function corpus(): Promise<RecordGraph[]> {
  const { directory, remove } = await testStore();
  await using _ = { [Symbol.asyncDispose]: () => remove() };
  const loaded = join(directory, "..", "corpus");
  const base = ["--base-url", "http://localhost:3000/"];
  await run(["load", CORPUS, "--store", loaded, "--on-invalid", "accept", ...base]);
  const store = await openStore({ directory: loaded });
  const records: RecordGraph[] = [];
  for await (const { graph } of store.lists.records()) records.push(graph);
  await store.close();
  return records;
}
