/** What the soak says of memory. */
import { expect, it } from "vitest";
import { isFlat } from "./memory.js";

it("growth is told from what comes and goes", () => {
  expect(isFlat([50, 90, 60, 80, 100, 70, 90, 95, 85].map((mebibytes) => mebibytes * 1_024))).toBe(true);
  expect(isFlat([50, 60, 70, 80, 90, 100, 110, 120, 140].map((mebibytes) => mebibytes * 1_024))).toBe(false);
});
