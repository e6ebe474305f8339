/** The database of a search index, and what searches ask it. A service asks in a thread, so that no search delays other answers. */
import { statSync } from "node:fs";
import { BoundedMap } from "../base/bounded-map.js";
import type { FacetName, LetterCount, SearchHit, SearchQuery, Window, WindowQuery } from "../store/search.js";
import { countFacets, talliedFacets } from "./facets.js";
import { IndexSearch } from "./find.js";
import { iriOfId } from "./iris.js";
import { type Best, bestOf, nearText } from "./meant.js";
import { termNumber } from "./properties.js";
import { relatedQuery } from "./related.js";
import { type IndexState, indexStateOf } from "./schema.js";
import { type IndexQuery, reasonsOf } from "./search-text.js";
import { exclusively, isDamage, removeSqlite, Sqlite } from "./sqlite.js";

/** Searches that are cached for the windows, facets and letters of a page. */
const CACHED_SEARCHES = 16;

/** An answer with the state of the index that it is read from; neither is there without an index of this edition. */
interface Read<T> {
  readonly state?: IndexState;
  readonly answer?: T;
}

export interface EntityHit extends Pick<SearchHit, "iri" | "rank" | "years" | "reasons"> {}

/** A part of a walk through all hits. `walked` is the search that the first part found to be meant, with which the next part goes on. */
export type WalkedPart = NonNullable<ReturnType<IndexDatabase["part"]>["answer"]>;

export interface Referred {
  readonly iri: string;
  readonly referrer: string | undefined;
}

interface Asked {
  readonly query: SearchQuery;
  readonly window: WindowQuery;
}

/** What searches ask. Every answer throws SQLite's errors, and `InvalidCursorError`. A damaged database is removed at once, since only its reader knows which file it was. */
export type SearchTasks = Pick<IndexDatabase, "find" | "part" | "facets" | "letters">;

/** The database at a path. It is opened again if another file has taken its place. It must be closed. */
export class IndexDatabase {
  #open: { readonly sqlite: Sqlite; readonly inode: number } | undefined;
  #searches = new BoundedMap<string, Best>(CACHED_SEARCHES);

  /** @param cache as for `Sqlite` */
  constructor(
    readonly path: string,
    private readonly cache?: number,
  ) {}

  find({ query, window }: Asked) {
    return this.#read((sqlite, state) => {
      const asked = indexQuery(sqlite, query);
      if (query.isAsWritten === true) return { found: iris(sqlite, state, new IndexSearch(sqlite, asked), window) };
      const { finding, total, meant } = this.#best(sqlite, state, asked);
      // Clients ask about relations of many entities that have none: no window need be read then.
      const isEmpty = total === 0 && query.related !== undefined && !window.after && !window.before;
      const found = isEmpty ? NOTHING : iris(sqlite, state, finding, window, total);
      const near = nearText(sqlite, finding, total);
      return { found, total, ...(meant !== undefined && { meant }), ...(near !== undefined && { near }) };
    });
  }

  /** @param walked what the part before returned */
  part({ query, window, walked }: Asked & { readonly walked: IndexQuery | undefined }) {
    return this.#read((sqlite, state) => {
      const best = (): IndexQuery => this.#best(sqlite, state, indexQuery(sqlite, query)).finding.query;
      const search = new IndexSearch(sqlite, walked ?? { ...best(), isWalk: true });
      return { found: iris(sqlite, state, search, window), walked: search.query, filling: state.filling };
    });
  }

  /** The counts of facets. Values that are entities come with their IRIs, and that of a record that refers to them. */
  facets({ query, names, limit }: Pick<Asked, "query"> & { names: readonly FacetName[]; limit: number }) {
    return this.#read((sqlite, state) => {
      const asked = indexQuery(sqlite, query);
      const { values, isEstimated } =
        talliedFacets(sqlite, asked, names, limit) ??
        countFacets(sqlite, this.#best(sqlite, state, asked), names, limit);
      return { values: values.map((each) => ({ ...each, entity: referredTo(sqlite, each.value) })), isEstimated };
    });
  }

  letters({ query }: Pick<Asked, "query">): Read<readonly LetterCount[]> {
    return this.#read((sqlite, state) => this.#best(sqlite, state, indexQuery(sqlite, query)).finding.letters());
  }

  /** The open database, opened again if another file has taken its place. */
  sqlite(): Sqlite {
    if (this.#open !== undefined && this.#open.inode === this.#inode()) return this.#open.sqlite;
    this.close();
    this.#open = exclusively(this.path, () => ({ sqlite: new Sqlite(this.path, this.cache), inode: this.#inode()! }));
    return this.#open.sqlite;
  }

  /** Remove the file, unless another has taken the place of the one that was opened. */
  remove(): void {
    const inode = this.#open?.inode;
    this.close();
    exclusively(this.path, () => {
      if (inode === undefined || inode === this.#inode()) removeSqlite(this.path);
    });
  }

  removeDamaged(): void {
    try {
      this.remove();
    } catch {
      // Others are opening or removing it, or the disk can only be read. The next search meets the damage again.
    }
  }

  close(): void {
    this.#open?.sqlite.close();
    this.#open = undefined;
    this.#searches = new BoundedMap(CACHED_SEARCHES);
  }

  #inode(): number | undefined {
    return statSync(this.path, { throwIfNoEntry: false })?.ino;
  }

  #read<T>(read: (sqlite: Sqlite, state: IndexState) => T): Read<T> {
    try {
      const sqlite = this.sqlite();
      return sqlite.atOnce(() => {
        const state = indexStateOf(sqlite);
        return state === undefined ? {} : { state, answer: read(sqlite, state) };
      });
    } catch (error) {
      if (isDamage(error)) this.removeDamaged();
      throw error;
    }
  }

  /** The search that has hits; made once for a page that asks for its hits, facets and letters. */
  #best(sqlite: Sqlite, state: IndexState, query: IndexQuery): Best {
    const minute = Math.floor(Date.now() / 60_000);
    const key = JSON.stringify([state, minute, query]);
    return this.#searches.get(key) ?? this.#searches.put(key, bestOf(sqlite, query));
  }
}

function indexQuery(sqlite: Sqlite, { related, ...query }: SearchQuery): IndexQuery {
  const relations = (query.relations ?? []).map((each) => ({ ...each, property: termNumber(each.property) ?? -1 }));
  return { ...query, relations, ...(related && relatedQuery(sqlite, related)) };
}

/** The entity that a facet's value stands for, with a record that refers to it; `undefined` for other values. */
function referredTo(sqlite: Sqlite, id: string | number): Referred | undefined {
  if (typeof id === "string") return undefined;
  const [referrer] = sqlite.row<[number]>("SELECT entity FROM reference WHERE target = ? LIMIT 1", id) ?? [];
  return { iri: iriOfId(sqlite, id), referrer: referrer === undefined ? undefined : iriOfId(sqlite, referrer) };
}

const NOTHING: Window<EntityHit> = { items: [], next: undefined, previous: undefined };

function iris(sqlite: Sqlite, { filling }: IndexState, finding: IndexSearch, window: WindowQuery, total?: number) {
  const { places, next, previous } = finding.window(window, filling, total);
  const entity = "SELECT begins, ends FROM entity WHERE id = ?";
  const reasons = window.hasReasons && finding.searched ? reasonsOf(sqlite, finding.searched, places) : [];
  const items = places.map(({ id, rank }, at): EntityHit => {
    const [begins, ends] = sqlite.row<[number | null, number | null]>(entity, id)!;
    const years = begins === null || ends === null ? {} : { years: [begins, ends] as const };
    return { iri: iriOfId(sqlite, id), rank, ...years, ...(reasons[at] && { reasons: reasons[at] }) };
  });
  return { items, next, previous };
}
