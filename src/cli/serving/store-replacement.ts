/** Serving from a store that may be removed or replaced while it is served. */
import { setTimeout as sleep } from "node:timers/promises";
import { openSearched } from "../../search/open.js";
import { watchStore } from "../../store/open.js";
import type { Store } from "../../store/store.js";
import { ExitStatus, explanationOf } from "../main/exit-status.js";

/** How to serve from the store in a folder. */
export interface StoreLife {
  readonly directory: string;
  /** Whether to wait when there is no store at first. Default: throw. */
  readonly waits?: boolean;
  readonly interrupted: AbortSignal;
  /** Serve from a store until the signal aborts, because of an interruption or because the directory no longer has this store. */
  live(store: Store, ended: AbortSignal): Promise<void>;
  readonly report: (message: string, isError?: boolean) => void;
}

/** Opening waits for the search index if at most this many records are left to index. If more are left, all other answers are given meanwhile. */
const SERVED = { mostWaited: 20_000, isServed: true };

/** Serve from the store in a directory, and from each that replaces it. Throws the error of opening the first one, unless `waits`. */
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
    report(`the store in ${directory} was removed or replaced: answers are 503 until a store is opened there`, true);
    ({ watch, store } = await nextStore(life, true));
    if (store !== undefined) report(`another store was opened in ${directory}`);
  }
}

/** The store in the directory, waiting for one if necessary; `undefined` when interrupted. */
async function nextStore({ directory, interrupted, report }: StoreLife, waits: boolean) {
  let reported = "";
  for (;;) {
    const watch = await watchStore({ directory });
    try {
      if (waits && interrupted.aborted) return { watch, store: undefined };
      return { watch, store: await openSearched({ directory, ...SERVED }, report) };
    } catch (error) {
      watch.close();
      if (!waits) throw error;
      // The store may be incomplete, while it is copied or unpacked.
      const problem = explanationOf(error, ExitStatus.refused);
      if (problem !== reported) report(problem, true);
      reported = problem;
    }
    await sleep(500, undefined, { signal: interrupted }).catch(() => {});
  }
}
