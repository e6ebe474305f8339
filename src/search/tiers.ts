/** The tiers of a search: its hits by rank, the best first, each tier in an order of its own. */
import { endpointNumber } from "../model/tables/names.js";
import type { SearchRank } from "../store/search.js";
import { anyOf, conditionsOf, not, where, within } from "./conditions.js";
import { entityOf } from "./iris.js";
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
import { COLUMNS, NAME_KIND, SORTED_BY } from "./schema.js";
import { type IndexQuery, matchOf, type Part, type SearchText, searchTextsOf, wordTiers } from "./search-text.js";
import type { Sqlite } from "./sqlite.js";

/** If the names of this many records begin with a text, a page of them is read in the order of an SQL index instead of sorting them all. */
const MANY = 2_000;

export interface Tier {
  readonly rank: SearchRank | undefined;
  /** The expressions that its hits are sorted by; the last is the number of the entity. */
  readonly keys: readonly string[];
  /** The SQL after `FROM`, with its conditions. */
  readonly from: Part;
}

const SCORE = `bm25(word, ${Object.values(COLUMNS).join(", ")})`;

/** The hits of a search: its tiers, the numbers of all entities in them, and the text that ranks them, if there is one. */
export interface Hits {
  readonly tiers: readonly Tier[];
  readonly ids: Part;
  readonly searched: SearchText | undefined;
}

/** The hits of a search. */
export function hitsOf(sqlite: Sqlite, query: IndexQuery): Hits {
  const [searched, ...others] = searchTextsOf(sqlite, query);
  const conditions = [
    ...conditionsOf(sqlite, query),
    ...others.map((each) => within("e.id", matching(sqlite, each).all)),
    ...(query.without ? [not(within("e.id", havingWords(sqlite, query.without)))] : []),
  ];
  if (searched === undefined) {
    const tier = listed(sqlite, query, conditions);
    return { searched, tiers: [tier], ids: entitiesOf(tier) };
  }
  const found = matching(sqlite, searched);
  const ids = conditions.length === 0 ? found.all : meeting(found.all, conditions);
  return { searched, tiers: tiersOf(sqlite, found, conditions), ids };
}

/** The hits of a search together with those of what its text may also mean. Records that have the words only in their texts come last, after the other hits. */
export function joined({ searched, tiers, ids }: Hits, other: Omit<Hits, "searched">): Hits {
  const texts = tiers.filter(({ rank }) => rank === "text");
  const better = texts.reduce((all, tier) => combined(all, "EXCEPT", entitiesOf(tier)), ids);
  const without = (tier: Tier, some: Part) => restricted(tier, not(within(tier.keys.at(-1)!, some)));
  const further = other.tiers.map((tier): Tier => ({ ...without(tier, better), rank: "kind" }));
  const least = texts.map((tier) => without(tier, other.ids));
  const others = tiers.filter(({ rank }) => rank !== "text");
  return { searched, tiers: [...others, ...further, ...least], ids: combined(ids, "UNION", other.ids) };
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
    ...tiersOfWords(searched, [prefixed, ...above], conditions),
  ];
  if (ending !== ended) tiers.push(tier("iri", ending!, not(within("e.id", withWords(searched)))));
  return tiers;
}

/** The tiers of words. @param above the hits of the tiers before them */
function tiersOfWords(searched: SearchText, above: readonly Part[], conditions: readonly Part[]): Tier[] {
  const tiers: Tier[] = [];
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
      ...above.map((each) => not(within("word.rowid", each))),
      ...(before === undefined ? [] : [not(within("word.rowid", before))]),
    ];
    const weight = `(1 + ${isOfName ? "0.8 * ln(1 + e.referrers)" : 0}) / (1 + ${IS_NAMED_AFTER.sql})`;
    const score = isWeighed ? `${SCORE} * ${weight}` : SCORE;
    tiers.push({ rank, keys: [score, "word.rowid"], from: where(isJoined ? "word CROSS JOIN entity e" : "word", all) });
    before = withMatch(match);
  }
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
  return { rank: undefined, keys: ["r.sort", "r.entity"], from: where(table, [refers, ...others]) };
}

function entitiesOf({ keys, from }: Tier): Part {
  return { sql: `SELECT ${keys.at(-1)} FROM ${from.sql}`, values: from.values };
}

/** The hits of a tier that meet a condition. */
export function restricted({ rank, keys, from }: Tier, { sql, values }: Part): Tier {
  return { rank, keys, from: { sql: `${from.sql} AND ${sql}`, values: [...from.values, ...values] } };
}
