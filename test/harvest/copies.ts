/** Stores that were restored from a backup and follow their original: comparison of their records and logs. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Change } from "../../src/store/changes.js";
import { openStore } from "../../src/store/open.js";

/** The whole change log of a store. */
export async function logOf(directory: string): Promise<readonly Change[]> {
  await using store = await openStore({ directory });
  return await store.changes.page({ after: 0, limit: 1_000_000 });
}

/** A change without its label, which a record that came and went between two visits has no more. */
const named = ({ label: _, ...change }: Change) => change;

/** The history of each record that a store ever had: its time, its changes, and its tombstone. */
async function historiesOf(directory: string): Promise<ReadonlyMap<string, unknown>> {
  await using store = await openStore({ directory });
  const iris = new Set((await store.changes.page({ after: 0, limit: 1_000_000 })).map(({ iri }) => iri));
  const histories = new Map<string, unknown>();
  for (const iri of iris) {
    const [record, tombstone] = [await store.find(iri), await store.tombstone(iri)];
    const changes = await store.changes.page({ iri, after: 0, limit: 1_000 });
    const sequences = changes.map(({ sequence }) => sequence);
    const gone = tombstone && named(tombstone);
    histories.set(iri, { sequences, gone, modified: record?.modified, sequence: record?.sequence });
  }
  return histories;
}

/** Check that a copy has the log of its original, and the same history for each record. */
export async function expectCopied(original: string, copy: string): Promise<void> {
  expect((await logOf(copy)).map(named)).toEqual((await logOf(original)).map(named));
  expect([...(await historiesOf(copy))]).toEqual([...(await historiesOf(original))]);
}

/** Wait until a store has a change with this sequence number. */
export async function untilChange(directory: string, sequence: number): Promise<void> {
  while (((await logOf(directory)).at(-1)?.sequence ?? 0) < sequence) await sleep(50);
}
