/** Records for tests of stores: objects with any materials, embedded parts and contexts. */
import type { EndpointName } from "../../src/model/tables/names.js";
import { type Json, type RecordGraph, RecordGraphBuilder } from "../../src/rdf/record-graph.js";
import { RDF, RDFS_LABEL } from "../../src/rdf/terms.js";
import type { Change } from "../../src/store/changes.js";
import type { StoredRecord } from "../../src/store/record.js";
import type { Reference, Store } from "../../src/store/store.js";
import type { PublishedCounts, Staged, WritableStore } from "../../src/store/writable-store.js";

const CRM = "http://www.cidoc-crm.org/cidoc-crm/";
export const PART = `${CRM}P46_is_composed_of`;
export const MEMBER_OF = "https://linked.art/ns/terms/member_of";
export const MADE_OF = `${CRM}P45_consists_of`;

export interface Content {
  readonly label?: string;
  /** IRIs that the record refers to. */
  readonly materials?: readonly string[];
  /** IRIs of the Sets that it is a member of. */
  readonly sets?: readonly string[];
  /** IRIs of embedded nodes that the record describes; each has a part itself. */
  readonly parts?: readonly string[];
  readonly context?: Json;
}

export function graphOf(
  iri: string,
  { label = "x", materials = [], sets = [], parts = [], context }: Content = {},
): RecordGraph {
  const builder = new RecordGraphBuilder(iri, context);
  const root = builder.iri(iri);
  builder.add(root, builder.iri(RDF.type), builder.iri(`${CRM}E22_Human-Made_Object`));
  builder.add(root, builder.iri(RDFS_LABEL), builder.literal(label));
  for (const material of materials) builder.add(root, builder.iri(MADE_OF), builder.iri(material));
  for (const set of sets) builder.add(root, builder.iri(MEMBER_OF), builder.iri(set));
  for (const part of parts) {
    builder.add(root, builder.iri(PART), builder.iri(part));
    builder.add(builder.iri(part), builder.iri(PART), builder.blank("p"));
  }
  return builder.build();
}

export function stagedObject(graph: RecordGraph): Staged {
  return { graph, endpoint: "object" as EndpointName, label: "x", valid: true };
}

/** Publish records and deletions in one load. */
export async function publish(
  store: WritableStore,
  graphs: readonly RecordGraph[],
  deletions: readonly string[] = [],
): Promise<PublishedCounts> {
  const stage = await store.stage();
  for (const graph of graphs) await stage.put(stagedObject(graph));
  for (const iri of deletions) await stage.delete(iri);
  return stage.publish();
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The record with an IRI, if there is one. */
export async function recordOf(store: Store, iri: string): Promise<StoredRecord | undefined> {
  return (await store.find(iri))?.record();
}

/** All changes after a sequence number. */
export function changesAfter(store: Store, sequence: number): Promise<readonly Change[]> {
  return store.changes!.page({ after: sequence, limit: Number.MAX_SAFE_INTEGER });
}

/** The first references to an IRI. */
export async function referrersOf(store: Store, iri: string, limit: number): Promise<readonly Reference[]> {
  return (await store.references!.page(iri, { limit })).items;
}
