/** The life of the command's processes: how they start, what they survive, and how they end. */
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import {
  type Built,
  childrenOf,
  HAS_NAMESPACES,
  HAS_OTHER_USER,
  indexesOf,
  isRunning,
  NAMESPACE,
  OTHER_USER,
  start,
  startServing,
  statusOf,
  timeUsed,
  until,
} from "./built.js";
import { failing, run, serve } from "./run.js";

const BASE = "http://data.museum.example/";
/** For services that are asked no query: an index is a process more. */
const WITHOUT_QUERIES = ["--sparql-access", "off"];
/** Takes for ever, on any store with some triples. */
const ENDLESS = `SELECT (COUNT(*) AS ?n) { ${Array.from({ length: 40 }, (_, n) => `?a${n} ?b${n} ?c${n} .`).join(" ")} }`;

/** Stores that are copied for each test. */
let made: string;
let folder: string;
let store: string;
let other: string;
const started: Built[] = [];

const LOAD_NOTHING = ["load", "/dev/null", "--format", "nq"];
/** A service in a container, and a load in another. LMDB tries for ten seconds before it gives up: the other tests run meanwhile. */
let containers: Promise<{ readonly service: Built; readonly load: Built }> | undefined;

async function startContainers(shared: string): Promise<{ readonly service: Built; readonly load: Built }> {
  cpSync(join(made, "first"), shared, { recursive: true });
  const service = await startServing(["--store", shared, ...WITHOUT_QUERIES], NAMESPACE);
  expect(await statusOf(`${service.url}/place/1`)).toBe(200);
  return { service, load: start([...LOAD_NOTHING, "--store", shared], NAMESPACE) };
}

beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), "vitrine-processes-made-"));
  for (const [name, places] of [
    ["first", ["1", "2"]],
    ["other", ["3"]],
  ] as const) {
    const document = (id: string) => ({
      "@context": DEFAULT_MODEL.contextUri,
      id: `${BASE}place/${id}`,
      type: "Place",
      _label: id,
    });
    writeFileSync(join(made, `${name}.jsonl`), places.map((id) => `${JSON.stringify(document(id))}\n`).join(""));
    await run(["load", join(made, `${name}.jsonl`), "--store", join(made, name), "--base-url", BASE]);
  }
  if (HAS_NAMESPACES) containers = startContainers(join(made, "shared"));
  return async () => {
    for (const each of Object.values((await containers) ?? {})) {
      each.process.kill("SIGKILL");
      await each.ended;
    }
    rmSync(made, { recursive: true });
  };
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-processes-"));
  store = join(folder, "store");
  other = join(folder, "other");
  cpSync(join(made, "first"), store, { recursive: true });
  cpSync(join(made, "other"), other, { recursive: true });
});
afterEach(async () => {
  for (const { process: child, ended } of started.splice(0)) {
    child.kill("SIGCONT");
    child.kill("SIGKILL");
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

async function serving(...args: readonly string[]) {
  const built = await startServing(["--store", store, ...args]);
  started.push(built);
  return built;
}

function begun(args: readonly string[], wrapper: readonly string[] = []): Built {
  const built = start(args, wrapper);
  started.push(built);
  return built;
}

async function countAt(url: string): Promise<number> {
  const query = encodeURIComponent("SELECT (COUNT(?s) AS ?n) { ?s a ?c }");
  const answer = await fetch(`${url}/sparql?query=${query}`);
  if (answer.status !== 200) return -1;
  const { results } = (await answer.json()) as { results: { bindings: { n: { value: string } }[] } };
  return Number(results.bindings[0]!.n.value);
}

/** Another store takes the place of the one that is served, which it had before. */
function exchange(): void {
  renameSync(store, join(folder, "away"));
  renameSync(other, store);
  renameSync(join(folder, "away"), other);
}

/**
 * Ask again and again, each time on a connection of its own, whether a service lives, some hundred times a second.
 * Resolves, once stopped, to the statuses.
 */
function watchLife(url: string): () => Promise<readonly number[]> {
  let isOver = false;
  const statuses = new Set<number>();
  const watched = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (!isOver) {
        statuses.add(await statusOf(`${url}/health`));
        await sleep(40);
      }
    }),
  );
  return async () => {
    isOver = true;
    await watched;
    return [...statuses];
  };
}

/** Ask a query that takes for ever; once one of the processes is at it, resolves to what will be answered. */
async function askEndless(url: string, pids: readonly number[]): Promise<{ readonly status: Promise<number> }> {
  const before = timeUsed(pids);
  const asked = fetch(`${url}/sparql?query=${encodeURIComponent(ENDLESS)}`);
  // What answers it works as long as it is let.
  await until(() => timeUsed(pids) > before + 20);
  return { status: asked.then(({ status }) => status) };
}

const socketsIn = (directory: string): string[] => readdirSync(directory).filter((name) => name.includes("sock"));

describe("a start that fails", () => {
  it("on a taken port: one line, 2, and nothing left, alone and with workers", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    const args = ["serve", "--store", store, "--port", String(port)];
    const words = `vitrine: port ${port} of 127.0.0.1 is taken: end what listens there, or choose another with --port\n`;
    const alone = await run(args);
    expect([alone.status, alone.stderr]).toEqual([2, words]);
    expect(socketsIn(store)).toEqual([]);
    const built = begun([...args, "--workers", "2"]);
    expect([await built.ended, built.stderr()]).toEqual([2, words]);
    expect(socketsIn(store)).toEqual([]);
    taken.close();
  });

  it("says in one sentence what the system does not allow", async () => {
    writeFileSync(join(folder, "file"), "");
    for (const command of ["stats", "check", "export"]) {
      const { status, stderr } = await run([command, "--store", join(folder, "file", "store")]);
      expect([command, status]).toEqual([command, 2]);
      expect(stderr).toMatch(/^vitrine: [^\n]*(no directory|not a directory)[^\n]*\n$/);
    }
  });

  it("ends with 3 when files cannot be opened, and with 2 in words when its folder is gone", async () => {
    const few = begun(["stats", "--store", store], ["sh", "-c", 'ulimit -n 30; exec "$0" "$@"']);
    expect([await few.ended, few.stderr()]).toEqual([3, expect.stringMatching(/^vitrine: EMFILE[^\n]*\n$/)]);
    const script = 'cd "$1"; rmdir "$1"; exec "$2" "$3" stats';
    mkdirSync(join(folder, "gone"));
    const gone = begun([], ["sh", "-c", script, "sh", join(folder, "gone")]);
    expect([await gone.ended, gone.stderr()]).toEqual([2, expect.stringMatching(/^vitrine: the folder .* is gone/)]);
  });
});

describe("a reader that goes, and a clone that is not built", () => {
  it.each([["export"], ["help", "serve"]])("%s ends quietly when nobody reads on", async (...args) => {
    const given = args[0] === "help" ? args : [...args, "--store", store];
    const built = begun(given, ["bash", "-c", 'set -o pipefail; "$0" "$@" | true']);
    expect(await built.ended).toBe(0);
    expect(built.stderr()).not.toMatch(/EPIPE|\bat .*\.js:/);
  });

  it("says what to do before it is built", async () => {
    mkdirSync(join(folder, "bin"));
    cpSync("bin/vitrine.js", join(folder, "bin/vitrine.js"));
    writeFileSync(join(folder, "package.json"), '{"type": "module"}');
    const built = begun([], [process.execPath, join(folder, "bin/vitrine.js")]);
    expect(await built.ended).toBe(2);
    expect(built.stderr()).toBe("vitrine: it is not built yet: npm ci && npm run build\n");
  });
});

describe("a service that may have 256 descriptors", () => {
  it("answers whoever comes after 500 connections that ask for nothing", async () => {
    const options = ["--store", store, "--base-url", BASE, "--sparql-access", "off"];
    const few = await startServing(options, ["sh", "-c", 'ulimit -n 256; exec "$0" "$@"']);
    started.push(few);
    const { hostname, port } = new URL(few.url);
    const idle: Socket[] = [];
    for (let count = 0; count < 500; count++) {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => {});
      await once(socket, "connect");
      idle.push(socket);
    }
    expect(await statusOf(`${few.url}/place/1`)).toBe(200);
    for (const socket of idle) socket.destroy();
  });
});

describe("an end", () => {
  it("comes also while a query runs, whose client gets 503; no child and no socket is left", async () => {
    const service = await serve(["--store", store, "--query-timeout", "600"]);
    await until(async () => (await countAt(service.url)) === 2);
    const children = indexesOf(process.pid);
    expect(children).toHaveLength(1);
    const { status } = await askEndless(service.url, children);
    expect(socketsIn(store)).toEqual(["query.sock"]);
    // Queries may go on for some seconds, which are over at once.
    const { setTimeout: later } = globalThis;
    const hurried = vi
      .spyOn(globalThis, "setTimeout")
      .mockImplementation(((work: () => void, pause: number) => later(work, pause === 4_000 ? 0 : pause)) as never);
    const ended = service.stop();
    expect(await status).toBe(503);
    hurried.mockRestore();
    expect(await ended).toBe(0);
    expect(socketsIn(store)).toEqual([]);
    await until(() => !children.some(isRunning));
  });
});

describe("workers that all die at once", () => {
  it("while the store is away and nobody reads the log, are replaced by others on the same port, which wait for it", async () => {
    const built = await serving("--workers", "2", ...WITHOUT_QUERIES);
    // Each death and each replacement would be a line.
    built.process.stderr!.destroy();
    const workers = childrenOf(built.pid);
    expect(workers).toHaveLength(2);
    renameSync(store, join(folder, "away"));
    await until(async () => (await statusOf(`${built.url}/place/1`)) === 503);
    for (const worker of workers) process.kill(worker, "SIGKILL");
    const present = (): number[] => childrenOf(built.pid).filter((pid) => !workers.includes(pid));
    await until(() => present().length === 2);
    const replacements = present();
    renameSync(join(folder, "away"), store);
    await until(async () => (await statusOf(`${built.url}/place/1`)) === 200);
    expect(present()).toEqual(replacements);
    built.process.kill("SIGTERM");
    expect(await built.ended).toBe(0);
  });
});

describe("a store that another takes the place of", () => {
  it("is noticed: documents and queries are the other's; and waited for while there is none", async () => {
    const built = await serving("--query-timeout", "0.5");
    await built.told(/the index for SPARQL is ready: \d+ triples in [\d.]+ s\n/);
    await until(async () => (await countAt(built.url)) === 2);
    expect(await run(["query", "ASK {}", "--store", store], { stdout: failing() })).toMatchObject({ status: 0 });
    expect(await statusOf(`${built.url}/sparql?query=${encodeURIComponent(ENDLESS)}`)).toBe(504);
    await built.told(/a query was ended: The query took longer than 0\.5 seconds/);
    const watch = watchLife(built.url);
    exchange();
    await until(async () => (await statusOf(`${built.url}/place/3`)) === 200);
    expect(await statusOf(`${built.url}/place/1`)).toBe(404);
    await until(async () => (await countAt(built.url)) === 1);
    expect(await watch()).toEqual([200]);
    renameSync(store, join(folder, "away"));
    await until(async () => (await statusOf(`${built.url}/ready`)) === 503);
    await until(async () => (await statusOf(`${built.url}/place/3`)) === 503);
    expect(await statusOf(`${built.url}/health`)).toBe(200);
    await built.told(/another store was opened[\s\S]*was removed or replaced[\s\S]*there is no store/);
    renameSync(join(folder, "away"), store);
    await until(async () => (await statusOf(`${built.url}/place/3`)) === 200);
    built.process.kill("SIGTERM");
    expect(await built.ended).toBe(0);
  });

  it("is noticed with workers, too, and a query that runs does not hinder their end: its client gets 503", async () => {
    const built = await serving("--query-timeout", "600", "--workers", "2");
    await until(async () => (await countAt(built.url)) === 2);
    const watch = watchLife(built.url);
    exchange();
    await until(async () => (await statusOf(`${built.url}/place/3`)) === 200);
    await until(async () => (await statusOf(`${built.url}/place/1`)) === 404);
    await until(async () => (await countAt(built.url)) === 1);
    expect(await watch()).toEqual([200]);
    const children = childrenOf(built.pid);
    const { status } = await askEndless(built.url, children);
    expect(socketsIn(store)).toEqual(["query.sock"]);
    built.process.kill("SIGHUP");
    expect(await status).toBe(503);
    expect(await built.ended).toBe(0);
    expect(socketsIn(store)).toEqual([]);
    await until(() => !children.some(isRunning));
  });
});

describe("the socket of queries", () => {
  it.runIf(HAS_OTHER_USER)("of another user, alive or killed, hinders neither queries nor a service", async () => {
    const first = await serving();
    chmodSync(folder, 0o777);
    for (const name of ["", ...readdirSync(store, { recursive: true, encoding: "utf8" })]) {
      if (name !== "query.sock") chmodSync(join(store, name), 0o777);
    }
    const asked = async (): Promise<unknown> => {
      const built = begun(["query", "ASK {}", "--store", store], OTHER_USER);
      return [await built.ended, built.stderr()];
    };
    await until(async () => (await countAt(first.url)) === 2);
    expect(await asked()).toEqual([0, ""]);
    first.process.kill("SIGKILL");
    await first.ended;
    expect(socketsIn(store)).toEqual(["query.sock"]);
    expect(await asked()).toEqual([0, ""]);
    const second = begun(["serve", "--port", "0", "--store", store, "--base-url", BASE], OTHER_USER);
    const [, url] = await second.told(/listening on (http:\S+)\//);
    await until(async () => (await countAt(url!)) === 2);
    second.process.kill("SIGTERM");
    expect(await second.ended).toBe(0);
  });
});

describe.runIf(HAS_NAMESPACES)("two containers, each with a process 1", () => {
  it("are told that their readers cannot be told apart, and what to do; and end by SIGTERM", async () => {
    const { service, load } = await containers!;
    expect(await load.ended).toBe(2);
    expect(load.stderr()).toMatch(
      /^vitrine: the store in .* is read by process 1 of another container.*docker exec.*\n$/,
    );
    expect((await run([...LOAD_NOTHING, "--store", join(made, "shared")])).status).toBe(0);
    // The system has no defaults for a process 1.
    const [inner] = childrenOf(service.pid);
    process.kill(inner!, "SIGTERM");
    expect(await service.ended).toBe(0);
  });
});
