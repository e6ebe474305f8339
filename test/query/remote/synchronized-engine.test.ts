/** A small engine that is kept in step, whatever it answers. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EngineAccess } from "../../../src/engine/engine-access.js";
import { EngineFollower } from "../../../src/query/remote/engine-follower.js";
import type { EngineGraphs } from "../../../src/query/remote/engine-writer.js";
import { SynchronizedEngine } from "../../../src/query/remote/synchronized-engine.js";
import { iri, literal, RDFS_LABEL } from "../../../src/rdf/terms.js";
import { IS_WHOLE, shareOf } from "../../extent.js";
import { publish, recordOf } from "../records.js";
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
/** Records that are put or deleted while an engine breaks. */
const CHANGES = IS_WHOLE ? 60 : 40;
/** Requests that a step of a few records takes, at least. */
const REQUESTS = 11;

it("is read where the store does not remember what changes replaced, and never compared", () =>
  withStore(engine, "merged", async (store) => {
    const told: string[] = [];
    const { triples } = await staysEqual(forgetful(store), engine, "merged", {
      changes: CHANGES,
      random: seeded("forgotten"),
      told,
    });
    expect(triples).toBeGreaterThan(50);
    expect(told.join()).not.toContain("compared");
  }));

describe("a step that was given up where the store does not remember what changes replaced", () => {
  const FIRST = iri("http://data.example/record/1");
  const placed = (how: string, place: number) => {
    const at = iri(`http://data.example/place/${place}`);
    return recordOf(FIRST.value, [
      [FIRST, iri(`http://data.example/${how}`), at],
      [at, iri(RDFS_LABEL), literal(`place ${place}`)],
    ]);
  };

  /** Give up a step at the update that puts lines into the merged graph, then follow what changed meanwhile. */
  const givenUp = (during: (access: EngineAccess, late: () => Promise<void>) => Partial<EngineAccess>) =>
    withStore(engine, "merged", async (store) => {
      const access = new EngineAccess(engine.addresses, 10_000);
      const by = (changed: Partial<EngineAccess>) =>
        new EngineFollower({
          store: forgetful(store),
          access: Object.assign(new EngineAccess(engine.addresses, 10_000), changed),
          graphs: "merged",
          report: () => {},
        });
      await publish(store, [placed("at", 1)]);
      await by({}).follow();
      await publish(store, [placed("near", 1)]);
      let late = async (): Promise<void> => {};
      const broken = by({
        async update(text) {
          if (!/^INSERT \{ GRAPH <urn:vitrine:records>/.test(text)) return access.update(text);
          late = () => access.update(text);
          throw new Error("given up");
        },
      });
      await expect(broken.follow()).rejects.toThrow("given up");
      await publish(store, [placed("at", 2)]);
      await by(during(access, () => late())).follow();
      expect(await differences(store, engine.addresses, "merged")).toMatchObject({ missing: 0, surplus: 0 });
      access.client.close();
    });

  it("leaves nothing that the next one does not find", () => givenUp(() => ({})));

  it("changes nothing when it comes late, while the next one has read what the engine holds", () =>
    givenUp((access, late) => ({
      async select(query, signal) {
        const found = await access.select(query, signal);
        if (query.includes("VALUES")) await late();
        return found;
      },
    })));
});

describe.each<EngineGraphs>(["merged", "records"])("a small engine (%s)", (graphs) => {
  it("equals the records in the end, whatever breaks on the way", () =>
    withStore(engine, graphs, async (store) => {
      const { triples } = await staysEqual(store, engine, graphs, {
        changes: CHANGES,
        random: seeded(`breaking ${graphs}`),
      });
      expect(triples).toBeGreaterThan(50);
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
        const swallowing = shareOf([...Array(REQUESTS).keys()], 3);
        for (const nth of swallowing) {
          await publish(store, [madeRecord(nth % 5, random), madeRecord(5 + (nth % 3), random)]);
          [swallowed, request] = [nth, 0];
          const follower = new EngineFollower({ store, access, graphs, report: () => {} });
          const { sequence } = await store.stats();
          for (let tries = 0; follower.sequence !== sequence && tries < 20; tries++)
            await follower.follow().catch(() => {});
          const found = await differences(store, engine.addresses, graphs);
          expect(found, `request ${nth}`).toMatchObject({ missing: 0, surplus: 0 });
        }
        expect(proxy.counts).toEqual({ garbage: swallowing.length });
      } finally {
        access.client.close();
        await proxy.stop();
      }
    }));
});
