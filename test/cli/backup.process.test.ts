/** `vitrine backup` and `vitrine restore`: copies while others load and serve, and what they refuse. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { lockFolder } from "../../src/store/open.js";
import { HAS_SMALL_DISKS, smallDisk } from "../load/small-disk.js";
import { BASE, places } from "../sent/sending.js";
import { problemsIn } from "../store/checked.js";
import { start, startServing, statusOf, until } from "./built.js";
import { run, runApart } from "./run.js";
import { workspaceForAll } from "./workspace.js";

const { path, file, vitrine, on } = workspaceForAll();
beforeAll(async () => {
  await vitrine("load", file("a.jsonl", places(0, 50)), "--base-url", BASE, "--source", "first");
  await vitrine("token", "new");
});

const exported = async (of: string) => (await on(of).vitrine("export")).stdout;

describe("a copy", () => {
  it("is a store of its own, whole, also while another process loads", async () => {
    const before = await exported("store");
    const loading = runApart(["load", file("b.jsonl", places(50, 600)), "--store", path("store")]);
    expect(await vitrine("backup", path("copy"))).toMatchObject({ status: 0 });
    const copied = await exported("copy");
    await loading;
    expect([before, await exported("store")]).toContain(copied);
    expect(await on("copy").json("stats")).toMatchObject({ sources: { first: 50 } });
    expect(existsSync(path("copy", "tokens.json"))).toBe(true);
    expect(await problemsIn(path("copy"))).toEqual([]);
  });

  it("is made also while a service writes and forgets the loads that it was sent", async () => {
    const sent = path("store", "loads", "sent");
    mkdirSync(sent, { recursive: true });
    for (let number = 0; number < 300; number++) writeFileSync(join(sent, `${number}.json`), "{}");
    const program = `let last = 300; setInterval(() => { fs.writeFileSync(last + ".json.partial", "{}"); fs.renameSync(last + ".json.partial", last + ".json"); fs.rmSync(last++ - 300 + ".json"); }, 1);`;
    const service = spawn(process.execPath, ["-e", program], { cwd: sent });
    onTestFinished(() => void service.kill());
    await until(async () => existsSync(join(sent, "310.json")));
    expect(await vitrine("backup", path("busy"))).toMatchObject({ status: 0 });
    const copied = readdirSync(path("busy", "loads", "sent"));
    expect(copied.length).toBeGreaterThan(200);
    expect(copied.filter((name) => !name.endsWith(".json"))).toEqual([]);
  });

  it.skipIf(!HAS_SMALL_DISKS)("is refused where the disk is full, and leaves nothing", async () => {
    const disk = smallDisk(1)!;
    onTestFinished(() => disk.remove());
    writeFileSync(join(disk.path, "fill"), Buffer.alloc(1_000_000));
    const { status, stderr } = await vitrine("backup", join(disk.path, "copy"));
    expect([status, stderr]).toEqual([2, expect.stringContaining("the disk is full")]);
    expect(readdirSync(disk.path)).toEqual(["fill"]);
  });

  it("is refused where a file may not grow so large, as on a disk for small devices", async () => {
    const copying = start(
      ["backup", path("large"), "--store", path("store")],
      ["sh", "-c", 'ulimit -f 20; exec "$0" "$@"'],
    );
    expect([await copying.ended, copying.stderr()]).toEqual([2, expect.stringContaining("may not grow so large")]);
    expect(existsSync(path("large.partial"))).toBe(false);
  });

  it("comes back, and a running service goes on with it, also when the store is away for a while", async () => {
    const [served, other] = [path("served"), path("other")];
    expect(await on("served").vitrine("restore", path("copy"))).toMatchObject({ status: 0 });
    expect(await on("served").vitrine("check")).toMatchObject({ status: 0 });
    const service = await startServing(["--store", served, "--base-url", BASE, "--sparql-access", "off"]);
    expect(await statusOf(`${service.url}/place/49`)).toBe(200);
    await on("other").vitrine("load", file("c.jsonl", places(7_000, 7_001)), "--base-url", BASE);
    const { status, stdout } = await on("served").vitrine("restore", other, "--json");
    expect([status, JSON.parse(stdout)]).toEqual([0, { folder: other, records: 1 }]);
    await until(async () => (await statusOf(`${service.url}/place/7000`)) === 200);
    expect(await statusOf(`${service.url}/place/49`)).toBe(404);
    expect(existsSync(`${served}.before/records.mdb`)).toBe(true);
    // Away, and back again.
    renameSync(served, `${served}.away`);
    await until(async () => (await statusOf(`${service.url}/place/7000`)) === 503);
    await service.told(/was removed or replaced[\s\S]*there is no store/);
    renameSync(`${served}.away`, served);
    await until(async () => (await statusOf(`${service.url}/place/7000`)) === 200);
    service.process.kill("SIGTERM");
    expect(await service.ended).toBe(0);
  });

  it("comes back under a purge, which goes on where it was, or says that the cache must be emptied", async () => {
    const told: string[] = [];
    const cache = createServer(({ url }, response) => {
      told.push(url!);
      response.end();
    });
    cache.listen(0, "127.0.0.1");
    await once(cache, "listening");
    onTestFinished(() => void cache.close());
    for (const [copy, from] of [
      ["older", 0],
      ["newer", 1],
    ] as const) {
      await on("purged").vitrine("load", file("d.jsonl", places(from, from + 1)), "--base-url", BASE);
      expect(await on("purged").vitrine("backup", path(copy))).toMatchObject({ status: 0 });
    }
    const restore = async (copy: string): Promise<void> => {
      rmSync(path("purged.before"), { recursive: true, force: true });
      expect(await on("purged").vitrine("restore", path(copy))).toMatchObject({ status: 0 });
    };
    await restore("older");
    const { port } = cache.address() as AddressInfo;
    const purge = start(["purge", `http://127.0.0.1:${port}/`, "--store", path("purged")]);
    await purge.told(/of changes after change 1$/m);
    await restore("newer");
    await until(async () => told.length > 0);
    expect(told).toEqual(["/place/1"]);
    await restore("older");
    await purge.told(/no longer has the changes that the cache was told of: empty the cache/);
    purge.process.kill();
    expect(await purge.ended).toBe(0);
  });

  it("does not come back while another process loads, and takes the name of a store with a slash", async () => {
    const loaded = path("loaded");
    await run(["restore", path("copy"), "--store", `${loaded}/`]);
    const lock = await lockFolder(loaded);
    const { status, stderr } = await on("loaded").vitrine("restore", path("copy"));
    expect([status, stderr]).toEqual([2, expect.stringMatching(/process \d+/)]);
    expect([existsSync(`${loaded}.before`), existsSync(`${loaded}.restored`)]).toEqual([false, false]);
    await lock[Symbol.asyncDispose]();
    expect((await run(["restore", path("copy"), "--store", `${loaded}/`])).stderr).toContain(`${loaded}.before`);
    expect(existsSync(`${loaded}.before/records.mdb`)).toBe(true);
  });

  it("that is interrupted says so, and is not there", async () => {
    const copy = path("interrupted");
    const { status, stderr } = await vitrine("backup", copy, { interrupted: AbortSignal.abort() });
    expect([status, stderr, existsSync(copy)]).toEqual([2, "vitrine: interrupted\n", false]);
  });

  it.skipIf(!HAS_SMALL_DISKS)("that has no room for its search index leaves nothing", async () => {
    const disk = smallDisk(8)!;
    onTestFinished(() => disk.remove());
    const room = statSync(path("copy", "records.mdb")).size + 100_000;
    writeFileSync(join(disk.path, "fill"), Buffer.alloc(8 * 2 ** 20 - room));
    const restored = join(disk.path, "restored");
    const { status, stderr } = await run(["restore", path("copy"), "--store", restored]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/search.* full/)]);
    expect(readdirSync(disk.path)).toEqual(["fill"]);
  });

  it.skipIf(!HAS_SMALL_DISKS)("is refused in place of the root of a disk, which cannot be renamed", async () => {
    const disk = smallDisk(1)!;
    onTestFinished(() => disk.remove());
    for (const args of [
      ["backup", disk.path, "--store", path("store")],
      ["restore", path("copy"), "--store", disk.path],
    ]) {
      const { status, stderr } = await run(args);
      expect([status, stderr]).toEqual([2, expect.stringMatching(/root of a disk or volume is: name a folder in it/)]);
    }
    const beside = [".restored", ".before", ".partial"].map((end) => existsSync(`${disk.path}${end}`));
    expect(beside).toEqual([false, false, false]);
  });

  it("is made by one of several commands at once, and the others are refused", async () => {
    const ended = await Promise.all(Array.from({ length: 8 }, () => vitrine("backup", path("at-once"))));
    expect(ended.map(({ status }) => status).sort()).toEqual([0, 2, 2, 2, 2, 2, 2, 2]);
    expect(ended.map(({ stderr }) => stderr).join()).toMatch(/at-once(?:\.partial)? exists|is not empty/);
    expect(await problemsIn(path("at-once"))).toEqual([]);
  });

  it("is refused where something is, of nothing, and over what an earlier one kept", async () => {
    expect(await vitrine("backup", path("copy"))).toMatchObject({ status: 2 });
    expect(await on("none").vitrine("backup", path("new"))).toMatchObject({ status: 2 });
    expect(existsSync(path("new"))).toBe(false);
    // What it saves would be lost with the store, or with `STORE.before`, which the next restore wants removed.
    const inside = await vitrine("backup", path("store", "backups", "today"));
    expect([inside.status, inside.stderr]).toEqual([2, expect.stringContaining("and would be lost with it")]);
    expect(existsSync(path("store", "backups"))).toBe(false);
    expect((await on("served").vitrine("restore", path("copy"))).stderr).toMatch(
      /served\.before exists from an earlier restore/,
    );
    // A copy with a name that the command itself uses stays, and so does what an earlier one kept.
    await vitrine("backup", path("store.restored"));
    for (const name of ["store.restored", "served.before"]) {
      const { status, stderr } = await on(name.split(".")[0]!).vitrine("restore", path(name));
      expect([status, stderr]).toEqual([
        2,
        expect.stringMatching(/restore itself uses the name \S+: rename that folder/),
      ]);
      expect(existsSync(path(name, "records.mdb"))).toBe(true);
    }
  });

  it("is made, and comes back, where links lead, and the links stay", async () => {
    mkdirSync(path("disk", "copies"), { recursive: true });
    for (const [link, to] of [
      ["linked-copy", "copies"],
      ["linked", "there"],
    ] as const) {
      symlinkSync(path("disk", to), path(link));
    }
    expect(await vitrine("backup", path("linked-copy"))).toMatchObject({ status: 0 });
    renameSync(path("disk", "copies"), path("disk", "there"));
    expect(await on("linked").vitrine("restore", path("copy"))).toMatchObject({ status: 0 });
    for (const link of ["linked-copy", "linked"]) expect(lstatSync(path(link)).isSymbolicLink()).toBe(true);
    expect(await problemsIn(path("linked"))).toEqual([]);
    expect(readdirSync(path("disk")).sort()).toEqual(["there", "there.before"]);
  });

  it("is made in an empty folder that is named by a dot, and removes no folder but that", async () => {
    mkdirSync(path("empty"));
    expect(await vitrine("backup", path("empty", "."))).toMatchObject({ status: 0 });
    expect(await problemsIn(path("empty"))).toEqual([]);
    // A store, and a copy, with the name under which another copy would be made.
    const kept = ["x.partial", "y.restored", "z.restored.partial"];
    for (const name of kept) await vitrine("backup", path(name));
    for (const [command, name, of] of [
      ["backup", path("x"), "x.partial"],
      ["restore", path("copy"), "y"],
      ["restore", path("copy"), "z"],
    ] as const) {
      expect(await on(of).vitrine(command, name)).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(/ exists, | exists from/),
      });
    }
    for (const name of kept) expect(existsSync(path(name, "records.mdb"))).toBe(true);
  });
});
