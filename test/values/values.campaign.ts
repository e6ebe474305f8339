/** Drives 100,000 odd values through everything. */
import { expect, it } from "vitest";
import { timesOf } from "../extent.js";
import { seedOf } from "../random.js";
import { travel } from "./journey.js";

const BATCH = 10_000;
/** The cases of the short form. */
const SHORT = 2_000;
/** How many reasons for refusals are told of a batch. */
const REASONS = 40;

it("are loaded, served, queried, exported and loaded again as they were, or refused by name", async () => {
  const cases = timesOf(100_000, SHORT);
  let seed = seedOf("values");
  for (let done = 0; done < cases; done += BATCH, seed++) {
    const batch = Math.min(BATCH, cases - done);
    const { loaded, refused, problems } = await travel(batch, seed);
    const reasons = [...refused].sort(([, left], [, right]) => right - left);
    const sum = reasons.reduce((so, [, count]) => so + count, 0);
    const rows = reasons.slice(0, REASONS).map(([reason, count]) => `  ${count} ${reason}`);
    console.log([`values: FUZZ_SEED=${seed}, ${loaded} loaded, ${sum} refused`, ...rows].join("\n"));
    expect(problems).toEqual([]);
    expect(loaded).toBeGreaterThan(batch / 2);
    if (batch >= SHORT) expect(refused.size).toBeGreaterThan(20);
  }
});
