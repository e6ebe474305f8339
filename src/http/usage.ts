/** What is read how often, for boards and funders: counts by month, robots apart, and nothing of who reads. */
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isbot } from "isbot";
import { replaceFileNow } from "../base/replace-file.js";

/** A folder in the store's, beside the records. */
const FOLDER = "usage";
/** How often counts are written, in milliseconds. */
const INTERVAL = 60_000;
/** So many records are counted at once; beyond them, those that were read least are forgotten. */
export const MAX_COUNTED = 20_000;
/** Of each period, so many of the records that are read most are kept. */
const MAX_KEPT = 1_000;
/** So many user agents are remembered as robots or people. */
const MAX_AGENTS = 1_000;

/** Requests of one kind. */
export interface UsageCount {
  /** The entity's endpoint, or the path of the route. */
  readonly endpoint: string;
  readonly representation: string;
  readonly isBot: boolean;
  readonly requests: number;
}

/** What one process counted in a month. */
export interface UsagePeriod {
  /** `2026-11` */
  readonly month: string;
  readonly counts: readonly UsageCount[];
  /** Records with how often people read them, most first. */
  readonly read: readonly (readonly [iri: string, requests: number])[];
}

/** Counts of one process, written to the store's folder now and then. */
export class Usage {
  readonly #directory: string;
  readonly #name = randomBytes(6).toString("hex");
  readonly #timer: NodeJS.Timeout;
  readonly #now: () => Date;
  readonly #report: (error: unknown) => void;
  #month: string;
  #people = new Map<string, Map<string, number>>();
  #robots = new Map<string, Map<string, number>>();
  #read = new Map<string, number>();
  #agents = new Map<string, boolean>();
  #isDirty = false;

  /** @param directory the store's folder @param report told when counts cannot be written */
  constructor(directory: string, report: (error: unknown) => void, now: () => Date = () => new Date()) {
    this.#directory = join(directory, FOLDER);
    this.#now = now;
    this.#report = report;
    this.#month = monthOf(now());
    this.#timer = setInterval(() => this.write(), INTERVAL);
    this.#timer.unref();
  }

  /** Count a request that was answered. @param iri of the record that was read, where it was one */
  count(endpoint: string, representation: string, agent: string | undefined, iri: string | undefined): void {
    this.#isDirty = true;
    const isBot = this.#isBot(agent ?? "");
    const all = isBot ? this.#robots : this.#people;
    const representations = all.get(endpoint) ?? new Map<string, number>();
    if (representations.size === 0) all.set(endpoint, representations);
    representations.set(representation, (representations.get(representation) ?? 0) + 1);
    if (isBot || iri === undefined) return;
    this.#read.set(iri, (this.#read.get(iri) ?? 0) + 1);
    if (this.#read.size > MAX_COUNTED) this.#read = new Map(this.#most(MAX_COUNTED / 2));
  }

  /** Write what was counted. Counts are for reports: when they cannot be written, the service goes on. */
  write(): void {
    const month = monthOf(this.#now());
    if (this.#isDirty) {
      try {
        mkdirSync(this.#directory, { recursive: true });
        const path = join(this.#directory, `${this.#month}.${this.#name}.json`);
        replaceFileNow(path, JSON.stringify(this.#period()));
        this.#isDirty = false;
      } catch (error) {
        this.#report(error);
      }
    }
    if (month === this.#month) return;
    this.#month = month;
    [this.#people, this.#robots, this.#read] = [new Map(), new Map(), new Map()];
  }

  close(): void {
    clearInterval(this.#timer);
    this.write();
  }

  #period(): UsagePeriod {
    const counts = [this.#people, this.#robots].flatMap((all, index) =>
      [...all].flatMap(([endpoint, representations]) =>
        [...representations].map(([representation, requests]) => ({
          endpoint,
          representation,
          isBot: index === 1,
          requests,
        })),
      ),
    );
    return { month: this.#month, counts, read: this.#most(MAX_KEPT) };
  }

  #most(count: number): [string, number][] {
    return [...this.#read].sort(([, left], [, right]) => right - left).slice(0, count);
  }

  /** A user agent says itself whether it is a robot; whoever says nothing is no browser. */
  #isBot(agent: string): boolean {
    const known = this.#agents.get(agent);
    if (known !== undefined) return known;
    const isBot = agent === "" || isbot(agent);
    if (this.#agents.size >= MAX_AGENTS) this.#agents = new Map();
    this.#agents.set(agent, isBot);
    return isBot;
  }
}

function monthOf(date: Date): string {
  return date.toISOString().slice(0, 7);
}

/** All periods that processes left in a store's folder, added up by month, the oldest first. */
export function readUsage(directory: string): readonly UsagePeriod[] {
  const months = new Map<string, { counts: Map<string, UsageCount>; read: Map<string, number> }>();
  for (const period of periods(join(directory, FOLDER))) {
    const month = months.get(period.month) ?? { counts: new Map(), read: new Map() };
    months.set(period.month, month);
    for (const count of period.counts) {
      const key = JSON.stringify([count.endpoint, count.representation, count.isBot]);
      const before = month.counts.get(key)?.requests ?? 0;
      month.counts.set(key, { ...count, requests: before + count.requests });
    }
    for (const [iri, requests] of period.read) month.read.set(iri, (month.read.get(iri) ?? 0) + requests);
  }
  return [...months]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([month, { counts, read }]) => ({
      month,
      counts: [...counts.values()].sort((left, right) => right.requests - left.requests),
      read: [...read].sort(([, left], [, right]) => right - left),
    }));
}

function periods(folder: string): readonly UsagePeriod[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    if (!/^\d{4}-\d{2}\.\w+\.json$/.test(name)) return [];
    try {
      return [JSON.parse(readFileSync(join(folder, name), "utf8")) as UsagePeriod];
    } catch {
      // A file that was cut off counts nothing.
      return [];
    }
  });
}
