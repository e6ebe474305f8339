/** One loader and three followers behind a balancer and a cache, read from all the time, while each part is killed, a network cut, a disk filled, and a follower promoted. */
import { closeSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { childrenOf } from "../cli/built.js";
import { IS_SHORT } from "../extent.js";
import { expectCopied } from "../harvest/copies.js";
import { randomFrom, seedOf } from "../random.js";
import { areInstalled, type Part } from "./parts.js";
import { type Read, readers, share } from "./readers.js";
import { HOST, MAX_LAG, Replicas } from "./replicas.js";

const IS_INSTALLED = areInstalled("haproxy", "varnishd");
/** Requests a second, through the balancer and through the cache. */
const RATE = Number(process.env.RATE ?? (IS_SHORT ? 40 : 2_000));
const CACHED_RATE = RATE / 4;
/** Milliseconds that all followers are left behind. */
const BEHIND = 2_000;
const ROUNDS = IS_SHORT ? 2 : 10;

it.skipIf(!IS_INSTALLED)(
  "loses nothing and answers nothing wrong, whatever fails (skipped: haproxy or varnish is not installed)",
  async () => {
    const random = randomFrom(seedOf("replicas"));
    const there = new Replicas();
    const lags: number[] = [];
    const some = (): string[] => Array.from({ length: 20 }, () => `place/${Math.floor(random() * 200)}`);
    let loads = 0;
    const loaded = async (): Promise<{ path: string; version: number }> => {
      loads++;
      const paths = some();
      return { path: paths[0]!, version: await there.load([...new Set(paths)]) };
    };
    try {
      await there.begin();
      const began = performance.now();
      const usage = usageFromHere();
      const reading = (port: number, rate: number) =>
        readers(`http://127.0.0.1:${port}`, HOST, there.published, rate, random);
      const [balancer, cache] = [reading(there.ports.balancer, RATE), reading(there.ports.cache, CACHED_RATE)];
      for (let round = 0; round < ROUNDS; round++) {
        const { path, version } = await loaded();
        lags.push(...(await there.lags(path, version)));
      }
      // Each part in turn, while loads run.
      const [first, second, third] = there.followers;
      const followed: Part[] = there.followers.flatMap(({ serve, follow, purge }) => [serve, follow, purge]);
      const killed = IS_SHORT
        ? [first!.serve, second!.follow, third!.purge, there.loader]
        : [...followed, there.loader, there.balancer, there.cache];
      // How long a follower may have been behind, in milliseconds.
      const outs: number[] = [];
      for (const part of killed)
        outs.push(await milliseconds(() => killedMeanwhile(there, part, loaded, random() * 500)));
      if (there.disk !== undefined) outs.push(await milliseconds(() => fullDisk(there, loaded)));
      outs.push(await milliseconds(() => cutNetwork(there, loaded)));
      outs.push(await milliseconds(() => lostLoader(there, loaded)));
      const seconds = (performance.now() - began) / 1_000;
      const [direct, cached] = [await balancer.stop(), await cache.stop()];
      console.log(
        [
          `replicas: ${Math.round(seconds)} s, ${killed.length} parts killed, ${loads} loads; lag p50 ${ms(share(lags, 0.5))}, p99 ${ms(share(lags, 0.99))}`,
          `  behind the balancer, of ${RATE} a second: ${told(direct, seconds)}`,
          `  behind the cache, of ${CACHED_RATE} a second: ${told(cached, seconds)}; ${((100 * cached.hits) / cached.answers).toFixed(1)} % from the cache`,
          `  followers were behind for ${ms(Math.max(...outs))} at most; ${usage()}`,
        ].join("\n"),
      );
      for (const read of [direct, cached]) {
        expect(read.wrong).toEqual([]);
        expect(read.longest).toBeLessThan(1_000);
        expect(read.answers).toBeGreaterThan(100);
      }
      for (const { store } of [second!, third!]) await expectCopied(first!.store, store);
      // The balancer's check of a follower takes as long as any answer does.
      expect(share(direct.ages, 1)).toBeLessThan((MAX_LAG + 5) * 1_000 + share(direct.waits, 1));
      // What a follower said just before it was left out is kept until it is back, and tells the cache.
      expect(share(cached.ages, 1)).toBeLessThan(Math.max(...outs) + 1_000 + share(cached.waits, 1));
    } finally {
      await there.end();
    }
  },
);

const ms = (value: number): string => `${Math.round(value)} ms`;

function told({ answers, failures, longest, ages, waits, wrong }: Read, seconds: number): string {
  return (
    `${Math.round(answers / seconds)} answers a second, ${wrong.length} wrong, ${failures} failed, none for ${ms(longest)} at most; ` +
    `each after ${ms(share(waits, 0.5))} (p50), ${ms(share(waits, 0.99))} (p99), ${ms(share(waits, 1))} at most; ` +
    `out of date by ${ms(share(ages, 0.99))} (p99), ${ms(share(ages, 1))} at most`
  );
}

/** Tells how much of the processors the readers here took since, and how much everything on this machine: whether one of them is the limit. */
function usageFromHere(): () => string {
  const machine = (): { readonly idle: number; readonly all: number } => {
    const times = cpus().map((cpu) => cpu.times);
    const idle = times.reduce((sum, each) => sum + each.idle, 0);
    return { idle, all: times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, idle) };
  };
  const [before, began, own] = [machine(), performance.now(), process.cpuUsage()];
  return () => {
    const [now, { user, system }] = [machine(), process.cpuUsage(own)];
    const cores = (user + system) / 1_000 / (performance.now() - began);
    const busy = 1 - (now.idle - before.idle) / (now.all - before.all);
    return `the readers took ${cores.toFixed(2)} of ${cpus().length} processors, which were ${(100 * busy).toFixed(0)} % busy`;
  };
}

async function milliseconds(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Kill a part; of the cache the process that answers, which its own supervisor starts again. */
function kill(part: Part): void {
  if (part.name !== "cache") part.kill();
  else for (const child of childrenOf(part.pid)) process.kill(child, "SIGKILL");
}

type Loaded = () => Promise<{ path: string; version: number }>;

/** A part is killed while a load runs. */
async function killedMeanwhile(there: Replicas, part: Part, loaded: Loaded, after: number): Promise<void> {
  const loading = loaded();
  await sleep(after);
  kill(part);
  const { path, version } = await loading;
  await there.lags(path, version);
}

/** The loader is gone for good. All followers are behind then, and answer all the same, until one takes its place. */
async function lostLoader(there: Replicas, loaded: Loaded): Promise<void> {
  const [first] = there.followers;
  const { path, version } = await loaded();
  await there.lags(path, version, [first!]);
  await there.loader.stop();
  for (const each of there.followers) while ((await there.ready(each)) !== 503) await sleep(100);
  await sleep(BEHIND);
  await there.promote(first!);
  const after = await loaded();
  await there.lags(after.path, after.version);
}

/** The second follower's disk is full: it falls behind, is left out, and catches up when there is room. */
async function fullDisk(there: Replicas, loaded: Loaded): Promise<void> {
  const filler = join(there.disk!.path, "filler");
  const file = openSync(filler, "w");
  const piece = Buffer.alloc(2 ** 20);
  try {
    for (let { bavail, bsize } = statfsSync(filler); bavail * bsize > 2 ** 20; { bavail, bsize } = statfsSync(filler))
      writeSync(file, piece);
  } finally {
    closeSync(file);
  }
  await leftOut(there, loaded, 1);
  rmSync(filler);
  await backIn(there, loaded, 1);
}

/** The third follower hears nothing of the loader: likewise. */
async function cutNetwork(there: Replicas, loaded: Loaded): Promise<void> {
  there.network.cut(true);
  await leftOut(there, loaded, 2);
  there.network.cut(false);
  await backIn(there, loaded, 2);
}

async function leftOut(there: Replicas, loaded: Loaded, at: number): Promise<void> {
  const follower = there.followers[at]!;
  const { path, version } = await loaded();
  await there.lags(
    path,
    version,
    there.followers.filter((each) => each !== follower),
  );
  while ((await there.ready(follower)) !== 503) await sleep(100);
}

async function backIn(there: Replicas, loaded: Loaded, at: number): Promise<void> {
  while ((await there.ready(there.followers[at]!)) !== 200) await sleep(100);
  const { path, version } = await loaded();
  await there.lags(path, version);
}
