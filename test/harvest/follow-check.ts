/** Random loads, replacements, deletions, moves and interruptions of a source, and a check that every copy stays equal. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { type Built, start } from "../cli/built.js";
import { inFile } from "../cli/in-file.js";
import { run } from "../cli/run.js";
import { freePort } from "../free-port.js";
import { temporaryFolder } from "../temporary-folder.js";
import { type Harvester, IiifHarvester, LuxHarvester } from "./harvesters.js";

/** The numbers of things done in a check. */
export interface Check {
  readonly loads: number;
  readonly deletions: number;
  readonly moves: number;
  /** How many followers and services were killed. */
  readonly kills: number;
  /** How often all copies were compared with the source. */
  readonly comparisons: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const BASE = "http://museum.example/";
const NAMES = 60;

/** A service of a store, on the same port through any number of restarts. */
class Source {
  #service: Built | undefined;

  constructor(
    readonly store: string,
    readonly port: number,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  async start(): Promise<void> {
    const more = ["--sparql-access", "off", "--base-url", BASE];
    this.#service = start(["serve", "--store", this.store, "--port", String(this.port), ...more]);
    await this.#service.told(/listening on/);
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    this.#service!.process.kill(signal);
    await this.#service!.ended;
  }

  /** The document at an address under the base URL. The request is repeated while the service is down. */
  readonly ask = async (url: string): Promise<unknown> => {
    for (;;) {
      try {
        const answer = await fetch(url.replace(BASE, this.url), { redirect: "manual" });
        const location = answer.headers.get("location");
        if (answer.status === 301 && location !== null) return await this.ask(location);
        const document = (await answer.json()) as unknown;
        return answer.status === 200 ? document : undefined;
      } catch {
        await sleep(50);
      }
    }
  };
}

/**
 * Change a source at random `steps` times, while two harvesters and `vitrine follow` keep copies of it. The copies are compared now and then, and
 * at the end after an interruption. Rejects with a description of the first difference. `random` gives numbers from 0 to 1.
 */
export async function checkFollowing(steps: number, random: () => number): Promise<Check> {
  const folder = temporaryFolder(onTestFinished);
  const source = new Source(join(folder, "source"), await freePort());
  const copy = join(folder, "copy");
  const check: Mutable<Check> = { loads: 0, deletions: 0, moves: 0, kills: 0, comparisons: 0 };
  const harvesters: Harvester[] = [];
  await using _source = { [Symbol.asyncDispose]: () => source.kill("SIGTERM").catch(() => {}) };
  await change(source.store, folder, random, check, true);
  await source.start();
  for (const Harvester of [LuxHarvester, IiifHarvester]) harvesters.push(new Harvester(`${BASE}activity`, source.ask));
  for (let step = 1; step <= steps; step++) {
    await change(source.store, folder, random, check, false);
    const dice = random();
    if (dice < 0.06 || step === steps) await interrupted(source, copy, random, check);
    else if (dice < 0.15) await follow(source, copy, random() < 0.2 ? inFile({ batch: 3 }) : []);
    else if (dice < 0.25) await Promise.all(harvesters.map((harvester) => harvester.visit()));
    if (step % 50 === 0 || step === steps) await compare(source, copy, harvesters, check);
  }
  return check;
}

/** Change the source once: load some records, old and new, or delete or move one. */
async function change(
  store: string,
  folder: string,
  random: () => number,
  check: Mutable<Check>,
  isFirst: boolean,
): Promise<void> {
  const pick = (): string => `${BASE}place/${Math.floor(random() * NAMES)}`;
  const dice = isFirst ? 0 : random();
  if (dice < 0.7) {
    const records = Array.from({ length: 1 + Math.floor(random() * 8) }, () => recordOf(pick(), random));
    const file = join(folder, "load.jsonl");
    writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
    const { status, stderr } = await run(["load", file, "--store", store, "--base-url", BASE]);
    if (status !== 0) throw new Error(`a load ended with ${status}: ${stderr}`);
    check.loads++;
  } else if (dice < 0.85) {
    // Deleting a record that does not exist is refused, which does not matter here.
    const { status } = await run(["delete", pick(), "--store", store]);
    if (status === 0) check.deletions++;
  } else {
    const { status } = await run(["delete", pick(), "--moved-to", pick(), "--store", store]);
    if (status === 0) check.moves++;
  }
}

function recordOf(id: string, random: () => number): object {
  const number = Math.floor(random() * 1e6);
  const names = Array.from({ length: Math.floor(random() * 3) }, (_, at) => ({
    type: "Name",
    content: `Name ${at} of ${number}`,
  }));
  return {
    "@context": "https://linked.art/ns/v1/linked-art.json",
    id,
    type: "Place",
    _label: `Place ${number} – “ü” 😀`,
    ...(names.length === 0 ? {} : { identified_by: names }),
    ...(random() < 0.3 ? { part_of: [{ id: `${BASE}place/earth`, type: "Place", _label: "Earth" }] } : {}),
  };
}

function follow(source: Source, copy: string, options: readonly string[] = []) {
  return run(["follow", source.url, "--source", "museum", "--store", copy, ...options]);
}

/** Run a follower in its own process, and kill it or its source at a random moment, sometimes after a new dump. */
async function interrupted(source: Source, copy: string, random: () => number, check: Mutable<Check>): Promise<void> {
  if (random() < 0.3) await run(["dump", "--store", source.store, ...inFile({ "keep-dumps": 1 })]);
  const afresh = random() < 0.5 ? ["--afresh", ...inFile({ batch: 5 })] : [];
  const follower = start(["follow", source.url, "--source", "museum", "--store", copy, ...afresh]);
  await sleep(200 + random() * 1_200);
  check.kills++;
  if (random() < 0.5) {
    follower.process.kill("SIGKILL");
  } else {
    await source.kill("SIGKILL");
    await source.start();
  }
  await follower.ended;
}

/** Bring all copies up to date, and compare them. */
async function compare(
  source: Source,
  copy: string,
  harvesters: readonly Harvester[],
  check: Mutable<Check>,
): Promise<void> {
  const { status, stderr } = await follow(source, copy);
  if (status !== 0) throw new Error(`follow ended with ${status}: ${stderr}`);
  await Promise.all(harvesters.map((harvester) => harvester.visit()));
  for (const format of ["jsonl", "nq"]) {
    const [expected, found] = await Promise.all(
      [source.store, copy].map(async (store) => (await run(["export", "--store", store, "--format", format])).stdout),
    );
    if (found !== expected) throw new Error(`the copy differs as ${format}: ${difference(expected!, found!)}`);
    if (format !== "jsonl") continue;
    const documents = expected!
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { id: string });
    for (const harvester of harvesters) {
      const { name } = harvester.constructor;
      if (harvester.copy.size !== documents.length) {
        throw new Error(`${name} has ${harvester.copy.size} records of ${documents.length}`);
      }
      for (const document of documents) {
        if (harvester.copy.get(document.id) !== JSON.stringify(document))
          throw new Error(`${name} has a different document for ${document.id}`);
      }
    }
  }
  check.comparisons++;
}

function difference(expected: string, found: string): string {
  const [left, right] = [expected, found].map((text) => new Set(text.split("\n")));
  const only = (from: Set<string>, other: Set<string>): string[] =>
    [...from].filter((line) => !other.has(line)).slice(0, 3);
  return `missing ${only(left!, right!).join(" | ")}; too much ${only(right!, left!).join(" | ")}`;
}
