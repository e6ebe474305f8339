/** Random loads, replacements and deletions with a faulty engine, and its comparison with the records in the end. */
import { createHash } from "node:crypto";
import { EngineAccess, type EngineAddresses, type EngineGraphs } from "../../../src/engine/engine-access.js";
import { compareEngine } from "../../../src/query/remote/engine-comparison.js";
import { EngineFollower } from "../../../src/query/remote/engine-follower.js";
import type { RecordGraph } from "../../../src/rdf/record-graph.js";
import { blank, iri, literal, RDF, RDFS_LABEL } from "../../../src/rdf/terms.js";
import type { LoadableStore } from "../../../src/store/open.js";
import type { Snapshot } from "../../../src/store/snapshots.js";
import { recordOf, type Triple } from "../records.js";
import type { FaultyProxy } from "./faulty-proxy.js";

/** A generator that gives the same numbers for the same seed. */
export function seeded(seed: string): () => number {
  let count = 0;
  return () => createHash("md5").update(`${seed} ${count++}`).digest().readUInt32LE() / 2 ** 32;
}

const RECORDS = 30;
const PLACES = 5;
/** Milliseconds for an answer. One that has not come by then never will, not even on a busy machine. */
const PATIENCE = 20_000;

/** A record that shares triples about places with others, has blank nodes, and rarely stays the same. */
export function madeRecord(number: number, random: () => number): RecordGraph {
  const self = iri(`http://data.example/record/${number}`);
  const pick = (most: number): number => Math.floor(random() * most);
  const triples: Triple[] = [
    [self, iri(RDF.type), iri("http://data.example/Thing")],
    [self, iri(RDFS_LABEL), literal(`Récord "${number}" ${pick(4)}\n`, undefined, "fr")],
  ];
  for (let count = pick(3); count >= 0; count--) {
    const place = iri(`http://data.example/place/${pick(PLACES)}`);
    // Labels of places differ between records, and some records share them.
    triples.push([self, iri("http://data.example/at"), place], [place, iri(RDFS_LABEL), literal(`place ${pick(3)}`)]);
  }
  for (let count = pick(4); count > 0; count--) {
    const part = blank(`p${count}`);
    triples.push(
      [self, iri("http://data.example/part"), part],
      [part, iri("http://data.example/size"), literal(String(pick(9)))],
    );
    if (count > 1) triples.push([part, iri("http://data.example/in"), blank(`p${count - 1}`)]);
  }
  return recordOf(self.value, triples);
}

/** A store that does not remember what changes replaced, as after a large load. */
export function forgetful(store: LoadableStore): LoadableStore {
  const forgetting = (snapshot: Snapshot): Snapshot =>
    Object.assign(Object.create(snapshot) as Snapshot, {
      changesAfter: () => undefined,
      nextChanges(...range: Parameters<Snapshot["nextChanges"]>) {
        const { through, changed } = snapshot.nextChanges(...range);
        return { through, changed: changed.map((each) => ({ ...each, before: undefined })) };
      },
    });
  return { ...store, snapshots: { take: () => forgetting(store.snapshots.take()) } };
}

export interface Breaking {
  readonly store: LoadableStore;
  readonly addresses: EngineAddresses;
  readonly proxy: FaultyProxy;
  readonly graphs: EngineGraphs;
  readonly changes: number;
  readonly random: () => number;
  /** Kills the engine and starts it again: from time to time, and after the last change. */
  readonly restart?: () => Promise<void>;
  /** Receives the reports. */
  readonly reports?: string[];
  /** Called after each step, to check what must work meanwhile. */
  readonly meanwhile?: () => Promise<void>;
}

/** Make changes while the engine has faults, then let it recover. @returns the number of times that the follower was started */
export async function breakWhileFollowing(options: Breaking): Promise<number> {
  const { store, addresses, proxy, graphs, changes, random, restart, meanwhile, reports = [] } = options;
  const open = (): EngineFollower =>
    new EngineFollower({
      store,
      graphs,
      access: new EngineAccess({ ...addresses, pause: 1 }, PATIENCE),
      interval: 5,
      pause: 5,
      report: (message) => reports.push(message),
    });
  let follower = open();
  follower.start();
  let begun = 1;
  for (let made = 0; made < changes; ) {
    proxy.faults = random() < 0.2 ? 1 : random() * 0.3;
    const stage = await store.stage();
    const several = Math.min(changes - made, 1 + Math.floor(random() * 12));
    for (let count = 0; count < several; count++, made++) {
      const number = Math.floor(random() * RECORDS);
      if (random() < 0.25) await stage.delete(`http://data.example/record/${number}`);
      else await stage.put({ graph: madeRecord(number, random), endpoint: null, label: "", valid: true });
    }
    await stage.publish();
    await meanwhile?.();
    await new Promise((resolve) => setTimeout(resolve, random() * 60));
    if (random() < 0.15) {
      // As if the follower were killed: its requests on the way are left there.
      void follower.close();
      follower = open();
      follower.start();
      begun++;
    }
    if (restart !== undefined && (made === changes || random() < 0.02)) await restart();
  }
  proxy.faults = 0;
  const { sequence } = await store.stats();
  const deadline = Date.now() + 60_000;
  while (follower.state.sequence !== sequence || follower.state.state !== "ready") {
    if (Date.now() > deadline)
      throw new Error(`not in step: ${JSON.stringify(follower.state)} ${reports.slice(-3).join("; ")}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  // Late requests must arrive before the comparison.
  await proxy.settled();
  await follower.close();
  return begun;
}

/** The differences between the records and the engine. */
export async function differences(store: LoadableStore, addresses: EngineAddresses, graphs: EngineGraphs) {
  const access = new EngineAccess(addresses, 60_000);
  using _ = { [Symbol.dispose]: () => access.client.close() };
  const { missing, surplus, differing, triples } = await compareEngine({ store, access, graphs, isRepaired: false });
  return { missing, surplus, differing, triples };
}
