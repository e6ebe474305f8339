/** Numbers that look random and can be had again. */
import { IS_SHORT } from "./extent.js";

/** The seed where none is asked for and runs are to be alike. */
const USUAL = 20_261_121;

/** A generator of numbers from 0 to 1, the same ones for each seed. */
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
 * The seed of a campaign's choices, which is printed: FUZZ_SEED, or else a random one. The short form has the same one in
 * every run, so that a failure is the change's.
 */
export function seedOf(campaign: string): number {
  const asked = process.env.FUZZ_SEED ?? (IS_SHORT ? String(USUAL) : "random");
  const seed = asked === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(asked);
  console.log(`${campaign}: FUZZ_SEED=${seed}`);
  return seed;
}
