/** Reproducible random numbers. */
import { IS_SHORT } from "./extent.js";

/** The seed of runs that should be the same each time, unless another is given. */
const USUAL = 20_261_121;

/** A generator of numbers from 0 to 1 that gives the same ones for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * The seed of a campaign's choices, which is printed: FUZZ_SEED, or else a random one. The short form uses the same seed in
 * every run, so that a failure is caused by the change under test.
 */
export function seedOf(campaign: string): number {
  const asked = process.env.FUZZ_SEED ?? (IS_SHORT ? String(USUAL) : "random");
  const seed = asked === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(asked);
  console.log(`${campaign}: FUZZ_SEED=${seed}`);
  return seed;
}
