/** Changes a source a thousand times, kills and follows it at random, and compares its copies. */
import { expect, it } from "vitest";
import { timesOf } from "../extent.js";
import { randomFrom, seedOf } from "../random.js";
import { checkFollowing } from "./follow-check.js";

it("follow, LUX's harvester and one made of the specification have the same records each time", async () => {
  const steps = timesOf(1_000, 40);
  const { loads, deletions, moves, kills, comparisons } = await checkFollowing(
    steps,
    randomFrom(seedOf("follow-check")),
  );
  console.log(
    `follow-check: ${loads} loads, ${deletions} deletions, ${moves} moves, ${kills} kills, ${comparisons} comparisons`,
  );
  expect(loads + deletions + moves).toBeGreaterThan(steps / 2);
  expect(Math.min(loads, kills, comparisons)).toBeGreaterThan(0);
});
