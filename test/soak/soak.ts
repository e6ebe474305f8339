/** A soak: many clients ask for records again and again while loads change them; nothing may fail, grow or be stale. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { startServing } from "../cli/built.js";
import { vitrine } from "../faults/row.js";
import { temporaryFolder } from "../temporary-folder.js";
import { privateMemory } from "./memory.js";

const BASE = "http://soak.example/";
const CONTEXT = "https://linked.art/ns/v1/linked-art.json";
const ACCEPTED = ["application/ld+json", "application/json", "text/turtle", "application/n-triples"];
const CODINGS = ["identity", "gzip", "br"];

export interface SoakOptions {
  /** How long it lasts at least. It goes on until clients have had `LEAST` answers each, on average, and one of them was 304. */
  readonly seconds: number;
  readonly records: number;
  readonly clients: number;
  /** How many records each load changes. */
  readonly changes: number;
  readonly workers: number;
}

export interface SoakOutcome {
  readonly requests: number;
  readonly notModified: number;
  readonly loads: number;
  /** What was wrong, the first few. */
  readonly failures: readonly string[];
  /** Private memory of the serving processes in KiB, over time. */
  readonly memory: readonly number[];
}

/** Run it. Rejects when the service does not start or a load does not end with 0. */
export async function soak(options: SoakOptions): Promise<SoakOutcome> {
  const state = new State(temporaryFolder(onTestFinished), options);
  await state.load(Array.from({ length: options.records }, (_, number) => number));
  const where = ["--store", state.store, "--base-url", BASE, "--workers", String(options.workers)];
  const service = await startServing([...where, "--cache", "4", "--sparql-access", "off"]);
  try {
    const end = performance.now() + options.seconds * 1_000;
    const isOver = (): boolean => performance.now() >= end && state.isSoaked;
    const port = Number(new URL(service.url).port);
    const clients = Array.from({ length: options.clients }, () => state.client(port, isOver));
    await Promise.all([...clients, state.loader(isOver), state.watch(service.pid, isOver)]);
    return state.outcome();
  } finally {
    service.process.kill("SIGTERM");
    await service.ended;
  }
}

interface Answer {
  readonly status: number;
  readonly tag: string;
  readonly coding: string | undefined;
  readonly body: Buffer;
}

function decoded({ coding, body }: Answer): Buffer {
  if (coding === undefined) return body;
  return coding === "br" ? brotliDecompressSync(body) : gunzipSync(body);
}

/** With fewer answers a client, on average, a soak has shown nothing. */
const LEAST = 10;
/** The most failures that are worth telling. */
const MAX_FAILURES = 20;

/** What is known of the records, and what was seen of them. */
class State {
  /** The version of each record that is published for certain. */
  readonly #published: number[];
  /** The latest version of each record that may have been published. */
  readonly #begun: number[];
  /** The digest of the bytes that an entity tag came with. */
  readonly #seen = new Map<string, string>();
  readonly #memory: number[] = [];
  readonly #failures: string[] = [];
  #requests = 0;
  #notModified = 0;
  #loads = 0;
  #version = 0;

  readonly store: string;

  constructor(
    readonly folder: string,
    readonly options: SoakOptions,
  ) {
    this.store = join(folder, "store");
    this.#published = new Array<number>(options.records).fill(0);
    this.#begun = new Array<number>(options.records).fill(0);
  }

  outcome(): SoakOutcome {
    return {
      requests: this.#requests,
      notModified: this.#notModified,
      loads: this.#loads,
      failures: this.#failures,
      memory: this.#memory,
    };
  }

  /** Whether there were enough answers, which take long on a slow machine, or wrong ones. */
  get isSoaked(): boolean {
    const isAnswered = this.#notModified > 0 && this.#requests >= LEAST * this.options.clients;
    return isAnswered || this.#failures.length > 0;
  }

  /** Publish a new version of these records. */
  async load(numbers: readonly number[]): Promise<void> {
    const version = ++this.#version;
    const lines = numbers.map((number) => `${JSON.stringify(documentOf(number, version))}\n`);
    const input = join(this.folder, "changes.jsonl");
    writeFileSync(input, lines.join(""));
    for (const number of numbers) this.#begun[number] = version;
    const { status, stderr } = await vitrine(["load", input, "--store", this.store, "--base-url", BASE]);
    if (status !== 0) throw new Error(`a load ended with ${status}: ${stderr}`);
    for (const number of numbers) this.#published[number] = version;
    this.#loads++;
  }

  async loader(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const { records, changes } = this.options;
      await this.load([...new Set(Array.from({ length: changes }, () => random(records)))]);
    }
  }

  async client(port: number, isOver: () => boolean): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const tags = new Map<string, string>();
    while (!isOver()) {
      // Half of the requests go to a few records, so that the cache has something to keep.
      const number = random(2) === 0 ? random(20) : random(this.options.records);
      const headers = { accept: ACCEPTED[random(4)]!, "accept-encoding": CODINGS[random(3)]! };
      const key = `${number} ${headers.accept} ${headers["accept-encoding"]}`;
      const known = tags.get(key);
      const atLeast = this.#published[number]!;
      const conditional = known === undefined || random(2) === 0 ? {} : { "if-none-match": known };
      try {
        const answer = await ask(agent, port, `/object/${number}`, { ...headers, ...conditional });
        this.#check(number, key, known, atLeast, answer);
        tags.set(key, answer.tag);
      } catch (error) {
        this.#fail(`${key}: ${String(error)}`);
      }
    }
    agent.destroy();
  }

  #check(number: number, key: string, known: string | undefined, atLeast: number, answer: Answer): void {
    this.#requests++;
    const { status, tag, body } = answer;
    if (status === 304) {
      this.#notModified++;
      if (tag !== known) this.#fail(`${key}: 304 with ${tag}, asked with ${known}`);
      const version = Number(this.#seen.get(`${tag} version`));
      if (version < atLeast) this.#fail(`${key}: 304 for version ${version} after ${atLeast} was published`);
      return;
    }
    if (status !== 200) {
      this.#fail(`${key}: status ${status}`);
      return;
    }
    const digest = createHash("sha256").update(body).digest("base64");
    const before = this.#seen.get(tag);
    if (before !== undefined && before !== digest) this.#fail(`${key}: ${tag} came with other bytes before`);
    this.#seen.set(tag, digest);
    this.#checkVersion(number, key, atLeast, answer);
  }

  #checkVersion(number: number, key: string, atLeast: number, answer: Answer): void {
    const version = Number(/version (\d+)/.exec(decoded(answer).toString())?.[1]);
    this.#seen.set(`${answer.tag} version`, String(version));
    if (version < atLeast) this.#fail(`${key}: version ${version} after ${atLeast} was published`);
    if (version > this.#begun[number]!) this.#fail(`${key}: version ${version}, which was never loaded`);
  }

  #fail(message: string): void {
    if (this.#failures.length < MAX_FAILURES) this.#failures.push(message);
  }

  /** Note the memory of the serving processes. */
  async watch(pid: number, isOver: () => boolean): Promise<void> {
    const pause = Math.min(10_000, (this.options.seconds * 1_000) / 10);
    while (!isOver()) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      this.#memory.push(privateMemory(pid));
    }
  }
}

function documentOf(number: number, version: number): object {
  return {
    "@context": CONTEXT,
    id: `${BASE}object/${number}`,
    type: "HumanMadeObject",
    _label: `Object ${number}, version ${version}`,
    referred_to_by: [{ type: "LinguisticObject", content: "A statement that goes on. ".repeat(60) }],
  };
}

function random(below: number): number {
  return Math.floor(Math.random() * below);
}

function ask(agent: Agent, port: number, path: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ agent, host: "127.0.0.1", port, path, headers }, (answer: IncomingMessage) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () =>
        resolve({
          status: answer.statusCode!,
          tag: answer.headers.etag ?? "",
          coding: answer.headers["content-encoding"],
          body: Buffer.concat(chunks),
        }),
      );
    });
    asked.on("error", reject);
    asked.end();
  });
}
