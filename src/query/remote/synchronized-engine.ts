/** The query engine on a remote engine that this service keeps in step with its records. */
import type { Credentials } from "../../engine/authorization.js";
import { BLANK } from "../../engine/canonical.js";
import { EngineAccess, type EngineAddresses } from "../../engine/engine-access.js";
import { CONCURRENCY } from "../../engine/engine-client.js";
import type { EngineState, QueryContext, QueryEngine, QueryRequest, QueryResult } from "../engine.js";
import { QueryRefusedError } from "../engine.js";
import { type QueryText, tellingBlanks } from "../query-text.js";
import { beingFilled, FairTurns } from "../waiting.js";
import { EngineFollower, type FollowerOptions } from "./engine-follower.js";
import { askedOfThread } from "./engine-texts.js";
import { MERGED_GRAPH } from "./engine-writer.js";
import { RemoteEngine } from "./remote-engine.js";

export interface SynchronizedSettings
  extends EngineAddresses,
    Pick<FollowerOptions, "store" | "graphs" | "report" | "interval" | "pause"> {
  /** The user for the queries of clients. Default: the one who writes. */
  readonly reader?: Credentials;
}

/** Milliseconds that a request to change the engine may take. */
const UPDATE_TIMEOUT = 120_000;

export class SynchronizedEngine implements QueryEngine {
  readonly #remote: RemoteEngine;
  readonly #follower: EngineFollower;
  readonly #turns: FairTurns;

  constructor(private readonly settings: SynchronizedSettings) {
    // Queries have their own connections and circuit breaker, so that a long load does not delay them.
    this.#remote = new RemoteEngine({ ...settings, credentials: settings.reader ?? settings.credentials });
    this.#turns = new FairTurns(settings.concurrency ?? CONCURRENCY);
    this.#follower = new EngineFollower({ ...settings, access: new EngineAccess(settings, UPDATE_TIMEOUT) });
    this.#follower.start();
  }

  get state(): EngineState {
    return this.#follower.state;
  }

  async close(): Promise<void> {
    await Promise.all([this.#remote.close(), this.#follower.close()]);
  }

  /** @param read the query as the thread has read it; by default it reads it now */
  async query(request: QueryRequest, asking: QueryContext, read?: QueryText): Promise<QueryResult> {
    const text = read ?? (await askedOfThread("read", request.text, asking));
    const { state, detail } = this.state;
    const { sequence } = this.#follower;
    if (sequence === undefined && state === "unreachable")
      throw new QueryRefusedError("unreachable", `The query engine is not ready: ${detail}.`);
    if (sequence === undefined) throw beingFilled("The query engine", this.state);
    const within = this.#within(request, text);
    const told = { ...text, text: tellingBlanks(text.text, BLANK) };
    return this.#turns.run(asking, {
      run: async () => ({ ...(await this.#remote.query(within, asking, told)), sequence }),
    });
  }

  /** The request for the engine, restricted to the graph with the records. Throws `QueryRefusedError`. */
  #within(request: QueryRequest, text: QueryText): QueryRequest {
    if (this.settings.graphs === "records") return request;
    if (namesGraphs(request, text))
      throw new QueryRefusedError(
        "no-graphs",
        "The query engine has all records in one graph, and no named graphs. Leave out GRAPH, FROM and FROM NAMED, " +
          "or request a record at its address.",
      );
    return { ...request, defaultGraphs: [MERGED_GRAPH] };
  }
}

/** Whether the query or the protocol names graphs, so that the query is not about all records. */
export function namesGraphs({ defaultGraphs, namedGraphs }: QueryRequest, text: QueryText): boolean {
  const { from, fromNamed, graphs, asksForAnyGraph } = text;
  return asksForAnyGraph || [defaultGraphs, namedGraphs, from, fromNamed, graphs].some(({ length }) => length > 0);
}
