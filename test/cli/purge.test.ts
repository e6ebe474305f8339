/** `vitrine purge`: a cache hears of each change, also of those that it did not take at first, and of none twice. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { listeningForTest } from "../listening.js";
import { temporaryFolder } from "../temporary-folder.js";
import { feed, place } from "./feeds.js";
import { lettingWrite } from "./here.js";
import { begin, run } from "./run.js";

const BASE = "http://museum.example/data/";

it("tells a cache what changed by address, tries again, and goes on where it was", async () => {
  const folder = temporaryFolder(onTestFinished);
  const store = join(folder, "store");
  const told: string[] = [];
  let status = 200;
  const address = await listeningForTest(({ method, url, headers }, response) => {
    if (url!.length > 2_000) return void response.writeHead(414).end();
    if (status === 200) told.push(`${method} ${headers.host} ${url}`);
    response.writeHead(status).end();
  });
  const load = async (label: string, ...ids: readonly string[]): Promise<void> => {
    const input = feed(join(folder, "load.jsonl"), ...ids.map((id) => place(id, label)));
    const { status } = await run(["load", input, "--store", store, "--base-url", BASE]);
    expect(status).toBe(0);
  };
  const heard = async (...expected: readonly string[]): Promise<void> => {
    while (told.length < expected.length) await sleep(20);
    expect(told.sort()).toEqual([...expected].sort());
    told.length = 0;
  };
  await load("before", "place/a", "place/b");
  const endWriting = lettingWrite(store);
  let purge = await begin(["purge", address, "--store", store], /telling the cache of changes after change 2$/m);
  // Caches refuse long addresses, and the service refuses still longer ones.
  const long = [3_000, 8_100].map((length) => `place/${"x".repeat(length)}`);
  await load("after", "place/b", "place/é", "http://elsewhere.example/1", ...long);
  await heard(
    "PURGE museum.example /data/place/b",
    "PURGE museum.example /data/place/%C3%A9",
    "PURGE museum.example /data/entity?uri=http%3A%2F%2Felsewhere.example%2F1",
  );
  status = 405;
  await load("refused", "place/a");
  await purge.told(/answers PURGE with 405; trying again/);
  status = 200;
  await heard("PURGE museum.example /data/place/a");
  expect(await purge.stop()).toBe(0);
  await load("meanwhile", "place/b");
  purge = await begin(["purge", `${address}/`, "--store", store], /telling the cache of changes after change 8$/m);
  await heard("PURGE museum.example /data/place/b");
  expect(await purge.stop()).toBe(0);
  const bases = ["--base-url", BASE, "--base-url", "http://elsewhere.example/"];
  purge = await begin(["purge", address, "--store", store, ...bases], /telling the cache of changes after change 9$/m);
  await load("elsewhere", "http://elsewhere.example/1");
  await heard("PURGE elsewhere.example /1");
  expect(await purge.stop()).toBe(0);
  await endWriting();
  const file = join(store, "purge", `${encodeURIComponent(new URL(address).host)}.json`);
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ sequence: 10 });
});

it("leaves the search index to those who search", async () => {
  const store = join(temporaryFolder(onTestFinished), "store");
  await run(["load", feed(`${store}.jsonl`, place("place/a", "a")), "--store", store, "--base-url", BASE]);
  const indexed = (): string[] => readdirSync(store).filter((name) => name.startsWith("search."));
  for (const name of indexed()) rmSync(join(store, name));
  const purge = await begin(["purge", "http://localhost:1/", "--store", store], /telling the cache/);
  expect(await purge.stop()).toBe(0);
  expect(indexed()).toEqual([]);
});

it("takes the address of one cache", async () => {
  for (const args of [[], ["http://a/b"], ["http://a/", "http://b/"], ["cache:6081"]]) {
    const { status, stderr } = await run(["purge", ...args]);
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^vitrine: purge (?:needs URL:|takes URL, and "|takes the address of one cache)/),
    ]);
  }
});

it.each(["ftp://cache:6081/", "http://cache/path/", "http://a cache/", "http://?cache"])(
  "takes no %s for the address of a cache",
  async (address) => {
    const folder = temporaryFolder(onTestFinished);
    const { status, stderr } = await run(["purge", address, "--store", folder]);
    expect([status, stderr]).toEqual([2, expect.stringContaining("takes the address of one cache")]);
  },
);
