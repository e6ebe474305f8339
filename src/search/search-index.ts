/** The search facet of a store, answered from the index beside its records. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BoundedMap } from "../base/bounded-map.js";
import { builtModule } from "../base/package-files.js";
import { type Asker, type Askers, areGone, SharedThread } from "../base/shared-thread.js";
import { ThreadLostError, WorkerClient } from "../base/worker-client.js";
import { classesOf, labelIn } from "../rdf/record-graph.js";
import { InvalidCursorError, StoreError } from "../store/errors.js";
import type { FacetName, Facets, Search, SearchHit, SearchQuery, SearchWindow, WindowQuery } from "../store/search.js";
import { listedRecord } from "../store/store.js";
import { labelOfValue } from "./facets.js";
import { type EntityHit, IndexDatabase, type Referred, type SearchTasks, type WalkedPart } from "./index-database.js";
import { bringUpToDate, type IndexedStore, type Writing } from "./index-writer.js";
import { checkSums } from "./page-sums.js";
import { shownBy } from "./pictures.js";
import { type IndexState, indexStateOf, SEARCH_FILE } from "./schema.js";
import { isBarred, isBusy, isDamage, type Sqlite, whenFree } from "./sqlite.js";

/** Answers that are cached until the records change. */
const CACHED_ANSWERS = 500;
/** At most this many questions may wait for the thread that searches. Further ones are refused. */
export const MAX_SEARCHES_WAITING = 200;
/** Pages of the index whose checksums are checked at once: a millisecond, so that a start and answers need not wait. */
const CHECKED_AT_ONCE = 128;
/** MiB of memory for the pages of an index that a thread searches: here only its state is read. */
const UNSEARCHED_CACHE = 8;
/** Milliseconds that a thread has to end after the index is closed. */
const GRACE = 1_000;
/** IRIs in each part of `all`: the more work a part takes, the larger it is. */
const PART_SIZE = { listed: 500, found: 2_000, sorted: 10_000 } as const;

/** The search index cannot be read at the moment. */
export class SearchIndexError extends StoreError {
  constructor(directory: string, options: ErrorOptions = {}, problem = problemOf(options.cause)) {
    super(`the search index of the store in ${directory} ${problem}`, options);
  }
}

/** Called with a sentence that says why searches are behind the records, or cannot be answered. */
export type Report = (problem: string, isError?: boolean) => void;

/** Why an index is behind the records. */
export function causeOf(directory: string, error: unknown): string {
  const { message } = error as Error;
  if (isDamage(error)) return `the search index is damaged (${message}), and is built anew`;
  if (isBarred(error)) return new SearchIndexError(directory, { cause: error }).message;
  const behind = `the search index is behind the records: ${message}`;
  return error instanceof ThreadLostError ? behind : `${behind}; \`vitrine check --repair\` builds it anew`;
}

function problemOf(cause: unknown = {}): string {
  if (isBarred(cause))
    return `cannot be opened or written to: ${(cause as Error).message}; see that its disk has room, and that this user may write its files`;
  return "is being built, or another process has locked it: try again later, or build it with `vitrine check --repair`";
}

/** The search index of the store in a directory. It must be closed. */
export class SearchIndex implements Search {
  readonly #database: IndexDatabase;
  /** The connection through which all pages were checked. */
  #checked: Sqlite | undefined;
  /** The thread that searches, in a service. */
  readonly #searching: SharedThread<SearchTasks> | undefined;
  /** The thread that brings the index to the present state. */
  #following: { readonly thread: WorkerClient<FollowTasks>; readonly ended: Promise<void> } | undefined;
  /** The check of the index's pages against their checksums; searches wait for it. */
  #checking: Promise<void> | undefined;
  /** The problem that was reported last, until the index is in step again. */
  #told: string | undefined;
  /** Hits, facets and letters, by the state of the index and the question. They take longest for frequent words. */
  readonly #answers = new BoundedMap<string, NonNullable<unknown>>(CACHED_ANSWERS);
  /** The answers that are awaited, with who asked: many clients ask the same right after a load. */
  readonly #awaited = new Map<string, { readonly askers: Askers; readonly answer: Promise<unknown> }>();

  constructor(
    readonly directory: string,
    readonly store: IndexedStore,
    /** Whether a thread searches, so that no search delays other work. */
    isServed = false,
    private report: Report = () => {},
  ) {
    const path = join(directory, SEARCH_FILE);
    this.#database = new IndexDatabase(path, isServed ? UNSEARCHED_CACHE : undefined);
    if (isServed)
      this.#searching = new SharedThread({
        name: "the thread that searches",
        module: builtModule("search/search-thread.js"),
        data: path,
        errors: [InvalidCursorError],
        most: MAX_SEARCHES_WAITING,
        refusal: () => new SearchIndexError(directory, {}, "answers other searches first: try again later"),
      });
  }

  for(asker: Asker): Search {
    return {
      sequence: () => this.sequence(),
      for: (other) => this.for(other),
      find: (query, window) => this.find(query, window, asker),
      all: (query, limit) => this.all(query, limit, asker),
      facets: (query, names, limit) => this.facets(query, names, limit, asker),
      letters: (query) => this.letters(query, asker),
    };
  }

  async find(query: SearchQuery, window: WindowQuery, asker?: Asker): Promise<SearchWindow> {
    const { found, ...more } = await this.#cached(["find", query, window], asker, (askers) =>
      this.#ask("find", { query, window }, askers),
    );
    const items: SearchHit[] = [];
    for (const each of found.items) items.push(...(await this.#hit(each, window.isBrief)));
    return { ...found, items, ...more };
  }

  async *all(query: SearchQuery, limit = partOf(query), asker?: Asker): AsyncIterable<readonly string[]> {
    let before: WalkedPart | undefined;
    for (let after: string | undefined = ""; after !== undefined; ) {
      const question = { query, window: { after, limit }, walked: before?.walked };
      const part: WalkedPart = await this.#ask("part", question, [asker]);
      // The index was filled again, so entities have other numbers: going on would leave out some, or repeat them.
      if (before !== undefined && part.filling !== before.filling) throw new SearchIndexError(this.directory);
      before = part;
      yield part.found.items.map(({ iri }) => iri);
      after = part.found.next;
    }
  }

  facets(query: SearchQuery, names: readonly FacetName[], limit: number, asker?: Asker): Promise<Facets> {
    return this.#cached(["facets", { ...query, sort: undefined }, names, limit], asker, async (askers) => {
      const { values, isEstimated } = await this.#ask("facets", { query, names, limit }, askers);
      const labelled = [];
      for (const { facet, value, records, entity } of values) {
        const label = entity === undefined ? labelOfValue(facet, String(value)) : await this.#label(entity);
        labelled.push({ facet, value: entity?.iri ?? String(value), label, records });
      }
      return { values: labelled, isEstimated };
    });
  }

  letters(query: SearchQuery, asker?: Asker) {
    return this.#cached(["letters", query], asker, (askers) => this.#ask("letters", { query }, askers));
  }

  /** The answer to a question, cached until the records change. While the index is behind, nothing is cached. */
  async #cached<T extends NonNullable<unknown>>(
    question: readonly unknown[],
    asker: Asker | undefined,
    ask: (askers: Askers) => Promise<T>,
  ): Promise<T> {
    const { sequence } = await this.store.stats();
    // Answers about "changed in the last day" become stale, so they are cached for an hour at most.
    const hour = Math.floor(Date.now() / 3_600_000);
    const state = this.#state();
    if (state?.sequence !== sequence) return ask([asker]);
    const key = JSON.stringify([state, hour, ...question]);
    const known = this.#answers.get(key) as T | undefined;
    if (known !== undefined) return known;
    const awaited = this.#awaited.get(key);
    if (awaited !== undefined && !areGone(awaited.askers)) {
      awaited.askers.push(asker);
      return awaited.answer as Promise<T>;
    }
    const askers = [asker];
    const answer = ask(askers);
    this.#awaited.set(key, { askers, answer });
    try {
      return this.#answers.put(key, await answer);
    } finally {
      this.#awaited.delete(key);
    }
  }

  /** The label of an entity: from its own record, or else from a referrer. A licence may be named only by a picture that the referrer shows. */
  async #label({ iri, referrer }: Referred): Promise<string> {
    const [own] = await this.#hit({ iri, rank: undefined }, true);
    if (own !== undefined && own.label !== "") return own.label;
    const graphOf = async (of: string) => (await (await this.store.find(of))?.record())?.graph;
    const graph = referrer === undefined ? undefined : await graphOf(referrer);
    const stated = graph && labelIn(graph, iri);
    if (graph === undefined || stated?.trim()) return stated || iri;
    const shown = await shownBy(graph, graphOf);
    return [...shown.values()].flatMap((each) => labelIn(each, iri) ?? [])[0] ?? iri;
  }

  sequence(): number | undefined {
    return this.#state()?.sequence;
  }

  #state(): IndexState | undefined {
    try {
      return indexStateOf(this.#database.sqlite());
    } catch (error) {
      if (isDamage(error) || isBusy(error) || isBarred(error)) return undefined;
      throw error;
    }
  }

  /** Bring the index to the present state of the store. Resolves to what was wrong if it was damaged, and built anew. Rejects with SQLite's errors. */
  follow(writing: Writing = {}): Promise<string | undefined> {
    return whenFree(async () => {
      try {
        const isLater = writing.checksLater === true && this.sequence() === (await this.store.stats()).sequence;
        if (writing.isAnew !== true && !isLater) await this.#checkPages(writing.pause);
        await bringUpToDate(this.#database.sqlite(), this.store, this.directory, writing);
        if (isLater) this.#checking = this.#checkMeanwhile();
      } catch (error) {
        if (!isDamage(error)) throw error;
        this.#database.remove();
        await bringUpToDate(this.#database.sqlite(), this.store, this.directory, writing);
        return causeOf(this.directory, error);
      }
    }, writing);
  }

  async problems(): Promise<readonly string[]> {
    const { sequence, records } = await this.store.stats();
    const advice = "`vitrine check --repair` builds it anew";
    // A missing index is no problem, for example in a backup, nor is one that is behind because the disk was full. The first search takes care of both.
    if (!existsSync(this.#database.path)) return [];
    const look = async (): Promise<readonly string[]> => {
      const sqlite = this.#database.sqlite();
      this.#checked = undefined;
      await this.#checkPages();
      const found = sqlite.rows<[string]>("PRAGMA integrity_check").flat();
      if (found.join() !== "ok") return [`the search index is damaged (${found[0]}): ${advice}`];
      const state = indexStateOf(sqlite);
      // An index of another edition has other tables.
      if (state === undefined) return [];
      try {
        sqlite.exec("INSERT INTO word (word, rank) VALUES ('integrity-check', 0)");
      } catch (error) {
        // This check alone needs a disk that can be written to.
        if (!isBarred(error)) throw error;
      }
      if (state.sequence !== sequence) return [];
      const [count] = sqlite.row<[number]>("SELECT count(*) FROM entity")!;
      return count === records ? [] : [`the search index has ${count} records, and the store ${records}: ${advice}`];
    };
    try {
      return await whenFree(look);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return [`the search index is damaged (${(error as Error).message}): ${advice}`];
    }
  }

  /** Check all pages of the index once, before it follows the log or is examined. Throws SQLite's errors. */
  async #checkPages(pause?: number): Promise<void> {
    const sqlite = this.#database.sqlite();
    if (this.#checked === sqlite || indexStateOf(sqlite) === undefined) return;
    const count = pause === undefined ? Number.POSITIVE_INFINITY : CHECKED_AT_ONCE;
    for (const _ of checkSums(sqlite, count)) await sleep(pause);
    this.#checked = sqlite;
  }

  /** Check all pages in many turns, with other work between them. A damaged index is built anew. */
  async #checkMeanwhile(): Promise<void> {
    try {
      await this.#checkPages(0);
    } catch (error) {
      if (isDamage(error)) this.#database.removeDamaged();
      if (isDamage(error) || isBusy(error)) void this.followMeanwhile(undefined, error);
    } finally {
      this.#checking = undefined;
    }
  }

  /** Close the index. Threads are given a second: LMDB cannot open a store while another thread closes it. */
  async close(): Promise<void> {
    // Threads that are ended are no problem.
    this.report = () => {};
    this.#database.close();
    await Promise.all([this.#searching?.close(GRACE), this.#following?.thread.close(GRACE)]);
  }

  /** The hit with its record; none if the record was deleted since. Rejects with `RecordDamagedError`: a list without it would be wrong. */
  async #hit({ iri, rank, years, reasons }: EntityHit, isBrief = false): Promise<SearchHit[]> {
    const record = await listedRecord(this.store, iri);
    if (record === undefined) return [];
    const { endpoint, label } = record.meta;
    const classes = isBrief ? [] : classesOf((await record.record()).graph);
    return [{ iri, endpoint, label, classes, rank, ...(years && { years }), ...(reasons && { reasons }) }];
  }

  /** Ask the index. Rejects with `SearchIndexError`, and `InvalidCursorError`. */
  async #ask<Task extends keyof SearchTasks>(task: Task, question: Parameters<SearchTasks[Task]>[0], askers: Askers) {
    await this.#checking;
    const { sequence } = await this.store.stats();
    try {
      const { state, answer } = await (this.#searching?.ask(task, question, askers) ??
        this.#database[task](question as never));
      if (state?.sequence !== sequence) void this.followMeanwhile();
      if (answer === undefined) throw new SearchIndexError(this.directory);
      return answer as NonNullable<ReturnType<SearchTasks[Task]>["answer"]>;
    } catch (error) {
      if (isDamage(error)) void this.followMeanwhile(undefined, error);
      else if (error instanceof ThreadLostError) this.tell(error.message);
      else if (isBarred(error)) this.tell(causeOf(this.directory, error));
      else if (!isBusy(error)) throw error;
      throw new SearchIndexError(this.directory, { cause: error });
    }
  }

  /** Report a problem, once for as long as it lasts. */
  readonly tell = (problem: string | undefined): void => {
    if (problem !== undefined && problem !== this.#told) this.report(problem, true);
    this.#told = problem;
  };

  /** Bring the index to the present state in a thread. Resolves when the thread has ended, even by a failure. @param pause milliseconds after each thousand pages of its check @param found damage, which is reported */
  async followMeanwhile(pause?: number, found: unknown = {}): Promise<void> {
    if (isDamage(found)) this.tell(causeOf(this.directory, found));
    if (this.#following !== undefined) return this.#following.ended;
    const thread = new WorkerClient<FollowTasks>({
      name: "a thread that builds the search index",
      module: builtModule("search/follow-thread.js"),
      data: this.directory,
      isBackground: true,
    });
    const ended = thread
      .ask("follow", pause)
      .catch((error) => causeOf(this.directory, error))
      .then((problem) => this.tell(problem))
      .then(() => thread.close())
      .finally(() => {
        this.#following = undefined;
      });
    this.#following = { thread, ended };
    return ended;
  }
}

function partOf({ sort, text, name, identifier }: SearchQuery): number {
  if (sort !== undefined) return PART_SIZE.sorted;
  return (text ?? name ?? identifier) === undefined ? PART_SIZE.listed : PART_SIZE.found;
}

export type FollowTasks = {
  follow(pause: number | undefined): Promise<string | undefined>;
};
