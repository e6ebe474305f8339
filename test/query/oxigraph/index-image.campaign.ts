/** Index images whose processes are killed at random moments while they write: there is always a whole image. */
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { timesOf } from "../../extent.js";
import { randomFrom, seedOf } from "../../random.js";
import { publish, type TestStore, testStore } from "../records.js";
import { allMade, begun, imageOf, made } from "./image-workers.js";

/** Milliseconds, more than writing an image takes. */
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

it("the old image or the new one is in place when the process is killed while it writes", async () => {
  const random = randomFrom(seedOf("index-image"));
  let replaced = 0;
  for (let time = 0; time < timesOf(50, 5); time++) {
    await publish(there.store, [made(3, time + 1)]);
    const { sequence } = await there.store.stats();
    const { worker, refused, image, end } = await begun(there, true);
    expect(refused).toEqual([]);
    expect(worker.standing).toMatchObject({ sequence });
    if (worker.standing!.image === sequence - 1) replaced++;
    // A process would wait for the file that a killed one left, as that might still be written to.
    rmSync(`${imageOf(there)}.part`, { force: true });
    void image();
    await sleep(random() * LONGEST);
    await end();
  }
  console.log(`index-image: ${replaced} images were in their place when the process was killed`);
});
