import { expect, it } from "vitest";
import { killRuns } from "./kills.js";

it("a load that is killed leaves the store as before or whole, and running it again finishes it", async () => {
  // Moments spread over the whole run, so that every stage of it is met.
  let round = 0;
  const { before, whole, ended } = await killRuns(20, () => (round++ * 0.618) % 1);
  expect(before).toBeGreaterThan(0);
  expect(before + whole + ended).toBe(20);
});
