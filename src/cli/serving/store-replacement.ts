/** Serving from a store that may be removed, or replaced by another, while it is served. */
import { setTimeout as sleep } from "node:timers/promises";
import { openSearched } from "../../search/open.js";
import { watchStore } from "../../store/open.js";
import type { Store } from "../../store/store.js";
import { ExitStatus, explanationOf } from "../main/exit-status.js";

interface StoreLife {
  readonly directory: string;
  /** Whether it waits for a store where there is none at first. Default: it throws. */
  readonly waits?: boolean;
  readonly interrupted: AbortSignal;
  /** Serve from a store until the signal aborts: an interruption, or the store is not what lies in the directory any more. */
  live(store: Store, ended: AbortSignal): Promise<void>;
  readonly report: (message: string) => void;
}

/** Records that are found are worth waiting for while there are few to index: beyond that, all others are answered meanwhile. */
const SERVED = { mostWaited: 20_000, isWatched: true };

/** Live with the store in a directory, and with each that takes its place. Throws what opening the first one does, unless it waits. */
export async function liveWithStore(life: StoreLife): Promise<void> {
  const { directory, interrupted, report } = life;
  let { watch, store } = await nextStore(life, life.waits === true);
  while (store !== undefined) {
    try {
      await life.live(store, AbortSignal.any([interrupted, watch.replaced]));
    } finally {
      watch.close();
      await store.close();
    }
    if (interrupted.aborted) return;
    report(`the store in ${directory} was removed or replaced: all answers are 503 until a store is opened there`);
    ({ watch, store } = await nextStore(life, true));
    if (store !== undefined) report(`another store was opened in ${directory}`);
  }
}

/** The store that is there, or comes; without one, it is over. */
async function nextStore({ directory, interrupted, report }: StoreLife, waits: boolean) {
  let told = "";
  for (;;) {
    const watch = await watchStore({ directory });
    try {
      if (waits && interrupted.aborted) return { watch, store: undefined };
      return { watch, store: await openSearched({ directory, ...SERVED }, report) };
    } catch (error) {
      watch.close();
      if (!waits) throw error;
      // It may be on its way: copied, or unpacked.
      const problem = explanationOf(error, ExitStatus.refused);
      if (problem !== told) report(problem);
      told = problem;
    }
    await sleep(500, undefined, { signal: interrupted }).catch(() => {});
  }
}
