/** Checks of synchronized engines, whichever they are. */
import { expect } from "vitest";
import { EngineAccess, type EngineAddresses, type EngineGraphs } from "../../../src/engine/engine-access.js";
import { compareEngine } from "../../../src/query/remote/engine-comparison.js";
import { EngineFollower } from "../../../src/query/remote/engine-follower.js";
import { MERGED_GRAPH } from "../../../src/query/remote/engine-writer.js";
import type { LoadableStore } from "../../../src/store/open.js";
import { publish, type TestStore, testStore } from "../records.js";
import { type Breaking, breakWhileFollowing, differences, madeRecord, seeded } from "./changes.js";
import { type FaultyProxy, startFaultyProxy } from "./faulty-proxy.js";

export interface Engine {
  readonly addresses: EngineAddresses;
  readonly port: number;
}

/** The addresses of an engine through a proxy. */
export function through({ url }: FaultyProxy, { addresses, port }: Engine): EngineAddresses {
  const at = (address: string): string => address.replace(`http://127.0.0.1:${port}`, url);
  const { url: query, update = query, graphStore, ...rest } = addresses;
  return {
    ...rest,
    url: at(query),
    update: at(update),
    ...(graphStore === undefined ? {} : { graphStore: at(graphStore) }),
  };
}

/** Do work with a new store and an engine that holds nothing of an earlier one. */
export async function withStore(
  { addresses }: Engine,
  graphs: EngineGraphs,
  work: (store: TestStore["store"]) => Promise<void>,
): Promise<void> {
  const there = await testStore();
  await using _ = { [Symbol.asyncDispose]: () => there.remove() };
  await restarted(there.store, addresses, graphs);
  await work(there.store);
}

/** Delete what an engine held. */
async function restarted(store: LoadableStore, addresses: EngineAddresses, graphs: EngineGraphs): Promise<void> {
  const access = new EngineAccess(addresses, 60_000);
  const { rows } = await access.select("SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }");
  for (const { g } of rows) {
    if (/^http:\/\/data\.example|^urn:vitrine/.test(g!.value)) await access.update(`DROP SILENT GRAPH <${g!.value}>`);
  }
  await new EngineFollower({ store, access, graphs, report: () => {} }).restart();
  access.client.close();
}

export type BreakingOptions = Pick<Breaking, "changes" | "random" | "restart" | "meanwhile" | "reports">;

/** The result of changes with a faulty engine. */
export interface Broken {
  /** The number of times that the follower was started. */
  readonly begun: number;
  /** The numbers of faults, by kind. */
  readonly faults: Readonly<Record<string, number>>;
  readonly triples: number;
}

/** Expects that the engine equals the records in the end, whatever breaks on the way. */
export async function staysEqual(
  store: LoadableStore,
  engine: Engine,
  graphs: EngineGraphs,
  options: BreakingOptions,
): Promise<Broken> {
  const proxy = await startFaultyProxy(engine.port, options.random);
  await using _ = { [Symbol.asyncDispose]: () => proxy.stop() };
  const begun = await breakWhileFollowing({ store, addresses: through(proxy, engine), proxy, graphs, ...options });
  const found = await differences(store, engine.addresses, graphs);
  expect(found).toMatchObject({ missing: 0, surplus: 0, differing: [] });
  return { begun, faults: proxy.counts, triples: found.triples };
}

/** Expects that the engine is compared with the records by slices, and that differences are repaired. */
export async function isPutRight(store: TestStore["store"], { addresses }: Engine, graphs: EngineGraphs) {
  const random = seeded("compared");
  await publish(
    store,
    Array.from({ length: 30 }, (_, at) => madeRecord(at, random)),
  );
  await publish(store, [], ["http://data.example/record/7"]);
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
}
