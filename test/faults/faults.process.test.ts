/**
 * One bit that is flipped under a service, and a search index that is spoilt. The campaign `faults` flips more and makes all other faults, which
 * test/kills, test/cli/adversity.process.test.ts and test/cli/lives.campaign.ts hold among the tests.
 */
import { expect, it } from "vitest";
import { randomFrom } from "../random.js";
import { make } from "./faults.js";
import { flipBits } from "./flips.js";
import { spoilSearch } from "./search-index.js";

it("a flipped bit makes no answer wrong", async () => {
  const { runs, failures } = await make({ run: flipBits }, 1, randomFrom(1));
  expect(failures).toEqual([]);
  expect(runs).toBe(1);
});

it("a search index that is killed, full, flipped or cut off is right afterwards", async () => {
  const { runs, failures } = await make({ run: spoilSearch }, 4, randomFrom(1));
  expect(failures).toEqual([]);
  expect(runs).toBe(4);
});
