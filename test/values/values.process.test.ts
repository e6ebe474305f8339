import { expect, it } from "vitest";
import { travel } from "./journey.js";

/** The seed is that of all generated tests; `npm run values -- 100000` goes further. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121) || 20_261_121;

it("10,000 odd values are loaded, served, queried, exported and loaded again as they were, or refused by name", async () => {
  const { loaded, refused, problems } = await travel(10_000, SEED);
  expect(problems).toEqual([]);
  expect(loaded).toBeGreaterThan(5_000);
  expect(refused.size).toBeGreaterThan(20);
}, 600_000);
