/** Virtuoso as a synchronized engine. The campaign `engines` has more faults, and kills it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EngineGraphs } from "../../../src/engine/engine-access.js";
import { seeded } from "./changes.js";
import { isPutRight, staysEqual, withStore } from "./kept.js";
import { HAS_VIRTUOSO, startVirtuoso, type Virtuoso } from "./virtuoso.js";

describe.skipIf(!HAS_VIRTUOSO)("Virtuoso (skipped: it is not installed)", () => {
  let virtuoso: Virtuoso;
  beforeAll(async () => {
    virtuoso = await startVirtuoso();
  });
  afterAll(() => virtuoso?.stop());

  it.each<EngineGraphs>(["merged", "records"])("is repaired, and equals the records in the end (%s)", (graphs) =>
    withStore(virtuoso, graphs, async (store) => {
      await isPutRight(store, virtuoso, graphs);
      const { triples } = await staysEqual(store, virtuoso, graphs, { changes: 25, random: seeded("breaking") });
      expect(triples).toBeGreaterThan(100);
    }),
  );
});
