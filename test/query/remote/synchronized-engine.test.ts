/** A small engine that is kept in step, whatever it answers. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EngineAccess } from "../../../src/engine/engine-access.js";
import { EngineFollower } from "../../../src/query/remote/engine-follower.js";
import type { EngineGraphs } from "../../../src/query/remote/engine-writer.js";
import { SynchronizedEngine } from "../../../src/query/remote/synchronized-engine.js";
import { publish } from "../records.js";
import { differences, forgetful, madeRecord, seeded } from "./changes.js";
import { startFaultyProxy } from "./faulty-proxy.js";
import { isPutRight, staysEqual, through, withStore } from "./kept.js";
import { type OxigraphEngine, startOxigraphEngine } from "./oxigraph-engine.js";

let engine: OxigraphEngine;
beforeAll(async () => {
  engine = await startOxigraphEngine();
});
afterAll(() => engine.stop());

/** The number by which the proxy chooses that fault: the third of nine. */
const GARBAGE = 2.5 / 9;
/** Requests that a step of a few records takes, at least. */
const REQUESTS = 11;

it("is read where the store does not remember what changes replaced, and never compared", () =>
  withStore(engine, "merged", async (store) => {
    const told: string[] = [];
    const { triples } = await staysEqual(forgetful(store), engine, "merged", {
      changes: 60,
      random: seeded("forgotten"),
      told,
    });
    expect(triples).toBeGreaterThan(100);
    expect(told.join()).not.toContain("compared");
  }));

describe.each<EngineGraphs>(["merged", "records"])("a small engine (%s)", (graphs) => {
  it("equals the records in the end, whatever breaks on the way", () =>
    withStore(engine, graphs, async (store) => {
      const { triples } = await staysEqual(store, engine, graphs, {
        changes: 60,
        random: seeded(`breaking ${graphs}`),
      });
      expect(triples).toBeGreaterThan(100);
    }));

  it("tells who waits for it that it is closed before it answered", () =>
    withStore(engine, graphs, async (store) => {
      const kept = new SynchronizedEngine({ url: "http://127.0.0.1:1/", graphs, store, report: () => {} });
      const ready = kept.whenReady();
      const told = expect(ready).rejects.toThrow("The service is closing.");
      await kept.close();
      await told;
    }));

  it("is compared by slices, and what differs is put right", () =>
    withStore(engine, graphs, (store) => isPutRight(store, engine, graphs)));

  it("takes no answer for the deed, whichever request it is to", () =>
    withStore(engine, graphs, async (store) => {
      const random = seeded("swallowed");
      // The request that is answered 200, with what is no answer, and not passed on.
      let [swallowed, request] = [0, 0];
      const proxy = await startFaultyProxy(engine.port, () => {
        if (request === swallowed) {
          request++;
          return 0;
        }
        return request++ < swallowed || request > swallowed + 2 ? 0.9 : GARBAGE;
      });
      proxy.faults = 0.5;
      const access = new EngineAccess({ ...through(proxy, engine), pause: 1 }, 10_000);
      try {
        for (let nth = 0; nth < REQUESTS; nth++) {
          await publish(store, [madeRecord(nth % 5, random), madeRecord(5 + (nth % 3), random)]);
          [swallowed, request] = [nth, 0];
          const follower = new EngineFollower({ store, access, graphs, report: () => {} });
          const { sequence } = await store.stats();
          for (let tries = 0; follower.sequence !== sequence && tries < 20; tries++)
            await follower.follow().catch(() => {});
          const found = await differences(store, engine.addresses, graphs);
          expect(found, `request ${nth}`).toMatchObject({ missing: 0, surplus: 0 });
        }
        expect(proxy.counts).toEqual({ garbage: REQUESTS });
      } finally {
        access.client.close();
        await proxy.stop();
      }
    }));
});
