/** A process that loads, for tests that watch it, contend with it and kill it: `loader-process.ts WORK DIRECTORY`. */
import { open, rm, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { openForLoading } from "../../../src/store/embedded/embedded-store.js";
import { acquireLock } from "../../../src/store/embedded/publish/lock.js";
import { StoreLockedError } from "../../../src/store/errors.js";
import { stageEdition } from "./editions.js";

const WORK: { readonly [name: string]: (directory: string) => Promise<void> } = {
  /** Hold the lock until killed. */
  async hold(directory) {
    await openForLoading(directory);
    say("holding");
    await sleep(600_000);
  },

  /** Publish edition after edition until killed, and say which is on disk. */
  async publish(directory) {
    const store = await openForLoading(directory);
    const first = 1 + Number((await store.stats()).baseUrl ?? 0);
    say("ready");
    for (let edition = first; ; edition++) {
      await (await stageEdition(store, edition)).publish();
      say(`published ${edition}`);
    }
  },

  /** Take the lock some times, each time with proof that nobody else has it, and leave it as if killed. */
  async contend(directory) {
    for (let turns = 0; turns < 20; ) {
      try {
        const lock = await acquireLock(directory);
        const proof = await open(`${directory}/proof`, "wx");
        await proof.close();
        await rm(`${directory}/proof`);
        if (!(await lock.isHeld())) throw new Error("the lock is not held");
        await writeFile(`${directory}/load.lock`, `${2 ** 22 + 1} gone\n`);
        turns++;
      } catch (error) {
        if (!(error instanceof StoreLockedError)) throw error;
      }
    }
    say("never met another");
  },
};

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const [work = "", directory = ""] = process.argv.slice(2);
await WORK[work]!(directory);
