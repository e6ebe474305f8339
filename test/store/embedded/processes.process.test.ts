import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type EmbeddedStore, openForLoading, openReadOnly } from "../../../src/store/embedded/embedded-store.js";
import type { StoredRecord } from "../../../src/store/store.js";
import { editionOf, faultsOf, RECORDS, stageEdition } from "./editions.js";
import { type Loader, startLoader } from "./processes.js";

let directory: string;
let loader: Loader | undefined;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "vitrine-processes-"));
});
afterEach(async () => {
  await loader?.kill();
  rmSync(directory, { recursive: true, force: true });
});

/** The editions of the first and the last record, read in one step. */
function editionsNow(reader: EmbeddedStore): number[] {
  return [0, RECORDS - 1].map((number) => editionOf(reader.find(`urn:record:${number}`)!.record() as StoredRecord));
}

describe("a reader in another process", () => {
  it("sees each publication whole once it is reported, one after the other, while the store grows", async () => {
    loader = startLoader("publish", directory);
    expect(await loader.line()).toBe("ready");
    expect(await loader.line()).toBe("published 1");
    const reader = await openReadOnly(directory);
    let seen = 1;
    for (let reported = 1; reported < 8; ) {
      reported = Number((await loader.line())!.split(" ")[1]);
      // A reader's snapshot lasts until timers have their turn, so it may be a moment behind the report.
      do {
        await nextTurn();
        const [first, last] = editionsNow(reader);
        expect(first).toBe(last);
        expect(first).toBeGreaterThanOrEqual(seen);
        seen = first!;
      } while (seen < reported);
    }
    await loader.kill();
    expect(await faultsOf(reader)).toEqual([]);
    await reader.close();
  });
});

describe("a loader that is killed", () => {
  it("leaves the store as it was or with the publication whole, and what it reported is there", async () => {
    for (let round = 0; round < 10; round++) {
      loader = startLoader("publish", directory);
      let reported = 0;
      const listening = (async () => {
        for (let line = await loader.line(); line !== undefined; line = await loader.line()) {
          if (line !== "ready") reported = Number(line.split(" ")[1]);
        }
      })();
      // From before the first publication of the round to somewhere in the fourth or so.
      await sleep(350 + 61 * round);
      await loader.kill();
      await listening;
      const store = await openForLoading(directory);
      expect(await faultsOf(store)).toEqual([]);
      const edition = Number((await store.stats()).baseUrl ?? 0);
      expect(edition).toBeGreaterThanOrEqual(reported);
      await (await stageEdition(store, edition + 1)).publish();
      expect(await faultsOf(store)).toEqual([]);
      await store.close();
    }
  });
});
