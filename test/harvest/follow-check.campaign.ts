/** A source that is changed a thousand times, killed and followed at random, and compared with its copies. */
import { expect, it } from "vitest";
import { timesOf } from "../extent.js";
import { randomFrom, seedOf } from "../random.js";
import { checkFollowing } from "./follow-check.js";

it("`follow`, LUX's harvester and one made from the specification always have the same records", async () => {
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
