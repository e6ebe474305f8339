/** Virtuoso run by the service and killed 100 times (`TIMES`) while records change: it is in step again each time, and leaves nothing behind. */
import { it } from "vitest";
import { timesOf } from "../../extent.js";
import { seedOf } from "../../random.js";
import { objects, publish, testStore } from "../records.js";
import { HAS_VIRTUOSO } from "../remote/virtuoso.js";
import { killedAndInStep } from "./kills.js";

it.skipIf(!HAS_VIRTUOSO)("Virtuoso is in step again after every kill (skipped: it is not installed)", async () => {
  const there = await testStore();
  await publish(there.store, objects(2_000));
  const { lives, away } = await killedAndInStep(there, timesOf(100, 3), String(seedOf("managed")));
  const [middle, most] = [away[Math.floor(away.length / 2)]!, away.at(-1)!].map((time) => (time / 1_000).toFixed(1));
  console.log(`managed: ${lives} processes, in step again ${middle} s after a kill (median), ${most} s at most`);
  await there.remove();
});
