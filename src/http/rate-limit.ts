/** How many requests a client may send: a bucket of tokens for each, in bounded memory. */

interface Bucket {
  /** How many requests it may send at once; filled up with time. */
  tokens: number;
  /** When that was counted, in milliseconds. */
  at: number;
}

const MINUTE = 60_000;

/** Clients remembered in a generation; those beyond them push out the ones that have been silent for longest. */
export const MAX_CLIENTS = 50_000;

/**
 * Counts requests a minute for each client. A client may send a minute's worth at once and then as many as the time brings.
 * One who was silent for a minute may do so again, so that nobody has to be remembered for longer: buckets are kept in two
 * generations, and what was not used in the younger one is forgotten with the older.
 */
export class RateLimit {
  #young = new Map<string, Bucket>();
  #old = new Map<string, Bucket>();
  #since: number;

  /**
   * @param perMinute requests a minute and client
   * @param now the time in milliseconds, never going back
   * @param mostClients how many clients are told apart in a generation
   */
  constructor(
    readonly perMinute: number,
    readonly now: () => number = () => performance.now(),
    readonly mostClients: number = MAX_CLIENTS,
  ) {
    this.#since = now();
  }

  /** Count a request: 0 when the client may send it, else how many whole seconds it should wait. */
  secondsToWait(client: string): number {
    const now = this.now();
    if (now - this.#since > MINUTE || this.#young.size >= this.mostClients) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#since = now;
    }
    const bucket = this.#bucket(client, now);
    const perMillisecond = this.perMinute / MINUTE;
    bucket.tokens = Math.min(this.perMinute, bucket.tokens + (now - bucket.at) * perMillisecond);
    bucket.at = now;
    if (bucket.tokens >= 1) {
      bucket.tokens--;
      return 0;
    }
    return Math.max(1, Math.ceil((1 - bucket.tokens) / perMillisecond / 1_000));
  }

  /** How many clients are remembered. */
  get clients(): number {
    return this.#young.size + this.#old.size;
  }

  #bucket(client: string, now: number): Bucket {
    const known = this.#young.get(client);
    if (known !== undefined) return known;
    const bucket = this.#old.get(client) ?? { tokens: this.perMinute, at: now };
    this.#old.delete(client);
    this.#young.set(client, bucket);
    return bucket;
  }
}
