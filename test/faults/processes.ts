/** What happens to running processes: signals at every moment, logs that nobody reads, stores that are replaced, namespaces. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Built, childrenOf, isRunning, start, statusOf, timeUsed, until } from "../cli/built.js";
import { run } from "../cli/run.js";
import { HAS_NAMESPACES, NAMESPACE } from "../cli/wrappers.js";
import { freePort } from "../free-port.js";
import type { Row } from "./row.js";

const BASE = "http://data.museum.example/";
const ENDLESS = `SELECT (COUNT(*) AS ?n) { ${Array.from({ length: 40 }, (_, n) => `?a${n} ?b${n} ?c${n} .`).join(" ")} }`;
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
/** Whoever has not ended so long after a signal never will, on however busy a machine; in milliseconds. */
const PATIENCE = 60_000;

/** Two stores: `first` has places 1 to 50, `second` 51 to 100, each also as an input. */
async function makeStores(folder: string): Promise<void> {
  for (const [name, from] of [
    ["first", 1],
    ["second", 51],
  ] as const) {
    const place = (at: number): string => {
      const iri = `<${BASE}place/${from + at}>`;
      const type = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.cidoc-crm.org/cidoc-crm/E53_Place>";
      return `${iri} ${type} ${iri} .\n${iri} <http://www.w3.org/2000/01/rdf-schema#label> "${name}" ${iri} .\n`;
    };
    writeFileSync(join(folder, `${name}.nq`), Array.from({ length: 50 }, (_, at) => place(at)).join(""));
    await run(["load", join(folder, `${name}.nq`), "--store", join(folder, name), "--base-url", BASE]);
  }
}

/** One fault at a time, with what it leaves to be ended. */
abstract class Fault {
  readonly seen = new Map<string, number>();
  readonly failures: string[] = [];
  readonly #started: Built[] = [];

  constructor(readonly folder: string) {}

  abstract once(at: number, random: () => number): Promise<void>;

  async run(count: number, random: () => number): Promise<Row> {
    await makeStores(this.folder);
    for (let at = 0; at < count; at++) {
      for (const name of ["store", "other"]) rmSync(join(this.folder, name), { recursive: true, force: true });
      cpSync(join(this.folder, "first"), this.store, { recursive: true });
      cpSync(join(this.folder, "second"), join(this.folder, "other"), { recursive: true });
      try {
        await this.once(at, random);
      } finally {
        for (const { process: child, ended } of this.#started.splice(0)) {
          child.kill("SIGKILL");
          await ended;
        }
      }
    }
    return { runs: count, seen: this.seen, failures: this.failures };
  }

  get store(): string {
    return join(this.folder, "store");
  }

  begun(args: readonly string[], wrapper: readonly string[] = []): Built {
    const built = start([...args, "--store", this.store], wrapper);
    this.#started.push(built);
    return built;
  }

  async serving(...args: readonly string[]): Promise<Built & { readonly url: string }> {
    const built = this.begun(["serve", "--port", "0", ...args]);
    const [, url] = await built.told(/listening on (http:\S+)\//);
    return { ...built, url: url! };
  }

  count(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }
}

type Moment = (fault: Fault, workers: readonly string[], random: () => number) => Promise<Built>;

async function asking(built: { readonly url: string; readonly pid: number }): Promise<void> {
  const query = `${built.url}/sparql?query=${encodeURIComponent("ASK {}")}`;
  await until(async () => (await statusOf(query)) === 200);
  const children = childrenOf(built.pid);
  const before = timeUsed(children);
  fetch(`${built.url}/sparql?query=${encodeURIComponent(ENDLESS)}`).catch(() => {});
  await until(() => timeUsed(children) > before + 20);
}

/** The moments at which a process is told to end. */
const MOMENTS: { readonly [name: string]: Moment } = {
  "as it starts": async (fault, workers, random) => {
    const built = fault.begun(["serve", "--port", "0", ...workers]);
    await sleep(random() * 600);
    return built;
  },
  "while the index is filled": (fault, workers) => fault.serving(...workers),
  "while a query runs": async (fault, workers) => {
    const built = await fault.serving("--query-timeout", "600", ...workers);
    await asking(built);
    return built;
  },
  "while a client is silent": async (fault, workers) => {
    const built = await fault.serving(...workers);
    const socket = connect(Number(new URL(built.url).port), "127.0.0.1");
    socket.on("error", () => {});
    socket.write("GET /place/1 HTTP/1.1\r\nHost:");
    await until(async () => (await statusOf(`${built.url}/place/1`)) === 200);
    return built;
  },
  "while the store is away": async (fault, workers) => {
    const built = await fault.serving(...workers);
    renameSync(fault.store, join(fault.folder, "other", "away"));
    await until(async () => (await statusOf(`${built.url}/ready`)) === 503);
    return built;
  },
  "while it loads": async (fault, _workers, random) => {
    const built = fault.begun(["load", join(fault.folder, "second.nq")]);
    await sleep(random() * 1_200);
    return built;
  },
};

class Signals extends Fault {
  async once(at: number, random: () => number): Promise<void> {
    const [moment, begin] = Object.entries(MOMENTS)[at % Object.keys(MOMENTS).length]!;
    const signal = SIGNALS[Math.floor(random() * SIGNALS.length)]!;
    const built = await begin(this, random() < 0.5 ? ["--workers", "2"] : [], random);
    const children = built.process.exitCode === null ? childrenOf(built.pid) : [];
    const begun = performance.now();
    built.process.kill(signal);
    const ended = await Promise.race([built.ended, sleep(PATIENCE, "not at all" as const, { ref: false })]);
    const seconds = (performance.now() - begun) / 1_000;
    const isLoad = moment === "while it loads";
    // Before Node runs the program, the system's own way holds.
    const allowed: readonly unknown[] = isLoad ? [0, 2, signal] : moment === "as it starts" ? [0, signal] : [0];
    if (!allowed.includes(ended)) this.failures.push(`${moment}, ${signal}: ended with ${ended}: ${built.stderr()}`);
    await Promise.race([until(() => !children.some(isRunning)), sleep(PATIENCE, undefined, { ref: false })]);
    if (children.some(isRunning)) this.failures.push(`${moment}, ${signal}: children are left`);
    const left = existsSync(this.store) ? readdirSync(this.store).filter((name) => name.includes("sock")) : [];
    if (left.length > 0 && ended !== signal) this.failures.push(`${moment}, ${signal}: ${left.join()} is left`);
    if (existsSync(this.store)) {
      const { status } = await run(["check", "--store", this.store]);
      if (status !== 0) this.failures.push(`${moment}, ${signal}: check ends with ${status}`);
    }
    this.count(`${moment}: ended within ${seconds <= 1 ? "1 s" : seconds <= 8 ? "8 s" : `${Math.ceil(seconds)} s`}`);
  }
}

/** Makes a file once two workers listen: of a service whose log nobody reads, nobody is told. */
const TELLING = `const cluster = require("node:cluster");
let listening = 0;
cluster.on("listening", () => {
  if (++listening === 2) require("node:fs").writeFileSync(process.env.LISTENED, "");
});`;

/** What becomes of the log. */
const LOGS = ["its reader leaves", "its device is full", "its collector comes back"] as const;

class Logs extends Fault {
  async once(at: number): Promise<void> {
    const what = LOGS[at % LOGS.length]!;
    const built = await this.#begin(what);
    const living = (): readonly number[] => childrenOf(built.pid).filter(isRunning);
    // Each death and each replacement would be a line.
    for (let death = 0; death < 3; death++) {
      await until(() => living().length >= 3);
      const killed = living().at(-1)!;
      process.kill(killed, "SIGKILL");
      await until(() => !isRunning(killed));
    }
    // Before the service has noticed a death, a connection may be handed to the dead (Node's cluster), and is lost with it.
    await until(() => living().length >= 3);
    const status = await statusOf(`${built.url}/place/1`);
    if (status !== 200) this.failures.push(`${what}: /place/1 is ${status}`);
    if (!isRunning(built.pid)) this.failures.push(`${what}: the service ended`);
    this.count(`${what}: served on`);
  }

  async #begin(what: (typeof LOGS)[number]): Promise<{ readonly pid: number; readonly url: string }> {
    if (what === "its reader leaves") {
      const built = await this.serving("--workers", "2");
      built.process.stderr!.destroy();
      return built;
    }
    const port = await freePort();
    const [fifo, telling, listened] = ["log", "telling.cjs", "listened"].map((name) => join(this.folder, name));
    const isDevice = what === "its device is full";
    for (const left of [fifo, listened]) rmSync(left!, { force: true });
    writeFileSync(telling!, TELLING);
    if (!isDevice) execFileSync("mkfifo", [fifo!]);
    const args = ["serve", "--port", String(port), "--workers", "2"];
    const told = ["env", `LISTENED=${listened}`, `NODE_OPTIONS=--require=${telling}`];
    const built = this.begun(args, [...told, "sh", "-c", `exec "$@" 2>${isDevice ? "/dev/full" : `'${fifo}'`}`, "sh"]);
    // Until both workers have listened, the death of one rightly ends the service.
    const isServing = (): Promise<void> => until(() => existsSync(listened!));
    if (isDevice) await isServing();
    else {
      // The service begins when somebody opens its log.
      await this.#collect(fifo!, isServing);
      await this.#collect(fifo!, () => sleep(400));
    }
    return { pid: built.pid, url: `http://127.0.0.1:${port}` };
  }

  /** A collector that reads for a while and goes. */
  async #collect(fifo: string, reading: () => Promise<unknown>): Promise<void> {
    const collector = spawn("cat", [fifo], { stdio: "ignore" });
    try {
      await reading();
    } finally {
      collector.kill();
      await once(collector, "exit");
    }
  }
}

class Replacements extends Fault {
  async once(at: number, random: () => number): Promise<void> {
    const built = await this.serving(...(at % 2 === 0 ? [] : ["--workers", "2"]), "--sparql-access", "off");
    let isOver = false;
    const lives = new Set<number>();
    const watched = Promise.all(
      Array.from({ length: 4 }, async () => {
        for (; !isOver; await sleep(5)) lives.add(await statusOf(`${built.url}/health`));
      }),
    );
    renameSync(this.store, join(this.folder, "away"));
    const pause = random() < 0.5 ? 0 : random() * 3_000;
    await sleep(pause);
    renameSync(join(this.folder, "other"), this.store);
    rmSync(join(this.folder, "away"), { recursive: true });
    // The next store has none of the first one's records, and all of its own.
    await until(async () => (await statusOf(`${built.url}/place/1`)) === 404);
    await until(async () => (await statusOf(`${built.url}/place/51`)) === 200);
    for (let place = 1; place <= 100; place++) {
      const status = await statusOf(`${built.url}/place/${place}`);
      if (at % 2 === 0 && status !== (place > 50 ? 200 : 404)) this.failures.push(`/place/${place} is ${status}`);
    }
    isOver = true;
    await watched;
    if ([...lives].join() !== "200") this.failures.push(`/health was ${[...lives].join()}`);
    this.count(`${at % 2 === 0 ? "alone" : "with workers"}: the next store is served, and no connection was lost`);
  }
}

class Namespaces extends Fault {
  async once(at: number): Promise<void> {
    if (at % 2 === 0) {
      const service = this.begun(["serve", "--port", "0"], NAMESPACE);
      const [, url] = await service.told(/listening on (http:\S+)\//);
      await until(async () => (await statusOf(`${url}/place/1`)) === 200);
    }
    const loads = [0, 1].map(() => this.begun(["load", join(this.folder, "second.nq")], NAMESPACE));
    const ended = await Promise.all(loads.map((load) => load.ended));
    const words = loads.map((load) => load.stderr());
    for (const [number, status] of ended.entries()) {
      const isReported = status === 2 && /^vitrine: [^\n]*(container|is loading into)[^\n]*\n$/.test(words[number]!);
      if (status !== 0 && !isReported) this.failures.push(`a load ended with ${status}: ${words[number]}`);
    }
    const { stdout } = await run(["stats", "--json", "--store", this.store]);
    const { records } = JSON.parse(stdout) as { records: number };
    if (records !== (ended.includes(0) ? 100 : 50)) this.failures.push(`${records} records after ${ended.join()}`);
    const { status } = await run(["check", "--store", this.store]);
    if (status !== 0) this.failures.push(`check ends with ${status}`);
    this.count(
      `${at % 2 === 0 ? "beside a service" : "two loads"}: ${ended.filter((each) => each === 0).length} loaded, the others were told why not`,
    );
  }
}

/** Signals at six moments, to a service alone or with workers, or to a load. */
export const signals = (count: number, random: () => number, folder: string): Promise<Row> =>
  new Signals(folder).run(count, random);

/** Logs whose reader leaves, that cannot be written, or whose collector restarts. */
export const logs = (count: number, random: () => number, folder: string): Promise<Row> =>
  new Logs(folder).run(count, random);

/** Stores that another takes the place of, at once or after a while. */
export const replacements = (count: number, random: () => number, folder: string): Promise<Row> =>
  new Replacements(folder).run(count, random);

/** Loads in process namespaces of their own, as containers have them, beside a service in one or not. */
export const namespaces = async (count: number, random: () => number, folder: string): Promise<Row> =>
  HAS_NAMESPACES
    ? new Namespaces(folder).run(count, random)
    : { runs: 0, seen: new Map([["no namespace can be made here", 0]]), failures: [] };
