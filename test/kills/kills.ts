/** Kills the command at random moments while it loads, synchronizes and deletes, and looks at what is left. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { searchProblems } from "../../src/search/open.js";
import { openReadOnly } from "../../src/store/embedded/embedded-store.js";
import { type Outcome, run } from "../cli/run.js";
import { changesAfter, referrersOf } from "../store/records.js";
import { temporaryFolder } from "../temporary-folder.js";

/** Records of the store whose loads are killed, where nothing else is said: enough for a load to go through every stage. */
const RECORDS = 1_500;
const BASE = "https://museum.example/object/";
const CRM = "http://www.cidoc-crm.org/cidoc-crm/";
const TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
const LABEL = "http://www.w3.org/2000/01/rdf-schema#label";

/** What is done to a store, as commands are called. */
type Work = "load" | "sync" | "delete" | "hold" | "release";
const WORK: readonly Work[] = ["load", "sync", "delete", "hold", "release"];

/** Where kills are aimed at: the whole time while the lock is held, or what is written to the file of records. */
export type Aim = "any moment" | "the commit";

/** How many kills came before the store had changed, and how many after. */
export interface Tally {
  before: number;
  whole: number;
  /** Kills that came too late. */
  ended: number;
}

/** The objects of these numbers as N-Quads, their quads not adjacent; `edition` changes every one. */
function quadsOf(from: number, to: number, edition: string): string {
  const numbers = Array.from({ length: to - from }, (_, at) => from + at);
  const line = (number: number, rest: string): string => `<${BASE}${number}> ${rest} <${BASE}${number}> .\n`;
  return [
    ...numbers.map((number) => line(number, `<${TYPE}> <${CRM}E22_Human-Made_Object>`)),
    ...numbers.map((number) => line(number, `<${LABEL}> "${edition} ${number}"`)),
    ...numbers.map((number) => line(number, `<${CRM}P45_consists_of> <urn:material:${edition}>`)),
    ...numbers.map((number) => `<urn:material:${edition}> <${TYPE}> <${CRM}E57_Material> <${BASE}${number}> .\n`),
  ].join("");
}

/** Everything that a store of at most `most` records says, so that two states are the same when these are. */
async function stateOf(store: string, most: number): Promise<string> {
  const reader = await openReadOnly(store);
  try {
    const { lastChange: _, ...stats } = await reader.stats();
    const records: string[] = [];
    for await (const { graph, meta } of reader.lists.records()) {
      records.push(`${graph.iri} ${meta.sequence} ${Buffer.from(meta.hash).toString("hex")}`);
    }
    const changes = await changesAfter(reader, 0);
    const editions = ["first", "second"].map((edition) => referrersOf(reader, `urn:material:${edition}`, most));
    return JSON.stringify([
      stats,
      records,
      changes.map(({ sequence, kind, iri }) => [sequence, kind, iri]),
      (await Promise.all(editions)).map((references) => references.map(({ record }) => record).sort()),
      (await reader.held.list({ limit: most })).items.map(({ iri, label }) => [iri, label]),
    ]);
  } finally {
    await reader.close();
  }
}

/** Resolves when the process holds the store's lock, or is gone: what it does before then changes nothing. */
async function locked(store: string, child: ChildProcess): Promise<void> {
  const isLocked = (): boolean => existsSync(join(store, "lock")) && readdirSync(join(store, "lock")).length > 0;
  while (!isLocked() && child.exitCode === null) await sleep(1);
}

/** When the file of records was last written to. */
function writtenAt(store: string): bigint {
  return statSync(join(store, "records.mdb"), { bigint: true }).mtimeNs;
}

/**
 * Resolves when a publication begins, or the process is gone: the file is written to when it is opened, and then first by
 * the transaction.
 */
async function publishing(store: string, child: ChildProcess): Promise<void> {
  for (let writes = 0, last = writtenAt(store); writes < 2 && child.exitCode === null; ) {
    await new Promise((resolve) => setImmediate(resolve));
    const written = writtenAt(store);
    if (written !== last) writes++;
    last = written;
  }
}

export interface KillOptions {
  readonly aim?: Aim;
  /** Records of the store. */
  readonly records?: number;
}

/** One folder of inputs, the store as it is before, and the store as each work leaves it. */
class Proof {
  readonly folder = temporaryFolder(onTestFinished);
  /** What each work comes to, and how long it goes on after the moment from which kills are aimed. */
  readonly #after = new Map<Work, { state: string; milliseconds: number }>();
  readonly #begun: (store: string, child: ChildProcess) => Promise<void>;
  readonly #records: number;
  #before = "";

  constructor({ aim = "any moment", records = RECORDS }: KillOptions) {
    this.#records = records;
    this.#begun = async (store, child) => {
      await locked(store, child);
      if (aim === "the commit") await publishing(store, child);
    };
  }

  /** Make the store, and see what each of these works makes of it. */
  async prepare(works: readonly Work[]): Promise<void> {
    mkdirSync(this.#temporary);
    const [half, third, fifth] = [2, 3, 5].map((part) => Math.floor(this.#records / part)) as [number, number, number];
    const inputs: Record<string, string> = {
      first: quadsOf(0, this.#records, "first"),
      load: quadsOf(half, this.#records + third, "second"),
      sync: quadsOf(third, this.#records + fifth, "second"),
      held: quadsOf(2 * this.#records, 2 * this.#records + fifth, "first"),
      hold: quadsOf(half, this.#records + fifth, "second"),
    };
    for (const [name, quads] of Object.entries(inputs)) writeFileSync(this.#input(name), quads);
    await succeed(run(["load", this.#input("first"), "--store", this.#base]));
    await succeed(run(["load", this.#input("held"), "--store", this.#base, "--hold", "class=HumanMadeObject"]));
    this.#before = await this.#stateOf(this.#base);
    for (const work of works) {
      const store = this.#copy();
      const child = this.#start(this.#argumentsOf(work, store));
      const exit = once(child, "exit");
      await this.#begun(store, child);
      const started = performance.now();
      await exit;
      const milliseconds = performance.now() - started;
      this.#after.set(work, { state: await this.#stateOf(store), milliseconds });
    }
  }

  /** Kill one run at some moment, then run it again. Throws when anything is not as promised. */
  async round(work: Work, moment: number, tally: Tally): Promise<void> {
    const store = this.#copy();
    const after = this.#after.get(work)!;
    const child = this.#start(this.#argumentsOf(work, store));
    const exit = once(child, "exit");
    await this.#begun(store, child);
    const started = performance.now();
    await Promise.race([exit, sleep(moment * after.milliseconds)]);
    child.kill("SIGKILL");
    await exit;
    // The machine may be quicker than it was.
    if (child.exitCode !== null) after.milliseconds = performance.now() - started;
    const found = await this.#stateOf(store);
    if (found !== this.#before && found !== after.state) throw new Error(`${work}: half a state after ${moment}`);
    if (child.exitCode !== null) tally.ended++;
    else tally[found === this.#before ? "before" : "whole"]++;
    await this.#again(work, store, found === after.state);
    if ((await this.#stateOf(store)) !== after.state) throw new Error(`${work}: not finished by a second run`);
    const unsearched = await searchProblems({ directory: store });
    if (unsearched.length > 0) throw new Error(`${work}: ${unsearched.join()} after ${moment}`);
    const left = [store, `${store}/staging`, `${store}/lock`].flatMap((path) =>
      existsSync(path) ? readdirSync(path) : [],
    );
    const expected = ["lock", "records.mdb", "records.mdb-lock", "search.sqlite", "staging"];
    // What loads refused is kept beside the records, and the log of the search index stays, empty; a name of a socket that never listened goes when it is a minute old.
    if (
      left
        .filter((name) => name !== "loads" && !/^\.\d+-|^search\.sqlite-/.test(name))
        .sort()
        .join() !== expected.join()
    )
      throw new Error(`${work}: left behind: ${left.join()}`);
    const temporary = readdirSync(this.#temporary);
    if (temporary.length > 0) throw new Error(`${work}: left behind: ${temporary.join()}`);
  }

  /** A second run of the same; what is deleted already cannot be deleted again. */
  async #again(work: Work, store: string, isWhole: boolean): Promise<void> {
    if (work === "delete" && isWhole) return this.#run(["load", "/dev/null", "--format", "nq", "--store", store]);
    return this.#run(this.#argumentsOf(work, store));
  }

  #stateOf(store: string): Promise<string> {
    return stateOf(store, 3 * this.#records);
  }

  #input(name: string): string {
    return join(this.folder, `${name}.nq`);
  }

  get #base(): string {
    return join(this.folder, "base");
  }

  get #temporary(): string {
    return join(this.folder, "temporary");
  }

  #copy(): string {
    const store = join(this.folder, "store");
    rmSync(store, { recursive: true, force: true });
    cpSync(this.#base, store, { recursive: true });
    return store;
  }

  #argumentsOf(work: Work, store: string): string[] {
    if (work === "delete") {
      const deleted = Array.from({ length: Math.floor(this.#records / 3) }, (_, number) => `${BASE}${number}`);
      return ["delete", ...deleted, "--store", store];
    }
    if (work === "release") return ["release", "--all", "--store", store];
    if (work === "hold") {
      return ["load", this.#input("hold"), "--store", store, "--hold", "class=HumanMadeObject"];
    }
    const sync = work === "sync" ? ["--sync", "--max-delete", "100%"] : [];
    return ["load", this.#input(work), "--store", store, ...sync];
  }

  #start(args: readonly string[]): ChildProcess {
    return spawn(process.execPath, ["bin/vitrine.js", ...args], {
      stdio: "ignore",
      env: { ...process.env, TMPDIR: this.#temporary },
    });
  }

  async #run(args: readonly string[]): Promise<void> {
    const [status] = await once(this.#start(args), "exit");
    if (status !== 0) throw new Error(`vitrine ${args[0]} ended with ${status}`);
  }
}

async function succeed(running: Promise<Outcome>): Promise<void> {
  const { status, stderr } = await running;
  if (status !== 0) throw new Error(`a command ended with ${status}: ${stderr}`);
}

/**
 * Kill so many runs, each at another moment of those aimed at, the works in turn. `moment` gives numbers below 1. Throws at
 * the first store that is neither as before nor whole, or that a second run does not finish.
 */
export async function killRuns(rounds: number, moment: () => number, options: KillOptions = {}): Promise<Tally> {
  const tally: Tally = { before: 0, whole: 0, ended: 0 };
  const proof = new Proof(options);
  await proof.prepare(WORK.slice(0, rounds));
  for (let round = 0; round < rounds; round++) await proof.round(WORK[round % WORK.length]!, moment(), tally);
  return tally;
}
