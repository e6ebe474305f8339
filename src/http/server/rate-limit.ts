/** Rate limits: how many requests a client may send per minute, by class of cost, counted across all processes of a service. */
import cluster from "node:cluster";
import { hash } from "node:crypto";
import type { RateLimiterCluster, RateLimiterMemory } from "rate-limiter-flexible";
import { library } from "../../base/lazily.js";
import { type Cost, LIMITED_COSTS, type LimitedCost } from "../routes/cost.js";

const loadLimiter = library<typeof import("rate-limiter-flexible")>("rate-limiter-flexible");

/** Requests per minute and client, by class of cost. A class without a number has no limit. */
type RateLimitSettings = Readonly<Partial<Record<LimitedCost, number>>>;

/** The default limits. Each client has one for facet lists, which link to each other without end. All robots share one for lists of any kind. */
export const DEFAULT_RATE_LIMITS = { facet: 600, robot: 60 } as const satisfies RateLimitSettings;

/** Private addresses. The default limits do not apply to them, since behind a proxy that is not trusted all clients have the proxy's address. */
const SHARED = /^(?:127|10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.|^(?:0:0:0:0|f[cd]..|fe80)(?::|$)/;

const WINDOW = 60;

/** How many counters a class has, so that the memory stays bounded. A hash assigns clients to them; nobody can choose with whom to share one. */
export const MAX_CLIENTS = 2 ** 18;

/** Counts requests; one object serves for the life of a process. */
export class RateLimits {
  readonly #limiters = new Map<Cost, RateLimiterMemory | RateLimiterCluster>();
  readonly perMinute: RateLimitSettings;

  /** @param seed decides which clients may share a limit; the same in all processes of a service */
  constructor(
    private readonly given: RateLimitSettings,
    private readonly seed: string,
  ) {
    this.perMinute = { ...DEFAULT_RATE_LIMITS, ...given };
    const { RateLimiterCluster, RateLimiterMemory } = loadLimiter();
    for (const cost of LIMITED_COSTS) {
      const points = this.perMinute[cost];
      if (points === undefined) continue;
      const options = { keyPrefix: cost, points, duration: WINDOW };
      this.#limiters.set(cost, cluster.isWorker ? new RateLimiterCluster(options) : new RateLimiterMemory(options));
    }
  }

  has(cost: Cost): boolean {
    return this.#limiters.has(cost);
  }

  /** Counts a request. Returns 0 if the client may send it, else how many whole seconds it should wait. */
  async secondsToWait(cost: Cost, client: string): Promise<number> {
    if (this.given[cost as LimitedCost] === undefined && SHARED.test(client)) return 0;
    const slot = hash("sha256", this.seed + client, "buffer").readUInt32BE(0) % MAX_CLIENTS;
    try {
      await this.#limiters.get(cost)?.consume(String(slot));
      return 0;
    } catch (refused) {
      // When the process that counts does not answer, no request is refused.
      return refused instanceof loadLimiter().RateLimiterRes ? Math.max(1, Math.ceil(refused.msBeforeNext / 1_000)) : 0;
    }
  }
}

/** Makes the primary process of a cluster count for all of them. */
export function countForWorkers(): void {
  const { RateLimiterClusterMaster } = loadLimiter();
  new RateLimiterClusterMaster();
}
