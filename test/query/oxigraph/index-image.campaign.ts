/** Kills processes at random moments while they write index images: there is always a whole one. */
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { timesOf } from "../../extent.js";
import { randomFrom, seedOf } from "../../random.js";
import { publish, type TestStore, testStore } from "../records.js";
import { allMade, begun, imageOf, made } from "./image-workers.js";

/** Longer than it takes to write an image, in milliseconds. */
const LONGEST = 200;

let there: TestStore;
beforeAll(async () => {
  there = await testStore();
  await publish(there.store, allMade());
  const { image, end } = await begun(there, false);
  expect((await image()).sequence).toBeDefined();
  await end();
});
afterAll(() => there.remove());

it("leaves the one before, or the new one, in its place when the process is killed while it is written", async () => {
  const random = randomFrom(seedOf("index-image"));
  let replaced = 0;
  for (let time = 0; time < timesOf(50, 5); time++) {
    await publish(there.store, [made(3, time + 1)]);
    const { sequence } = await there.store.stats();
    const { worker, refused, image, end } = await begun(there, true);
    expect(refused).toEqual([]);
    expect(worker.standing).toMatchObject({ sequence });
    if (worker.standing!.image === sequence - 1) replaced++;
    // What one left that was killed would be waited for: it could be written to still.
    rmSync(`${imageOf(there)}.part`, { force: true });
    void image();
    await sleep(random() * LONGEST);
    await end();
  }
  console.log(`index-image: ${replaced} images were in their place when the process was killed`);
});
