/** A few changes of a source, and one interruption; the campaign `follow-check` makes a thousand. */
import { expect, it } from "vitest";
import { randomFrom } from "../random.js";
import { checkFollowing } from "./follow-check.js";

it("follow and two harvesters keep copies equal to a source that is changed, killed and killed with", async () => {
  const { loads, deletions, moves, kills, comparisons } = await checkFollowing(6, randomFrom(1));
  expect(loads + deletions + moves).toBeGreaterThan(3);
  expect([kills, comparisons]).toEqual([1, 1]);
});
