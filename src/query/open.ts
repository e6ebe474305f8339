/** Opens query engines of every kind: the only way from settings to an engine. */
import { addAbortListener } from "node:events";
import { EngineAccess, type EngineAddresses, type EngineGraphs } from "../engine/engine-access.js";
import type { EngineState, QueryEngine } from "./engine.js";
import { installedVersion } from "./managed/engine-process.js";
import { MANAGED_ENGINES, ManagedEngine, type ManagedName } from "./managed/managed-engine.js";
import { QueryIndex } from "./oxigraph/query-index.js";
import type { FollowedStore } from "./remote/engine-batches.js";
import { type ComparisonResult, compareEngine } from "./remote/engine-comparison.js";
import { EngineFollower } from "./remote/engine-follower.js";
import { RemoteEngine } from "./remote/remote-engine.js";
import { SynchronizedEngine } from "./remote/synchronized-engine.js";

/** Operations for maintaining an engine by hand. @param report called with messages for people about failures */
export function engineUpkeep(
  { graphs, ...addresses }: EngineAddresses & { readonly graphs: EngineGraphs },
  store: FollowedStore,
  report: (message: string) => void,
) {
  const access = new EngineAccess(addresses, UPKEEP_TIMEOUT);
  const follower = new EngineFollower({ store, access, graphs, report, fillsDirectly: true });
  return {
    /** Clear the engine and fill it again. */
    fill: async (signal: AbortSignal): Promise<void> => {
      using _closing = addAbortListener(signal, () => void follower.close(signal.reason));
      await follower.restart();
      await follower.follow();
    },
    get state(): EngineState {
      return follower.state;
    },
    compare: (isRepaired: boolean, signal: AbortSignal): Promise<ComparisonResult> =>
      compareEngine({ store, access, graphs, isRepaired, signal }),
    [Symbol.dispose]: () => access[Symbol.dispose](),
  };
}

/** Milliseconds that one request may take; filling sends much data at once. */
const UPKEEP_TIMEOUT = 600_000;

/** The table of engines: the class of each kind. To add a kind, add a row. */
export const ENGINES = {
  /** The index of a store's records, in processes on this machine. */
  index: QueryIndex,
  /** A remote SPARQL endpoint that others fill. */
  endpoint: RemoteEngine,
  /** A remote engine that is kept in step with a store. */
  synchronized: SynchronizedEngine,
  /** A synchronized engine that this service runs as a process. */
  managed: ManagedEngine,
};

export type EngineSettings = {
  [Kind in keyof typeof ENGINES]: { readonly kind: Kind } & ConstructorParameters<(typeof ENGINES)[Kind]>[0];
}[keyof typeof ENGINES];

/** Open an engine. An index begins to fill at once. */
export function openEngine({ kind, ...settings }: EngineSettings): QueryEngine {
  return new ENGINES[kind](settings as never);
}

/** The engines that the service can run itself. */
export const MANAGED_NAMES = Object.keys(MANAGED_ENGINES) as ManagedName[];

/** Check that an engine is installed. Throws `EngineError` if it is not. */
export const ensureInstalled = (name: ManagedName): Promise<unknown> => installedVersion(MANAGED_ENGINES[name]);

export { ENGINE_ADVICE } from "./managed/virtuoso.js";
export type { ComparisonResult, ManagedName };
