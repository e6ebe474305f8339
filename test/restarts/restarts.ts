/** Ends a service again and again, by a signal or by killing it, while records are read and loaded; nothing that was acknowledged may be lost. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { type Built, start, until } from "../cli/built.js";
import { run } from "../cli/run.js";
import { freePort } from "../free-port.js";
import { temporaryFolder } from "../temporary-folder.js";

const BASE = "http://data.museum.example/";
const RECORDS = 300;
/** The first of them are changed by loads of so many, the others one by one, so that the order of a record's changes is known. */
const LOADED = 200;
const CHANGED = 60;
const READERS = 3;
/** Milliseconds between the requests of each, which leave the processors to the service. */
const PAUSE = 5;
/** Milliseconds until those try again whom nobody answered: a service that begins needs the processors more. */
const PATIENCE = 100;
/** Every so many services have an index for queries, too. */
const INDEXED = 5;
/** After so many of them `vitrine check` looks at the store; it does so at the end, too. */
const CHECKED = 10;
const CONTEXT = "https://linked.art/ns/v1/linked-art.json";

/** What came of it. */
export interface Restarts {
  readonly killed: number;
  readonly ended: number;
  /** How many of them came while a load ran. */
  readonly duringLoads: number;
  readonly acknowledged: number;
  /** Loads and single records whose sender never knew what became of them. */
  readonly unknown: number;
  readonly reads: number;
  /** What should not have happened. */
  readonly failures: readonly string[];
}

/**
 * Start a service so many times, and end it at a random moment: the first time and every second it is killed.
 * @param random from 0 to 1
 * @param life a service's, at most, in milliseconds from when it listens
 */
export async function restart(times: number, random: () => number, life = 1_700): Promise<Restarts> {
  const trial = new Trial(temporaryFolder(onTestFinished), random);
  await trial.prepare();
  const working = trial.work();
  for (let at = 1; at <= times; at++) {
    await trial.live(at % 2 === 1 ? "SIGKILL" : "SIGTERM", at % INDEXED !== 0, random() * life);
    if (at % CHECKED === 0) await trial.check(`after ${at}`);
  }
  await trial.finish(working);
  return trial.outcome;
}

class Trial {
  readonly #store: string;
  readonly #failures: string[] = [];
  /** The version of each record that is published for certain, and the latest that may be. */
  readonly #acknowledged = new Array<number>(RECORDS).fill(0);
  readonly #begun = new Array<number>(RECORDS).fill(0);
  #port = 0;
  #token = "";
  #version = 0;
  #isOver = false;
  #isLoading = false;
  #counts = { killed: 0, ended: 0, duringLoads: 0, acknowledged: 0, unknown: 0, reads: 0 };

  constructor(
    folder: string,
    readonly random: () => number,
  ) {
    this.#store = join(folder, "store");
  }

  get outcome(): Restarts {
    return { ...this.#counts, failures: this.#failures };
  }

  async prepare(): Promise<void> {
    this.#port = await freePort();
    const nothing = ["load", "-", "--format", "jsonl"];
    const { status, stderr } = await run([...nothing, "--store", this.#store, "--base-url", BASE]);
    if (status !== 0) throw new Error(stderr);
    this.#token = (await run(["token", "new", "--may", "load,delete", "--store", this.#store])).stdout.trim();
  }

  /** Start a service, let it serve for a while, and end it. */
  async live(signal: "SIGTERM" | "SIGKILL", isBare: boolean, milliseconds: number): Promise<void> {
    const service = await this.#serving(isBare);
    await sleep(milliseconds);
    if (this.#isLoading) this.#counts.duringLoads++;
    service.process.kill(signal);
    const how = await service.ended;
    this.#counts[signal === "SIGKILL" ? "killed" : "ended"]++;
    if (signal === "SIGTERM" && how !== 0) this.#fail(`ended with ${how}: ${service.stderr().slice(-500)}`);
  }

  async #serving(isBare: boolean): Promise<Built> {
    const where = ["--store", this.#store, "--base-url", BASE, "--port", String(this.#port)];
    const service = start(["serve", ...where, ...(isBare ? ["--sparql-access", "off"] : [])]);
    await service.told(/listening on/);
    return service;
  }

  /** What `vitrine check` says of the store. */
  async check(when: string): Promise<void> {
    const { status, stdout, stderr } = await run(["check", "--store", this.#store]);
    if (status !== 0) this.#fail(`check ${when} ended with ${status}: ${stdout}${stderr}`);
  }

  /** Those that read and load until it is over. */
  work(): Promise<unknown> {
    const readers = Array.from({ length: READERS }, () => this.#reader());
    return Promise.all([...readers, this.#loader(), this.#writer()]);
  }

  /** Let a last service finish what was begun, and look at all records. */
  async finish(working: Promise<unknown>): Promise<void> {
    const service = await this.#serving(true);
    const { acknowledged } = this.#counts;
    await until(() => this.#counts.acknowledged > acknowledged);
    this.#isOver = true;
    await working;
    await until(async () => (await this.#states()).every((state) => state !== "running" && state !== "waiting"));
    for (let number = 0; number < RECORDS; number++) await this.#read(number);
    service.process.kill("SIGTERM");
    await service.ended;
    await this.check("at the end");
  }

  async #states(): Promise<readonly string[]> {
    const answer = await this.#ask("/loads", { headers: this.#shown });
    return ((await answer.json()) as { loads: { state: string }[] }).loads.map(({ state }) => state);
  }

  async #reader(): Promise<void> {
    while (!this.#isOver) {
      const pause = await this.#read(Math.floor(this.random() * RECORDS)).then(
        () => PAUSE,
        () => PATIENCE,
      );
      await sleep(pause);
    }
  }

  /** Read a record: not older than what is acknowledged before, nor newer than what was begun. */
  async #read(number: number): Promise<void> {
    const atLeast = this.#acknowledged[number]!;
    const answer = await this.#ask(`/place/${number}`);
    const text = await answer.text();
    if (answer.status === 503) return;
    this.#counts.reads++;
    const found =
      answer.status === 200 ? Number(/version (\d+)/.exec(text)?.[1]) : answer.status === 404 ? 0 : Number.NaN;
    if (!(found >= atLeast && found <= this.#begun[number]!)) {
      this.#fail(`place/${number}: ${answer.status}, version ${found}, of ${atLeast} to ${this.#begun[number]}`);
    }
  }

  async #loader(): Promise<void> {
    while (!this.#isOver) {
      const from = Math.floor(this.random() * (LOADED - CHANGED));
      const numbers = Array.from({ length: CHANGED }, (_, at) => from + at);
      this.#isLoading = true;
      await this.#change(numbers, async (version) => {
        const body = numbers.map((number) => `${JSON.stringify(documentOf(number, version))}\n`).join("");
        const answer = await this.#ask("/load?format=jsonl", { method: "POST", headers: this.#shown, body });
        const last = (await answer.text()).trim().split("\n").at(-1)!;
        return answer.status === 200 && (JSON.parse(last) as { state?: string }).state === "published";
      });
      this.#isLoading = false;
    }
  }

  async #writer(): Promise<void> {
    while (!this.#isOver) {
      const number = LOADED + Math.floor(this.random() * (RECORDS - LOADED));
      await this.#change([number], async (version) => {
        const headers = { ...this.#shown, "content-type": "application/ld+json" };
        const body = JSON.stringify(documentOf(number, version));
        const { status } = await this.#ask(`/place/${number}`, { method: "PUT", headers, body });
        return status === 200 || status === 201;
      });
    }
  }

  /** Give records another version. */
  async #change(numbers: readonly number[], send: (version: number) => Promise<boolean>): Promise<void> {
    const version = ++this.#version;
    for (const number of numbers) this.#begun[number] = version;
    const isAcknowledged = await send(version).catch(() => false);
    if (!isAcknowledged) {
      this.#counts.unknown++;
      await sleep(PATIENCE);
      return;
    }
    this.#counts.acknowledged++;
    for (const number of numbers) this.#acknowledged[number] = version;
  }

  get #shown(): { readonly authorization: string } {
    return { authorization: `Bearer ${this.#token}` };
  }

  #ask(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.#port}${path}`, init);
  }

  #fail(message: string): void {
    if (this.#failures.length < 20) this.#failures.push(message);
  }
}

function documentOf(number: number, version: number): object {
  return {
    "@context": CONTEXT,
    id: `${BASE}place/${number}`,
    type: "Place",
    _label: `Place ${number}, version ${version}`,
  };
}
