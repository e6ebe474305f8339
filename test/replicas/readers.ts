/** Readers of a service: they ask for records again and again, and know which versions an answer may have. */
import { Agent, request } from "undici";
import { paced } from "./paced.js";

const CONNECTIONS = 64;

/** When each version of each record was published by the loader: milliseconds since 1970, by version. */
export class Published {
  readonly #times = new Map<string, number[]>();

  add(path: string, version: number, time: number): void {
    const times = this.#times.get(path) ?? [];
    times[version] = time;
    this.#times.set(path, times);
  }

  get paths(): readonly string[] {
    return [...this.#times.keys()];
  }

  /** How many milliseconds a version was out of date at a time; `undefined` for one that nobody published by then. */
  age(path: string, version: number, time: number): number | undefined {
    const times = this.#times.get(path)!;
    if (times[version] === undefined) return undefined;
    const next = times.slice(version + 1).find((each) => each !== undefined);
    return next === undefined ? 0 : Math.max(0, time - next);
  }
}

export interface Read {
  answers: number;
  /** What was no answer that ever was right, in words. */
  readonly wrong: string[];
  /** The longest time in which no request was made that was answered, in milliseconds, and how many requests failed. */
  longest: number;
  failures: number;
  hits: number;
  /** How long answers were out of date when they came, in milliseconds. */
  readonly ages: number[];
  /** Milliseconds from when each request was due until its answer was there. */
  readonly waits: number[];
}

/** Ask at an address, so often a second, until it is stopped. */
export function readers(url: string, host: string, published: Published, rate: number, random: () => number) {
  const agent = new Agent({ connections: CONNECTIONS });
  const read: Read = { answers: 0, wrong: [], longest: 0, failures: 0, hits: 0, ages: [], waits: [] };
  let isOver = false;
  let failingSince: number | undefined;
  const failed = (): void => {
    read.failures++;
    failingSince ??= performance.now();
  };
  const ask = async (due: number): Promise<void> => {
    const { paths } = published;
    const path = paths[Math.floor(random() * random() * paths.length)]!;
    const [begun, asked] = [Date.now(), performance.now()];
    try {
      const answer = await request(`${url}${path}`, { dispatcher: agent, headers: { host }, headersTimeout: 5_000 });
      const text = await answer.body.text();
      if (answer.statusCode >= 500) return failed();
      if (failingSince !== undefined) read.longest = Math.max(read.longest, asked - failingSince);
      failingSince = undefined;
      read.answers++;
      read.waits.push(performance.now() - due);
      if (answer.headers["x-cache"] === "hit") read.hits++;
      const version = Number(/"_label":\s*"Version (\d+)"/.exec(text)?.[1]);
      const age = answer.statusCode === 200 ? published.age(path, version, begun) : undefined;
      if (age === undefined) read.wrong.push(`${path}: ${answer.statusCode} ${text.slice(0, 200)}`);
      else read.ages.push(age);
    } catch {
      failed();
    }
  };
  const running = paced(rate, () => isOver, ask);
  return {
    read,
    async stop(): Promise<Read> {
      isOver = true;
      await running;
      await agent.destroy();
      return read;
    },
  };
}

/** The value that a share of all is below. */
export function share(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
