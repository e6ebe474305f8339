/** Opens query engines: the one way from the settings to an engine, whatever kind it is. */
import { EngineAccess, type EngineAddresses } from "../engine/engine-access.js";
import type { EngineState, QueryEngine } from "./engine.js";
import { QueryIndex, type QueryIndexOptions } from "./oxigraph/query-index.js";
import type { FollowedStore } from "./remote/engine-batches.js";
import { type Comparison, compareEngine } from "./remote/engine-comparison.js";
import { EngineFollower } from "./remote/engine-follower.js";
import type { EngineGraphs } from "./remote/engine-writer.js";
import { KeptEngine, type KeptSettings } from "./remote/kept-engine.js";
import { RemoteEngine, type RemoteSettings } from "./remote/remote-engine.js";

/** Settings of an index in processes of this machine, over the records of a store. */
export type IndexSettings = QueryIndexOptions;

/** What an engine that is kept in step is told and asked; `close` gives back its connections. */
export interface EngineUpkeep {
  /** Begin anew, and fill it. */
  fill(signal: AbortSignal): Promise<void>;
  /** How far the filling is. */
  readonly state: EngineState;
  compare(isRepaired: boolean, signal: AbortSignal): Promise<Comparison>;
  close(): void;
}

/** Look after an engine by hand. @param report for people: what went wrong */
export function engineUpkeep(
  { graphs, ...addresses }: GivenEngine,
  store: FollowedStore,
  report: (message: string) => void,
): EngineUpkeep {
  const access = new EngineAccess(addresses, UPKEEP_TIMEOUT);
  const follower = new EngineFollower({ store, access, graphs, report, fillsDirectly: true });
  return {
    fill: async (signal) => {
      const end = (): void => void follower.close();
      signal.addEventListener("abort", end, { once: true });
      await follower.restart(signal);
      await follower.follow();
      signal.removeEventListener("abort", end);
    },
    get state() {
      return follower.state;
    },
    compare: (isRepaired, signal) => compareEngine({ store, access, graphs, isRepaired, signal }),
    close: () => access.client.close(),
  };
}

/** Milliseconds that one request may take: a first filling sends much at once. */
const UPKEEP_TIMEOUT = 600_000;

/** An engine, and how it holds the records. */
export interface GivenEngine extends EngineAddresses {
  readonly graphs: EngineGraphs;
}

/** An index of this machine, or an endpoint elsewhere. */
export type EngineSettings = IndexSettings | RemoteSettings | KeptSettings;

/** Open an engine; an index begins to fill. */
export function openEngine(settings: EngineSettings): QueryEngine {
  if ("graphs" in settings) return new KeptEngine(settings);
  return "url" in settings ? new RemoteEngine(settings) : new QueryIndex(settings);
}

export type { Comparison, EngineGraphs };
