/** The short form of the faults: the whole of it is `npm run faults`. */
import { expect, it } from "vitest";
import { FAULTS, make } from "./faults.js";

// The others are held by test/kills, test/cli/adversity.process.test.ts and test/cli/processes.process.test.ts.
it.each(FAULTS.filter(({ short }) => short > 0))(
  "$name leave a store as before or whole, and no answer wrong",
  async (fault) => {
    let seed = 22;
    const random = (): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
      return seed / 0x80000000;
    };
    const { failures } = await make(fault, fault.short, random);
    expect(failures).toEqual([]);
  },
  300_000,
);
