/** Opens stores: the one way from the settings to a store, whatever kind it is. */
import { BatchEncoder } from "./embedded/publish/encoded-batch.js";
import { type StoreWatch, watchFolder } from "./embedded/read/store-watch.js";
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

/**
 * Open a store for loading, and make it where there is none. Holds the loader's lock until it is closed. Not in a process
 * that has the store open for reading already. Throws `StoreLockedError`, `StoreFormatError`, `StoreDamagedError`,
 * `StoreSpaceError`.
 */
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
export function watchStore({ directory }: StoreSettings): Promise<StoreWatch> {
  return watchFolder(directory);
}

/**
 * Build anew the tables that are derived from records; a store of the older format is brought to this one first. Not in a process that
 * has the store open. Throws `StoreLockedError`, `StoreFormatError`, `StoreDamagedError`, `StoreSpaceError`.
 */
export async function rebuildDerived({ directory }: StoreSettings): Promise<void> {
  await (await import("./embedded/maintenance/rebuild.js")).rebuild(directory);
}

/**
 * Build anew all that is derived from the records, in a process of its own, which a damaged store can end. Throws as `rebuildDerived`;
 * `StoreBeyondRepairError` where damaged pages keep that from being done, which names the file of what can be read; and rejects when the signal aborts.
 */
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

/**
 * Look through a whole store for damage, in a process of its own, which a damaged store can end. Throws `StoreError` for
 * one that is missing or of another format, and rejects when the signal aborts.
 */
export async function checkStore(
  { directory }: StoreSettings,
  signal: AbortSignal,
): ReturnType<typeof import("./embedded/maintenance/check/check-supervisor.js").superviseCheck> {
  const { superviseCheck } = await import("./embedded/maintenance/check/check-supervisor.js");
  return await superviseCheck(directory, signal);
}
