/** Opens query engines: the one way from the settings to an engine, whatever kind it is. */
import type { QueryEngine } from "./engine.js";
import { QueryIndex, type QueryIndexOptions } from "./oxigraph/query-index.js";
import { KeptEngine, type KeptSettings } from "./remote/kept-engine.js";
import { RemoteEngine, type RemoteSettings } from "./remote/remote-engine.js";

/** Settings of an index in processes of this machine, over the records of a store. */
export type IndexSettings = QueryIndexOptions;

/** An index of this machine, or an endpoint elsewhere. */
export type EngineSettings = IndexSettings | RemoteSettings | KeptSettings;

/** Open an engine; an index begins to fill. */
export function openEngine(settings: EngineSettings): QueryEngine {
  if ("graphs" in settings) return new KeptEngine(settings);
  return "url" in settings ? new RemoteEngine(settings) : new QueryIndex(settings);
}
