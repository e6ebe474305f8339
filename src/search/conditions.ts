/** The conditions of a search on an entity `e` of the index, and what SQL statements are put together from. */
import { groupBy } from "../base/entries.js";
import { endpointNumber } from "../model/tables/names.js";
import { timestampOf } from "../model/timestamps.js";
import { PERIODS } from "../store/search.js";
import { entityOf } from "./iris.js";
import { CLASS, FIRST_TERM, IMPLIED_CLASSES, termNumber } from "./properties.js";
import { REFERRERS_SORTED_BY } from "./schema.js";
import type { IndexQuery, Part } from "./search-text.js";
import type { Sqlite } from "./sqlite.js";

/** The conditions of a query on an entity `e`, without its texts. References come first. */
export function conditionsOf(sqlite: Sqlite, query: IndexQuery): Part[] {
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

/** The condition that one of several is met; none of no conditions is. */
export function anyOf(parts: readonly Part[]): Part {
  return { sql: `(${parts.map(({ sql }) => sql).join(" OR ") || "0"})`, values: parts.flatMap(({ values }) => values) };
}

/** The condition that another one is not met. */
export function not({ sql, values }: Part): Part {
  return { sql: `NOT ${sql}`, values };
}

/** The condition that a column has one of some entities. */
export function within(id: string, { sql, values }: Part): Part {
  return { sql: `${id} IN (${sql})`, values };
}

/** The rows of a table that meet conditions, as SQL after `FROM`. */
export function where(from: string, conditions: readonly Part[]): Part {
  return {
    sql: `${from} WHERE ${conditions.map(({ sql }) => sql).join(" AND ") || "1"}`,
    values: conditions.flatMap(({ values }) => values),
  };
}
