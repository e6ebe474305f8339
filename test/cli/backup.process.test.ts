/** `vitrine backup` and `vitrine restore`: copies while others load and serve, and what they refuse. */
import { existsSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { lockFolder } from "../../src/store/open.js";
import { HAS_SMALL_DISKS, smallDisk } from "../load/small-disk.js";
import { BASE, places } from "../sent/sending.js";
import { problemsIn } from "../store/checked.js";
import { temporaryFolder } from "../temporary-folder.js";
import { startServing, statusOf, until } from "./built.js";
import { run, runApart } from "./run.js";

const folder = temporaryFolder();
let store: string;
beforeAll(async () => {
  store = join(folder, "store");
  writeFileSync(join(folder, "a.jsonl"), places(0, 50));
  writeFileSync(join(folder, "b.jsonl"), places(50, 600));
  await run(["load", join(folder, "a.jsonl"), "--store", store, "--base-url", BASE, "--source", "first"]);
  await run(["token", "new", "--store", store]);
});

const exported = async (of: string) => (await run(["export", "--store", of])).stdout;

describe("a copy", () => {
  it("is a store of its own, whole, also while another process loads", async () => {
    const before = await exported(store);
    const loading = runApart(["load", join(folder, "b.jsonl"), "--store", store]);
    const copy = join(folder, "copy");
    expect(await run(["backup", copy, "--store", store])).toMatchObject({ status: 0 });
    const copied = await exported(copy);
    await loading;
    expect([before, await exported(store)]).toContain(copied);
    expect((await run(["stats", "--json", "--store", copy])).stdout).toContain('"first":50');
    expect(existsSync(join(copy, "tokens.json"))).toBe(true);
    expect(await problemsIn(copy)).toEqual([]);
  });

  it.skipIf(!HAS_SMALL_DISKS)("is refused where the disk is full, and leaves nothing", async () => {
    const disk = smallDisk(1)!;
    onTestFinished(() => disk.remove());
    writeFileSync(join(disk.path, "fill"), Buffer.alloc(1_000_000));
    const { status, stderr } = await run(["backup", join(disk.path, "copy"), "--store", store]);
    expect([status, stderr]).toEqual([2, expect.stringContaining("the disk is full")]);
    expect(readdirSync(disk.path)).toEqual(["fill"]);
  });

  it("comes back, and a running service goes on with it, also when the store is away for a while", async () => {
    const [served, other] = [join(folder, "served"), join(folder, "other")];
    expect(await run(["restore", join(folder, "copy"), "--store", served])).toMatchObject({ status: 0 });
    expect(await run(["check", "--store", served])).toMatchObject({ status: 0 });
    const service = await startServing(["--store", served, "--base-url", BASE, "--sparql-access", "off"]);
    expect(await statusOf(`${service.url}/place/49`)).toBe(200);
    const loading = ["load", "-", "--format", "jsonl", "--store", other, "--base-url", BASE];
    await run(loading, { stdin: places(7_000, 7_001) });
    const { status, stdout } = await run(["restore", other, "--store", served, "--json"]);
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

  it("does not come back while another process loads, and takes the name of a store with a slash", async () => {
    const loaded = join(folder, "loaded");
    await run(["restore", join(folder, "copy"), "--store", `${loaded}/`]);
    const lock = await lockFolder(loaded);
    const { status, stderr } = await run(["restore", join(folder, "copy"), "--store", loaded]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/process \d+/)]);
    expect([existsSync(`${loaded}.before`), existsSync(`${loaded}.restored`)]).toEqual([false, false]);
    await lock[Symbol.asyncDispose]();
    expect((await run(["restore", join(folder, "copy"), "--store", `${loaded}/`])).stderr).toContain(
      `${loaded}.before`,
    );
    expect(existsSync(`${loaded}.before/records.mdb`)).toBe(true);
  });

  it("that is interrupted says so, and is not there", async () => {
    const copy = join(folder, "interrupted");
    const interrupted = AbortSignal.abort();
    const { status, stderr } = await run(["backup", copy, "--store", store], { interrupted });
    expect([status, stderr, existsSync(copy)]).toEqual([2, "vitrine: interrupted\n", false]);
  });

  it.skipIf(!HAS_SMALL_DISKS)("that has no room for its search index leaves nothing", async () => {
    const disk = smallDisk(8)!;
    onTestFinished(() => disk.remove());
    const room = statSync(join(folder, "copy", "records.mdb")).size + 100_000;
    writeFileSync(join(disk.path, "fill"), Buffer.alloc(8 * 2 ** 20 - room));
    const restored = join(disk.path, "restored");
    const { status, stderr } = await run(["restore", join(folder, "copy"), "--store", restored]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/search.* full/)]);
    expect(readdirSync(disk.path)).toEqual(["fill"]);
  });

  it("is refused where something is, of nothing, and over what an earlier one kept", async () => {
    expect(await run(["backup", join(folder, "copy"), "--store", store])).toMatchObject({ status: 2 });
    expect(await run(["backup", join(folder, "new"), "--store", join(folder, "none")])).toMatchObject({ status: 2 });
    expect(existsSync(join(folder, "new"))).toBe(false);
    expect((await run(["restore", join(folder, "copy"), "--store", join(folder, "served")])).stderr).toMatch(
      /served\.before exists from an earlier restore/,
    );
  });
});
