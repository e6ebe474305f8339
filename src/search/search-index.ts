/** The search facet of a store: what is found in the index beside its records. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BoundedMap } from "../base/bounded-map.js";
import { builtModule } from "../base/package-files.js";
import { WorkerClient } from "../base/worker-client.js";
import { classesOf, labelIn } from "../rdf/record-graph.js";
import { StoreError } from "../store/errors.js";
import type {
  FacetName,
  Facets,
  FacetValue,
  LetterCount,
  Search,
  SearchHit,
  SearchQuery,
  SearchWindow,
  Window,
  WindowQuery,
} from "../store/search.js";
import { listedRecord } from "../store/store.js";
import { countFacets, labelOfValue, talliedFacets } from "./facets.js";
import { IndexSearch } from "./find.js";
import { searchForm, searchWords } from "./forms.js";
import { bringUpToDate, type IndexedStore, indexedSequence, type Writing } from "./index-writer.js";
import { iriOfId } from "./iris.js";
import { holdSums } from "./page-sums.js";
import { shownBy } from "./pictures.js";
import { termNumber } from "./properties.js";
import { relatedQuery } from "./related.js";
import { SEARCH_FILE } from "./schema.js";
import { type IndexQuery, reasonsOf, variantsOf } from "./search-text.js";
import { mendings } from "./spelling.js";
import { isBusy, isDamage, removeSqlite, Sqlite, whenFree } from "./sqlite.js";

/** Answers that are kept until the records change. */
const KEPT = 500;
/** Pages of the index that are held against their sums at once. */
const HELD_AT_ONCE = 1_024;
/** Searches that pages under way go by. */
const FOUND = 16;
/** IRIs of a part of all that a search finds: the more there is to do for each part, the larger. */
const PART = { listed: 500, found: 2_000, sorted: 10_000 } as const;

/** There is no search index to be asked, for now. */
export class SearchIndexError extends StoreError {
  constructor(directory: string, options?: ErrorOptions) {
    super(
      `the search index of the store in ${directory} is being built, or another process has locked it: try again later, or build it with \`vitrine check --repair\``,
      options,
    );
  }
}

/** The index of the store in a directory. It has to be closed. */
export class SearchIndex implements Search {
  readonly #path: string;
  #open: { readonly sqlite: Sqlite; readonly inode: number; isHeld?: boolean } | undefined;
  #following: Promise<void> | undefined;
  /** Searches wait until the pages of the index are held against their sums. */
  #holding: Promise<void> | undefined;
  /** Places of records, and facets, by what was asked and of which state: of frequent words they take longest. */
  #kept = new BoundedMap<string, NonNullable<unknown>>(KEPT);
  #found = new BoundedMap<string, Best>(FOUND);

  constructor(
    readonly directory: string,
    readonly store: IndexedStore,
  ) {
    this.#path = join(directory, SEARCH_FILE);
  }

  async find(query: SearchQuery, window: WindowQuery): Promise<SearchWindow> {
    const { found, total, meant } = await this.#keeping(["find", query, window], () =>
      this.#read((sqlite, sequence) => {
        const asked = indexQuery(sqlite, query);
        if (query.isAsWritten === true) return { found: iris(sqlite, new IndexSearch(sqlite, asked), window) };
        const { finding, total: count, meant: mending } = this.#best(sqlite, sequence, asked);
        // Of many a relation is asked that has nothing.
        const isEmpty = count === 0 && query.related !== undefined && !window.after && !window.before;
        return { found: isEmpty ? NOTHING : iris(sqlite, finding, window), total: count, meant: mending };
      }),
    );
    const items: SearchHit[] = [];
    for (const each of found.items) items.push(...(await this.#hit(each, window.isBrief)));
    return { ...found, items, total, ...(meant === undefined ? {} : { meant }) };
  }

  async *all(query: SearchQuery, limit = partOf(query)): AsyncIterable<readonly string[]> {
    let asked: IndexQuery | undefined;
    for (let after: string | undefined = ""; after !== undefined; ) {
      const window: WindowQuery = { after, limit };
      const part = await this.#read((sqlite, sequence) => {
        asked ??= { ...this.#best(sqlite, sequence, indexQuery(sqlite, query)).finding.query, isWalk: true };
        return iris(sqlite, new IndexSearch(sqlite, asked), window);
      });
      yield part.items.map(({ iri }) => iri);
      after = part.next;
    }
  }

  facets(query: SearchQuery, names: readonly FacetName[], limit: number): Promise<Facets> {
    return this.#keeping(["facets", { ...query, sort: undefined }, names, limit], () =>
      this.#facets(query, names, limit),
    );
  }

  letters(query: SearchQuery): Promise<readonly LetterCount[]> {
    return this.#keeping(["letters", query], () =>
      this.#read((sqlite, sequence) => this.#best(sqlite, sequence, indexQuery(sqlite, query)).finding.letters()),
    );
  }

  /** The search that finds something, made once for a page that asks it for places, facets and letters. */
  #best(sqlite: Sqlite, sequence: number, query: IndexQuery): Best {
    const minute = Math.floor(Date.now() / 60_000);
    const key = JSON.stringify([sequence, minute, query]);
    return this.#found.get(key) ?? this.#found.put(key, bestOf(sqlite, query));
  }

  /** The answer to a question, remembered until the records change. An index that is behind remembers nothing. */
  async #keeping<T extends NonNullable<unknown>>(question: readonly unknown[], answer: () => Promise<T>): Promise<T> {
    const { sequence } = await this.store.stats();
    // "Changed in the last day" is asked anew every hour.
    const hour = Math.floor(Date.now() / 3_600_000);
    if (this.sequence() !== sequence) return answer();
    const key = JSON.stringify([sequence, hour, ...question]);
    return (this.#kept.get(key) as T | undefined) ?? this.#kept.put(key, await answer());
  }

  async #facets(query: SearchQuery, names: readonly FacetName[], limit: number): Promise<Facets> {
    const { values, isEstimated } = await this.#read((sqlite, sequence) => {
      const asked = indexQuery(sqlite, query);
      const counted =
        talliedFacets(sqlite, asked, names, limit) ??
        countFacets(sqlite, this.#best(sqlite, sequence, asked), names, limit, query);
      const named = counted.values.map((each) => ({
        ...each,
        ...(typeof each.value === "number" ? referredTo(sqlite, each.value) : { iri: undefined, referrer: undefined }),
      }));
      return { values: named, isEstimated: counted.isEstimated };
    });
    const labelled: FacetValue[] = [];
    for (const { facet, value, records, iri, referrer } of values) {
      const label = iri === undefined ? labelOfValue(facet, String(value)) : await this.#label(iri, referrer);
      labelled.push({ facet, value: iri ?? String(value), label, records });
    }
    return { values: labelled, isEstimated };
  }

  /** The label of an entity: of its record, or as one that refers to it has it. Licences may be named by a picture that the record shows. */
  async #label(iri: string, referrer: string | undefined): Promise<string> {
    const [own] = await this.#hit({ iri, rank: undefined }, true);
    if (own !== undefined && own.label !== "") return own.label;
    const graphOf = async (of: string) => (await (await this.store.find(of))?.record())?.graph;
    const graph = referrer === undefined ? undefined : await graphOf(referrer);
    const said = graph && labelIn(graph, iri);
    if (graph === undefined || said !== undefined) return said ?? iri;
    const shown = await shownBy(graph, graphOf);
    return [...shown.values()].flatMap((each) => labelIn(each, iri) ?? [])[0] ?? iri;
  }

  /** The number of the last change that searches know of; `undefined` where there is no index, or it is locked. */
  sequence(): number | undefined {
    try {
      return indexedSequence(this.#sqlite());
    } catch (error) {
      if (isDamage(error) || isBusy(error)) return undefined;
      throw error;
    }
  }

  /** Bring the index to the present state of the store; one that is damaged is built anew. Rejects with what SQLite throws. */
  follow(writing: Writing = {}): Promise<void> {
    return whenFree(async () => {
      try {
        const isLater = writing.holdsLater === true && this.sequence() === (await this.store.stats()).sequence;
        if (writing.isAnew !== true && !isLater) await this.#hold(writing.pause);
        await bringUpToDate(this.#sqlite(), this.store, this.directory, writing);
        if (isLater) this.#holding = this.#holdMeanwhile();
      } catch (error) {
        if (!isDamage(error)) throw error;
        this.#remove();
        await bringUpToDate(this.#sqlite(), this.store, this.directory, writing);
      }
    }, writing);
  }

  async problems(): Promise<readonly string[]> {
    const { sequence, records } = await this.store.stats();
    const mends = "`vitrine check --repair` builds it anew";
    // A backup has none, and one that a full disk has left behind follows: whoever searches first sees to it.
    if (!existsSync(this.#path)) return [];
    const look = async (): Promise<readonly string[]> => {
      const sqlite = this.#sqlite();
      this.#open!.isHeld = false;
      await this.#hold();
      const found = sqlite.rows<[string]>("PRAGMA integrity_check").flat();
      if (found.join() !== "ok") return [`the search index is damaged (${found[0]}): ${mends}`];
      sqlite.exec("INSERT INTO word (word, rank) VALUES ('integrity-check', 0)");
      if (indexedSequence(sqlite) !== sequence) return [];
      const [count] = sqlite.row<[number]>("SELECT count(*) FROM entity")!;
      return count === records ? [] : [`the search index has ${count} records, and the store ${records}: ${mends}`];
    };
    try {
      return await whenFree(look);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return [`the search index is damaged (${(error as Error).message}): ${mends}`];
    }
  }

  /** Whoever has the index follow, or checks it, has read all of it once. Throws what SQLite does. */
  async #hold(pause?: number): Promise<void> {
    const sqlite = this.#sqlite();
    const open = this.#open!;
    if (open.isHeld === true || indexedSequence(sqlite) === undefined) return;
    const count = pause === undefined ? Number.POSITIVE_INFINITY : HELD_AT_ONCE;
    for (let first = 0; holdSums(sqlite, this.#path, first, count); first += count) await sleep(pause);
    open.isHeld = true;
  }

  /** The same in many turns, others between them. A damaged index is built anew. */
  async #holdMeanwhile(): Promise<void> {
    try {
      await this.#hold(0);
    } catch (error) {
      if (isDamage(error)) this.#buildAnew();
      else if (isBusy(error)) void this.followMeanwhile();
    } finally {
      this.#holding = undefined;
    }
  }

  #buildAnew(): void {
    this.#remove();
    void this.followMeanwhile();
  }

  /** Remove a damaged index, unless another has taken its place. */
  #remove(): void {
    const inode = this.#open?.inode;
    this.close();
    if (inode === undefined || inode === this.#inode()) removeSqlite(this.#path);
  }

  #inode(): number | undefined {
    return statSync(this.#path, { throwIfNoEntry: false })?.ino;
  }

  close(): void {
    this.#open?.sqlite.close();
    this.#open = undefined;
    this.#kept = new BoundedMap(KEPT);
    this.#found = new BoundedMap(FOUND);
  }

  /** The record that was found, unless it is gone since. Rejects with `RecordDamagedError`: a list without it would be wrong. */
  async #hit({ iri, rank, years, reasons }: EntityHit, isBrief = false): Promise<SearchHit[]> {
    const record = await listedRecord(this.store, iri);
    if (record === undefined) return [];
    const { endpoint, label } = record.meta;
    const classes = isBrief ? [] : classesOf((await record.record()).graph);
    return [{ iri, endpoint, label, classes, rank, ...(years && { years }), ...(reasons && { reasons }) }];
  }

  /** Throws `SearchIndexError`, and `InvalidCursorError`. */
  async #read<T>(read: (sqlite: Sqlite, sequence: number) => T): Promise<T> {
    await this.#holding;
    const { sequence } = await this.store.stats();
    try {
      const sqlite = this.#sqlite();
      const indexed = indexedSequence(sqlite);
      if (indexed !== sequence) void this.followMeanwhile();
      if (indexed === undefined) throw new SearchIndexError(this.directory);
      return read(sqlite, indexed);
    } catch (error) {
      if (isDamage(error)) this.#buildAnew();
      else if (!isBusy(error)) throw error;
      throw new SearchIndexError(this.directory, { cause: error });
    }
  }

  /** The open database; another one, when another file lies in its place. */
  #sqlite(): Sqlite {
    if (this.#open !== undefined && this.#open.inode === this.#inode()) return this.#open.sqlite;
    this.close();
    const sqlite = new Sqlite(this.#path);
    this.#open = { sqlite, inode: this.#inode()! };
    return sqlite;
  }

  /**
   * Whoever loads has the index follow. Where that was cut off, a thread does it, and nobody waits.
   * @param pause milliseconds after each thousand pages, all of which it reads before, as bits may have flipped in them
   */
  async followMeanwhile(pause?: number): Promise<void> {
    if (this.#following !== undefined) return this.#following;
    const thread = new WorkerClient<FollowTasks>({
      name: "a thread that builds the search index",
      module: builtModule("search/follow-thread.js"),
      data: this.directory,
      isBackground: true,
    });
    this.#following = thread
      .ask("follow", pause)
      .catch(() => {})
      .then(() => thread.close())
      .finally(() => {
        this.#following = undefined;
      });
    return this.#following;
  }
}

function partOf({ sort, text, name, identifier }: SearchQuery): number {
  if (sort !== undefined) return PART.sorted;
  return (text ?? name ?? identifier) === undefined ? PART.listed : PART.found;
}

function indexQuery(sqlite: Sqlite, { related, ...query }: SearchQuery): IndexQuery {
  const relations = (query.relations ?? []).map(({ property, target, isNot }) => ({
    property: termNumber(property) ?? -1,
    target,
    isNot,
  }));
  return { ...query, relations, ...(related && relatedQuery(sqlite, related)) };
}

/** The IRI of an entity, and of a record that refers to it. */
function referredTo(sqlite: Sqlite, id: number): { readonly iri: string; readonly referrer: string | undefined } {
  const [referrer] = sqlite.row<[number]>("SELECT entity FROM reference WHERE target = ? LIMIT 1", id) ?? [];
  return { iri: iriOfId(sqlite, id), referrer: referrer === undefined ? undefined : iriOfId(sqlite, referrer) };
}

interface Best {
  readonly finding: IndexSearch;
  readonly total: number;
  readonly meant?: string;
}

/** The search that finds something: as it is asked, asked in other ways, or with its slips mended. */
function bestOf(sqlite: Sqlite, query: IndexQuery): Best {
  const asked = new IndexSearch(sqlite, query);
  const total = asked.count();
  const given = query.text ?? query.name;
  if (total > 0 || given === undefined) return { finding: asked, total };
  const variants = variantsOf(query);
  for (const variant of variants) {
    const finding = new IndexSearch(sqlite, variant);
    const count = finding.count();
    if (count > 0) return { finding, total: count, meant: variant.text ?? variant.name ?? given };
  }
  const { text, name } = variants[0] ?? query;
  for (const words of mendings(sqlite, searchWords(searchForm(text ?? name!)))) {
    const meant = words.join(" ");
    const finding = new IndexSearch(sqlite, {
      ...query,
      ...(query.text === undefined ? { name: meant } : { text: meant }),
    });
    const count = finding.count();
    if (count > 0) return { finding, total: count, meant };
  }
  return { finding: asked, total };
}

const NOTHING: Window<EntityHit> = { items: [], next: undefined, previous: undefined };

interface EntityHit extends Pick<SearchHit, "iri" | "rank" | "years" | "reasons"> {}

function iris(sqlite: Sqlite, finding: IndexSearch, window: WindowQuery): Window<EntityHit> {
  const { places, next, previous } = finding.window(window);
  const entity = "SELECT begins, ends FROM entity WHERE id = ?";
  const reasons = window.hasReasons && finding.searched ? reasonsOf(sqlite, finding.searched, places) : [];
  const items = places.map(({ id, rank }, at): EntityHit => {
    const [begins, ends] = sqlite.row<[number | null, number | null]>(entity, id)!;
    const years = begins === null || ends === null ? {} : { years: [begins, ends] as const };
    return { iri: iriOfId(sqlite, id), rank, ...years, ...(reasons[at] && { reasons: reasons[at] }) };
  });
  return { items, next, previous };
}

export type FollowTasks = {
  follow(pause: number | undefined): Promise<void>;
};
