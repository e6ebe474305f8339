/** The opening of stores with their search index, which can also be checked and built anew. */
import { type LoadableStore, type LocalStore, openForLoading, openStore } from "../store/open.js";
import type { StoreWith } from "../store/store.js";
import type { Writing } from "./index-writer.js";
import { causeOf, type Report, SearchIndex, SearchIndexError } from "./search-index.js";
import { isBarred, isBusy } from "./sqlite.js";

interface StoreSettings {
  readonly directory: string;
  /** If the index lacks more changes or records than this, the store is opened at once, and a thread writes them. Default: opening waits for all. */
  readonly mostWaited?: number;
  /** Whether a service searches: in a thread, so that no search delays other answers. The index is then checked every hour, as bits may flip in it. */
  readonly isServed?: boolean;
}

/** Milliseconds. The pause after each thousand pages, which take 6 ms to read, leaves the processor to others. */
const HOUR = 3_600_000;
const PAUSE = 100;

/** Open a store for reading and searching, with its index brought to the present state. Throws the errors of `openStore`, and the signal's reason. */
export async function openSearched(
  settings: StoreSettings,
  report: Report = () => {},
  signal?: AbortSignal,
): Promise<LocalStore & StoreWith<"search">> {
  const store = await openStore(settings);
  const { mostWaited, isServed } = settings;
  const search = new SearchIndex(settings.directory, store, isServed, report);
  const { records, sequence } = await store.stats();
  const known = search.sequence();
  const lacking = known === undefined ? records : sequence - known;
  if (known === undefined && records > 0) report("building the search index, once: half a minute for 200,000 records");
  if (lacking > (mostWaited ?? Number.POSITIVE_INFINITY)) void search.followMeanwhile();
  else await follow(search, search.tell, mostWaited === undefined ? { signal } : { patience: 0, checksLater: true });
  signal?.throwIfAborted();
  const watch = isServed === true ? setInterval(() => void search.followMeanwhile(PAUSE), HOUR).unref() : undefined;
  return { ...store, search, ...closing(store, search, watch) };
}

/** Open a store for loading; each publication ends when the search index has followed it. Throws the errors of `openForLoading`. */
export async function openSearchedForLoading(
  settings: StoreSettings,
  report: Report = () => {},
  signal?: AbortSignal,
): Promise<LoadableStore & StoreWith<"search">> {
  const store = await openForLoading(settings, signal);
  const search = new SearchIndex(settings.directory, store);
  return {
    ...store,
    search,
    async stage(options) {
      const stage = await store.stage(options);
      const publish = stage.publish.bind(stage);
      return Object.assign(stage, {
        publish: async (...given: Parameters<typeof publish>) => {
          const publication = await publish(...given);
          await follow(search, report, { signal: given[0], onWritten: given[2] });
          return publication;
        },
      });
    },
    ...closing(store, search),
  };
}

/** Bring the index to the present state. A failure is only reported, as the records are published: the index follows later, or in a thread if it is locked and `patience` is 0. */
async function follow(search: SearchIndex, report: Report, writing: Writing): Promise<void> {
  try {
    const damage = await search.follow(writing);
    if (damage !== undefined) report(damage, true);
  } catch (error) {
    if (writing.signal?.aborted === true) return;
    if (writing.patience === 0 && isBusy(error)) return void search.followMeanwhile();
    report(causeOf(search.directory, error), true);
  }
}

/** The problems of the search index of a sound store, one sentence each. Throws `SearchIndexError`. */
export function searchProblems(settings: StoreSettings): Promise<readonly string[]> {
  return withIndex(settings, (index) => index.problems());
}

/** Build the search index of a store anew; if `signal` aborts, the index stays as it was. Throws `SearchIndexError` and the signal's reason. */
export function rebuildSearch(settings: StoreSettings, signal?: AbortSignal): Promise<unknown> {
  return withIndex(settings, (index) => index.follow({ isAnew: true, signal }));
}

async function withIndex<T>({ directory }: StoreSettings, work: (index: SearchIndex) => Promise<T>): Promise<T> {
  await using store = await openStore({ directory });
  const index = new SearchIndex(directory, store);
  try {
    return await work(index);
  } catch (error) {
    throw isBarred(error) || isBusy(error) ? new SearchIndexError(directory, { cause: error }) : error;
  } finally {
    await index.close();
  }
}

function closing(store: LocalStore, search: SearchIndex, watch?: NodeJS.Timeout) {
  const close = async (): Promise<void> => {
    clearInterval(watch);
    await search.close();
    await store.close();
  };
  return { close, [Symbol.asyncDispose]: close };
}
