/** Kills loaders at any moment, and looks at what is left of their publications. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { timesOf } from "../../extent.js";
import { randomFrom, seedOf } from "../../random.js";
import { killLoader } from "./killed-loaders.js";

/** From before the first publication of a loader to somewhere in the fourth or so, in milliseconds. */
const [EARLIEST, LATEST] = [350, 960];

it("a loader that is killed leaves the store as it was or with the publication whole", async () => {
  const directory = mkdtempSync(join(tmpdir(), "vitrine-loaders-"));
  const random = randomFrom(seedOf("loaders"));
  const times = timesOf(60, 10);
  try {
    for (let time = 0; time < times; time++)
      await killLoader(directory, () => sleep(EARLIEST + random() * (LATEST - EARLIEST)));
    console.log(`loaders: ${times} killed, none left half a publication`);
    expect(times).toBeGreaterThan(0);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
