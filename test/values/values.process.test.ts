/** A few of the odd values that the campaign `values` drives through everything. */
import { expect, it } from "vitest";
import { travel } from "./journey.js";

it("odd values are loaded, served, queried, exported and loaded again as they were, or refused by name", async () => {
  const { loaded, refused, problems } = await travel(100, 1);
  expect(problems).toEqual([]);
  expect(loaded).toBeGreaterThan(50);
  expect(refused.size).toBeGreaterThan(5);
});
