import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openForLoading, openReadOnly } from "../../../../src/store/embedded/embedded-store.js";
import { acquireLock } from "../../../../src/store/embedded/publish/lock.js";
import { StoreLockedError } from "../../../../src/store/errors.js";
import { type Loader, startLoader } from "../processes.js";

let directory: string;
let file: string;
const loaders: Loader[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "vitrine-lock-"));
  file = join(directory, "load.lock");
});
afterEach(async () => {
  for (const loader of loaders.splice(0)) await loader.kill();
  rmSync(directory, { recursive: true, force: true });
});

function start(work: string): Loader {
  const loader = startLoader(work, directory);
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
    expect((await refusal()).pid).toBe(process.pid);
    await lock.release();
    expect(await lock.isHeld()).toBe(false);
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(join(directory, "staging"))).toEqual([]);
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
    await (await openForLoading(directory)).close();
  });

  it.runIf(existsSync("/proc/self/stat"))("ends with a kill also while nobody has buried the process", async () => {
    const command = `"$0" --import tsx test/store/embedded/loader-process.ts hold "$1" & echo $!; exec sleep 600`;
    const parent = spawn("sh", ["-c", command, process.execPath, directory], { stdio: ["ignore", "pipe", "inherit"] });
    const lines = createInterface({ input: parent.stdout })[Symbol.asyncIterator]();
    const pid = Number((await lines.next()).value);
    try {
      expect((await lines.next()).value).toBe("holding");
      expect((await refusal()).pid).toBe(pid);
      process.kill(pid, "SIGKILL");
      const isZombie = (): boolean => / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
      while (!isZombie()) await new Promise((resolve) => setTimeout(resolve, 5));
      await (await acquireLock(directory)).release();
    } finally {
      parent.kill("SIGKILL");
    }
  });

  it("of a process that is gone does not hold, also when its number is another's now", async () => {
    const lock = await acquireLock(directory);
    const [pid, start] = readFileSync(file, "utf8").trim().split(" ") as [string, string];
    await lock.release();
    for (const stale of ["", "what?\n", `${2 ** 22 + 1} ${start}\n`, `${pid} 1${start}\n`]) {
      writeFileSync(file, stale);
      const taken = await acquireLock(directory);
      expect(readFileSync(file, "utf8")).toBe(`${pid} ${start}\n`);
      await taken.release();
    }
  });

  it("holds where nothing tells when the living process of that number began", async () => {
    writeFileSync(file, `${process.ppid} unknown\n`);
    expect((await refusal()).pid).toBe(process.ppid);
  });

  it("is nobody's to release but the holder's", async () => {
    const lock = await acquireLock(directory);
    writeFileSync(file, "1 another\n");
    expect(await lock.isHeld()).toBe(false);
    await lock.release();
    expect(readFileSync(file, "utf8")).toBe("1 another\n");
  });

  it("is never two processes' at once, however often they find a stale one together", async () => {
    writeFileSync(file, `${2 ** 22 + 1} gone\n`);
    const contenders = [1, 2, 3].map(() => start("contend"));
    expect(await Promise.all(contenders.map((each) => each.line()))).toEqual(contenders.map(() => "never met another"));
  });
});
