/** The opening of stores that are searched: their records with the search index beside them, which may be checked and built anew. */
import { type LoadableStore, type LocalStore, openForLoading, openStore } from "../store/open.js";
import type { StoreWith } from "../store/store.js";
import type { Writing } from "./index-writer.js";
import { SearchIndex } from "./search-index.js";
import { isBusy } from "./sqlite.js";

interface StoreSettings {
  readonly directory: string;
  /** With an index that lacks more changes or records than this, the store is opened at once, and a thread writes them. Default: all are waited for. */
  readonly mostWaited?: number;
  /** The index is read again every hour, as bits may flip in it. */
  readonly isWatched?: boolean;
}

/** In milliseconds; a pause is for others, after a thousand pages, which take six. */
const HOUR = 3_600_000;
const PAUSE = 100;

/** Is told, in a sentence, why searches are behind the records, or not answered. */
type Report = (problem: string) => void;

/**
 * Open a store for reading and searching; an index that is missing, damaged or behind is brought to its present state first. Throws what
 * `openStore` does.
 */
export async function openSearched(
  settings: StoreSettings,
  report: Report = () => {},
): Promise<LocalStore & StoreWith<"search">> {
  const store = await openStore(settings);
  const search = new SearchIndex(settings.directory, store);
  const { records, sequence } = await store.stats();
  const known = search.sequence();
  const lacking = known === undefined ? records : sequence - known;
  if (known === undefined && records > 0) report("the search index is built, once: half a minute for 200,000 records");
  const { mostWaited, isWatched } = settings;
  if (lacking > (mostWaited ?? Number.POSITIVE_INFINITY)) void search.followMeanwhile();
  else await follow(search, report, mostWaited === undefined ? {} : { patience: 0, holdsLater: true });
  const watch = isWatched === true ? setInterval(() => void search.followMeanwhile(PAUSE), HOUR).unref() : undefined;
  return { ...store, search, ...closing(store, search, watch) };
}

/** Open a store for loading; each publication ends when the search index has followed it. Throws what `openForLoading` does. */
export async function openSearchedForLoading(
  settings: StoreSettings,
  report: Report = () => {},
): Promise<LoadableStore & StoreWith<"search">> {
  const store = await openForLoading(settings);
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

/** The records are published, whatever becomes of the index: it follows later where it cannot now, in a thread where nobody may wait. */
async function follow(search: SearchIndex, report: Report, writing: Writing): Promise<void> {
  try {
    await search.follow(writing);
  } catch (error) {
    if (writing.signal?.aborted === true) return;
    if (writing.patience === 0 && isBusy(error)) return void search.followMeanwhile();
    report(
      `the search index is behind the records: ${(error as Error).message}; \`vitrine check --repair\` builds it anew`,
    );
  }
}

/** The problems of the search index of a sound store, a sentence each. */
export function searchProblems(settings: StoreSettings): Promise<readonly string[]> {
  return withIndex(settings, (index) => index.problems());
}

/** Build the search index of a store anew; after `signal` it stays as it was. Throws what SQLite does, and the signal's reason. */
export function rebuildSearch(settings: StoreSettings, signal?: AbortSignal): Promise<void> {
  return withIndex(settings, (index) => index.follow({ isAnew: true, signal }));
}

async function withIndex<T>({ directory }: StoreSettings, work: (index: SearchIndex) => Promise<T>): Promise<T> {
  await using store = await openStore({ directory });
  const index = new SearchIndex(directory, store);
  try {
    return await work(index);
  } finally {
    index.close();
  }
}

function closing(store: LocalStore, search: SearchIndex, watch?: NodeJS.Timeout) {
  const close = async (): Promise<void> => {
    clearInterval(watch);
    search.close();
    await store.close();
  };
  return { close, [Symbol.asyncDispose]: close };
}
