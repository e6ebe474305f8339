/** A process that loads, for tests that watch it, contend with it and kill it: `loader-process.ts WORK DIRECTORY`. */
import { open, readdir, rm } from "node:fs/promises";
import { connect } from "node:net";
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

  /** Take the lock once, and say whether it was given. */
  async try(directory) {
    try {
      await (await acquireLock(directory)).release();
      say("taken");
    } catch (error) {
      say((error as Error).message);
    }
  },

  /** Connect to the lock's holder once there is one, and stay. */
  async "watch-lock"(directory) {
    for (;;) {
      const names = await readdir(`${directory}/lock`).catch(() => []);
      const name = names.find((each) => !each.startsWith("."));
      if (name !== undefined) {
        connect({ path: `${directory}/lock/${name}`, allowHalfOpen: true }, () => say("connected"));
        return sleep(600_000);
      }
      await sleep(5);
    }
  },

  /** Take the lock some times, each time with proof that nobody else has it, and say so. */
  async contend(directory) {
    for (let turns = 0; turns < 20; ) {
      try {
        const lock = await acquireLock(directory);
        const proof = await open(`${directory}/proof`, "wx");
        await proof.close();
        await rm(`${directory}/proof`);
        if (!(await lock.isHeld())) throw new Error("the lock is not held");
        await lock.release();
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
