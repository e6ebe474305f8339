/** Serving from a store that may be removed or replaced while it is served. */
import { setTimeout as sleep } from "node:timers/promises";
import { watchStore } from "../../store/open.js";
import type { Store } from "../../store/store.js";
import { ExitStatus, explanationOf } from "../main/exit-status.js";

/** How to serve from the store in a folder. */
export interface StoreLife<S extends Store> {
  readonly directory: string;
  /** Opens the store that is there. */
  open(): Promise<S>;
  /** Whether to wait when there is no store at first. Default: throw. */
  readonly waits?: boolean;
  readonly interrupted: AbortSignal;
  /** Serve from a store until the signal aborts, because of an interruption or because the directory no longer has this store. */
  live(store: S, ended: AbortSignal): Promise<void>;
  readonly report: (message: string, isError?: boolean) => void;
}

/** Serve from the store in a directory, and from each that replaces it. Throws the error of opening the first one, unless `waits`. */
export async function liveWithStore<S extends Store>(life: StoreLife<S>): Promise<void> {
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
    report(`the store in ${directory} was removed or replaced: waiting for a store to open there`, true);
    ({ watch, store } = await nextStore(life, true));
    if (store !== undefined) report(`another store was opened in ${directory}`);
  }
}

/** The store in the directory, waiting for one if necessary; `undefined` when interrupted. */
async function nextStore<S extends Store>({ directory, open, interrupted, report }: StoreLife<S>, waits: boolean) {
  let reported = "";
  for (;;) {
    const watch = await watchStore({ directory });
    try {
      if (waits && interrupted.aborted) return { watch, store: undefined };
      return { watch, store: await open() };
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
