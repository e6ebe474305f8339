/** The loader's lock while processes hold it, ask for it, are suspended and die. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openEmbeddedForLoading, openReadOnly } from "../../../../src/store/embedded/embedded-store.js";
import { acquireLock } from "../../../../src/store/embedded/publish/lock.js";
import { StoreLockedError } from "../../../../src/store/errors.js";
import { isRunning, until } from "../../../cli/built.js";
import { HAS_NAMESPACES, NAMESPACE } from "../../../cli/wrappers.js";
import { temporaryFolder } from "../../../temporary-folder.js";
import { type Loader, locker, startLocker } from "../processes.js";

let directory: string;
let folder: string;
const loaders: Loader[] = [];
beforeEach(() => {
  directory = temporaryFolder(onTestFinished);
  folder = join(directory, "lock");
});
afterEach(async () => {
  for (const loader of loaders.splice(0)) await loader.kill();
});

function start(work: string, wrapper: readonly string[] = []): Loader {
  const loader = startLocker(work, directory, wrapper);
  loaders.push(loader);
  return loader;
}

async function refusal(): Promise<StoreLockedError> {
  const outcome = await acquireLock(directory).catch((error: unknown) => error);
  if (!(outcome instanceof StoreLockedError)) throw new Error("the lock was given");
  return outcome;
}

/** Who has the lock: a busy holder may answer too late to be named. */
const holder = async (): Promise<string> => (await refusal()).holder;

describe("the loader's lock", () => {
  it("leaves nothing behind when it is released", async () => {
    const lock = await acquireLock(directory);
    expect(await lock.isHeld()).toBe(true);
    expect((await refusal()).holder).toBe(`process ${process.pid}`);
    await lock.release();
    expect(await lock.isHeld()).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
    await (await acquireLock(directory)).release();
  });

  it("is held while its process lives: other loaders are refused, readers are not, and a kill ends it", async () => {
    // The killed process stays a zombie, as its parent only sleeps.
    const command = `"$0" "$1" hold "$2" & echo $!; exec sleep 600`;
    const args = ["-c", command, process.execPath, locker(), directory];
    const parent = spawn("sh", args, { stdio: ["ignore", "pipe", "inherit"] });
    const lines = createInterface({ input: parent.stdout })[Symbol.asyncIterator]();
    const pid = Number((await lines.next()).value);
    try {
      expect((await lines.next()).value).toBe("holding");
      const opened = () => openEmbeddedForLoading(directory).catch(String);
      await expect.poll(opened).toContain(`process ${pid} is loading into the store`);
      const reader = await openReadOnly(directory);
      expect((await reader.stats()).records).toBe(0);
      await reader.close();
      // Also while it is suspended and does not answer.
      process.kill(pid, "SIGSTOP");
      expect((await refusal()).holder).toBe("another process");
      process.kill(pid, "SIGCONT");
      await expect.poll(holder).toBe(`process ${pid}`);
      process.kill(pid, "SIGKILL");
      await until(() => !isRunning(pid));
      expect(readdirSync(folder)).toHaveLength(1);
      const store = await openEmbeddedForLoading(directory);
      expect(readdirSync(folder)).toHaveLength(1);
      await store.close();
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      parent.kill("SIGKILL");
    }
  });

  it("is not held by a file on which no process listens", async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, "1-copied"), "");
    const lock = await acquireLock(directory);
    expect(readdirSync(folder)).toHaveLength(1);
    await lock.release();
  });

  it("leaves alone the socket of another process that is about to take it", async () => {
    mkdirSync(folder);
    const asking: Server = createServer().listen(join(folder, ".2-asking"));
    await (await acquireLock(directory)).release();
    expect(lstatSync(join(folder, ".2-asking")).isSocket()).toBe(true);
    await new Promise((closed) => asking.close(closed));
  });

  it("is released even while another process stays connected to it", async () => {
    const lock = await acquireLock(directory);
    const [name] = readdirSync(folder);
    const socket = connect({ path: join(folder, name!), allowHalfOpen: true });
    await once(socket, "connect");
    await lock.release();
    socket.destroy();
  });

  it("works in a folder whose path is longer than that of a socket may be", async () => {
    const long = join(directory, "x".repeat(100), "y".repeat(100));
    const lock = await acquireLock(long);
    await expect(acquireLock(long)).rejects.toThrow(StoreLockedError);
    await lock.release();
    expect(readdirSync(join(long, "lock"))).toEqual([]);
  });

  it("is lost with its folder", async () => {
    const lock = await acquireLock(directory);
    rmSync(folder, { recursive: true });
    expect(await lock.isHeld()).toBe(false);
    const other = await acquireLock(directory);
    await lock.release();
    expect(await other.isHeld()).toBe(true);
    await other.release();
  });

  it("is never held by two processes at once, however often they contend", async () => {
    const contenders = [1, 2].map(() => start("contend"));
    expect(await Promise.all(contenders.map((each) => each.line()))).toEqual(contenders.map(() => "never met another"));
  });

  it.runIf(HAS_NAMESPACES)(
    "is seen from other process namespaces, where the holder's process id is meaningless",
    async () => {
      const first = start("hold", NAMESPACE);
      expect(await first.line()).toBe("holding");
      await expect.poll(holder).toBe("a process of another container (1 there)");
      const second = () => start("try", NAMESPACE).line();
      await expect.poll(second).toMatch(/^a process of another container \(1 there\) is loading into the store/);
      await first.kill();
      await (await acquireLock(directory)).release();
    },
  );
});
