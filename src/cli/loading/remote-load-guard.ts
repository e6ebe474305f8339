/** Loads and deletions on behalf of a service: what they wait for, and the conditions they must meet. */
import { addAbortSignal } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { ANY_RECORD, NO_RECORD } from "../../http/loads/loads.js";
import { entityTag, hashOfTag } from "../../http/message/headers/conditions.js";
import type { LoadEvent } from "../../load/pipeline/load.js";
import { atIntervals, type LoadProgress } from "../../load/pipeline/progress.js";
import { openSearchedForLoading } from "../../search/open.js";
import { StoreLockedError } from "../../store/errors.js";
import { ensureStore, type LoadableStore } from "../../store/open.js";
import { firstRecord, type HeldChange, type Store } from "../../store/store.js";
import type { PendingChange, Review } from "../../store/writable-store.js";
import type { Terminal } from "../main/command.js";
import { type Options, UsageError } from "../settings/options.js";

/** The standard input. If a service passes it on, it counts as whole only when the service confirms that. */
export function inputOf({ stdin, channel, interrupted }: Terminal): AsyncIterable<Uint8Array | string> {
  return channel === undefined ? stdin : confirmed(addAbortSignal(interrupted, stdin), channel.isWhole);
}

/** The input, with a check at its end: a pipe also ends when the sender or the service dies. Throws `UsageError` unless the service confirms that everything came. */
async function* confirmed(input: AsyncIterable<Uint8Array | string>, isWhole: () => Promise<boolean>) {
  const confirmation = isWhole();
  yield* input;
  if (!(await confirmation)) throw new UsageError("the connection was cut before all was sent: nothing was loaded");
}

/** Open an existing store for changes, as `openWhenFree` does, but never create one: a mistyped name is an error. Throws `StoreError`. */
export async function openToChange(options: Options, terminal: Terminal): Promise<LoadableStore> {
  const directory = options.required("store");
  await ensureStore({ directory });
  return openWhenFree(directory, options.isSet("wait"), terminal);
}

/** Open a store for loading. With `waits`, wait until no other load has it. Throws `StoreError`. */
export async function openWhenFree(directory: string, waits: boolean, { stderr, interrupted }: Terminal) {
  const open = () =>
    openSearchedForLoading({ directory }, (problem) => stderr.line(`warning: ${problem}`), interrupted);
  return waits ? await onceUnlocked(open, interrupted) : await open();
}

/** Take a lock once no other process has it. Throws `StoreError`, and the signal's reason. */
export async function onceUnlocked<T>(take: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await take();
    } catch (error) {
      if (!(error instanceof StoreLockedError)) throw error;
    }
    await sleep(200, undefined, { signal });
  }
}

/** The IRIs of which one may change: an existing record's, or the spellings for a new one. `undefined` if all may. Throws `UsageError` when the record is not in the state that the sender expects. */
export async function checkRecord({ channel }: Terminal, store: Store): Promise<readonly string[] | undefined> {
  const { onlyRecord, hash: wanted, unmodifiedSince = Number.POSITIVE_INFINITY } = channel?.conditions ?? {};
  if (onlyRecord === undefined) return undefined;
  const there = await firstRecord(store, onlyRecord);
  const found = there?.found;
  const is = found === undefined ? NO_RECORD : hashOfTag(entityTag(found.hash, ""));
  const isMet = wanted === ANY_RECORD ? is !== NO_RECORD : wanted === undefined || wanted.split(",").includes(is);
  const isLater = found !== undefined && Math.floor(found.modified / 1_000) * 1_000 > unmodifiedSince;
  if (!isMet || isLater) {
    const now = found === undefined ? "has no record" : `has entity tags that begin with ${is}`;
    throw new UsageError(`nothing was changed: <${there?.iri ?? onlyRecord[0]}> ${now}`, "state");
  }
  return there === undefined ? onlyRecord : [there.iri];
}

/** A review that refuses to delete records of any source but `only`. Without `only` it allows everything. */
export function onlySource(only: string | undefined): Review {
  let foreign: string | undefined;
  const look = ({ iri, source }: PendingChange | HeldChange): void => {
    if (only !== undefined && source !== only) foreign ??= iri;
  };
  return {
    onChange: look,
    onHeld: look,
    beforeCommit() {
      if (foreign !== undefined) throw new UsageError(`nothing was deleted: <${foreign}> has another source`, "source");
    },
  };
}

/** The milliseconds between two lines of progress. */
const INTERVAL = 500;

/** Progress as events, which become lines of JSON. */
export function toldProgress(tell: (event: LoadEvent) => void): LoadProgress {
  const due = atIntervals(INTERVAL);
  return {
    made(quads, records, triples) {
      if (due() !== undefined) tell({ progress: { records, quads: Math.max(quads, triples) } });
    },
    publishing: () => tell({ progress: { publishing: true } }),
    indexed(indexed) {
      if (due() !== undefined) tell({ progress: { indexed } });
    },
    [Symbol.dispose]: () => {},
  };
}
