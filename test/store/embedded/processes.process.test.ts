import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { type EmbeddedStore, openReadOnly } from "../../../src/store/embedded/embedded-store.js";
import type { StoredRecord } from "../../../src/store/record.js";
import { temporaryFolder } from "../../temporary-folder.js";
import { editionOf, faultsOf, RECORDS } from "./editions.js";
import { killLoader } from "./killed-loaders.js";
import { startLoader } from "./processes.js";

let directory: string;
beforeEach(() => {
  directory = temporaryFolder(onTestFinished);
});

/** The editions of the first and the last record, read synchronously. */
function editionsNow(reader: EmbeddedStore): number[] {
  return [0, RECORDS - 1].map((number) => editionOf(reader.find(`urn:record:${number}`)!.record() as StoredRecord));
}

it("a reader in another process sees only whole publications, each once it is reported, while the store grows", async () => {
  const loader = startLoader(directory);
  await using _ = { [Symbol.asyncDispose]: () => loader.kill() };
  expect(await loader.line()).toBe("ready");
  expect(await loader.line()).toBe("published 1");
  const reader = await openReadOnly(directory);
  let seen = 1;
  for (let reported = 1; reported < 4; ) {
    reported = Number((await loader.line())!.split(" ")[1]);
    // A reader's view is renewed only after timers have run, so it may be a moment behind the report.
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

// The campaign `loaders` kills more loaders, at any moment.
it("a killed loader leaves the store either as it was or with the whole publication, and with all that it reported", async () => {
  await killLoader(directory, (line) => line());
  await killLoader(directory, async (line) => {
    await line();
    expect(await line()).toMatch(/^published /);
  });
});
