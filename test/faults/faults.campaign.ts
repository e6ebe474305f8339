/** Makes every fault as often as its row says, and says what happened; `-t "flipped bits"` makes one of them. */
import { expect, it } from "vitest";
import { timesOf } from "../extent.js";
import { randomFrom, seedOf } from "../random.js";
import { FAULTS, make } from "./faults.js";

it.each(FAULTS)("$name leave a store as before or whole, and no answer wrong", async (fault) => {
  const random = randomFrom(seedOf(fault.name));
  const { runs, seen, failures } = await make(fault, timesOf(fault.long, fault.short), random);
  const rows = [...seen].sort(([, left], [, right]) => right - left).map(([what, times]) => `  ${times} ${what}`);
  console.log([`faults: ${fault.name}, ${runs} times`, ...rows].join("\n"));
  expect(failures).toEqual([]);
});
