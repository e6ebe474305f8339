/** Kills loads, synchronizations, deletions, holds and releases, and looks at what is left. */
import { expect, it } from "vitest";
import { timesOf } from "../extent.js";
import { randomFrom, seedOf } from "../random.js";
import { type Aim, killRuns } from "./kills.js";

it.each<[aim: Aim, long: number, short: number]>([
  ["any moment", 600, 10],
  ["the commit", 100, 3],
])("at %s leave every store as before or whole, and a second run finishes it", async (aim, long, short) => {
  const rounds = timesOf(long, short);
  const random = randomFrom(seedOf(`kills at ${aim}`));
  // The first kill comes at once, before any publication, on however busy a machine.
  const first = [0];
  const { before, whole, ended } = await killRuns(rounds, () => first.pop() ?? random(), { aim });
  console.log(
    `kills at ${aim}: ${rounds} runs, ${before} killed before their publication, ${whole} after it, ${ended} had ended`,
  );
  expect(before + whole + ended).toBe(rounds);
  if (aim === "any moment" && rounds >= 10) expect(before).toBeGreaterThan(0);
});
