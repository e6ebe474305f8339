/** Kills 200 loads, synchronizations, deletions, holds and releases at random moments, and looks at what is left. */
import { expect, it } from "vitest";
import { timesOf } from "../extent.js";
import { randomFrom, seedOf } from "../random.js";
import { killRuns } from "./kills.js";

it("leaves every store as before or whole, and a second run finishes it", async () => {
  const rounds = timesOf(200, 10);
  const random = randomFrom(seedOf("kills"));
  const { before, whole, ended } = await killRuns(rounds, random);
  console.log(
    `kills: ${rounds} runs, ${before} killed before their publication, ${whole} after it, ${ended} had ended`,
  );
  expect(before + whole + ended).toBe(rounds);
  if (rounds >= 10) expect(before).toBeGreaterThan(0);
});
