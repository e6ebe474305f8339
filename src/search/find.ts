/** Searches of the index: their hits tier by tier, in either direction. */
import { groupBy } from "../base/entries.js";
import { packed, unpacked } from "../base/json.js";
import { endpointNumber } from "../model/tables/names.js";
import { timestampOf } from "../model/timestamps.js";
import { InvalidCursorError } from "../store/errors.js";
import { type LetterCount, PERIODS, type SearchOrder, type SearchRank, type WindowQuery } from "../store/search.js";
import { entityOf, iriOfId } from "./iris.js";
import {
  combined,
  havingWords,
  KINDS_OF_NAMES,
  LAST,
  matching,
  NO_ENTITIES,
  withMatch,
  withName,
  withWords,
} from "./matching.js";
import { CLASS, FIRST_TERM, IMPLIED_CLASSES, termNumber } from "./properties.js";
import { COLUMNS, NAME_KIND, REFERRERS_SORTED_BY, SORTED_BY, sortOfReferrer } from "./schema.js";
import { type IndexQuery, matchOf, type Part, type SearchText, searchTextsOf, wordTiers } from "./search-text.js";
import type { Cell, Sqlite } from "./sqlite.js";

/** If the names of this many records begin with a text, a page of them is read in the order of an SQL index instead of sorting them all. */
const MANY = 2_000;
interface Tier {
  readonly rank: SearchRank | undefined;
  /** The expressions that its hits are sorted by; the last is the number of the entity. */
  readonly keys: readonly string[];
  /** The SQL after `FROM`, with its conditions. */
  readonly from: Part;
}

const SCORE = `bm25(word, ${Object.values(COLUMNS).join(", ")})`;

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
    const [main, ...others] = searchTextsOf(sqlite, query);
    this.searched = main;
    const conditions = [
      ...conditionsOf(sqlite, query),
      ...others.map((each) => within("e.id", matching(sqlite, each).all)),
      ...(query.without ? [not(within("e.id", havingWords(sqlite, query.without)))] : []),
    ];
    if (main !== undefined) {
      const found = matching(sqlite, main);
      this.#tiers = tiersOf(sqlite, found, conditions);
      this.ids = conditions.length === 0 ? found.all : meeting(found.all, conditions);
    } else {
      const tier = listed(sqlite, query, conditions);
      this.#tiers = [tier];
      this.ids = entitiesOf(tier);
    }
    if (query.also !== undefined) {
      // Records that have the words only in their texts come last, after the hits of `also`.
      const other = new IndexSearch(sqlite, { ...query, ...query.also, also: undefined });
      const texts = this.#tiers.filter(({ rank }) => rank === "text");
      const better = texts.reduce((ids, tier) => combined(ids, "EXCEPT", entitiesOf(tier)), this.ids);
      const without = (tier: Tier, ids: Part) => restricted(tier, not(within(tier.keys.at(-1)!, ids)));
      const further = other.#tiers.map((tier): Tier => ({ ...without(tier, better), rank: "kind" }));
      const least = texts.map((tier) => without(tier, other.ids));
      this.#tiers = [...this.#tiers.filter(({ rank }) => rank !== "text"), ...further, ...least];
      this.ids = combined(this.ids, "UNION", other.ids);
    }
    const walked = query.isWalk === true && main !== undefined ? ["e.id"] : undefined;
    const keys = SORTS[query.sort ?? "relevance"] ?? walked;
    if (keys === undefined || (query.sort === "label" && this.#byLabel() !== undefined)) return;
    // A listing, such as all records of an endpoint, can be sorted without gathering its ids first.
    const [first] = this.#tiers;
    const isListed = main === undefined && first!.keys.at(-1) === "e.id";
    this.#tiers = [
      { rank: undefined, keys, from: isListed ? first!.from : where("entity e", [within("e.id", this.ids)]) },
    ];
  }

  count(): number {
    return this.sqlite.row<[number]>(`SELECT count(*) FROM (${this.ids.sql})`, ...this.ids.values)![0];
  }

  /** The number of hits for each first letter of labels; empty if hits are not sorted by label. */
  letters(): LetterCount[] {
    const tier = this.#byLabel();
    if (tier === undefined) return [];
    const { keys, from } = tier;
    const sql = `SELECT substr(${keys[0]}, 1, 1), count(*) FROM ${from.sql} GROUP BY 1 ORDER BY 1`;
    return this.sqlite.rows<[string, number]>(sql, ...from.values).map(([letter, records]) => ({ letter, records }));
  }

  /** The first tier, if it is sorted by label. */
  #byLabel(): Tier | undefined {
    const [tier] = this.#tiers;
    return tier?.keys.length === 2 && tier.keys[0]!.endsWith(".sort") ? tier : undefined;
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
    const tier = this.#byLabel();
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

/** Those of some entities that meet conditions. A join takes two thirds of the time of `IN`, which sorts the entities first. */
function meeting(some: Part, conditions: readonly Part[]): Part {
  const { sql, values } = where(`SELECT e.id FROM (${some.sql}) s CROSS JOIN entity e ON e.id = s.id`, conditions);
  return { sql, values: [...some.values, ...values] };
}

/** The tiers of a text. A later tier leaves out the hits of earlier ones. */
function tiersOf(sqlite: Sqlite, found: ReturnType<typeof matching>, conditions: readonly Part[]): Tier[] {
  const { searched, named, ending } = found;
  const byReferrers = ["-e.referrers", "e.sort", "e.id"];
  const tier = (rank: SearchRank, ids: Part, ...more: readonly Part[]): Tier => ({
    rank,
    keys: byReferrers,
    from: where("entity e", [within("e.id", ids), ...more, ...conditions]),
  });
  if (named !== undefined) return [tier("value", named)];
  const [value, prefixed] = [withName(searched, false), withName(searched, true)];
  const [count] = sqlite.row<[number]>(`SELECT count(*) FROM (${prefixed.sql} LIMIT ${MANY})`, ...prefixed.values)!;
  const isMany = count === MANY;
  const people = isMany ? undefined : peopleBefore(sqlite, searched, value, prefixed);
  // Fewer than six digits may be a year: the records whose IRIs end in them then come last.
  const ended = /\D|\d{6}/.test(searched.form) ? ending : undefined;
  const above = [people, ended].flatMap((each) => each ?? []);
  const others = above.map((each) => not(within("e.id", each)));
  const tiers = [
    tier("value", value, not(IS_NAMED_AFTER)),
    tier("words", people ?? NO_ENTITIES, not(within("e.id", value))),
    tier("value", value, IS_NAMED_AFTER),
    tier("iri", ended ?? NO_ENTITIES, not(within("e.id", value)), ...(people ? [not(within("e.id", people))] : [])),
    ...prefixTiers(searched, prefixed, isMany, [not(within("e.id", value)), ...others, ...conditions]),
  ];
  let before: Part | undefined;
  for (const [rank, columns, isPrefix] of wordTiers(searched)) {
    const match = matchOf(searched, columns, isPrefix);
    const isOfName = rank === "words" || rank === "word prefix";
    // To weigh a match by its record needs a join, which is too slow for the very many matches of a word outside names.
    const isWeighed = isOfName || (rank === "maker" && searched.words.length > 1);
    const isJoined = isWeighed || conditions.length > 0;
    const all = [
      { sql: "word MATCH ?", values: [match] },
      ...(isJoined ? [{ sql: "e.id = word.rowid", values: [] }, ...conditions] : []),
      not(within("word.rowid", prefixed)),
      ...above.map((each) => not(within("word.rowid", each))),
      ...(before === undefined ? [] : [not(within("word.rowid", before))]),
    ];
    const weight = `(1 + ${isOfName ? "0.8 * ln(1 + e.referrers)" : 0}) / (1 + ${IS_NAMED_AFTER.sql})`;
    const score = isWeighed ? `${SCORE} * ${weight}` : SCORE;
    tiers.push({ rank, keys: [score, "word.rowid"], from: where(isJoined ? "word CROSS JOIN entity e" : "word", all) });
    before = withMatch(match);
  }
  if (ending !== ended) tiers.push(tier("iri", ending!, not(within("e.id", withWords(searched)))));
  return tiers;
}

/** The endpoints whose entities are often named after others: an image has the name of its object, an exhibition that of a painter. */
const NAMED_AFTER = (["event", "provenance", "visual", "digital"] as const).map(endpointNumber);
const IS_NAMED_AFTER = { sql: `(+e.endpoint IN (${NAMED_AFTER}))`, values: [] };

/** The people who come before what is named after them: `vermeer` finds the painter before an exhibition. Their names have the words, and they have more referrers. */
function peopleBefore(sqlite: Sqlite, searched: SearchText, value: Part, prefixed: Part): Part | undefined {
  if (wordTiers(searched).length === 0) return undefined;
  const others = [within("e.id", prefixed), not(IS_PERSON), anyOf([not(within("e.id", value)), IS_NAMED_AFTER])];
  const { sql, values } = where("entity e", others);
  const [referrers] = sqlite.row<[number | null]>(`SELECT max(e.referrers) FROM ${sql}`, ...values)!;
  if (referrers === null) return undefined;
  const people = where("word CROSS JOIN entity e", [
    { sql: "word MATCH ?", values: [matchOf(searched, ["names"], false)] },
    { sql: "e.id = word.rowid", values: [] },
    IS_PERSON,
    { sql: "e.referrers > ?", values: [referrers] },
  ]);
  const found = { sql: `SELECT e.id FROM ${people.sql}`, values: people.values };
  return sqlite.row(found.sql, ...found.values) && found;
}

const IS_PERSON = { sql: `(+e.endpoint = ${endpointNumber("person")})`, values: [] };

/** The tiers of names that begin with the text: records with referrers, people with this surname, labels that begin so, the rest. If `isMany`, the first and the third are read from SQL indexes. */
function prefixTiers({ form, begun, among }: SearchText, prefixed: Part, isMany: boolean, conditions: readonly Part[]) {
  const isPrefix = within("e.id", prefixed);
  const isReferredTo = { sql: "e.referrers > 0", values: [] };
  const first = form.slice(0, SORTED_BY);
  const isShown = { sql: "e.sort BETWEEN ? AND ?", values: [first, first + LAST] };
  const lines = KINDS_OF_NAMES[among].map((kind) => `\n${kind}${begun}`);
  const hasLine = anyOf(lines.map((line) => ({ sql: "instr(char(10) || e.names, ?)", values: [line] })));
  const indexedBy = (name: string): string => `entity e${isMany ? ` INDEXED BY ${name}` : ""}`;
  // A surname is taken to be the words with which a name begins: `matisse` in `Matisse, Henri`.
  const words = `SELECT entity FROM name WHERE kind = ${NAME_KIND.name} AND form BETWEEN ? AND ?`;
  const isSurname = within("e.id", { sql: words, values: [`${form} `, `${form} ${LAST}`] });
  const isPerson = { sql: `(${IS_PERSON.sql} AND ${isSurname.sql})`, values: isSurname.values };
  const tier = (keys: readonly string[], table: string, ...parts: readonly Part[]): Tier => ({
    rank: "prefix",
    keys: [...keys, "e.sort", "e.id"],
    from: where(table, [...parts, ...conditions]),
  });
  return [
    tier(["-e.referrers"], indexedBy("entity_referred"), isReferredTo, isPrefix),
    tier([], "entity e", not(isReferredTo), isPerson, isPrefix),
    tier([], indexedBy("entity_by_label"), not(isReferredTo), not(isPerson), isShown, isMany ? hasLine : isPrefix),
    tier([], "entity e", not(isReferredTo), not(isPerson), not(isShown), isPrefix),
  ];
}

/** The hits of a search without a text, sorted by label: the referrers of a target, or all records. */
function listed(sqlite: Sqlite, { relations, endpoint }: IndexQuery, conditions: readonly Part[]): Tier {
  const [first, ...more] = relations.filter(({ isNot }) => isNot !== true);
  // The referrers of one target are read in the order of labels. If a property may have one of several targets, each record is tested.
  if (first === undefined || more.some(({ property }) => property === first.property)) {
    // Elsewhere `+e.endpoint` keeps SQLite from using the index of endpoints; here it should use it.
    const listing = endpoint === undefined ? [] : [{ sql: "e.endpoint = ?", values: [endpointNumber(endpoint)] }];
    return { rank: undefined, keys: ["e.sort", "e.id"], from: where("entity e", [...listing, ...conditions]) };
  }
  const others = conditions.slice(1);
  const table = others.length === 0 ? "reference r" : "reference r JOIN entity e ON e.id = r.entity";
  const target = entityOf(sqlite, first.target) ?? -1;
  const refers = { sql: "r.target = ? AND r.property = ?", values: [target, first.property] };
  const from = where(table, [refers, ...others]);
  return { rank: undefined, keys: ["r.sort", "r.entity"], from };
}

/** The conditions of a query on an entity `e`, without its texts. References come first. */
function conditionsOf(sqlite: Sqlite, query: IndexQuery): Part[] {
  const { endpoint, classes, relations, begins, ends, among, under, isPictured, changed } = query;
  const wanted = relations.filter(({ isNot }) => isNot !== true);
  const unwanted = relations.filter(({ isNot }) => isNot === true);
  const byProperty = groupBy(wanted, ({ property }) => property);
  return [
    ...[...byProperty.values()].map((each) => refersToAny(sqlite, each)),
    ...(unwanted.length === 0 ? [] : [not(refersToAny(sqlite, unwanted))]),
    ...(among === undefined ? [] : [within("e.id", among)]),
    ...(begins === undefined ? [] : [{ sql: "e.ends >= ?", values: [begins] }]),
    ...(ends === undefined ? [] : [{ sql: "e.begins <= ?", values: [ends] }]),
    ...(isPictured === undefined ? [] : [{ sql: `e.picture ${isPictured ? ">" : "="} 0`, values: [] }]),
    ...(changed === undefined ? [] : [{ sql: "e.changed >= ?", values: [secondsOf(changed)] }]),
    ...(under === undefined ? [] : [within("e.id", { sql: UNDER, values: [entityOf(sqlite, under) ?? -1] })]),
    ...(classes === undefined ? [] : [hasAnyOf(sqlite, classes)]),
    ...(endpoint === undefined ? [] : [{ sql: "+e.endpoint = ?", values: [endpointNumber(endpoint)] }]),
  ];
}

/** The condition that an entity `e` has at least one of these classes. */
function hasAnyOf(sqlite: Sqlite, classes: readonly string[]): Part {
  const implying = [...IMPLIED_CLASSES].filter(([, iri]) => classes.includes(iri));
  const endpoints = implying.map(([endpoint]) => endpointNumber(endpoint));
  const isImplied = { sql: `+e.endpoint IN (${endpoints.join()})`, values: [] };
  const stated = classes.map((target) => ({ target, property: CLASS }));
  return anyOf([isImplied, refersToAny(sqlite, stated)]);
}

/** The condition that an entity `e` has at least one of these references. A single one is looked up for each entity; the referrers of several are gathered once, so that a long list costs little. */
function refersToAny(sqlite: Sqlite, relations: IndexQuery["relations"]): Part {
  const known = relations.flatMap(({ target, property }) => {
    const entity = entityOf(sqlite, target);
    return entity === undefined ? [] : [[entity, property]];
  });
  if (known.length > 1) {
    const referrers =
      "SELECT r.entity FROM json_each(?) g CROSS JOIN reference r ON r.target = g.value->>0 AND r.property = g.value->>1";
    return within("e.id", { sql: referrers, values: [JSON.stringify(known)] });
  }
  const sql = `EXISTS (SELECT 1 FROM reference r WHERE r.target = ? AND r.property = ?
AND r.sort = substr(e.sort, 1, ${REFERRERS_SORTED_BY}) AND r.entity = e.id)`;
  return anyOf(known.map((values) => ({ sql, values })));
}

/** The properties that place an entity below another: `broader` of concepts, `part_of` of places, sets and texts, `member_of`. */
const BELOW = ["broader", "part_of", "member_of"].map((term) => termNumber(term)!).join();
/** At most this many entities below another are considered. */
const MAX_BELOW = 100_000;

/** Everything that refers to an entity or to one below it; a circle is followed once. Classes, licences and relations do not count as references here. */
const UNDER = `WITH RECURSIVE below (id) AS (
  SELECT ? UNION SELECT r.entity FROM below b JOIN reference r ON r.target = b.id AND r.property IN (${BELOW}) LIMIT ${MAX_BELOW}
) SELECT r.entity FROM below b JOIN reference r ON r.target = b.id AND r.property >= ${FIRST_TERM}`;

/** The start of a period that ends now (see `PERIODS`), or a date, in seconds since 1970; `NaN` for another text. */
export function secondsOf(changed: string): number {
  const days = Object.hasOwn(PERIODS, changed) ? PERIODS[changed] : undefined;
  const since = days === undefined ? Date.parse(timestampOf(changed, "first") ?? "") : Date.now() - days * 86_400_000;
  return Math.floor(since / 1_000);
}

function anyOf(parts: readonly Part[]): Part {
  return { sql: `(${parts.map(({ sql }) => sql).join(" OR ") || "0"})`, values: parts.flatMap(({ values }) => values) };
}

function not({ sql, values }: Part): Part {
  return { sql: `NOT ${sql}`, values };
}

function entitiesOf({ keys, from }: Tier): Part {
  return { sql: `SELECT ${keys.at(-1)} FROM ${from.sql}`, values: from.values };
}

function restricted({ rank, keys, from }: Tier, { sql, values }: Part): Tier {
  return { rank, keys, from: { sql: `${from.sql} AND ${sql}`, values: [...from.values, ...values] } };
}

function within(id: string, { sql, values }: Part): Part {
  return { sql: `${id} IN (${sql})`, values };
}

function where(from: string, conditions: readonly Part[]): Part {
  return {
    sql: `${from} WHERE ${conditions.map(({ sql }) => sql).join(" AND ") || "1"}`,
    values: conditions.flatMap(({ values }) => values),
  };
}
