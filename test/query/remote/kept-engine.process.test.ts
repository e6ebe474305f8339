import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EngineAddresses } from "../../../src/engine/engine-access.js";
import { EngineAccess } from "../../../src/engine/engine-access.js";
import { compareEngine } from "../../../src/query/remote/engine-comparison.js";
import { EngineFollower } from "../../../src/query/remote/engine-follower.js";
import { type EngineGraphs, MERGED_GRAPH } from "../../../src/query/remote/engine-writer.js";
import { publish, type TestStore, testStore } from "../records.js";
import { breakWhileFollowing, differences, madeRecord, seeded } from "./changes.js";
import { startFaultyProxy } from "./faulty-proxy.js";
import { type OxigraphEngine, startOxigraphEngine } from "./oxigraph-engine.js";
import { HAS_VIRTUOSO, startVirtuoso, type Virtuoso } from "./virtuoso.js";

let virtuoso: Virtuoso | undefined;
let small: OxigraphEngine;
beforeAll(async () => {
  small = await startOxigraphEngine();
  if (HAS_VIRTUOSO) virtuoso = await startVirtuoso();
});
afterAll(async () => {
  await small.stop();
  await virtuoso?.stop();
});

interface Engine {
  readonly addresses: EngineAddresses;
  readonly port: number;
  readonly restart?: () => Promise<void>;
}

/** The addresses of an engine with a proxy before it. */
function through(url: string, { addresses, port }: Engine): EngineAddresses {
  const at = (address: string): string => address.replace(`http://127.0.0.1:${port}`, url);
  const { url: query, update = query, graphStore, ...rest } = addresses;
  return {
    ...rest,
    url: at(query),
    update: at(update),
    ...(graphStore === undefined ? {} : { graphStore: at(graphStore) }),
  };
}

async function withStore(work: (there: TestStore) => Promise<void>): Promise<void> {
  const there = await testStore();
  try {
    await work(there);
  } finally {
    await there.remove();
  }
}

/** The number by which the proxy chooses that fault: the third of nine. */
const GARBAGE = 2.5 / 9;
/** Requests that a step of a few records takes, at least. */
const REQUESTS = 11;

const ENGINES: [string, boolean, () => Engine][] = [
  ["a small engine", true, () => small],
  ["Virtuoso", HAS_VIRTUOSO, () => virtuoso!],
];

describe.each(ENGINES)("%s", (_, isThere, engineOf) => {
  it.runIf(isThere).each<EngineGraphs>(["merged", "records"])(
    "equals the records in the end, whatever breaks on the way (%s)",
    (graphs) =>
      withStore(async ({ store }) => {
        const engine = engineOf();
        const random = seeded(`breaking ${graphs}`);
        const proxy = await startFaultyProxy(engine.port, random);
        try {
          // Nothing of the test before.
          await restarted(store, engine.addresses, graphs);
          const addresses = through(proxy.url, engine);
          await breakWhileFollowing({ store, addresses, proxy, graphs, changes: 120, random });
          const found = await differences(store, engine.addresses, graphs);
          expect(found).toMatchObject({ missing: 0, surplus: 0, differing: [] });
          expect(found.triples).toBeGreaterThan(100);
        } finally {
          await proxy.stop();
        }
      }),
    60_000,
  );

  it.runIf(isThere).each<EngineGraphs>(["merged", "records"])(
    "is compared by slices, and what differs is put right (%s)",
    (graphs) =>
      withStore(async ({ store }) => {
        const { addresses } = engineOf();
        const random = seeded("compared");
        await publish(
          store,
          Array.from({ length: 30 }, (_, at) => madeRecord(at, random)),
        );
        await publish(store, [], ["http://data.example/record/7"]);
        await restarted(store, addresses, graphs);
        const access = new EngineAccess(addresses, 60_000);
        const follower = new EngineFollower({ store, access, graphs, report: () => {} });
        await follower.follow();
        expect(await differences(store, addresses, graphs)).toMatchObject({ missing: 0, surplus: 0 });
        const graph = graphs === "merged" ? MERGED_GRAPH : "http://data.example/record/1";
        const gone = graphs === "merged" ? MERGED_GRAPH : "http://data.example/record/7";
        await access.update(`DELETE WHERE { GRAPH <${graph}> { <http://data.example/record/1> ?p ?o } }`);
        await access.update(`INSERT DATA { GRAPH <${gone}> { <urn:foreign> <urn:p> "x" } }`);
        const found = await compareEngine({ store, access, graphs, isRepaired: false });
        expect(found.missing).toBeGreaterThan(2);
        expect(found.surplus).toBe(1);
        expect(found.differing).toHaveLength(2);
        const repaired = await compareEngine({ store, access, graphs, isRepaired: true });
        expect(repaired.digest).toBe(found.digest);
        expect(await differences(store, addresses, graphs)).toMatchObject({ missing: 0, surplus: 0 });
        access.client.close();
      }),
    60_000,
  );
});

it.each<EngineGraphs>(["merged", "records"])(
  "takes no answer for the deed, whichever request it is to (%s)",
  (graphs) =>
    withStore(async ({ store }) => {
      await restarted(store, small.addresses, graphs);
      const random = seeded("swallowed");
      // The request that is answered 200, with what is no answer, and not passed on.
      let [swallowed, request] = [0, 0];
      const proxy = await startFaultyProxy(small.port, () => {
        if (request === swallowed) {
          request++;
          return 0;
        }
        return request++ < swallowed || request > swallowed + 2 ? 0.9 : GARBAGE;
      });
      proxy.faults = 0.5;
      const access = new EngineAccess({ ...through(proxy.url, small), pause: 1 }, 10_000);
      try {
        for (let nth = 0; nth < REQUESTS; nth++) {
          await publish(store, [madeRecord(nth % 5, random), madeRecord(5 + (nth % 3), random)]);
          [swallowed, request] = [nth, 0];
          const follower = new EngineFollower({ store, access, graphs, report: () => {} });
          const { sequence } = await store.stats();
          for (let tries = 0; follower.sequence !== sequence && tries < 20; tries++)
            await follower.follow().catch(() => {});
          expect(await differences(store, small.addresses, graphs), `request ${nth}`).toMatchObject({
            missing: 0,
            surplus: 0,
          });
        }
        expect(proxy.counts).toEqual({ garbage: REQUESTS });
      } finally {
        access.client.close();
        await proxy.stop();
      }
    }),
);

/** Let an engine forget what it held. */
async function restarted(store: TestStore["store"], addresses: EngineAddresses, graphs: EngineGraphs): Promise<void> {
  const access = new EngineAccess(addresses, 60_000);
  const { rows } = await access.select("SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }");
  for (const { g } of rows) {
    if (/^http:\/\/data\.example|^urn:vitrine/.test(g!.value)) await access.update(`DROP SILENT GRAPH <${g!.value}>`);
  }
  await new EngineFollower({ store, access, graphs, report: () => {} }).restart();
  access.client.close();
}
