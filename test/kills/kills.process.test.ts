import { expect, it } from "vitest";
import { killRuns } from "./kills.js";

/** Kills are counted, not timed: a busy machine takes longer and proves the same. */
const NO_LIMIT = { timeout: 3_600_000 };

it(
  "a load that is killed leaves the store as before or whole, and running it again finishes it",
  NO_LIMIT,
  async () => {
    // Moments spread over the whole run, so that every stage of it is met.
    let round = 0;
    const { before, whole, ended } = await killRuns(6, () => (round++ * 0.618) % 1);
    expect(before).toBeGreaterThan(0);
    expect(before + whole + ended).toBe(6);
  },
);
