/** The command's processes: how they start, what they say where that fails, and how they end. */
import { type StdioOptions, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { places } from "../sent/sending.js";
import { indexesOf, isRunning, statusOf, until } from "./built.js";
import { hurryEnd, run, runApart, serve } from "./run.js";
import { askEndless, countAt, ENDLESS, makeStores, sceneOf, socketsIn, WITHOUT_QUERIES } from "./scene.js";

/** The folder of the stores that are copied for each test. */
let made: string;
beforeAll(async () => {
  made = await makeStores();
});
afterAll(() => rmSync(made, { recursive: true }));

it("tells its version, or that it cannot", () => {
  const told = (stdio: StdioOptions = "pipe", word = "--version") =>
    spawnSync(process.execPath, ["bin/vitrine.js", word], { stdio, encoding: "utf8" });
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(told()).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: "" });
  expect(told("pipe", "version").stdout).toBe(`${version}\n`);
  if (!existsSync("/dev/full")) return;
  const full = told(["ignore", openSync("/dev/full", "w"), "pipe"]);
  expect([full.status, full.stderr]).toEqual([
    2,
    expect.stringMatching(/^vitrine: the version cannot be written: .+\n$/),
  ]);
});

it("reads what a shell makes of <(command)", (context) => {
  const { folder } = sceneOf(made, context);
  writeFileSync(join(folder, "a.jsonl"), places(0, 1));
  const command = `${process.execPath} bin/vitrine.js load <(cat ${folder}/a.jsonl) --format jsonl --store ${folder}/new`;
  expect(spawnSync("bash", ["-c", command], { encoding: "utf8" }).stderr).toContain("1 created");
});

it("makes all tokens that are asked for at once", async (context) => {
  const { store } = sceneOf(made, context);
  const names = ["a", "b", "c"];
  await Promise.all(names.map((name) => runApart(["token", "new", "--name", name, "--store", store])));
  const { stdout } = await run(["token", "list", "--store", store]);
  expect(stdout.match(/^[a-c](?= {2}may)/gm)?.sort()).toEqual(names);
});

describe("a start that fails", () => {
  it("on a taken port: one line, 2, and nothing left, alone and with workers", async (context) => {
    const { store, begun } = sceneOf(made, context);
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    const args = ["serve", "--store", store, "--port", String(port)];
    const words = `vitrine: port ${port} of 127.0.0.1 is in use: stop the program that listens there, or choose another with --port\n`;
    const alone = await run(args);
    expect([alone.status, alone.stderr]).toEqual([2, words]);
    expect(socketsIn(store)).toEqual([]);
    const built = begun([...args, "--workers", "2"]);
    expect([await built.ended, built.stderr()]).toEqual([2, words]);
    expect(socketsIn(store)).toEqual([]);
    taken.close();
  });

  it("says in one sentence what the system does not allow", async (context) => {
    const { folder } = sceneOf(made, context);
    writeFileSync(join(folder, "file"), "");
    for (const command of ["stats", "check", "export"]) {
      const { status, stderr } = await run([command, "--store", join(folder, "file", "store")]);
      expect([command, status]).toEqual([command, 2]);
      expect(stderr).toMatch(/^vitrine: [^\n]*(no directory|not a directory)[^\n]*\n$/);
    }
  });

  it.runIf(existsSync("/proc"))("says in one sentence where no store can be made", async (context) => {
    const { folder } = sceneOf(made, context);
    writeFileSync(join(folder, "file"), "");
    const load = ["load", "-", "--format", "nq", "--store"];
    const inFile = await run([...load, join(folder, "file")]);
    const words = `vitrine: ${folder}/file: it is a file, and a folder is needed: name another\n`;
    expect([inFile.status, inFile.stderr]).toEqual([2, words]);
    for (const command of [load, ["check", "--repair", "--store"]]) {
      const inKernel = await run([...command, "/proc/vitrine/store"]);
      expect(inKernel.status).toBe(2);
      expect(inKernel.stderr).toMatch(
        /^vitrine: (\/proc\/vitrine: (no folder can be made there|permission)|there is no store)/,
      );
    }
  });

  it("says which file cannot be opened when too many are open, and ends with 2 in words when its folder is gone", async (context) => {
    const { folder, store, begun } = sceneOf(made, context);
    const few = begun(
      ["stats", "--store", store],
      ["sh", "-c", 'unset NODE_V8_COVERAGE NODE_EXTRA_CA_CERTS; ulimit -n 22; exec "$0" "$@"'],
    );
    // Of a module, which is a failure, or of the store, which is a refusal: Node's own need of files differs by its version.
    const [status, words] = [await few.ended, few.stderr()];
    expect([status, words]).toEqual([
      words.includes("too many files are open") ? 2 : 3,
      expect.stringMatching(/^vitrine: .*too many (?:open )?files/),
    ]);
    const script = 'cd "$1"; rmdir "$1"; exec "$2" "$3" stats';
    mkdirSync(join(folder, "gone"));
    const gone = begun([], ["sh", "-c", script, "sh", join(folder, "gone")]);
    expect([await gone.ended, gone.stderr()]).toEqual([2, expect.stringMatching(/^vitrine: the folder .* is gone/)]);
  });
});

it("finds the place of a record among more inputs than it may open at once", async (context) => {
  const { folder, begun } = sceneOf(made, context);
  const [inputs, found] = [join(folder, "inputs"), join(folder, "found")];
  mkdirSync(inputs);
  for (let at = 100; at < 400; at++) writeFileSync(join(inputs, `${at}.jsonl`), places(at, at + 1));
  await run(["load", inputs, "--store", join(folder, "many")]);
  const script = `unset NODE_V8_COVERAGE NODE_EXTRA_CA_CERTS; ulimit -n 100; exec "$0" "$@" > ${found}`;
  const explaining = begun(
    ["explain", JSON.parse(places(399, 400)).id, "--store", join(folder, "many")],
    ["sh", "-c", script],
  );
  expect(await explaining.ended, explaining.stderr()).toBe(0);
  expect(readFileSync(found, "utf8")).toContain(`it is at ${join(inputs, "399.jsonl")}:1\n`);
});

describe("a reader that goes, and a clone that is not built", () => {
  it("ends quietly when nobody reads on", async (context) => {
    const { store, begun } = sceneOf(made, context);
    const built = begun(["export", "--store", store], ["bash", "-c", 'set -o pipefail; "$0" "$@" | true']);
    expect(await built.ended).toBe(0);
    expect(built.stderr()).not.toMatch(/EPIPE|\bat .*\.js:/);
  });

  it("gets a whole table, however late it reads", async (context) => {
    const { folder, store, begun } = sceneOf(made, context);
    const file = join(folder, "places.csv");
    const args = ["export", "--store", store, "--format", "csv", "--columns", "id", "--where", "type=Place"];
    const built = begun(args, ["bash", "-c", `set -o pipefail; "$0" "$@" | (sleep 0.5; cat) > ${file}`]);
    expect(await built.ended).toBe(0);
    const { endpoints } = JSON.parse((await run(["stats", "--store", store, "--json"])).stdout);
    const [head, ...rows] = readFileSync(file, "utf8").trimEnd().split("\r\n");
    expect([head, new Set(rows).size, rows.length]).toEqual(["\uFEFFAddress", endpoints.place, endpoints.place]);
  });

  it("says what to do before it is built", async (context) => {
    const { folder, begun } = sceneOf(made, context);
    mkdirSync(join(folder, "bin"));
    cpSync("bin/vitrine.js", join(folder, "bin/vitrine.js"));
    writeFileSync(join(folder, "package.json"), '{"type": "module"}');
    const built = begun([], [process.execPath, join(folder, "bin/vitrine.js")]);
    expect(await built.ended).toBe(2);
    expect(built.stderr()).toBe("vitrine: it is not built yet: npm ci && npm run build\n");
  });
});

describe("a service that may have 256 descriptors", () => {
  it("answers whoever comes after 500 connections that ask for nothing", async (context) => {
    const { serving } = sceneOf(made, context);
    const few = await serving(WITHOUT_QUERIES, ["sh", "-c", 'ulimit -n 256; exec "$0" "$@"']);
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

describe("the log of a service", () => {
  it("says that the index was filled, and which queries it ended", async (context) => {
    const { store } = sceneOf(made, context);
    const service = await serve(["--store", store, "--query-timeout", "0.2"]);
    await service.told(/the index for SPARQL is ready: \d+ triples in [\d.]+ s\n/);
    expect(await statusOf(`${service.url}/sparql?query=${encodeURIComponent(ENDLESS)}`)).toBe(504);
    await service.told(/a query was stopped: The query took longer than 0\.2 seconds/);
    expect(await service.stop()).toBe(0);
  });
});

describe("an end", () => {
  it("comes also while a query runs, whose client gets 503; no child and no socket is left", async (context) => {
    const { store } = sceneOf(made, context);
    const service = await serve(["--store", store, "--query-timeout", "600"]);
    await until(async () => (await countAt(service.url)) === 2);
    // Nobody waits until those of earlier tests have ended.
    await until(() => indexesOf(process.pid).length === 1);
    const children = indexesOf(process.pid);
    const { status } = await askEndless(service.url, children);
    expect(socketsIn(store)).toEqual(["query.sock"]);
    const hurried = hurryEnd();
    const ended = service.stop();
    expect(await status).toBe(503);
    hurried.mockRestore();
    expect(await ended).toBe(0);
    expect(socketsIn(store)).toEqual([]);
    await until(() => !children.some(isRunning));
  });
});
