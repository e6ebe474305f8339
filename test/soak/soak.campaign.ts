/** Clients ask for records for ten minutes while loads change them: five of a service alone, five of one with two workers. */
import { expect, it } from "vitest";
import { timesOf } from "../extent.js";
import { isFlat } from "./memory.js";
import { soak } from "./soak.js";

/** Memory of a service that is younger still grows. */
const GROWN = 60;

it.each([1, 2])("nothing fails, grows or is stale, with %i workers", async (workers) => {
  const seconds = timesOf(600, 10) / 2;
  const outcome = await soak({ seconds, records: 5_000, clients: 8, changes: 200, workers });
  const { requests, notModified, loads, failures, memory } = outcome;
  const [first, most, last] = [memory[0]!, Math.max(...memory), memory.at(-1)!].map((kibibytes) =>
    (kibibytes / 1_024).toFixed(1),
  );
  console.log(
    [
      `soak: ${requests} requests (${notModified} of them 304) beside ${loads} loads in ${seconds} s, ${workers} workers`,
      `soak: private memory ${first} MiB at first, at most ${most}, ${last} at the end`,
    ].join("\n"),
  );
  expect(failures).toEqual([]);
  if (seconds >= GROWN) expect(isFlat(memory), `memory in KiB: ${memory.join(", ")}`).toBe(true);
});
