/** Opens stores: the one way from the settings to a store, whatever kind it is. */
import { stat } from "node:fs/promises";
import { RECORDS } from "./embedded/format/files.js";
import { BatchEncoder } from "./embedded/publish/staged-entries.js";
import { StoreMissingError } from "./errors.js";
import type { RemoteStoreSettings } from "./remote/remote-store.js";
import type { Store, StoreWith } from "./store.js";
import type { WritableStore } from "./writable-store.js";

/** Open an engine that others fill as a store, for reading. What it is like shows when it is asked. */
export async function openRemoteStore(settings: RemoteStoreSettings): Promise<Store> {
  const { RemoteStore } = await import("./remote/remote-store.js");
  return new RemoteStore(settings);
}

interface StoreSettings {
  readonly directory: string;
}

/** A store in a folder of this machine: it has all facets but `search`, which lies in a file of its own. */
export type LocalStore = StoreWith<"held" | "changes" | "versions" | "snapshots" | "lists" | "references">;
/** The same, open for loading. */
export type LoadableStore = LocalStore & WritableStore;

/** Open a store for reading. Throws `StoreMissingError`, `StoreFormatError`, `StoreDamagedError`. */
export async function openStore({ directory }: StoreSettings): Promise<LocalStore> {
  return (await embedded()).openReadOnly(directory);
}

/** Throws `StoreMissingError` where there is no store in the folder. */
export async function ensureStore({ directory }: StoreSettings): Promise<void> {
  if ((await identityOf(directory)) === undefined) throw new StoreMissingError(directory);
}

/** Open a store for loading, or make it, and hold the loader's lock until it is closed. Not in a process that has it open. Throws `StoreError`. */
export async function openForLoading({ directory }: StoreSettings): Promise<LoadableStore> {
  return (await embedded()).openEmbeddedForLoading(directory);
}

/** Copy the records of a store into a folder, as they are at one moment, also while others load. Throws `StoreError`. */
export async function copyRecords({ directory }: StoreSettings, folder: string): Promise<void> {
  await (await embedded()).copyEmbedded(directory, folder);
}

/** Be the one process that works in a folder, as the loader is in a store's. Throws `StoreLockedError`. */
export async function lockFolder(folder: string): Promise<AsyncDisposable> {
  return (await import("./embedded/publish/lock.js")).acquireLock(folder);
}

/** Notice when the store is removed, or another lies in its place. Begin before it is opened, so that nothing falls between. */
export async function watchStore({ directory }: StoreSettings): Promise<{ replaced: AbortSignal; close(): void }> {
  const identity = await identityOf(directory);
  const replaced = new AbortController();
  const timer = setInterval(async () => {
    // A file that cannot be looked at for a moment is not another one.
    const found = await identityOf(directory).catch(() => identity);
    if (found !== identity) replaced.abort();
  }, 1_000);
  timer.unref();
  return { replaced: replaced.signal, close: () => clearInterval(timer) };
}

/** The identity of a file among others of its name: a load changes a file, only a replacement changes this. */
async function identityOf(directory: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(`${directory}/${RECORDS}`, { bigint: true });
    return `${dev} ${ino}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Build anew the tables that are derived from records, of the older format, too. Not in a process that has the store open. Throws `StoreError`. */
export async function rebuildDerived({ directory }: StoreSettings): Promise<void> {
  await (await import("./embedded/maintenance/rebuild.js")).rebuild(directory);
}

/** The same, in a process of its own, which a damaged store can end. Throws `StoreBeyondRepairError` with the file of what can be read; the signal's reason. */
export async function repairStore({ directory }: StoreSettings, signal: AbortSignal): Promise<void> {
  const { superviseRebuild } = await import("./embedded/maintenance/check/check-supervisor.js");
  await superviseRebuild(directory, signal);
}

/** LMDB is loaded to open a store only: the threads that encode records do without. */
function embedded(): Promise<typeof import("./embedded/embedded-store.js")> {
  return import("./embedded/embedded-store.js");
}

/** An encoder of records for `putEncoded`, in any thread; one of more bytes than `maxBytes` is unstorable. */
export function recordEncoder(maxBytes: number): BatchEncoder {
  return new BatchEncoder(maxBytes);
}

/** Look through a whole store for damage, in a process of its own, which a damaged store can end. Throws `StoreError`, and rejects when the signal aborts. */
export async function checkStore(
  { directory }: StoreSettings,
  signal: AbortSignal,
): ReturnType<typeof import("./embedded/maintenance/check/check-supervisor.js").superviseCheck> {
  const { superviseCheck } = await import("./embedded/maintenance/check/check-supervisor.js");
  return await superviseCheck(directory, signal);
}
