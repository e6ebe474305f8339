/** The short form of the soak: the whole of it is `npm run soak`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isFlat, soak } from "../../bench/soak.js";

it.each([1, 2])("no answer is wrong or stale while loads change the records, with %i workers", async (workers) => {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-soak-"));
  try {
    const outcome = await soak({ folder, seconds: 3, records: 200, clients: 4, changes: 40, workers });
    expect(outcome.failures).toEqual([]);
    expect(outcome.requests).toBeGreaterThan(100);
    expect(outcome.notModified).toBeGreaterThan(0);
    expect(outcome.loads).toBeGreaterThan(1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it("growth is told from what comes and goes", () => {
  expect(isFlat([50, 90, 60, 80, 100, 70, 90, 95, 85].map((mebibytes) => mebibytes * 1_024))).toBe(true);
  expect(isFlat([50, 60, 70, 80, 90, 100, 110, 120, 140].map((mebibytes) => mebibytes * 1_024))).toBe(false);
});
