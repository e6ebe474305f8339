/** A second of the soak. */
import { expect, it } from "vitest";
import { soak } from "./soak.js";

it("no answer is wrong or stale while loads change the records", async () => {
  const outcome = await soak({ seconds: 1, records: 60, clients: 2, changes: 20, workers: 1 });
  expect(outcome.failures).toEqual([]);
  expect(outcome.loads).toBeGreaterThan(1);
});
