/** A load that is killed: the campaign `kills` kills more, at all moments. */
import { expect, it } from "vitest";
import { randomFrom } from "../random.js";
import { killRuns } from "./kills.js";

it("a load that is killed leaves the store as before or whole, and running it again finishes it", async () => {
  const { before, whole, ended } = await killRuns(1, randomFrom(1), { records: 60 });
  expect(before + whole + ended).toBe(1);
});
