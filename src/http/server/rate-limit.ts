/** Rate limits: the requests a minute that a client may send, by class of cost, counted across all processes of a service. */
import cluster from "node:cluster";
import { createHash } from "node:crypto";
import type { RateLimiterCluster, RateLimiterMemory } from "rate-limiter-flexible";
import { library } from "../../base/lazily.js";
import { type Cost, LIMITED_COSTS, type LimitedCost } from "../routes/cost.js";

const loadLimiter = library<typeof import("rate-limiter-flexible")>("rate-limiter-flexible");

/** Requests a minute and client, by class. A class without a number has no limit. */
export type RateLimitSettings = Readonly<Partial<Record<LimitedCost, number>>>;

/** Where nothing else is said: lists that links lead to without end, of a client; and any list, of all robots together. */
export const DEFAULT_RATE_LIMITS = { facet: 600, robot: 60 } as const satisfies RateLimitSettings;

/** Addresses that many may have, behind a proxy that is not trusted: what is not said is no limit for them. */
const SHARED = /^(?:127|10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.|^(?:0:0:0:0|f[cd]..|fe80)(?::|$)/;

const WINDOW = 60;

/** Clients that are told apart. Of more, two may share a budget, nobody chooses which, and the memory stays bounded. */
export const MAX_CLIENTS = 2 ** 18;

/** Counts requests; one object for the life of a process. */
export class RateLimits {
  readonly #limiters = new Map<Cost, RateLimiterMemory | RateLimiterCluster>();
  readonly perMinute: RateLimitSettings;

  /** @param seed decides which clients would share a budget; one for all processes of a service */
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

  /** Count a request: 0 when the client may send it, else how many whole seconds it should wait. */
  async secondsToWait(cost: Cost, client: string): Promise<number> {
    if (this.given[cost as LimitedCost] === undefined && SHARED.test(client)) return 0;
    try {
      await this.#limiters.get(cost)?.consume(this.#slotOf(client));
      return 0;
    } catch (refused) {
      // When the process that counts does not answer, nobody is turned away for it.
      return refused instanceof loadLimiter().RateLimiterRes ? Math.max(1, Math.ceil(refused.msBeforeNext / 1_000)) : 0;
    }
  }

  #slotOf(client: string): string {
    const hash = createHash("sha256").update(this.seed).update(client).digest();
    return String(hash.readUInt32BE(0) % MAX_CLIENTS);
  }
}

/** In the first process of several: count for all of them. */
export function countForWorkers(): void {
  const { RateLimiterClusterMaster } = loadLimiter();
  new RateLimiterClusterMaster();
}
