/** The sets of OAI-PMH, by which harvesters select: kinds of records, the feeds that they came from, and Sets. */
import { ENDPOINTS } from "../../../model/tables/endpoints.js";
import { expandIri } from "../../../model/vocabulary/vocabulary.js";
import { objectsOf, type RecordGraph, rootOf } from "../../../rdf/record-graph.js";
import type { ChangeSelection } from "../../../store/changes.js";
import type { Store } from "../../../store/store.js";
import { unescaped } from "../../entity/iri-equivalents.js";

const MEMBER_OF = expandIri("la:member_of");

const PAGE = 200;

/** A set by what it is of: `kind.object`, `source.NAME`, `set.IRI`. No set is within another, so none has a colon. */
export function specOf(kind: "kind" | "source" | "set", name: string): string {
  return `${kind}.${encodeURIComponent(name.toWellFormed()).replaceAll("*", "%2A").replaceAll("%", "*")}`;
}

/** The selection of a set; `undefined` where there is no such set. */
export function selectionOf(spec: string): ChangeSelection | undefined {
  const [, kind, name] = /^(kind|source|set)\.(.+)$/.exec(spec) ?? [];
  const value = unescaped((name ?? "").replaceAll("*", "%"));
  if (kind === undefined || specOf(kind as "kind", value) !== spec) return undefined;
  if (kind === "source") return { source: value };
  if (kind === "set") return { set: value };
  const endpoint = ENDPOINTS.find((each) => each.name === value);
  return endpoint && { endpoint: endpoint.name };
}

/** A part of all sets: first the kinds and sources, then the Sets in the order of their labels. */
export async function setsAfter(store: Store, after: string | undefined) {
  const page = await store.lists?.page("set", { after, limit: PAGE });
  const sets = (page?.items ?? []).map(({ iri, label }) => ({ spec: specOf("set", iri), name: label || iri }));
  if (after !== undefined) return { sets, next: page?.next };
  const kinds = ENDPOINTS.map(({ name, title }) => ({ spec: specOf("kind", name), name: title }));
  const { sources = {} } = await store.stats();
  const feeds = Object.keys(sources).map((name) => ({ spec: specOf("source", name), name: `Records of ${name}` }));
  return { sets: [...kinds, ...feeds, ...sets], next: page?.next };
}

/** The Sets that a record says it is a member of. */
export function membershipsOf(graph: RecordGraph): readonly string[] {
  return objectsOf(graph, rootOf(graph), MEMBER_OF)
    .map((each) => graph.terms[each]!)
    .flatMap(({ termType, value }) => (termType === "NamedNode" ? [value] : []));
}
