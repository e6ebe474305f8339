/** What services survive: the death of workers, a store that goes or that another takes the place of, and who else is there. */
import { chmodSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { childrenOf, isRunning, statusOf, until, urlOf } from "./built.js";
import { failing, run } from "./run.js";
import { askEndless, BASE, countAt, makeStores, sceneOf, socketsIn, WITHOUT_QUERIES } from "./scene.js";
import { HAS_NAMESPACES, HAS_OTHER_USER, NAMESPACE, OTHER_USER } from "./wrappers.js";

// Services look now and then for what has changed: some tests wait for that together.

/** The folder of the stores that are copied for each test. */
let made: string;
beforeAll(async () => {
  made = await makeStores();
});
afterAll(() => rmSync(made, { recursive: true }));

/**
 * Ask again and again, each time on a connection of its own, whether a service lives, some fifty times a second.
 * Resolves, once stopped, to the statuses.
 */
function watchLife(url: string): () => Promise<readonly number[]> {
  let isOver = false;
  const statuses = new Set<number>();
  const watched = Promise.all(
    Array.from({ length: 2 }, async () => {
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

describe("with processes that are waited for", () => {
  // LMDB tries for ten seconds before it gives up.
  it.runIf(HAS_NAMESPACES).concurrent(
    "two containers, each with a process 1, are told that their readers cannot be told apart, and what to do; and end by SIGTERM",
    async (context) => {
      const { store, begun, serving } = sceneOf(made, context);
      const service = await serving(WITHOUT_QUERIES, NAMESPACE);
      expect(await statusOf(`${service.url}/place/1`)).toBe(200);
      const loading = ["load", "/dev/null", "--format", "nq", "--store", store];
      const load = begun(loading, NAMESPACE);
      expect(await load.ended).toBe(2);
      expect(load.stderr()).toMatch(
        /^vitrine: the store in .* is read by process 1 of another container.*docker exec.*\n$/,
      );
      expect((await run(loading)).status).toBe(0);
      // The system has no defaults for a process 1.
      const [inner] = childrenOf(service.pid);
      process.kill(inner!, "SIGTERM");
      expect(await service.ended).toBe(0);
    },
  );

  it.concurrent("workers that all die at once, while the store is away and nobody reads the log, are replaced by others on the same port, which wait for it", async (context) => {
    const { folder, store, serving } = sceneOf(made, context);
    const built = await serving(["--workers", "2", ...WITHOUT_QUERIES]);
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

  it.concurrent("a store that another takes the place of is noticed: documents and queries are the other's; and waited for while there is none", async (context) => {
    const { folder, store, serving, exchange } = sceneOf(made, context);
    const built = await serving([]);
    await until(async () => (await countAt(built.url)) === 2);
    expect(await run(["query", "ASK {}", "--store", store], { stdout: failing() })).toMatchObject({ status: 0 });
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
});

describe("with index processes", () => {
  it.concurrent("a store that another takes the place of is noticed by workers, too, and a query that runs does not hinder their end: its client gets 503", async (context) => {
    const { store, serving, exchange } = sceneOf(made, context);
    const built = await serving(["--query-timeout", "600", "--workers", "2"]);
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

  it.runIf(HAS_OTHER_USER).concurrent(
    "the socket of another user's queries, alive or killed, hinders neither queries nor a service",
    async (context) => {
      const { folder, store, begun, serving } = sceneOf(made, context);
      const first = await serving([]);
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
      const url = await urlOf(second);
      await until(async () => (await countAt(url)) === 2);
      second.process.kill("SIGTERM");
      expect(await second.ended).toBe(0);
    },
  );
});
