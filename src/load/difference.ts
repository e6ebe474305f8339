/** The difference between two versions of a record, and between two releases: which records were created, replaced or deleted, and which properties changed. */
import { entryOf } from "../base/entries.js";
import type { DocumentWriter } from "../jsonld/documents.js";
import { isIsomorphic } from "../rdf/isomorphism.js";
import { graphWith, isJsonObject, type Json, type RecordGraph } from "../rdf/record-graph.js";
import type { StoredRecord } from "../store/record.js";
import type { StoreWith } from "../store/store.js";
import type { Difference } from "../validate/results.js";

interface Release {
  readonly store: StoreWith<"lists">;
  readonly writer: DocumentWriter;
  /** The records that the release has, but that cannot be read. Default: none. */
  readonly unread?: ReadonlySet<string>;
}

interface ReleasedRecord {
  readonly iri: string;
  readonly endpoint: string;
  readonly label: string;
  /** The properties in which its documents differ; only for a replaced record. */
  readonly properties?: readonly string[];
}

interface ChangedProperty {
  /** The keys on the way to the property, joined by `/`. */
  readonly property: string;
  /** The number of records in which it differs. */
  records: number;
  /** The number of these records in which it is new. */
  appeared: number;
  /** The number of these records in which it was removed. */
  vanished: number;
  readonly example: Difference & { readonly iri: string };
}

type Kind = "created" | "replaced" | "deleted";

export type ReleaseDifference = Awaited<ReturnType<typeof compareReleases>>;

/** The maximum number of records listed for each kind. */
const MAX_LISTED = 1_000;
/** The maximum number of properties counted; further ones are ignored. */
const MAX_PROPERTIES = 5_000;

/** Compare two releases; the order of a record's triples does not count, and what one of them has but cannot be read is left out. Throws `StoreError`, and the signal's reason. */
export async function compareReleases(before: Release, after: Release, signal: AbortSignal) {
  const comparison = new Comparison();
  const writers = [before.writer, after.writer];
  for await (const record of after.store.lists.records()) {
    signal.throwIfAborted();
    const { graph, meta } = record;
    const found = await before.store.find(graph.iri);
    if (found === undefined && before.unread?.has(graph.iri)) continue;
    if (found === undefined) comparison.add("created", record);
    else if (Buffer.compare(found.hash, meta.hash) === 0) comparison.counts.unchanged++;
    else {
      const old = (await found.record()).graph;
      if (isIsomorphic(old, graph)) comparison.counts.unchanged++;
      else comparison.add("replaced", record, differencesBetween([old, graph], writers));
    }
  }
  for await (const record of before.store.lists.records()) {
    signal.throwIfAborted();
    if (after.unread?.has(record.graph.iri)) continue;
    if ((await after.store.find(record.graph.iri)) === undefined) comparison.add("deleted", record);
  }
  const { counts, endpoints, records } = comparison;
  // Largest first.
  const properties = [...comparison.properties.values()].sort((a, b) => b.records - a.records);
  return { counts, endpoints, records, properties };
}

class Comparison {
  readonly counts = { created: 0, replaced: 0, deleted: 0, unchanged: 0 };
  /** The counts of each endpoint; `none` counts the records that belong to no endpoint. */
  readonly endpoints: Record<string, Record<Kind, number>> = {};
  /** The first records of each kind. */
  readonly records: Record<Kind, ReleasedRecord[]> = { created: [], replaced: [], deleted: [] };
  readonly properties = new Map<string, ChangedProperty>();

  add(kind: Kind, { graph: { iri }, meta }: StoredRecord, differences?: readonly Difference[]): void {
    const endpoint = meta.endpoint ?? "none";
    this.endpoints[endpoint] ??= { created: 0, replaced: 0, deleted: 0 };
    this.endpoints[endpoint][kind]++;
    this.counts[kind]++;
    const properties = [...new Set(differences?.map(({ property }) => property))];
    for (const property of properties) this.#count(iri, property, differences!);
    if (this.records[kind].length >= MAX_LISTED) return;
    this.records[kind].push({ iri, endpoint, label: meta.label, ...(differences && { properties }) });
  }

  #count(iri: string, property: string, differences: readonly Difference[]): void {
    const own = differences.filter((each) => each.property === property);
    if (!this.properties.has(property) && this.properties.size >= MAX_PROPERTIES) return;
    const none = { property, records: 0, appeared: 0, vanished: 0, example: { iri, ...own[0]! } };
    const counted = entryOf(this.properties, property, () => none);
    counted.records++;
    if (own.every(({ before }) => isNothing(before))) counted.appeared++;
    if (own.every(({ after }) => isNothing(after))) counted.vanished++;
  }
}

function isNothing(value: Json | undefined): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** The differences between the documents of two versions; none when either version cannot be written as a document. */
function differencesBetween(versions: readonly RecordGraph[], writers: readonly DocumentWriter[]) {
  // A record loaded from quads has no context. Under two different contexts every key would differ.
  const isAlike = versions.every(({ context }) => context !== undefined);
  const [before, after] = versions.map((graph, at) =>
    writers[at]!.documentIfAny(isAlike ? graph : graphWith(graph, { context: undefined })),
  );
  return before === undefined || after === undefined ? [] : differencesOf(...unordered(before, after));
}

/** Two values without the array items that both have, whatever their order. The remaining items are compared in order. */
function unordered(before: Json, after: Json): [before: Json, after: Json] {
  if (isJsonObject(before) && isJsonObject(after)) {
    const [old, now] = [{ ...before }, { ...after }];
    for (const key of Object.keys(old))
      if (Object.hasOwn(now, key)) [old[key], now[key]] = unordered(old[key]!, now[key]!);
    return [old, now];
  }
  if (!Array.isArray(before) || !Array.isArray(after)) return [before, after];
  const [old, now] = [without(before, after), without(after, before)];
  if (old.length !== now.length) return [old, now];
  const pairs = old.map((each, at) => unordered(each, now[at]!));
  return [pairs.map(([each]) => each), pairs.map(([, each]) => each)];
}

/** The items of an array that another array lacks. Repeated items count: `[1, 1, 2]` without `[1]` is `[1, 2]`. */
function without(items: readonly Json[], others: readonly Json[]): Json[] {
  const left = new Map<string, number>();
  for (const other of others.map((each) => JSON.stringify(each))) left.set(other, (left.get(other) ?? 0) + 1);
  return items.filter((item) => {
    const text = JSON.stringify(item);
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count <= 0;
  });
}

/** The maximum number of differences listed for one record. */
const MAX_DIFFERENCES = 100;

/** The places where two documents differ; arrays of different lengths, or of the same items in another order, are one difference. @param property where they are, for nested values */
export function differencesOf(before: Json, after: Json, property = "", found: Difference[] = []): Difference[] {
  if (found.length >= MAX_DIFFERENCES) return found;
  if (isJsonObject(before) && isJsonObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const [old, now] = [before, after].map((each) => (Object.hasOwn(each, key) ? each[key]! : null)) as [Json, Json];
      differencesOf(old, now, property === "" ? key : `${property}/${key}`, found);
    }
  } else if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    if (before.length > 1 && without(before, after).length === 0 && JSON.stringify(before) !== JSON.stringify(after))
      found.push({ property, before: "the same values", after: "in another order" });
    else for (const [at, each] of before.entries()) differencesOf(each, after[at]!, property, found);
  } else if (before !== after) found.push({ property, before, after });
  return found;
}
