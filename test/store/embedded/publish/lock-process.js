/** A process that takes the loader's lock, for tests that watch it and contend with it: `lock-process.js WORK DIRECTORY`. */
import { open, rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { openEmbeddedForLoading } from "../../../../src/store/embedded/embedded-store.js";
import { acquireLock } from "../../../../src/store/embedded/publish/lock.js";
import { StoreLockedError } from "../../../../src/store/errors.js";

const TURNS = 10;

const WORK = {
  /** Hold the lock until killed. */
  async hold(directory) {
    await openEmbeddedForLoading(directory);
    say("holding");
    await sleep(600_000);
  },

  /** Try once to take the lock, and say whether it was given. */
  async try(directory) {
    try {
      await (await acquireLock(directory)).release();
      say("taken");
    } catch (error) {
      say(error.message);
    }
  },

  /** Take the lock several times, prove each time that no other process has it, and say so. */
  async contend(directory) {
    for (let turns = 0; turns < TURNS; ) {
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

function say(line) {
  process.stdout.write(`${line}\n`);
}

const [work = "", directory = ""] = process.argv.slice(2);
await WORK[work](directory);
