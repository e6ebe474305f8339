/** Linked Art's relations in the search index (linked.art/api/rels/1), as stated by a record itself or by others. */
import { RELATIONS } from "../model/relations.js";
import { INVERSE_ROLES, ROLES, SET_ROLES } from "../model/relations-of-record.js";
import { endpointNumber } from "../model/tables/names.js";
import type { SearchQuery } from "../store/search.js";
import { entityOf, REFERRERS } from "./iris.js";
import { combined, NO_ENTITIES } from "./matching.js";
import type { Part } from "./search-text.js";
import type { Sqlite } from "./sqlite.js";

/** The search for the records that stand in a relation to an IRI, by label. Only if other records state some of them, all are gathered first. */
export function relatedQuery(sqlite: Sqlite, { relation, iri }: NonNullable<SearchQuery["related"]>) {
  const property = ROLES.get(relation)!;
  const target = entityOf(sqlite, iri) ?? -1;
  const [endpoint = 0] = sqlite.row<[number]>("SELECT endpoint FROM entity WHERE id = ?", target) ?? [];
  // The relation does not apply to the record of the IRI.
  if (endpoint > 0 && !RELATIONS[property]!.targets.some((each) => endpointNumber(each) === endpoint))
    return { relations: [], among: NO_ENTITIES };
  const others = [inverseRelation(relation, target), membersOf(relation, target)].filter((part) => part !== undefined);
  const areThere = others.some(({ sql, values }) => sqlite.row(`${sql} LIMIT 1`, ...values) !== undefined);
  if (!areThere) return { relations: [{ property, target: iri }] };
  const own: Part = { sql: REFERRERS, values: [target, property] };
  return { relations: [], among: others.reduce((ids, other) => combined(ids, "UNION", other), own) };
}

/** The records that stand in a relation to a target according to other records. */
function inverseRelation(relation: string, target: number): Part | undefined {
  const roles = INVERSE_ROLES.get(relation)!;
  if (roles.length === 0) return undefined;
  const endpoints = RELATIONS[ROLES.get(relation)!]!.sources.map(endpointNumber);
  return {
    sql: `SELECT t.subject FROM told t JOIN entity s ON s.id = t.subject
WHERE t.target = ? AND t.role IN (${roles.join()}) AND s.endpoint IN (${endpoints.join()})`,
    values: [target],
  };
}

/** The members of the Sets that stand in the relation to a target. */
function membersOf(relation: string, target: number): Part | undefined {
  const role = SET_ROLES.get(relation);
  if (role === undefined) return undefined;
  return {
    sql: `SELECT m.entity FROM reference s JOIN reference m ON m.target = s.entity AND m.property = ?
WHERE s.target = ? AND s.property = ?`,
    values: [ROLES.get("objectMemberOfSet")!, target, role],
  };
}
