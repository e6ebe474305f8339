/** Opens stores of every kind: the only way from settings to a store. */
import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { LOCK, RECORDS } from "./embedded/format/files.js";
import { BatchEncoder } from "./embedded/publish/staged-entries.js";
import { StoreMissingError } from "./errors.js";
import type { RemoteStoreSettings } from "./remote/remote-store.js";
import type { Store, StoreWith } from "./store.js";
import type { WritableStore } from "./writable-store.js";

/** Open an engine that others fill as a store for reading. It is contacted only at the first request. */
export async function openRemoteStore(settings: RemoteStoreSettings): Promise<Store> {
  const { RemoteStore } = await import("./remote/remote-store.js");
  return new RemoteStore(settings);
}

interface StoreSettings {
  readonly directory: string;
}

/** A store in a local folder. It has all facets except `search`, which has a file of its own. */
export type LocalStore = StoreWith<"held" | "changes" | "versions" | "snapshots" | "lists" | "references">;
export type LoadableStore = LocalStore & WritableStore;

/** Open a store for reading. Throws `StoreMissingError`, `StoreFormatError`, `StoreDamagedError`. */
export async function openStore({ directory }: StoreSettings): Promise<LocalStore> {
  return (await embedded()).openReadOnly(directory);
}

/** Whether a folder has the records of a store, whatever state they are in. */
export function isStore(directory: string): boolean {
  return existsSync(`${directory}/${RECORDS}`);
}

/** Check that the folder holds a store. Throws `StoreMissingError` if it does not. */
export async function ensureStore({ directory }: StoreSettings): Promise<void> {
  if ((await identityOf(directory)) === undefined) throw new StoreMissingError(directory);
}

/** Open or create a store for loading, and hold the loader's lock until it is closed. The process must not have the store open already. A store of the older format is upgraded, unless the signal aborts. Throws `StoreError`, and the signal's reason. */
export async function openForLoading({ directory }: StoreSettings, signal?: AbortSignal): Promise<LoadableStore> {
  return (await embedded()).openEmbeddedForLoading(directory, signal);
}

/** Copy one consistent state of a store's records into a folder, even while another process loads. Throws `StoreError`. */
export async function copyRecords({ directory }: StoreSettings, folder: string): Promise<void> {
  await using store = await (await embedded()).openReadOnly(directory);
  await store.database.copyTo(`${folder}/${RECORDS}`);
}

/** Lock a folder for this process, as a loader locks its store's folder. Throws `StoreLockedError`. @param doing what the process that has the lock does */
export async function lockFolder(folder: string, doing?: string): Promise<AsyncDisposable> {
  return (await import("./embedded/publish/lock.js")).acquireLock(folder, doing);
}

/** Whether changes may appear in a store that are older than now: while a process loads, until the next load after one was killed, and where another store is followed. */
export async function mayLackChanges({ directory }: StoreSettings): Promise<boolean> {
  const files = [LOCK, "follow"].map((folder) => readdir(`${directory}/${folder}`).catch(() => []));
  return (await Promise.all(files)).flat().length > 0;
}

/** Watch for the removal or replacement of the store's file. Call it before opening the store, so that no replacement goes unnoticed. */
export async function watchStore({ directory }: StoreSettings): Promise<{ replaced: AbortSignal; close(): void }> {
  const identity = await identityOf(directory);
  const replaced = new AbortController();
  const timer = setInterval(async () => {
    // A temporary failure to read the file's identity is not a replacement.
    if ((await identityOf(directory).catch(() => identity)) !== identity) replaced.abort();
  }, 1_000);
  timer.unref();
  return { replaced: replaced.signal, close: () => clearInterval(timer) };
}

/** The identity of the store's file. A load changes the content; only a replacement changes the identity. */
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

/** Rebuild the tables that are derived from the records, also in a store of the older format: in a child process, since a damaged store can crash it. Throws a `StoreError` that names the file of rescued records, and the signal's reason. */
export async function repairStore({ directory }: StoreSettings, signal: AbortSignal): Promise<void> {
  const { superviseRebuild } = await import("./embedded/maintenance/check/check-supervisor.js");
  await superviseRebuild(directory, signal);
}

/** LMDB is imported only when a store is opened; threads that encode records do not need it. */
const embedded = () => import("./embedded/embedded-store.js");

/** An encoder of records for `putEncoded`, usable in any thread. A record of more than `maxBytes` is unstorable. */
export function recordEncoder(maxBytes: number): BatchEncoder {
  return new BatchEncoder(maxBytes);
}

/** Check a whole store for damage in a child process, since a damaged store can crash it. Throws `StoreError`, and rejects when the signal aborts. */
export async function checkStore({ directory }: StoreSettings, signal: AbortSignal) {
  const { superviseCheck } = await import("./embedded/maintenance/check/check-supervisor.js");
  return superviseCheck(directory, signal);
}
