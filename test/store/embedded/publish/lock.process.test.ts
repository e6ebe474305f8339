import { spawn } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openForLoading, openReadOnly } from "../../../../src/store/embedded/embedded-store.js";
import { acquireLock } from "../../../../src/store/embedded/publish/lock.js";
import { StoreLockedError } from "../../../../src/store/errors.js";
import { HAS_NAMESPACES, NAMESPACE } from "../../../cli/wrappers.js";
import { type Loader, startLoader } from "../processes.js";

let directory: string;
let folder: string;
const loaders: Loader[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "vitrine-lock-"));
  folder = join(directory, "lock");
});
afterEach(async () => {
  for (const loader of loaders.splice(0)) await loader.kill();
  rmSync(directory, { recursive: true, force: true });
});

function start(work: string, wrapper: readonly string[] = []): Loader {
  const loader = startLoader(work, directory, wrapper);
  loaders.push(loader);
  return loader;
}

async function refusal(): Promise<StoreLockedError> {
  const outcome = await acquireLock(directory).catch((error: unknown) => error);
  if (!(outcome instanceof StoreLockedError)) throw new Error("the lock was given");
  return outcome;
}

describe("the loader's lock", () => {
  it("is given back, and nothing of it remains", async () => {
    const lock = await acquireLock(directory);
    expect(await lock.isHeld()).toBe(true);
    expect((await refusal()).holder).toBe(`process ${process.pid}`);
    await lock.release();
    expect(await lock.isHeld()).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
    await (await acquireLock(directory)).release();
  });

  it("refuses a second loader by the first one's number, lets readers in, and ends with a kill", async () => {
    const loader = start("hold");
    await loader.line();
    await expect(openForLoading(directory)).rejects.toThrow(`process ${loader.pid} is loading into the store`);
    const reader = await openReadOnly(directory);
    expect((await reader.stats()).records).toBe(0);
    await reader.close();
    await loader.kill();
    expect(readdirSync(folder)).toHaveLength(1);
    const store = await openForLoading(directory);
    expect(readdirSync(folder)).toHaveLength(1);
    await store.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.runIf(existsSync("/proc/self/stat"))("ends with a kill also while nobody has buried the process", async () => {
    const command = `"$0" --import tsx test/store/embedded/loader-process.ts hold "$1" & echo $!; exec sleep 600`;
    const parent = spawn("sh", ["-c", command, process.execPath, directory], { stdio: ["ignore", "pipe", "inherit"] });
    const lines = createInterface({ input: parent.stdout })[Symbol.asyncIterator]();
    const pid = Number((await lines.next()).value);
    try {
      expect((await lines.next()).value).toBe("holding");
      expect((await refusal()).holder).toBe(`process ${pid}`);
      process.kill(pid, "SIGKILL");
      const isZombie = (): boolean => / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
      while (!isZombie()) await new Promise((resolve) => setTimeout(resolve, 5));
      await (await acquireLock(directory)).release();
    } finally {
      parent.kill("SIGKILL");
    }
  });

  it("holds also while its process is suspended and says nothing", async () => {
    const loader = start("hold");
    await loader.line();
    process.kill(loader.pid, "SIGSTOP");
    expect((await refusal()).holder).toBe("another process");
    process.kill(loader.pid, "SIGCONT");
    expect((await refusal()).holder).toBe(`process ${loader.pid}`);
  });

  it("does not hold when a file lies there that nobody listens at", async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, "1-copied"), "");
    const lock = await acquireLock(directory);
    expect(readdirSync(folder)).toHaveLength(1);
    await lock.release();
  });

  it("leaves alone what another process is about to name", async () => {
    mkdirSync(folder);
    const asking: Server = createServer().listen(join(folder, ".2-asking"));
    await (await acquireLock(directory)).release();
    expect(lstatSync(join(folder, ".2-asking")).isSocket()).toBe(true);
    await new Promise((closed) => asking.close(closed));
  });

  it("is released also while somebody stays connected to it", async () => {
    const loader = start("watch-lock");
    const lock = await acquireLock(directory);
    expect(await loader.line()).toBe("connected");
    await lock.release();
  });

  it("works in a folder whose path is longer than a socket's may be", async () => {
    const long = join(directory, "x".repeat(100), "y".repeat(100));
    const lock = await acquireLock(long);
    await expect(acquireLock(long)).rejects.toThrow(StoreLockedError);
    await lock.release();
    expect(readdirSync(join(long, "lock"))).toEqual([]);
  });

  it("is lost with the folder that it lies in", async () => {
    const lock = await acquireLock(directory);
    rmSync(folder, { recursive: true });
    expect(await lock.isHeld()).toBe(false);
    const other = await acquireLock(directory);
    await lock.release();
    expect(await other.isHeld()).toBe(true);
    await other.release();
  });

  it("is never two processes' at once, however often they ask together", async () => {
    const contenders = [1, 2, 3].map(() => start("contend"));
    expect(await Promise.all(contenders.map((each) => each.line()))).toEqual(contenders.map(() => "never met another"));
  });

  it.runIf(HAS_NAMESPACES)(
    "is seen from other process namespaces, where its holder's number says nothing",
    async () => {
      const first = start("hold", NAMESPACE);
      expect(await first.line()).toBe("holding");
      expect((await refusal()).holder).toBe("a process of another container (1 there)");
      const second = start("try", NAMESPACE);
      expect(await second.line()).toMatch(/^a process of another container \(1 there\) is loading into the store/);
      await first.kill();
      const third = start("try", NAMESPACE);
      expect(await third.line()).toBe("taken");
    },
  );
});
