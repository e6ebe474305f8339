/** Searches of the index: their hits tier by tier, in either direction. */
import { packed, unpacked } from "../base/json.js";
import { InvalidCursorError } from "../store/errors.js";
import type { LetterCount, SearchOrder, WindowQuery } from "../store/search.js";
import { where, within } from "./conditions.js";
import { entityOf, iriOfId } from "./iris.js";
import { SORTED_BY, sortOfReferrer } from "./schema.js";
import type { IndexQuery, Part, SearchText } from "./search-text.js";
import type { Cell, Sqlite } from "./sqlite.js";
import { type Hits, hitsOf, joined, restricted, type Tier } from "./tiers.js";

/** The keys of orders other than relevance. */
const SORTS: Readonly<Record<SearchOrder, readonly string[] | undefined>> = {
  relevance: undefined,
  label: ["e.sort", "e.id"],
  date: ["coalesce(e.begins, 1000000)", "e.sort", "e.id"],
  "-date": ["coalesce(-e.begins, 1000000)", "e.sort", "e.id"],
  number: ["coalesce(e.number, char(1114111))", "e.sort", "e.id"],
  changed: ["e.changed", "e.sort", "e.id"],
  "-changed": ["-e.changed", "e.sort", "e.id"],
};

interface Place {
  readonly tier: number;
  readonly keys: readonly Cell[];
}

/** Stands in a cursor for the filling if the walk has met several fillings: the last key is then the IRI of the entity, since its number differs. */
const SEVERAL = 0;

/** A search, compiled once from its query. */
export class IndexSearch {
  readonly #tiers: readonly Tier[];
  /** The text that ranks its hits, if there is one. */
  readonly searched: SearchText | undefined;
  /** The numbers of all entities that match. */
  readonly ids: Part;

  constructor(
    readonly sqlite: Sqlite,
    readonly query: IndexQuery,
  ) {
    let hits = hitsOf(sqlite, query);
    if (query.also !== undefined) {
      const other = new IndexSearch(sqlite, { ...query, ...query.also, also: undefined });
      hits = joined(hits, { tiers: other.#tiers, ids: other.ids });
    }
    this.searched = hits.searched;
    this.ids = hits.ids;
    this.#tiers = this.#sorted(hits);
  }

  /** The tiers of hits in the order that the query asks for; by relevance, they are as they were found. */
  #sorted({ searched, tiers, ids }: Hits): readonly Tier[] {
    const { sort = "relevance", isWalk } = this.query;
    const isListed = searched === undefined;
    const keys = SORTS[sort] ?? (isWalk === true && !isListed ? ["e.id"] : undefined);
    const [first] = tiers;
    if (keys === undefined || (sort === "label" && byLabel(tiers) !== undefined)) return tiers;
    // A listing, such as all records of an endpoint, can be sorted without gathering its ids first.
    const isOfEntities = isListed && first!.keys.at(-1) === "e.id";
    return [{ rank: undefined, keys, from: isOfEntities ? first!.from : where("entity e", [within("e.id", ids)]) }];
  }

  count(): number {
    return this.sqlite.row<[number]>(`SELECT count(*) FROM (${this.ids.sql})`, ...this.ids.values)![0];
  }

  /** The number of hits for each first letter of labels; empty if hits are not sorted by label. */
  letters(): LetterCount[] {
    const tier = byLabel(this.#tiers);
    if (tier === undefined) return [];
    const { keys, from } = tier;
    const sql = `SELECT substr(${keys[0]}, 1, 1), count(*) FROM ${from.sql} GROUP BY 1 ORDER BY 1`;
    return this.sqlite.rows<[string, number]>(sql, ...from.values).map(([letter, records]) => ({ letter, records }));
  }

  /** The hits of a window, as numbers of entities with their ranks, and the cursors of its neighbours. Throws `InvalidCursorError`. @param filling the index's, see `IndexState` @param total the number of all hits, if it is known: after the last one, no tier is read */
  window({ after, before, from: first, limit }: WindowQuery, filling: number, total = Infinity) {
    const isBackward = before !== undefined && first === undefined;
    const cursor = first === undefined ? (before ?? after ?? "") : "";
    const given = first === undefined ? undefined : this.#placeOfLabel(first);
    const [from, walked] = cursor === "" ? [given, filling] : this.#place(cursor, isBackward, filling);
    const found: Place[] = [];
    const order = [...this.#tiers.keys()];
    for (const tier of isBackward ? order.reverse() : order) {
      if (from !== undefined && (isBackward ? tier > from.tier : tier < from.tier)) continue;
      // One hit more than wanted shows whether there are more.
      const start = from?.tier === tier ? from.keys : undefined;
      for (const keys of this.#rows(this.#tiers[tier]!, start, isBackward, limit + 1 - found.length))
        found.push({ tier, keys });
      if (found.length > limit || found.length === total) break;
    }
    const items = found.slice(0, limit);
    const onward = found.length > limit ? this.#cursorOf(items.at(-1), walked) : undefined;
    // If what followed was deleted, the way back begins at the end of the list: the cursor's own place would leave out its record.
    const back = from === undefined ? undefined : (this.#cursorOf(items[0], walked) ?? "");
    const places = items.map(({ tier, keys }) => ({ id: keys.at(-1) as number, rank: this.#tiers[tier]!.rank }));
    return isBackward
      ? { places: places.reverse(), next: back, previous: onward }
      : { places, next: onward, previous: back };
  }

  #rows({ keys, from }: Tier, start: readonly Cell[] | undefined, isBackward: boolean, limit: number): Cell[][] {
    const [compared, direction] = isBackward ? ["<", " DESC"] : [">", ""];
    const list = keys.join(", ");
    const further = start === undefined ? "" : ` AND (${list}) ${compared} (${keys.map(() => "?").join(", ")})`;
    const order = keys.map((key) => key + direction).join(", ");
    const sql = `SELECT ${list} FROM ${from.sql}${further} ORDER BY ${order} LIMIT ?`;
    return this.sqlite.rows<Cell[]>(sql, ...from.values, ...(start ?? []), limit);
  }

  /** The place before a label; `undefined` if it is the beginning of the list, which no window precedes. */
  #placeOfLabel(form: string): Place | undefined {
    const tier = byLabel(this.#tiers);
    if (tier === undefined) throw new InvalidCursorError(form);
    const keys = [tier.keys[0] === "r.sort" ? sortOfReferrer(form) : form.slice(0, SORTED_BY), -1];
    return this.#rows(tier, keys, true, 1).length === 0 ? undefined : { tier: 0, keys };
  }

  /** The place of a cursor, and the filling for the next cursors. If the index was filled again, or is another one, entities have other numbers. The place is then before all hits with equal keys, so that none is missed; the next cursors have the IRI of the entity. */
  #place(cursor: string, isBackward: boolean, present: number): [Place, filling: number] {
    const given = unpacked<unknown>(cursor);
    const [filling, tier, ...keys] = Array.isArray(given) ? (given as [number, number, ...Cell[]]) : [0, -1];
    const isOwn = filling === present;
    const known = filling === SEVERAL ? entityOf(this.sqlite, String(keys.at(-1))) : undefined;
    if (!isOwn) keys.splice(-1, 1, known ?? (isBackward ? Infinity : -1));
    const isSound = keys.every((key) => typeof key === "number" || typeof key === "string");
    const at = typeof tier === "number" ? this.#tiers[tier] : undefined;
    if (!isSound || keys.length !== at?.keys.length) throw new InvalidCursorError(cursor);
    // Each load changes how rare words are, and so all scores: the place is where the hit of the cursor is now.
    const hit = restricted(at, { sql: `${at.keys.at(-1)} = ?`, values: keys.slice(-1) });
    const [now = keys] = at.keys[1] === "word.rowid" ? this.#rows(hit, undefined, false, 1) : [];
    return [{ tier, keys: now }, isOwn ? filling : SEVERAL];
  }

  #cursorOf(place: Place | undefined, filling: number): string | undefined {
    if (place === undefined) return undefined;
    const id = place.keys.at(-1) as number;
    const last = filling === SEVERAL ? iriOfId(this.sqlite, id) : id;
    return packed([filling, place.tier, ...place.keys.slice(0, -1), last]);
  }
}

/** The first tier, if it is sorted by label. */
function byLabel([first]: readonly Tier[]): Tier | undefined {
  return first?.keys.length === 2 && first.keys[0]!.endsWith(".sort") ? first : undefined;
}
