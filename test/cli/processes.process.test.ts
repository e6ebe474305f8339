/** The life of the command's processes: how they start, what they survive, and how they end. */
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { pauseBefore } from "../../src/cli/workers.js";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import {
  type Built,
  childrenOf,
  HAS_NAMESPACES,
  HAS_OTHER_USER,
  isRunning,
  NAMESPACE,
  OTHER_USER,
  start,
  startServing,
  statusOf,
  timeUsed,
  until,
} from "./built.js";
import { run, runApart } from "./run.js";

// Each test starts several processes, which a busy machine makes wait.
vi.setConfig({ testTimeout: 400_000 });

const BASE = "http://data.museum.example/";
/** Takes for ever, on any store with some triples. */
const ENDLESS = `SELECT (COUNT(*) AS ?n) { ${Array.from({ length: 40 }, (_, n) => `?a${n} ?b${n} ?c${n} .`).join(" ")} }`;

/** Stores that are copied for each test. */
let made: string;
let folder: string;
let store: string;
let other: string;
const started: Built[] = [];

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
    await runApart(["load", join(made, `${name}.jsonl`), "--store", join(made, name), "--base-url", BASE]);
  }
  return () => rmSync(made, { recursive: true });
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

/**
 * Ask again and again, each time on a connection of its own, whether a service lives, some two hundred times a second.
 * Resolves, once stopped, to the statuses.
 */
function watchLife(url: string): () => Promise<readonly number[]> {
  let isOver = false;
  const statuses = new Set<number>();
  const watched = Promise.all(
    Array.from({ length: 8 }, async () => {
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

describe("a start that fails", () => {
  it.each([
    ["alone", []],
    ["with workers", ["--workers", "2"]],
  ])("%s on a taken port: one line, 2, and nothing left", async (_, more) => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    const built = begun(["serve", "--store", store, "--port", String(port), ...more]);
    expect(await built.ended).toBe(2);
    const words = `vitrine: port ${port} of 127.0.0.1 is taken: end what listens there, or choose another with --port\n`;
    expect(built.stderr()).toBe(words);
    expect(existsSync(join(store, "query.sock"))).toBe(false);
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
  it.each([
    ["export"],
    ["export", "--format", "jsonl"],
    ["stats"],
    ["get", `${BASE}place/1`],
    ["query", "SELECT * { ?s ?p ?o }"],
    ["help", "serve"],
  ])("%s %s ends quietly when nobody reads on", async (...args) => {
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
  it.each([
    ["alone", []],
    ["with workers", ["--workers", "2"]],
  ])("%s comes also while a query runs, whose client gets 503; no child and no socket is left", async (_, more) => {
    const built = await serving("--query-timeout", "600", ...more);
    await until(async () => (await countAt(built.url)) === 2);
    const asked = fetch(`${built.url}/sparql?query=${encodeURIComponent(ENDLESS)}`);
    const children = childrenOf(built.pid);
    // What answers it works as long as it is let.
    const before = timeUsed(children);
    await until(() => timeUsed(children) > before + 20);
    expect(existsSync(join(store, "query.sock"))).toBe(true);
    built.process.kill("SIGHUP");
    expect((await asked).status).toBe(503);
    expect(await built.ended).toBe(0);
    expect(readdirSync(store).filter((name) => name.includes("sock"))).toEqual([]);
    await until(() => !children.some(isRunning));
  });

  it.runIf(HAS_NAMESPACES)("comes by SIGTERM also as process 1, for which the system has no defaults", async () => {
    const built = await startServing(["--store", store], NAMESPACE);
    started.push(built);
    const [inner] = childrenOf(built.pid);
    process.kill(inner!, "SIGTERM");
    expect(await built.ended).toBe(0);
  });
});

describe("a log that nobody reads any more", () => {
  it("ends neither the service nor its workers", async () => {
    const built = await serving("--workers", "2", "--sparql-access", "off");
    built.process.stderr!.destroy();
    const workers = childrenOf(built.pid);
    // Each death and each replacement would be a line.
    process.kill(workers.at(-1)!, "SIGKILL");
    await until(() => !childrenOf(built.pid).includes(workers.at(-1)!));
    await until(() => childrenOf(built.pid).length >= workers.length);
    expect(await statusOf(`${built.url}/place/1`)).toBe(200);
    expect(built.process.exitCode).toBeNull();
  });
});

describe("workers that all die at once", () => {
  it("are replaced by others on the same port, also with --port 0", async () => {
    const built = await serving("--workers", "2", "--sparql-access", "off");
    for (const worker of childrenOf(built.pid)) process.kill(worker, "SIGKILL");
    await built.told(/another takes its place[\s\S]*another takes its place/);
    await until(async () => (await statusOf(`${built.url}/place/1`)) === 200);
  });
});

describe("workers that die again and again", () => {
  it("are replaced at growing intervals, which the log tells, until they live", async () => {
    expect([0, 1, 2, 3, 6, 7, 40].map(pauseBefore)).toEqual([0, 1_000, 2_000, 4_000, 32_000, 60_000, 60_000]);
    const built = await serving("--workers", "2", "--sparql-access", "off");
    // Whoever begins to serve reads it.
    writeFileSync(join(store, "tokens.json"), "{");
    for (const worker of childrenOf(built.pid)) process.kill(worker, "SIGKILL");
    await built.told(/another takes its place in 1 s[\s\S]*another takes its place in 2 s/);
    rmSync(join(store, "tokens.json"));
    await until(async () => (await statusOf(`${built.url}/place/1`)) === 200);
  });
});

describe("a worker that is started while the store is away", () => {
  it("waits for it", async () => {
    const built = await serving("--workers", "2", "--sparql-access", "off");
    const workers = childrenOf(built.pid);
    renameSync(store, join(folder, "away"));
    await until(async () => (await statusOf(`${built.url}/place/1`)) === 503);
    process.kill(workers.at(-1)!, "SIGKILL");
    await built.told(/another takes its place/);
    await until(() => childrenOf(built.pid).filter((pid) => !workers.includes(pid)).length > 0);
    renameSync(join(folder, "away"), store);
    await until(async () => (await statusOf(`${built.url}/place/1`)) === 200);
    built.process.kill("SIGTERM");
    expect(await built.ended).toBe(0);
    expect(built.stderr().match(/ died \(/g)).toHaveLength(1);
  });
});

describe("a store that another takes the place of", () => {
  it.each([
    ["alone", []],
    ["with workers", ["--workers", "2"]],
  ])("is noticed (%s): documents and queries are the other's", async (_, more) => {
    const built = await serving(...more);
    await until(async () => (await countAt(built.url)) === 2);
    const watch = watchLife(built.url);
    for (const [now, gone, count] of [
      ["3", "1", 1],
      ["1", "3", 2],
    ] as const) {
      renameSync(store, join(folder, "away"));
      renameSync(other, store);
      renameSync(join(folder, "away"), other);
      await until(async () => (await statusOf(`${built.url}/place/${now}`)) === 200);
      await until(async () => (await statusOf(`${built.url}/place/${gone}`)) === 404);
      await until(async () => (await countAt(built.url)) === count);
    }
    expect(await watch()).toEqual([200]);
    built.process.kill("SIGTERM");
    expect(await built.ended).toBe(0);
  });

  it("is waited for while there is none: 503, but the service lives", async () => {
    const built = await serving("--sparql-access", "off");
    renameSync(store, join(folder, "away"));
    await until(async () => (await statusOf(`${built.url}/ready`)) === 503);
    await until(async () => (await statusOf(`${built.url}/place/1`)) === 503);
    expect(await statusOf(`${built.url}/health`)).toBe(200);
    renameSync(join(folder, "away"), store);
    await until(async () => (await statusOf(`${built.url}/ready`)) === 200);
    expect(await statusOf(`${built.url}/place/1`)).toBe(200);
    await built.told(/was removed or replaced[\s\S]*there is no store[\s\S]*another store was opened/);
  });
});

describe("the log of a service", () => {
  it("says which queries it ended, and that the index was filled", async () => {
    const built = await serving("--query-timeout", "0.5");
    await until(async () => (await countAt(built.url)) === 2);
    const { status } = await fetch(`${built.url}/sparql?query=${encodeURIComponent(ENDLESS)}`);
    expect(status).toBe(504);
    await built.told(
      /the index for SPARQL is ready: \d+ triples in [\d.]+ s\n[\s\S]*a query was ended: The query took longer than 0\.5 seconds/,
    );
  });
});

describe("the socket of queries", () => {
  const ask = () => run(["query", "ASK {}", "--store", store]);

  it("is taken over from a service that was killed, or is suspended", async () => {
    const first = await serving();
    first.process.kill("SIGKILL");
    await first.ended;
    expect(existsSync(join(store, "query.sock"))).toBe(true);
    const second = await serving();
    await until(async () => (await countAt(second.url)) === 2);
    expect((await ask()).stdout).toBe("yes\n");
    second.process.kill("SIGSTOP");
    const third = await serving();
    await until(async () => (await countAt(third.url)) === 2);
    expect((await ask()).stdout).toBe("yes\n");
  });

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
    expect(await asked()).toEqual([0, ""]);
    const second = begun(["serve", "--port", "0", "--store", store, "--base-url", BASE], OTHER_USER);
    const [, url] = await second.told(/listening on (http:\S+)\//);
    await until(async () => (await countAt(url!)) === 2);
    second.process.kill("SIGTERM");
    expect(await second.ended).toBe(0);
  });

  it("comes back once the service ends that had it", async () => {
    const first = await serving();
    const second = await serving();
    first.process.kill("SIGTERM");
    expect(await first.ended).toBe(0);
    await until(() => existsSync(join(store, "query.sock")));
    expect(second.process.exitCode).toBeNull();
  });
});

describe.runIf(HAS_NAMESPACES)("two containers, each with a process 1", () => {
  it("are told that their readers cannot be told apart, and what to do", async () => {
    const service = await startServing(["--store", store, "--sparql-access", "off"], NAMESPACE);
    started.push(service);
    expect(await statusOf(`${service.url}/place/1`)).toBe(200);
    const load = begun(["load", "/dev/null", "--format", "nq", "--store", store], NAMESPACE);
    expect(await load.ended).toBe(2);
    expect(load.stderr()).toMatch(
      /^vitrine: the store in .* is read by process 1 of another container.*docker exec.*\n$/,
    );
    const aside = begun(["load", "/dev/null", "--format", "nq", "--store", store]);
    expect(await aside.ended).toBe(0);
  });
});
