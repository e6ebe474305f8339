/** The change log as a list of records: each at its last change, so that whoever reads on finds every record once, and what changes again later. */
import { setImmediate as turn } from "node:timers/promises";
import { BoundedMap } from "../../../base/bounded-map.js";
import { entryOf } from "../../../base/entries.js";
import type { Change, ChangeLog, ChangeSelection } from "../../../store/changes.js";
import type { RecordHandle } from "../../../store/record.js";
import type { Store, StoreWith } from "../../../store/store.js";

/** A record as its last change left it. */
export interface Current {
  readonly change: Change;
  /** `undefined` where it was deleted or moved. */
  readonly found: RecordHandle | undefined;
}

interface ChangeRange {
  readonly selection: ChangeSelection;
  /** Only changes after this sequence number. */
  readonly after: number;
  /** Only changes before this time, in milliseconds since 1970. Default: all. */
  readonly before?: number | undefined;
}

const READ = 200;

/** Stretches of the log that have no current change any more: they never have one again, so that each is read through but once. */
const passed = new WeakMap<Store, BoundedMap<string, number>>();
const MAX_PASSED = 4_096;

/** The current state of records, the oldest change first. */
export async function* currentChanges(
  store: StoreWith<"changes">,
  { selection, after, before = Number.POSITIVE_INFINITY }: ChangeRange,
): AsyncGenerator<Current> {
  const known = entryOf(passed, store, () => new BoundedMap(MAX_PASSED));
  const keyOf = (sequence: number) => JSON.stringify([selection, sequence]);
  let at = after;
  /** Where a stretch began that has nothing current. */
  let empty: number | undefined;
  for (;;) {
    const beyond = known.get(keyOf(at));
    if (beyond !== undefined) {
      empty ??= at;
      at = beyond;
    }
    const begin = at;
    let isEmpty = true;
    const changes = await store.changes.page({ ...selection, after: at, limit: READ });
    for (const change of changes) {
      if (change.time >= before) return;
      at = change.sequence;
      const current = await currentOf(store, change);
      if (current === undefined) continue;
      isEmpty = false;
      yield current;
    }
    if (changes.length < READ) return;
    empty = isEmpty ? (empty ?? begin) : undefined;
    if (empty !== undefined) known.put(keyOf(empty), at);
    await turn();
  }
}

/** The record of a change, where no later change is its last. */
async function currentOf(store: Store, change: Change): Promise<Current | undefined> {
  const { iri, sequence } = change;
  const found = await store.find(iri);
  if (found !== undefined) return found.sequence === sequence ? { change, found } : undefined;
  return (await store.tombstone(iri))?.sequence === sequence ? { change, found } : undefined;
}

/** The sequence number of the last change before a time: times never go back, so halving finds it. */
export async function lastBefore(log: ChangeLog, time: number): Promise<number> {
  let [low, high, last] = [0, await log.count(), 0];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const [change] = await log.page({ offset: middle, limit: 1 });
    if (change !== undefined && change.time < time) [low, last] = [middle + 1, change.sequence];
    else high = middle;
  }
  return last;
}
