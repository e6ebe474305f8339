/** Editions: loads that change every record, so that a store with a mixture of two is detected. */
import type { EmbeddedStore } from "../../../src/store/embedded/embedded-store.js";
import type { StoredRecord } from "../../../src/store/record.js";
import type { Stage } from "../../../src/store/writable-store.js";
import { changesAfter, graphOf, MADE_OF, referrersOf, stagedObject } from "../records.js";

export const RECORDS = 600;
/** The IRI of a record that only odd editions have. */
const ODD = "urn:odd";

/** The IRI that every record of an edition refers to. */
function sign(edition: number): string {
  return `urn:edition:${edition}`;
}

/** Stage an edition, with its number also as the base URL. */
export async function stageEdition(store: EmbeddedStore, edition: number): Promise<Stage> {
  const stage = await store.stage({ baseUrl: String(edition) });
  for (let number = 0; number < RECORDS; number++) {
    await stage.put(stagedObject(graphOf(`urn:record:${number}`, { materials: [sign(edition)] })));
  }
  if (edition % 2 === 1) await stage.put(stagedObject(graphOf(ODD, { materials: [sign(edition)] })));
  else await stage.delete(ODD);
  return stage;
}

/** The edition of a record. */
export function editionOf({ graph }: StoredRecord): number {
  const material = graph.terms.findIndex(({ value }) => value === MADE_OF) + 1;
  return Number(graph.terms[material]!.value.split(":").at(-1));
}

/** The faults of a store that must hold one whole edition and the changes that led to it. */
export async function faultsOf(store: EmbeddedStore): Promise<string[]> {
  const faults: string[] = [];
  const { baseUrl, records, sequence, triples } = await store.stats();
  const edition = Number(baseUrl ?? 0);
  const expected = edition === 0 ? 0 : RECORDS + (edition % 2);
  const found: number[] = [];
  for await (const record of store.lists.records()) found.push(editionOf(record));
  if (found.length !== expected) faults.push(`${found.length} records in edition ${edition}`);
  if (found.some((each) => each !== edition)) faults.push(`other editions than ${edition}`);
  if (records !== expected || triples !== 3 * expected) faults.push(`counted ${records} records, ${triples} triples`);
  const referring = await Promise.all([-1, 0, 1].map((by) => referrersOf(store, sign(edition + by), 2 * RECORDS)));
  if (referring.map((each) => each.length).join() !== `0,${expected},0`) faults.push("backlinks of other editions");
  let last = 0;
  for (const change of await changesAfter(store, 0)) {
    if (change.sequence !== ++last) faults.push(`change ${change.sequence} after ${last - 1}`);
  }
  if (last !== sequence) faults.push(`${last} changes, sequence ${sequence}`);
  const tombstone = await store.tombstone(ODD);
  if ((tombstone !== undefined) !== (edition > 0 && edition % 2 === 0)) faults.push("a wrong tombstone");
  return faults;
}
