/** Loaders that are killed at any moment, and the state of the store that they leave. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { timesOf } from "../../extent.js";
import { randomFrom, seedOf } from "../../random.js";
import { temporaryFolder } from "../../temporary-folder.js";
import { killLoader } from "./killed-loaders.js";

/** Milliseconds: from before the first publication of a loader to about the fourth. */
const [EARLIEST, LATEST] = [350, 960];

it("a killed loader leaves the store either as it was or with the whole publication", async () => {
  const directory = temporaryFolder(onTestFinished);
  const random = randomFrom(seedOf("loaders"));
  const times = timesOf(60, 10);
  for (let time = 0; time < times; time++)
    await killLoader(directory, () => sleep(EARLIEST + random() * (LATEST - EARLIEST)));
  console.log(`loaders: ${times} killed, none left half a publication`);
  expect(times).toBeGreaterThan(0);
});
